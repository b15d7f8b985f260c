"""The tables of handlers: functions by identity, methods by the kind of their owner and name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from srcgrad.frontend.values import GrownList, is_value

FUNCTIONS: dict[Any, Callable] = {}
METHODS: dict[tuple[str, str], Callable] = {}
# library functions that are refused with more to say than that: the reason and the way out
REFUSED: dict[Any, tuple[str, str]] = {}
# The same for functions and methods of tensors; the layers above fill them in when `LATE` is
# called, which is when a tensor or one of its functions is first met.
TENSOR_FUNCTIONS: dict[Any, Callable] = {}
TENSOR_METHODS: dict[str, Callable] = {}
TENSOR_CLASS: list[type] = []
# Libraries that take long to load, and the modules with their handlers: imported when a function of
# theirs is first met, which then has been loaded.
LATE_LIBRARIES = {"scipy.linalg": "srcgrad.frontend.handlers.scipy_linalg"}
LATE: list[Callable[[], Any]] = []


def implements(*functions: Any, method: str = "") -> Callable[[Callable], Callable]:
    """Register a handler for functions, and for a method of arrays."""

    def register(handler: Callable) -> Callable:
        for f in functions:
            FUNCTIONS[f] = handler
        if method:
            METHODS["array", method] = handler
        return handler

    return register


def method(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Register a handler for methods of a kind of value ("array", "list", "dict", "str")."""

    def register(handler: Callable) -> Callable:
        for name in names:
            METHODS[kind, name] = handler
        return handler

    return register


def handler_of(f: Any) -> Callable | None:
    try:
        found = FUNCTIONS.get(f)
    except TypeError:
        return None
    if found is None and know_library(f):
        return FUNCTIONS.get(f)
    if found is None and is_tensor_function(f):
        know_tensors()
        return TENSOR_FUNCTIONS.get(f)
    return found


def know_library(f: Any) -> bool:
    """Register the functions of the library that `f` is of, if that has not been done."""
    own = str(getattr(f, "__module__", ""))
    late = [name for name in LATE_LIBRARIES if own.startswith(f"{name}.")]
    for name in late:
        import_module(LATE_LIBRARIES.pop(name))
    return bool(late)


def refusal_of(f: Any) -> tuple[str, str] | None:
    """The reason and the way out where a library function is refused with more to say."""
    try:
        return REFUSED.get(f)
    except TypeError:
        return None


def know_tensors() -> None:
    """Register the functions of the eager mode, once."""
    if LATE:
        LATE.pop()()


def is_tensor_function(f: Any) -> bool:
    return hasattr(f, "srcgrad_value") or str(getattr(f, "__module__", "")).startswith(
        "srcgrad.eager"
    )


def kind_of_owner(owner: Any) -> str:
    """The kind of value that methods are registered for."""
    match owner:
        case list() | GrownList():
            return "list"
        case dict():
            return "dict"
        case str():
            return "str"
        case tuple():
            return "tuple"
        case set():
            return "set"
    return "array" if is_value(owner) else type(owner).__name__
