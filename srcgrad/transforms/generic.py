"""Type variables of the transforms: a transformed function has the parameters of its function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from srcgrad.eager.tensor import Tensor

P = ParamSpec("P")  # the parameters of a function
Q = ParamSpec("Q")  # those after the first
R = TypeVar("R")  # its result
T = TypeVar("T")  # an argument


class OfTensors(Protocol[P]):
    """A function whose result is a number, and whose first parameter may be a tensor.

    Called with tensors it returns one. A checker infers `float` of a sum that begins with 0.0.
    """

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> float: ...
    @overload
    def __call__(self, first: Tensor, /, *args: Any, **kwargs: Any) -> float: ...
