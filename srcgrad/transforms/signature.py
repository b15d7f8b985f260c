"""The contribution of each leaf of the arguments to the signature of a call."""

from __future__ import annotations

import types
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from srcgrad.backends.gpu_arrays import is_on_device, layout_of
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.kinds import MARKS, type_of_value
from srcgrad.frontend.values import NUMBERS
from srcgrad.protocols import states
from srcgrad.records import record
from srcgrad.tree import form_of, paths, spelled


def key_of(value: Any) -> Any:
    """The contribution of a leaf to a signature."""
    if type(value) is np.ndarray or type(value) is np.memmap:
        return value.dtype, value.flags.c_contiguous, tuple(n == 1 for n in value.shape)
    if type(value) in MARKS:
        return (
            MARKS[type(value)],
            value.dtype,
            value.flags.c_contiguous,
            tuple(n == 1 for n in value.shape),
        )
    kind = type_of_value(value)
    if kind is not None:
        return kind
    if type(value) in BY_VALUE:
        return type(value), value
    if is_on_device(value):
        like = layout_of(value)
        return "on a GPU", like.dtype, like.contiguous, tuple(n == 1 for n in like.shape)
    if isinstance(value, set):
        return type(value), frozenset(value)
    return type(value), Same(value)


def key_under(
    arguments: dict[str, Any], given: Sequence[tuple[tuple, Any]], leaves: Set, dims: Set
) -> tuple:
    """The signature of a call, where the values of some leaves and lengths are part of it."""
    kinds = (*map(form_of, arguments.values()), *[key_of(v) for _, v in given])
    if not (leaves or dims):
        return kinds
    # of what else a leaf may hold, its key tells all that is known
    values = tuple((type(v), v) for p, v in given if p in leaves and isinstance(v, NUMBERS))
    at_axis = sorted(dims, key=repr)
    lengths = tuple(length(v, axis) for path, v in given for at, axis in at_axis if at == path)
    return kinds, (values, lengths)


def length(value: Any, axis: int) -> int | None:
    """The length of an axis; None for a value without it, which another call may pass."""
    shape = value.shape if states(value, "shape") else ()
    return shape[axis] if axis < len(shape) else None


# equal ones are the same; other objects may be equal and differ in values that are read of them
BY_VALUE = (
    str, bytes, range, frozenset, type(None), type(Ellipsis), types.MethodType,
    types.BuiltinMethodType,
)  # fmt: skip


@record(frozen=True, eq=False)
class Same:
    """An object by its identity; it is held, so that its id stays its own."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def blank(value: Any) -> Any:
    """A value of the kind and shape of a leaf that holds on to no memory of the caller's."""
    if not isinstance(value, np.ndarray):
        return value
    if value.flags.c_contiguous:
        made = np.empty(value.shape, value.dtype)  # pages that are never touched are never made
    else:
        made = np.empty((*value.shape, 2), value.dtype)[..., 0]
    return made.view(type(value)) if type(value) in MARKS else made


def stand_in(
    path: tuple, value: Any, target: str, instead: str = "a NumPy array: cupy.asnumpy(x)",
    what: str = "argument",
) -> Any:  # fmt: skip
    """A leaf in the form that a program is made for: an array on a GPU is like one of NumPy's."""
    if isinstance(value, np.ndarray | np.generic) or not is_on_device(value):
        return value
    if target != "cuda":
        raise ArgumentTypeError(
            f"{what} '{spelled(path)}' is on a GPU: a {type(value).__name__}, "
            f"the target is {target!r}",
            None,
            f'choose target="cuda", or pass {instead}',
        )
    return layout_of(value).stand_in()


def too_wide(error: OverflowError, name: str, arguments: dict[str, Any]) -> Exception:
    """An error naming the argument that does not fit 64 bits; the given error if there is none."""
    for path, v in [pair for n, value in arguments.items() for pair in paths(value, (n,))]:
        if type(v) is int and not -(2**63) <= v < 2**63:
            at = spelled(path)
            return ArgumentValueError(
                f"argument '{at}' of {name}() is {v}: compiled integers have 64 bits", None,
                f"pass a float: float({at})",
            )  # fmt: skip
    return error


def defaults_of(function: Any) -> tuple:
    """The identities of the defaults of a function; its signature keeps them alive."""
    named = function.__kwdefaults__ or {}
    return id(function.__defaults__), tuple((name, id(value)) for name, value in named.items())
