"""The Parameters of a gradient: values that `weights=` accepts, and the active tapes.

They are hidden inputs of the program, one each, by identity. Never copies one.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.errors import ArgumentTypeError, TensorError
from srcgrad.records import record
from srcgrad.transforms.signature import Same


@record(frozen=True)
class Weights:
    """Parameters by identity; `bare`: a single one, whose gradient is not put into a tuple."""

    members: tuple[Same, ...]
    bare: bool

    @property
    def parameters(self) -> tuple[Any, ...]:
        return tuple(m.value for m in self.members)

    @property
    def names(self) -> tuple[Any, ...]:
        """The name of each Parameter, or its number, where gradients carry names."""
        return tuple(getattr(p, "name", k) for k, p in enumerate(self.parameters))

    def nested(self, parts: list[Any]) -> Any:
        """The gradients as they are returned: bare, or a tuple."""
        return parts[0] if self.bare else tuple(parts)

    def __reduce__(self) -> Any:
        raise pickle.PicklingError("a gradient by weights= holds Parameters: pickle the cell")


class _Active(threading.local):
    stack: tuple[frozenset[int], ...] = ()


_active = _Active()


def is_active(parameter: Any) -> bool:
    """Whether an active tape of this thread differentiates with respect to a Parameter."""
    return any(id(parameter) in ids for ids in _active.stack)


def is_outer(parameter: Any) -> bool:
    """Whether a tape outside the innermost one differentiates with respect to a Parameter."""
    return any(id(parameter) in ids for ids in _active.stack[:-1])


def none_active() -> bool:
    """Whether no tape of this thread is active: the common case."""
    return not _active.stack


@contextmanager
def active(weights: tuple[Any, ...]) -> Iterator[None]:
    """Activates a tape: values computed within the block depend on these Parameters."""
    before = _active.stack
    _active.stack = (*before, frozenset(map(id, weights)))
    try:
        yield
    finally:
        _active.stack = before


def not_floating(parameter: Any, name: Any) -> Exception:
    """The error for a Parameter without a gradient."""
    return ArgumentTypeError(
        f"the weight '{name}' has dtype {parameter.dtype}: only floats have gradients"
    )


def checked_weights(weights: Any) -> Weights | None:
    """The Parameters of `weights=`: one, or a list or tuple of them."""
    if weights is None:
        return None
    many = isinstance(weights, list | tuple)
    members = list(weights) if many else [weights]
    if not many and not hasattr(type(weights), "srcgrad_value"):
        raise ArgumentTypeError(
            "The weights you provided is expected to be a tensor, or a list or tuple. "
            f"but got {weights}"
        )
    for k, w in enumerate(members):
        if not hasattr(type(w), "srcgrad_weight"):
            which = f"weights[{k}]" if many else "weights"
            raise TensorError(
                f"{which} is a {type(w).__name__}, not a Parameter", None,
                "pass it as an argument, or make it one: flow.Parameter(x, name='w')",
            )  # fmt: skip
    return Weights(tuple(map(Same, members)), not many)
