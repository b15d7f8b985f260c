"""Functions applied to the tensors of nested sequences: `HyperMap`, and overloads by type."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, TensorError

partial = functools.partial


class HyperMap:
    """`HyperMap()(f, a, b)` is f of the parts of a and b, in a tuple; sequences inside too.

    RuntimeError where lengths differ.

    >>> import operator, srcgrad as flow
    >>> flow.ops.HyperMap(operator.add)((1, (2, 3)), (10, (20, 30)))
    (11, (22, 33))
    """

    ops: Callable[..., Any] | None
    reverse: bool

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args: Any) -> Any:
        f = self.ops
        if f is None:
            f, *args = args  # type: ignore[assignment]  (a list, as a tuple is)
        return self._mapped(f, args)

    def _mapped(self, f: Any, args: Any) -> Any:
        if not any(isinstance(a, list | tuple) for a in args):
            return f(*args)
        lengths = {len(a) if isinstance(a, list | tuple) else -1 for a in args}
        if len(lengths) > 1:
            raise TensorError(
                f"The tuples in {type(self).__name__} should have the same length, but they have "
                f"{', '.join('none' if n < 0 else str(n) for n in sorted(lengths))}."
            )
        rows = list(zip(*args, strict=True))
        rows = rows[::-1] if self.reverse else rows
        made = [self._part(f, row) for row in rows]
        return tuple(made[::-1] if self.reverse else made)

    def _part(self, f: Any, row: tuple[Any, ...]) -> Any:
        return self._mapped(f, row)


class Map(HyperMap):
    """Like `HyperMap`, one level deep.

    >>> import srcgrad as flow
    >>> flow.ops.Map()(flow.ops.Square(), (flow.tensor(2.0), flow.tensor(3.0)))
    (tensor(4., dtype=srcgrad.float32), tensor(9., dtype=srcgrad.float32))
    """

    def _part(self, f: Any, row: tuple[Any, ...]) -> Any:
        return f(*row)


_KINDS = {
    "Tensor": Tensor, "Number": (int, float, np.number), "Bool": bool, "String": str,
    "Tuple": tuple, "List": list, "Dict": dict, "None": type(None),
}  # fmt: skip


class MultitypeFuncGraph:
    """A function chosen by the types of its arguments: `register("Tensor", "Number")`.

    >>> import srcgrad as flow
    >>> double = flow.ops.MultitypeFuncGraph("double")
    >>> @double.register("Number")
    ... def twice(x):
    ...     return 2 * x
    >>> double(21)
    42
    """

    name: str
    entries: list[Any]

    def __init__(self, name: str, read_value: bool = False) -> None:
        self.name, self.entries = name, []

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates the function for arguments of these types, named or given."""
        kinds = tuple(_KINDS.get(t, t) if isinstance(t, str) else t for t in type_names)
        for t, kind in zip(type_names, kinds, strict=True):
            if isinstance(kind, str):
                raise ArgumentTypeError(f"there is no type {t!r}: choose one of {list(_KINDS)}")

        def registered(f: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((kinds, f))
            return f

        return registered

    def __call__(self, *args: Any) -> Any:
        for kinds, f in self.entries:
            if len(kinds) == len(args) and all(map(isinstance, args, kinds)):
                return f(*args)
        shown = ", ".join(type(a).__name__ for a in args)
        raise ArgumentTypeError(f"'{self.name}' has no function for the types ({shown})")
