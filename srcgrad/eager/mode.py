"""The mode of recording: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

Per thread. Contexts are re-entrant; as decorators they take a function with or without having
been called, and a generator's body runs in the mode each time it is resumed. Knows no tensor.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar, cast, overload

F = TypeVar("F", bound=Callable[..., Any])


class _State(threading.local):
    enabled = True
    inference = False
    watched: Any = None  # called with each node, and with the results of a backward pass at it
    saving: tuple[Any, ...] = ()  # pairs of functions that pack and unpack saved values
    no_saving: str | None = None  # the text of the error for setting such functions
    differentiated: int = 0  # functions that are being run to be differentiated


_state = _State()
# Threads that may have recording switched off, or are watched: empty in the common case, so that an
# operation need not look up its thread's state.
OFF: set[int] = set()


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded for `backward`.

    >>> import srcgrad as flow
    >>> with flow.no_grad():
    ...     flow.is_grad_enabled()
    False
    """
    return _state.enabled and not _state.inference


def is_plain() -> bool:
    """Whether operations of this thread are recorded, without a watcher or saving hooks."""
    s = _state
    return s.enabled and not s.inference and s.watched is None and not s.saving


def is_differentiated() -> bool:
    """Whether a whole function is being run to be differentiated in this thread."""
    return _state.differentiated > 0


@contextmanager
def differentiated() -> Iterator[None]:
    """Marks a function as being differentiated: taking a value out of its graph is refused."""
    _state.differentiated += 1
    try:
        yield
    finally:
        _state.differentiated -= 1


def watcher() -> Any:
    """The watcher of this thread's nodes; None in the common case."""
    return _state.watched


def saving() -> Any:
    """The functions (pack, unpack) for saved values; None in the common case."""
    return _state.saving[-1] if _state.saving else None


def watch(by: Any) -> None:
    """Sets the watcher of this thread's nodes; None removes it."""
    _state.watched = by
    _set(_state.enabled, _state.inference)


def save_by(hooks: tuple[Any, ...]) -> None:
    """Sets the stack of (pack, unpack) of this thread."""
    _state.saving = hooks
    _set(_state.enabled, _state.inference)


def saving_stack() -> tuple[Any, ...]:
    """The stack that `save_by` sets."""
    return _state.saving


def no_saving() -> str | None:
    """The text with which `saved_tensors_hooks` is refused; None where it is not."""
    return _state.no_saving


def refuse_saving(text: str | None) -> None:
    """Sets the text of `no_saving`."""
    _state.no_saving = text


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`.

    >>> import srcgrad as flow
    >>> flow.is_inference_mode_enabled()
    False
    """
    return _state.inference


def _set(enabled: bool, inference: bool) -> None:
    _state.enabled, _state.inference = enabled, inference
    if is_plain():
        OFF.discard(threading.get_ident())
    else:
        OFF.add(threading.get_ident())


class _Mode:
    """A context and decorator; a stack of previous modes makes one object re-entrant."""

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def _wanted(self) -> tuple[bool, bool]:
        raise NotImplementedError

    def __enter__(self) -> None:
        self._before.append((_state.enabled, _state.inference))
        _set(*self._wanted())

    def __exit__(self, *exc: object) -> None:
        _set(*self._before.pop())

    def _copy(self) -> _Mode:
        return type(self)()

    def __call__(self, f: F) -> F:
        """`f` with its body run in this mode."""
        if inspect.isgeneratorfunction(f):

            @functools.wraps(f)
            def generator(*args: Any, **kwargs: Any) -> Generator:
                return _resumed(f(*args, **kwargs), self._copy())

            return cast("F", generator)

        @functools.wraps(f)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._copy():
                return f(*args, **kwargs)

        return cast("F", inside)


def _resumed(body: Generator, mode: _Mode) -> Generator:
    """The generator with each stretch between two yields run in the mode."""
    with mode:
        try:
            item = next(body)
        except StopIteration as stop:
            return stop.value
    while True:
        try:
            sent = yield item
        except GeneratorExit:
            with mode:
                body.close()
            raise
        except BaseException as error:
            step = functools.partial(body.throw, error)
        else:
            step = functools.partial(body.send, sent)
        with mode:
            try:
                item = step()
            except StopIteration as stop:
                return stop.value


class _Bare(_Mode):
    """A mode that also decorates without being called: `@no_grad`."""

    @overload
    def __new__(cls, f: None = None) -> Self: ...
    @overload
    def __new__(cls, f: F) -> F: ...
    def __new__(cls, f: Callable[..., Any] | None = None) -> Any:
        mode = object.__new__(cls)
        if f is None:
            return mode
        cls.__init__(mode)
        return mode(f)

    def __init__(self, f: Callable[..., Any] | None = None) -> None:
        super().__init__()


class no_grad(_Bare):
    """Records nothing inside; a context, or a decorator with or without parentheses.

    >>> import srcgrad as flow
    >>> x = flow.tensor(2.0, requires_grad=True)
    >>> with flow.no_grad():
    ...     (x * x).requires_grad
    False
    """

    def _wanted(self) -> tuple[bool, bool]:
        return False, _state.inference


class enable_grad(_Bare):
    """Switches recording on inside, except in `inference_mode`; a context or a decorator.

    >>> import srcgrad as flow
    >>> x = flow.tensor(2.0, requires_grad=True)
    >>> with flow.no_grad(), flow.enable_grad():
    ...     (x * x).requires_grad
    True
    """

    def _wanted(self) -> tuple[bool, bool]:
        return True, _state.inference


class set_grad_enabled(_Mode):
    """Switches recording on or off from this statement on; as a context or decorator, inside only.

    >>> import srcgrad as flow
    >>> with flow.set_grad_enabled(False):
    ...     flow.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool):
        super().__init__()
        self.mode: bool = bool(mode)
        self._outer = _state.enabled, _state.inference
        _set(self.mode, _state.inference)

    def _wanted(self) -> tuple[bool, bool]:
        return self.mode, _state.inference

    def __enter__(self) -> None:
        super().__enter__()
        self._before[-1] = self._outer

    def _copy(self) -> _Mode:
        mode = object.__new__(set_grad_enabled)
        _Mode.__init__(mode)
        mode.mode, mode._outer = self.mode, (_state.enabled, _state.inference)
        return mode

    def __call__(self, f: F) -> F:
        _set(*self._outer)  # a decorator changes nothing outside the function
        return super().__call__(f)


class inference_mode(_Bare):
    """Records nothing inside, even under `enable_grad`; a context or a decorator.

    >>> import srcgrad as flow
    >>> x = flow.tensor(2.0, requires_grad=True)
    >>> with flow.inference_mode():
    ...     (x * x).requires_grad
    False
    """

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: F) -> F: ...
    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls, mode if callable(mode) else None)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode: bool = bool(mode)

    def _wanted(self) -> tuple[bool, bool]:
        return _state.enabled, self.mode

    def _copy(self) -> _Mode:
        return inference_mode(self.mode)
