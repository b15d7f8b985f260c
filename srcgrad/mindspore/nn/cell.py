"""`Cell`: a module with MindSpore's names: `construct`, Parameters that know their path.

A Parameter takes the name of the attribute that it is assigned to, and a cell that is assigned puts
its own name before those of its Parameters: `fc.weight`, and `net.fc.weight` once the cell is
inside another one. A cell compiles: `flow.grad(cell)` reads `construct`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError
from srcgrad.mindspore.parameter import ParameterTuple
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter

UNNAMED = Parameter.name


class Cell(Module):
    """The base of cells: define `construct`, call the object. In training only after `set_train`.

    >>> import srcgrad as flow
    >>> class Scaled(flow.nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = flow.Parameter(flow.tensor([3.0]))
    ...
    ...     def construct(self, x):
    ...         return x * self.w
    >>> [p.name for p in Scaled().trainable_params()]
    ['w']
    """

    def __init__(self, auto_prefix: bool = True, flags: dict[Any, Any] | None = None) -> None:
        super().__init__()
        self.__dict__.update(training=False, _auto_prefix=auto_prefix)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._watched = hasattr(cls, "bprop")

    def construct(self, *args: Any, **params: Any) -> Any:
        """Computes the result of a call; AttributeError unless a subclass defines it."""
        text = "For 'Cell', the method 'construct' is not defined."
        if type(self).forward is not Cell.forward:
            text += "\n  rename forward() to construct(), or derive the class from flow.nn.Module"
        raise AttributeError(text)

    def forward(self, *args: Any, **params: Any) -> Any:
        return self.construct(*args, **params)

    def __call__(self, /, *args: Any, **params: Any) -> Any:
        if self._watched:
            from srcgrad.mindspore.nn.watched import run
            from srcgrad.nn.hooks import call_with_hooks

            return call_with_hooks(self, run(self), args, params)
        return self.construct(*args, **params)

    # ---- attributes ----
    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__.get("_parameters")
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value)
        elif own is not None and own.get(name) is not None and isinstance(value, Tensor):
            own[name].set_data(value)
        elif isinstance(value, Module):
            super().__setattr__(name, value)
            self._adopt(name, value)
        else:
            for p in value if isinstance(value, ParameterTuple) and own is not None else ():
                own[p.name] = p  # type: ignore[index]  (not None: see above)
            super().__setattr__(name, value)

    def _adopt(self, name: str, child: Module) -> None:
        if self._auto_prefix:
            _prefixed(child, f"{name}.")
        if not isinstance(child, Cell):
            child.train(self.training)

    def insert_param_to_cell(
        self, param_name: str, param: Any, check_name_contain_dot: bool = True
    ) -> None:
        """Adds a Parameter under a name, which it takes unless it has one."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("For 'insert_param_to_cell', please call Cell.__init__() firstly.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"For 'insert_param_to_cell', the name {param_name!r} contains a dot.")
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                "For 'insert_param_to_cell', the argument 'param' must be 'Parameter', but got "
                f"{type(param)}."
            )
        self._forget(param_name)
        self._parameters[param_name] = param
        if param is not None and param.name == UNNAMED:
            param.name = param_name

    def insert_child_to_cell(self, child_name: str, child_cell: Module) -> None:
        """Adds a cell under a name; the names of its Parameters stay. KeyError if it is taken."""
        if not isinstance(child_cell, Module):
            raise ArgumentTypeError(
                "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell', but got "
                f"type {type(child_cell)}."
            )
        if child_name in self._modules or hasattr(self, child_name):
            raise KeyError(
                f"For 'insert_child_to_cell', the {child_name} child cell already exists in the "
                "network."
            )
        self._modules[child_name] = child_cell

    # ---- contents ----
    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[Any, ...]]:
        """The Parameters by the path of attributes that leads to each."""
        return self.named_parameters(name_prefix, expand)

    def get_parameters(self, expand: bool = True) -> Iterator[Any]:
        """The Parameters, a cell's own before those of the cells below."""
        return (p for _, p in self.named_parameters(recurse=expand))

    def trainable_params(self, recurse: bool = True) -> list[Any]:
        """The Parameters that require grad."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Any]:
        """The Parameters that do not require grad."""
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Any]:
        """The Parameters by their names."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def cells_and_names(
        self, cells: Any = None, name_prefix: str = ""
    ) -> Iterator[tuple[Any, ...]]:
        """This cell and all below it, with their paths; each once."""
        return self.named_modules(name_prefix, cells)

    def cells(self) -> Any:
        """The cells directly below."""
        return self._modules.values()

    def name_cells(self) -> OrderedDict[str, Module]:
        """The cells directly below, by name."""
        return OrderedDict(self._modules)

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Puts a prefix before the names of the Parameters."""
        _prefixed(self, prefix, recurse)

    # ---- modes ----
    def set_train(self, mode: bool = True) -> Cell:
        """Switches this cell and all below it to training, or to evaluation."""
        return self.train(mode)  # type: ignore[return-value]  (gives self)

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """The cell itself: every cell can be differentiated."""
        return self

    def to_float(self, dst_type: Any) -> Cell:
        """Casts the floating Parameters in place."""
        return self.to(dst_type)  # type: ignore[return-value]  (gives self)


def _prefixed(module: Module, prefix: str, recurse: bool = True) -> None:
    for path, p in module.named_parameters(recurse=recurse):
        p.name = prefix + (path if p.name == UNNAMED else p.name)
