"""Hooks through which a lower layer calls a higher one, set when srcgrad is imported.

`numpy_function(function, args, kwargs)` evaluates a NumPy function on tensors by compiling the
call. It raises UnsupportedError if the compiler refuses the call, and ImportError if the compiler
is not installed. `array_namespace()` loads the module of the array API. `tensor_calls()` and
`inliner()` load the modules for calls of a compiled function with tensors and from another one.
Never imports the higher layer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class TensorCalls(Protocol):
    """The interface of the tensor layer that the transforms use."""

    def run(self, compiled: Any, arguments: dict[str, Any], extra: dict[tuple, Any], /) -> Any:
        """Calls a compiled function with tensors; `extra` holds tangents by path."""
        ...

    def on_tape(self, compiled: Any, arguments: dict[str, Any], /) -> Any:
        """Runs a gradient on the tape, without compiling it."""
        ...

    def vjp(self, compiled: Any, arguments: dict[str, Any], /) -> tuple[Any, Any]:
        """Returns the value of such a call and its pullback."""
        ...

    def arrays_of(self, compiled: Any, arguments: dict[str, Any], /) -> dict[str, Any]:
        """Returns the arguments with arrays in place of tensors."""
        ...

    def kept(self, value: Any, /) -> Any:
        """Returns a copy of a leaf that keeps its history."""
        ...

    def generators(self) -> list[Any]:
        """Returns the generators that functions of tensors draw from."""
        ...

    def fitted(self, g: Any, like: Any, what: str, whose: str, /) -> Any:
        """Returns a cotangent or tangent with the dtype and shape of a tensor."""
        ...


class Inliner(Protocol):
    """Emits the program of a transformed function that a compiled one calls."""

    def inline(self, compiled: Any, it: Any, args: list, kwargs: Any, node: Any, /) -> Any: ...
    def batched(self, owner: Any, it: Any, args: list, kwargs: Any, node: Any, /) -> Any: ...


numpy_function: Callable[[Any, tuple, dict[str, Any]], Any]
array_namespace: Callable[[], Any]
tensor_calls: Callable[[], TensorCalls]
inliner: Callable[[], Inliner]
