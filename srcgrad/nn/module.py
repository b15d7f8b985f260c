"""`Module`: parameters and modules held as attributes, found by name. Knows no layer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, devices
from srcgrad.eager.functions.transfers import names_device
from srcgrad.eager.mode import no_grad
from srcgrad.errors import ArgumentValueError, TensorError, TensorTypeError
from srcgrad.nn.parameter import Buffer, Parameter


class LoadResult(tuple):
    """The result of `load_state_dict`: the missing names and the unexpected ones."""

    missing_keys: property = property(lambda self: self[0])
    unexpected_keys: property = property(lambda self: self[1])

    def __repr__(self) -> str:
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


class Module:
    """The base of layers and networks: define `forward`, call the object.

    >>> import srcgrad as flow
    >>> net = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.ReLU())
    >>> [name for name, _ in net.named_parameters()]
    ['0.weight', '0.bias']
    """

    training: bool = True
    _watched: bool = False  # whether a call has hooks
    _before: tuple[Any, ...] = ()
    _after: tuple[Any, ...] = ()

    def __init__(self) -> None:
        for name in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, name, OrderedDict())
        object.__setattr__(self, "training", True)

    def forward(self, *args: Any, **params: Any) -> Any:
        """Computes the result of a call; NotImplementedError unless a subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, /, *args: Any, **params: Any) -> Any:
        if self._watched:
            from srcgrad.nn.hooks import call_with_hooks

            return call_with_hooks(self, self.forward, args, params)
        return self.forward(*args, **params)

    # ---- hooks ----
    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Any:
        """Calls `hook(module, inputs)` before each call; its result replaces the inputs.

        `with_kwargs`: the hook gets the keywords too, and returns both. Returns a handle with
        `remove()`.
        """
        return self._hooked("_before", hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> Any:  # fmt: skip
        """Calls `hook(module, inputs, output)` after each call; its result replaces the output.

        `with_kwargs`: the hook gets the keywords before the output. Returns a handle with
        `remove()`.
        """
        if always_call:
            raise ArgumentValueError("a forward hook is not called where forward() raises")
        return self._hooked("_after", hook, prepend, with_kwargs)

    def _hooked(
        self, place: str, hook: Callable[..., Any], prepend: bool, with_kwargs: bool
    ) -> Any:
        from srcgrad.nn.hooks import added

        return added(self, place, hook, prepend, with_kwargs)

    # ---- attributes ----
    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter | Module):
            if "_parameters" not in own:
                kind = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            self._forget(name)
            own["_parameters" if isinstance(value, Parameter) else "_modules"][name] = value
        elif name in own.get("_buffers", ()):
            own["_buffers"][name] = value
        elif value is None and name in own.get("_parameters", ()):
            own["_parameters"][name] = None
        elif name in own.get("_parameters", ()):
            raise TensorTypeError(
                f"cannot assign '{type(value).__name__}' as parameter '{name}' "
                "(srcgrad.nn.Parameter or None expected)"
            )
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str) -> None:
        for place in ("_parameters", "_buffers", "_modules"):
            self.__dict__[place].pop(name, None)
        self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        for place in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(place, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if not any(name in self.__dict__[p] for p in ("_parameters", "_buffers", "_modules")):
            object.__delattr__(self, name)
        self._forget(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under a name; None reserves the name."""
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is not trained; part of the state unless `persistent` is false."""
        if tensor is not None and not isinstance(tensor, Buffer) and tensor._node is None:
            tensor = Buffer(tensor, persistent=persistent)
        self._forget(name)
        self._buffers[name] = tensor

    def add_module(self, name: str, module: Module) -> None:
        """Adds a module under a name."""
        self._modules[name] = module

    register_module = add_module

    # ---- contents ----
    def named_modules(
        self, prefix: str = "", memo: set[Any] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """This module and all below it, with their names; each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name, memo)

    def _named(self, place: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        for path, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[place].items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[Any, ...]]:
        """The parameters with their names, each once."""
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[Any, ...]]:
        """The buffers with their names."""
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def named_children(self) -> Iterator[tuple[Any, ...]]:
        """The modules directly below, with their names."""
        return iter(self._modules.items())

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        return iter(self._modules.values())

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        return (m for _, m in self.named_modules())

    # ---- state ----
    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Parameters and buffers by name, detached unless `keep_vars`; they share memory."""
        found: OrderedDict[str, Any] = OrderedDict()
        for path, module in _each(self, prefix.removesuffix(".")):
            for name, t in [*module._parameters.items(), *module._buffers.items()]:
                if t is not None and getattr(t, "persistent", True):
                    found[f"{path}.{name}" if path else name] = t if keep_vars else t.detach()
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> LoadResult:
        """Copies tensors in by name; RuntimeError for names or shapes that do not fit."""
        own = self.state_dict()
        missing = [k for k in own if k not in state_dict]
        extra = [k for k in state_dict if k not in own]
        wrong = [
            f"size mismatch for {k}: copying a param with shape {state_dict[k].shape} from "
            f"checkpoint, the shape in current model is {own[k].shape}."
            for k in own
            if k in state_dict and state_dict[k].shape != own[k].shape
        ]
        if strict and extra:
            wrong.append(f"Unexpected key(s) in state_dict: {', '.join(map(repr, extra))}.")
        if strict and missing:
            wrong.append(f"Missing key(s) in state_dict: {', '.join(map(repr, missing))}.")
        if wrong:
            kind = type(self).__name__
            lines = "\n\t".join(wrong)
            raise TensorError(f"Error(s) in loading state_dict for {kind}:\n\t{lines}")
        with no_grad():
            for name, tensor in own.items():
                if name in state_dict:
                    tensor.copy_(state_dict[name])
        return LoadResult((missing, extra))

    def zero_grad(self, set_to_none: bool = False) -> None:
        """Sets the parameters' gradients to zeros in place, or to None."""
        for p in self.parameters():
            clear(p, set_to_none)

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as "net.0"; AttributeError if there is none."""
        found: Any = self
        for name in target.split(".") if target else ():
            if name not in found._modules:
                raise AttributeError(f"{type(found).__name__} has no module `{name}`")
            found = found._modules[name]
        return found

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as "net.0.weight"; AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if owner._parameters.get(name) is None:
            raise AttributeError(f"{type(owner).__name__} has no parameter `{name}`")
        return owner._parameters[name]

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Sets `requires_grad` of all parameters."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def train(self, mode: bool = True) -> Module:
        """Switches this module and all below it to training, or to evaluation."""
        for m in self.modules():
            object.__setattr__(m, "training", mode)
        return self

    def eval(self) -> Module:
        """Switches this module and all below it to evaluation."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Module:
        """Calls a function on all modules below, then on this one."""
        for m in self.children():
            m.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, dtype: Any = None, device: Any = None) -> Module:
        """Casts the floating parameters and buffers, or moves all to a device, in place.

        `to(dtype)`, `to(device)` or `to(device, dtype)`, as for a tensor. Gradients go along.
        """
        for a in args:
            if names_device(a):
                device = a
            else:
                dtype = a
        for p in [*self.parameters(), *self.buffers()]:
            for t in (p, p.grad):
                if t is not None:
                    kind = dtype if t.is_floating_point() else None
                    t.data = t.detach().to(dtype=kind, device=device)
        return self

    def cpu(self) -> Module:
        """Moves the parameters and buffers to the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Module:
        """Moves the parameters and buffers to a CUDA device, the current one if none is named."""
        return self.to("cuda" if device is None else devices.device(device))

    def double(self) -> Module:
        """Casts the floating parameters and buffers to float64."""
        return self.to(np.float64)

    def float(self) -> Module:
        """Casts the floating parameters and buffers to float32."""
        return self.to(np.float32)

    # ---- text ----
    def extra_repr(self) -> str:
        """The text that printing shows between the brackets of a layer."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): " + repr(m).replace("\n", "\n  ") for name, m in self._modules.items()]
        name, extra = type(self).__name__, self.extra_repr()
        if not lines:
            return f"{name}({extra})"
        return f"{name}(\n  " + "\n  ".join(([extra] if extra else []) + lines) + "\n)"


def _each(module: Module, path: str) -> Iterator[tuple[str, Module]]:
    """A module and all below it, by each of its paths."""
    yield path, module
    for name, m in module._modules.items():
        yield from _each(m, f"{path}.{name}" if path else name)


def clear(p: Tensor, set_to_none: bool) -> None:
    """Sets a tensor's gradient to zeros in place, or to None."""
    if p.grad is None:
        return
    if set_to_none:
        p.grad = None
    else:
        p.grad = p.grad.detach() if p.grad.requires_grad else p.grad
        p.grad.zero_()
