"""`Batched`: a function of items as one of batches, and the axes along which the items lie.

Compiled code inlines the function into a loop over the items (`inside/batches.py`), which is
differentiated, fused and split as others are. Elsewhere the items are computed one by one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad import hooks
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, ReturnTypeError
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import NUMBERS, describe
from srcgrad.protocols import held, states
from srcgrad.records import record
from srcgrad.transforms.callables import signature_of
from srcgrad.tree import (
    children,
    copied,
    form_of,
    keys,
    leaves,
    mapped,
    paths,
    spelled,
    unflattened,
)

P = inspect.Parameter
Placed = Callable[[int | None, Any, tuple], int | None]  # of (axis, leaf, path), not negative
POSITIONAL = (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)
SIZES = (
    "vmap got inconsistent sizes for array axes to be mapped: axis {} of {} has size {}, "
    "axis {} of {} has size {}"
)
SHAPES = "the items of vmap have results of different lengths, {} and {} along axis {}"
EMPTY = "vmap of an empty batch: the shapes of its results are known when an item has been computed"
MAPPED = "vmap has mapped output but out_axes is None"
KINDS = "the items of vmap have results of different structures"


class Batched:
    """A function and the axes of its batches: what `vmap` makes inside a compiled function."""

    def __init__(self, function: Any, in_axes: Any, out_axes: Any):
        in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        if not (in_axes is None or isinstance(in_axes, tuple) or _is_axis(in_axes)):
            raise ArgumentTypeError(
                "vmap in_axes must be an int, None, or a tuple of entries corresponding to the "
                f"positional arguments passed to the function, but got {in_axes}"
            )
        for name, axes in (("in_axes", in_axes), ("out_axes", out_axes)):
            if not all(a is None or _is_axis(a) for a in leaves(axes)):
                raise ArgumentTypeError(
                    f"vmap {name} must be an int, None, or (nested) container with those types as "
                    f"leaves, but got {axes}"
                )
        self.function, self.in_axes, self.out_axes = function, copied(in_axes), copied(out_axes)
        self.__name__ = held(function, "__name__") or type(function).__name__

    def __repr__(self) -> str:
        return f"<vmap of {self.__name__}>"

    @property
    def __signature__(self) -> inspect.Signature:
        """One parameter for each of the function's, if a call has to give them all in order."""
        try:
            params = list(signature_of(self.function).parameters.values())
        except ArgumentTypeError:
            params = [P("args", P.VAR_POSITIONAL)]
        plain = all(p.kind in POSITIONAL and p.default is p.empty for p in params)
        if plain and self.in_axes == 0:  # as that of keywords
            return inspect.Signature(params)
        if plain and isinstance(self.in_axes, tuple) and len(self.in_axes) == len(params):
            return inspect.Signature([p.replace(kind=P.POSITIONAL_ONLY) for p in params])
        return inspect.Signature([P("args", P.VAR_POSITIONAL), P("kwargs", P.VAR_KEYWORD)])

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        return hooks.inliner().batched(self, it, args, kwargs, node)

    def given(self, args: Any, kwargs: dict[str, Any], rank: Callable) -> list[Given]:
        """The arguments of a call with the axis of each leaf; `rank(leaf)` is None for no array."""
        axes = self.in_axes
        axes = axes if isinstance(axes, tuple) else (axes,) * len(args)
        if len(axes) != len(args):
            raise ArgumentValueError(
                "vmap in_axes must be an int, None, or a tuple of entries corresponding to the "
                "positional arguments passed to the function, but got "
                f"len(in_axes)={len(axes)}, len(args)={len(args)}"
            )
        names = self._names(len(args))
        named = [(k, names[k], v) for k, v in enumerate(args)]
        named += [(name, name, v) for name, v in kwargs.items()]
        found = [
            Given(key, name, v, axes_of(a, v, f"in_axes of '{name}'", (name,), of_argument(rank)))
            for (key, name, v), a in zip(named, (*axes, *[0] * len(kwargs)), strict=True)
        ]
        if all(g.shared for g in found):
            raise ArgumentValueError("vmap must have at least one non-None value in in_axes")
        return found

    def _names(self, count: int) -> list[str]:
        """The names of the positional arguments of a call."""
        try:
            params = signature_of(self.function).parameters.values()
        except ArgumentTypeError:
            params = ()
        known = [p.name for p in params if p.kind in POSITIONAL]
        return [known[k] if k < len(known) else f"args[{k}]" for k in range(count)]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The results of the items, computed one by one: the tape records them."""
        given = self.given(args, kwargs, _rank)
        first, *others = [
            (axis, spelled(path), v.shape[axis])
            for g in given for (path, v), axis in zip(g.paths(), g.axes, strict=True)
            if axis is not None
        ]  # fmt: skip
        for other in others:
            if other[2] != first[2]:
                raise ArgumentValueError(SIZES.format(*first, *other))
        made = [self._item(given, k) for k in range(first[2])]
        if not made:
            raise ArgumentValueError(EMPTY)
        if any(form_of(m) != form_of(made[0]) for m in made):
            raise ArgumentValueError(KINDS)
        axes = axes_of(self.out_axes, made[0], "out_axes", ("result",), of_result(_rank))
        columns = zip(*map(leaves, made), strict=True)
        return unflattened(made[0], map(_stacked, columns, axes))

    def _item(self, given: list[Given], k: int) -> Any:
        def at(g: Given) -> Any:
            axes = iter(g.axes)
            return mapped(g.value, lambda v: _taken(v, next(axes), k))

        values = {g.key: g.value if g.shared else at(g) for g in given}
        args = [v for key, v in values.items() if isinstance(key, int)]
        return self.function(*args, **{n: v for n, v in values.items() if isinstance(n, str)})


@record(frozen=True)
class Given:
    """An argument of a call: its position or name, and the axis of each leaf, None for shared."""

    key: int | str
    name: str
    value: Any
    axes: list[int | None]

    @property
    def shared(self) -> bool:
        """Whether all items get the argument itself."""
        return all(a is None for a in self.axes)

    def paths(self) -> list[tuple[tuple, Any]]:
        return list(paths(self.value, (self.name,)))


def axes_of(axes: Any, value: Any, what: str, path: tuple, placed: Placed) -> list[int | None]:
    """The axis of each leaf of a value by a prefix of its structure, as `placed` checks it."""
    if axes is None or _is_axis(axes):
        return [placed(axes, leaf, at) for at, leaf in paths(value, path)]
    parts, given = children(value), children(axes)
    if isinstance(axes, dict) and isinstance(value, dict) and axes.keys() == value.keys():
        given = [axes[k] for k in value]
    elif parts is None or keys(axes) != keys(value):
        raise ArgumentValueError(
            f"vmap {what} must be a tree prefix of the corresponding value, but got {axes}", None,
            "give one entry for each part of it, or one for all",
        )  # fmt: skip
    both = zip(keys(value), given or (), parts or (), strict=True)
    return [a for key, mine, v in both for a in axes_of(mine, v, what, (*path, key), placed)]


def of_argument(rank: Callable[[Any], int | None]) -> Placed:
    """The check of an axis of arguments; `rank(leaf)` is None if a leaf is not an array."""

    def placed(axis: int | None, leaf: Any, path: tuple) -> int | None:
        if axis is None or leaf is None:
            return None
        n = rank(leaf)
        least = axis + 1 if axis >= 0 else -axis
        if n is None or n < least:
            raise ArgumentValueError(
                f"vmap was requested to map '{spelled(path)}' along axis {axis}, but it is "
                f"{describe(leaf)}" if n is None else
                f"vmap was requested to map '{spelled(path)}' along axis {axis}, which implies "
                f"that its rank should be at least {least}, but is only {n}",
                None, "with None in its place in in_axes all items get it as it is",
            )  # fmt: skip
        return axis % n

    return placed


def of_result(rank: Callable[[Any], int | None]) -> Placed:
    """The check of the new axis of results, whose ranks are those of an item."""

    def placed(axis: int | None, leaf: Any, path: tuple) -> int | None:
        if leaf is None:
            return None
        n = rank(leaf)
        if n is None:
            raise ReturnTypeError(
                f"the function of vmap returns {describe(leaf)}, which is not a number, an array "
                "or a container of them"
            )
        if axis is not None and not -n - 1 <= axis <= n:
            raise ArgumentValueError(
                f"vmap out_axes is {axis}, but a result of rank {n} has room for {-n - 1} to {n}"
            )
        return None if axis is None else axis % (n + 1)

    return placed


def _is_axis(v: Any) -> bool:
    return isinstance(v, int | np.integer) and not isinstance(v, bool)


def _rank(v: Any) -> int | None:
    """The rank of a number, an array or a tensor; None for anything else."""
    return len(v.shape) if states(v, "shape") else 0 if isinstance(v, NUMBERS) else None


def _taken(v: Any, axis: int | None, k: int) -> Any:
    return v if axis is None else v[(slice(None),) * axis + (k,)]


def _stacked(values: Sequence[Any], axis: int | None) -> Any:
    if values[0] is None:
        return None
    if axis is not None:
        return np.stack(values, axis)
    if any(not np.array_equal(v, values[0]) for v in values):
        raise ArgumentValueError(MAPPED)
    return values[0]
