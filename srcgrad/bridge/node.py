"""A kernel on tensors: one node of the tape, whose reverse is compiled too.

Inputs and results that the reverse sweep reads are saved with their versions; memory that may
change unnoticed is copied. Under `create_graph` the reverse sweep is a kernel on tensors itself.
Knows no structures and no signatures.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.bridge.kernel import Kernel, Taped
from srcgrad.bridge.views import overlap, settle
from srcgrad.eager import devices
from srcgrad.eager.apply import recording
from srcgrad.eager.graph import Node
from srcgrad.eager.opaque import Kept, record
from srcgrad.eager.saved import rebuilt
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Atom
from srcgrad.ir.types import Scalar, is_complex, np_dtype
from srcgrad.primitives.libraries import copied


def wanted(values: Sequence[Any]) -> tuple[int, ...]:
    """The positions of tensors that need a gradient; empty where nothing is recorded."""
    if not recording():
        return ()
    return tuple([k for k, v in enumerate(values) if isinstance(v, Tensor) and v._node is not None])


def raw(value: Any, a: Atom) -> Any:
    """A tensor as the array, or as the number, that a parameter of this type takes."""
    if isinstance(value, Tensor):
        value = value._a
    if isinstance(a.type, Scalar) and devices.is_array(value):
        number = value.item()
        return number if a.type.weak else value.dtype.type(number)
    return value


def home_of(values: Sequence[Any]) -> devices.device | None:
    """The device of the first array or tensor that is on one, where results then go."""
    for v in values:
        a = v._a if isinstance(v, Tensor) else v
        if type(a) is not np.ndarray and devices.on_device(a):
            return devices.device_of(a)
    return None


def at_home(value: Any, home: devices.device | None, dtype: Any = None) -> Any:
    """An array, or its data, on the device of a call."""
    if home is None:
        return np.asarray(value, dtype)
    return devices.moved(devices.array_of(value, dtype), home)


def called(kernel: Kernel, values: Sequence[Any], run: Callable[..., tuple] | None = None) -> list:
    """The results of a plain call: those in the memory of a tensor are views of it."""
    return applied(kernel, values, run, link=True)


def applied(
    kernel: Kernel, values: Sequence[Any], run: Callable[..., tuple] | None = None,
    link: bool = False,
) -> list:  # fmt: skip
    """The results of a kernel on arrays, numbers and tensors: raw, or tensors with a gradient.

    `run` replaces the kernel where nothing is recorded. Without `link` results share no memory.
    """
    args = [raw(v, p) for v, p in zip(values, kernel.function.params, strict=True)]
    wrt = wanted(values) if kernel.floats else ()
    taped = kernel.taped(wrt) if wrt else None
    if taped is None or not taped.live:
        out = list((run or kernel.run)(*args))
        if kernel.sharing:
            settle(out, kernel.sharing, values, (), link)
        return out
    _refuse_complex(kernel)
    home = home_of(args)
    n = len(kernel.function.returns)
    given = taped.forward(*args)
    out: list[Any] = list(given[:n])
    if any(out[flag] == value for flag, value, _ in kernel.complex_choices):
        raise _without_gradient(kernel)
    for k in kernel.floats:
        out[k] = at_home(out[k], home, np_dtype(kernel.function.returns[k].type.dtype))
    pull = _Pull(kernel, taped, wrt, [out[k].shape for k in kernel.floats], home)
    heads = tuple(values[k]._node for k in wrt)
    made = record(out, kernel.floats, heads, pull, f"{kernel.name}Backward")
    if kernel.sharing:
        settle(made, kernel.sharing, values, given[n:], link)
    pull.keep(values, args, made, given)
    return made


def _refuse_complex(kernel: Kernel) -> None:
    """Refuses complex results: the functions of the tape would not conjugate their gradients.

    Where a flag chooses between these and real ones, that is seen when the kernel has run.
    """
    chosen = {k for _, _, results in kernel.complex_choices for k in results}
    # `floats` are the results that are numbers or arrays: their types have a dtype
    always = (kernel.function.returns[k].type for k in kernel.floats if k not in chosen)
    if any(is_complex(t.dtype) for t in always):
        raise _without_gradient(kernel)


def _without_gradient(kernel: Kernel) -> UnsupportedError:
    """The error for complex results that would need a gradient."""
    return UnsupportedError(
        f"{kernel.name}() of tensors that require grad gives complex numbers, which have no "
        "gradient on the tape",
        way_out="return real numbers (.real, .imag, abs(z)), or use flow.vjp on arrays",
    )


class _Pull:
    """The backward node of a compiled call: its residuals and its pullback."""

    def __init__(
        self, kernel: Kernel, taped: Taped, wrt: tuple[int, ...], shapes: list,
        home: devices.device | None,
    ):  # fmt: skip
        self.kernel, self.taped, self.wrt, self.shapes = kernel, taped, wrt, shapes
        self.home = home
        self.inputs: list[Kept] | None = None
        self.saved: list[Kept] = []

    def keep(self, values: Sequence[Any], args: list, made: list, given: Sequence[Any]) -> None:
        """Saves what the reverse sweep reads; arrays of the caller's are copied."""
        held = [v if isinstance(v, Tensor) else _copied(v) for v in values]
        self.inputs = [Kept(v) for v in held]
        parts = self.taped.parts
        if parts is None:
            self.saved = [
                Kept(raw(v, p)) for v, p in zip(held, self.kernel.function.params, strict=True)
            ]
            return
        n = len(made)
        params = zip(parts.kept, parts.backward.params, strict=False)
        for at, ((what, k), p) in enumerate(params):
            if what == "value" and at in parts.borrowed:
                self.saved.append(_lent(given[n + k], [*values, *made]))
            elif what == "value":
                self.saved.append(Kept(given[n + k]))
            elif isinstance(p.type, Scalar):
                self.saved.append(Kept(args[k] if what == "input" else given[k]))
            else:
                self.saved.append(self.inputs[k] if what == "input" else Kept(made[k]))

    def arrays(self, given: dict[int, Any], node: Node, keep: bool) -> Sequence[Any]:
        if self.inputs is None:
            raise node.released()
        args = [kept.read(node) for kept in self.saved]
        if keep and self.taped.parts is not None:
            for k in self.taped.parts.changed:  # the reverse sweep rewinds these
                args[k] = copy.deepcopy(args[k])
        seeds = [self._seed(i, k, given) for i, k in enumerate(self.kernel.floats)]
        made = self.taped.backward(*args, *seeds)
        self._release(keep)
        return [
            at_home(g, self.home) if k in self.taped.live else None
            for k, g in zip(self.wrt, made, strict=True)
        ]

    def tensors(self, given: dict[int, Any], node: Node, keep: bool) -> Sequence[Any]:
        if self.inputs is None:
            raise node.released()
        values = [kept.read(node) for kept in self.inputs]
        for head, k in zip(node.next, self.wrt, strict=True):
            values[k] = rebuilt(values[k], head, self.inputs[k].store)
        seeds = [self._seed(i, k, given) for i, k in enumerate(self.kernel.floats)]
        made = applied(self.kernel.pulled(self.wrt), [*values, *seeds])
        self._release(keep)
        grads = [g if isinstance(g, Tensor) else make(at_home(g, self.home)) for g in made]
        return [g if k in self.taped.live else None for k, g in zip(self.wrt, grads, strict=True)]

    def _seed(self, i: int, k: int, given: dict[int, Any]) -> Any:
        """The adjoint of the k-th result as the reverse sweep takes it; zero if there is none."""
        g = given.get(k if len(self.shapes) > 1 else 0)
        a = self.kernel.function.returns[k]
        if g is None:
            g = np.zeros(self.shapes[i], np_dtype(a.type.dtype))
        if isinstance(g, Tensor):
            return g if g._a.flags.c_contiguous else g.contiguous()
        if not isinstance(a.type, Scalar):
            g = devices.array_of(g)  # NumPy makes numbers of arrays without dims
            g = g if g.flags.c_contiguous else copied(g)
        return raw(g, a)

    def _release(self, keep: bool) -> None:
        # a node that saves nothing but lengths can be walked again
        if not keep and any(not isinstance(kept.array, int | np.integer) for kept in self.saved):
            self.inputs, self.saved = None, []


def _lent(a: Any, others: Sequence[Any]) -> Kept:
    """An array that may be in the memory of a tensor, which must not change then."""
    lender = next((t for t in others if isinstance(t, Tensor) and overlap(a, t._a)), None)
    return Kept(_copied(a)) if lender is None else Kept(a, lender)


def _copied(value: Any) -> Any:
    return value.copy() if devices.is_array(value) else value
