"""Modules that hold others: in sequence, by number, by name; and Parameters so. No derivative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter


class ModuleList(Module):
    """Modules by number.

    >>> import srcgrad as flow
    >>> len(flow.nn.ModuleList([flow.nn.ReLU(), flow.nn.Tanh()]))
    2
    """

    srcgrad_parts = "_modules"  # the parts that compiled code iterates over

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def append(self, module: Module) -> ModuleList:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> ModuleList:
        """Adds modules at the end."""
        for m in modules:
            self.append(m)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Adds a module before another one."""
        held = list(self)
        held.insert(index, module)
        self._hold(held)

    def _hold(self, modules: list[Module]) -> None:
        self._modules.clear()
        for k, m in enumerate(modules):
            self.add_module(str(k), m)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, k: Any) -> Any:
        made = list(self._modules.values())[k]
        return type(self)(made) if isinstance(k, slice) else made

    def __setitem__(self, k: int, module: Module) -> None:
        self._modules[list(self._modules)[k]] = module

    def __delitem__(self, k: Any) -> None:
        held = list(self)
        del held[k]
        self._hold(held)


class Sequential(ModuleList):
    """Modules in sequence: each gets the result of the one before.

    >>> import srcgrad as flow
    >>> flow.nn.Sequential(flow.nn.Linear(3, 2), flow.nn.ReLU())(flow.ones(1, 3)).shape
    srcgrad.Size([1, 2])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        given = args[0] if len(args) == 1 and not isinstance(args[0], Module) else args
        items = given.items() if isinstance(given, dict) else enumerate(given)
        for name, m in items:
            self.add_module(str(name), m)

    def forward(self, input: Any) -> Any:
        for m in self:
            input = m(input)
        return input


class ModuleDict(Module):
    """Modules by name.

    >>> import srcgrad as flow
    >>> list(flow.nn.ModuleDict({"act": flow.nn.ReLU()}))
    ['act']
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Any) -> None:
        """Adds the modules of a dict, or of pairs of a name and a module."""
        for name, m in modules.items() if hasattr(modules, "items") else modules:
            self.add_module(name, m)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """The modules with their names."""
        return self._modules.items()

    def pop(self, key: str) -> Module:
        """Takes a module away and returns it."""
        return self._modules.pop(key)

    def clear(self) -> None:
        """Takes all modules away."""
        self._modules.clear()


class ParameterList(Module):
    """Parameters by number.

    >>> import srcgrad as flow
    >>> len(flow.nn.ParameterList([flow.nn.Parameter(flow.tensor([1.0]))]))
    1
    """

    srcgrad_parts = "_parameters"

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self.extend(values or ())

    def append(self, value: Any) -> ParameterList:
        """Adds a Parameter, or a tensor as one, at the end."""
        self.register_parameter(
            str(len(self)), value if isinstance(value, Parameter) else Parameter(value)
        )
        return self

    def extend(self, values: Any) -> ParameterList:
        """Adds Parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, k: int) -> Any:
        return list(self._parameters.values())[k]


class ParameterDict(Module):
    """Parameters by name.

    >>> import srcgrad as flow
    >>> list(flow.nn.ParameterDict({"w": flow.ones(2)}).keys())
    ['w']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        for name, value in (parameters or {}).items():
            self[name] = value

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Any:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """The Parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """The Parameters with their names."""
        return self._parameters.items()
