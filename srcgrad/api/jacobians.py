"""Jacobians: `jacrev` row by row of the compiled reverse sweep, `jacfwd` column by column.

On arrays and numbers, and inside compiled functions, they are one compiled program. On tensors that
are part of a graph, both go by rows: a tape has no forward mode. Nested ones are derivatives of
higher order. Nothing is differentiated here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api import transforms
from srcgrad.api.compiled import Compiled, Options
from srcgrad.api.program import Primal
from srcgrad.api.rows import jacobians
from srcgrad.api.tape import clone, preferred
from srcgrad.api.transforms import aux_of, checked_positions, taken_apart
from srcgrad.eager import engine
from srcgrad.eager.apply import recording
from srcgrad.eager.functions import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    PositionError,
    SourceError,
    SrcgradError,
    UnsupportedError,
)
from srcgrad.frontend.handlers.registry import implements


def jacrev(fn: Callable, grad_position: Any = 0, has_aux: bool = False) -> Jacobian:
    """The Jacobian of `fn` by the arguments at `grad_position`, in reverse mode.

    Its shape is that of the output followed by that of the argument; several outputs or positions
    give tuples. With `has_aux` the first output counts: (Jacobian, the others). Of tensors a
    tensor, of arrays and numbers an array.

    >>> import srcgrad as flow
    >>> flow.jacrev(lambda x: x**2)(flow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]], dtype=srcgrad.float32)
    """
    return Jacobian(fn, grad_position, has_aux, False)


def jacfwd(fn: Callable, grad_position: Any = 0, has_aux: bool = False) -> Jacobian:
    """The same in forward mode, where that is to be had.

    >>> import srcgrad as flow
    >>> flow.jacfwd(lambda x: x**2)(flow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]], dtype=srcgrad.float32)
    """
    return Jacobian(fn, grad_position, has_aux, True)


class Jacobian:
    """A function of the arguments; it can be differentiated again."""

    def __init__(self, fn: Any, grad_position: Any, has_aux: bool, forward: bool) -> None:
        positions = checked_positions(grad_position, None)
        if not callable(fn):
            raise ArgumentTypeError(f"The fn should be callable, but got {type(fn).__name__}")
        self.__wrapped__ = fn
        self._positions, self._bare = positions, not isinstance(grad_position, tuple)
        self._has_aux, self._forward = has_aux, forward
        self._compiled = None if isinstance(fn, Jacobian) else _compiled(fn)
        self._parts = (positions, self._bare or len(positions) == 1, has_aux, forward)
        self._on_arrays: Compiled | None = None

    def __call__(self, *args: Any) -> Any:
        for k in self._positions:
            if k >= len(args):
                raise PositionError(f"Position index {k} is exceed input size.")
        if not any(isinstance(a, Tensor) for a in args):
            return self._of_arrays()(*args)
        for k in self._positions:
            if not isinstance(args[k], Tensor) or args[k]._a.dtype.kind != "f":
                raise ArgumentTypeError(f"argument {k} of a Jacobian must be a floating tensor")
        outside = recording() and any(isinstance(a, Tensor) and a._node is not None for a in args)
        if self._forward and not outside and self._compiled is not None:
            try:
                return self._by_columns(self._compiled, args)
            except SrcgradError:
                pass  # by rows, which raises what is to be raised
        return self._by_rows(args, outside)

    # ---- arrays ----
    def _of_arrays(self) -> Compiled:
        """The program of arrays and numbers, one compiled function."""
        if self._on_arrays is None:
            fn, parts = self.__wrapped__, self._parts

            def jacobian(*args: Any) -> Any:
                return jacobians(fn, args, *parts)

            options = Options() if self._compiled is None else self._compiled.options
            self._on_arrays = Compiled(jacobian, Primal(jacobian), options)
        return self._on_arrays

    def srcgrad_inline(self, it: Any, args: list, kwargs: dict, node: Any) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        return it.call(jacobians, [self.__wrapped__, tuple(args), *self._parts], kwargs, node)

    # ---- rows ----
    def _by_rows(self, args: tuple, outside: bool) -> Any:
        given = list(args)
        for k in self._positions:
            given[k] = clone(args[k]) if outside else _leaf(args[k])
        out = self._value(given)
        main = self._main(out)
        inputs = [given[k] for k in self._positions]
        parts = [self._rows(o, inputs, outside) for o in _outputs(main)]
        made = tuple(parts) if isinstance(main, tuple) else parts[0]
        return (made, aux_of(_detached(out, outside))) if self._has_aux else made

    def _value(self, given: list[Any]) -> Any:
        fn: Any = self.__wrapped__
        if self._compiled is None or preferred(self._compiled):
            return fn(*given)
        try:
            return self._compiled(*given)
        except (UnsupportedError, SourceError):  # the compiler's, not what fn raises
            return fn(*given)

    def _rows(self, out: Any, inputs: list[Any], outside: bool) -> Any:
        rows: list[list[Any]] = [[] for _ in inputs]
        for i in range(out._a.size):
            seed = np.zeros(out._a.size, out._a.dtype)
            seed[i] = 1
            g: Any = [None] * len(inputs)
            if out._node is not None:
                g = engine.grad(
                    [out], inputs, [make(seed.reshape(out._a.shape))], retain_graph=True,
                    create_graph=outside, allow_unused=True,
                )  # fmt: skip
            for k, (x, part) in enumerate(zip(inputs, g, strict=True)):
                rows[k].append(make(np.zeros_like(x._a)) if part is None else part)
        stack, reshape = TABLE["stack"].function, TABLE["reshape"].function
        made = [
            reshape(stack(r), (*out.shape, *x.shape)) if r
            else make(np.zeros((*out.shape, *x.shape), x._a.dtype))
            for x, r in zip(inputs, rows, strict=True)
        ]  # fmt: skip
        return made[0] if self._bare or len(made) == 1 else tuple(made)

    # ---- columns ----
    def _by_columns(self, compiled: Any, args: tuple) -> Any:
        columns, out = [], None
        for k in self._positions:
            x, made = args[k]._a, []
            for i in range(x.size):
                tangents: list[Any] = [None] * len(args)
                seed = np.zeros(x.size, x.dtype)
                seed[i] = 1
                tangents[k] = make(seed.reshape(x.shape))
                out, dot = transforms.jvp(compiled, args, tuple(tangents))
                made.append([np.asarray(d._a) for d in _outputs(self._main(dot))])
            columns.append(made)
        if out is None or not all(columns):
            raise ArgumentValueError("an argument without elements")
        parts = []
        for j, o in enumerate(_outputs(self._main(out))):
            both = zip(self._positions, columns, strict=True)
            by = [
                make(np.stack([c[j] for c in made], -1).reshape(*o.shape, *args[k].shape))
                for k, made in both
            ]
            parts.append(by[0] if self._bare or len(by) == 1 else tuple(by))
        jacobian = tuple(parts) if isinstance(self._main(out), tuple) else parts[0]
        return (jacobian, aux_of(out)) if self._has_aux else jacobian

    def _main(self, out: Any) -> Any:
        if not self._has_aux:
            return out
        if not isinstance(out, tuple) or len(out) < 2:
            raise ArgumentValueError(
                "When has_aux is True, origin fn requires more than one outputs."
            )
        return out[0]


@dataclass(frozen=True, eq=False)
class _Inner:
    """The Jacobian of a function that is defined inside a compiled one."""

    fn: Any
    parts: tuple

    def srcgrad_inline(self, it: Any, args: list, kwargs: dict, node: Any) -> Any:
        return it.call(jacobians, [self.fn, tuple(args), *self.parts], kwargs, node)


@implements(jacrev)
def _jacrev(it: Any, node: Any, fn: Any, grad_position: Any = 0, has_aux: Any = False) -> Any:
    return _inside(fn, grad_position, has_aux, False)


@implements(jacfwd)
def _jacfwd(it: Any, node: Any, fn: Any, grad_position: Any = 0, has_aux: Any = False) -> Any:
    return _inside(fn, grad_position, has_aux, True)


def _inside(fn: Any, grad_position: Any, has_aux: bool, forward: bool) -> _Inner:
    positions = checked_positions(grad_position, None)
    return _Inner(fn, (positions, len(positions) == 1, has_aux, forward))


def _compiled(fn: Any) -> Any:
    try:
        return Compiled(*taken_apart(fn))
    except SrcgradError:
        return None


def _outputs(main: Any) -> list[Any]:
    return list(main) if isinstance(main, tuple | list) else [main]


def _leaf(x: Tensor) -> Tensor:
    t = make(x._a.copy())
    t.requires_grad = True
    return t


def _detached(parts: tuple, outside: bool) -> tuple:
    if outside:
        return parts
    return tuple(p.detach() if isinstance(p, Tensor) else p for p in parts)
