"""Cuts internal frames from tracebacks at the public entry points.

`shorten` runs where an exception leaves the outermost frame of srcgrad, so the traceback is short
wherever it is shown: in terminals, logs, notebooks and pytest. `SRCGRAD_TRACEBACK=full` keeps all
frames, and so does `SRCGRAD_DEBUG`. Never changes an exception's class or text.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType, TracebackType
from typing import Any, TypeVar

from srcgrad.errors import ArgumentTypeError, CompilerError, Location, TensorTypeError
from srcgrad.protocols import mark, marked
from srcgrad.settings import is_on

F = TypeVar("F", bound=Callable[..., Any])
OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
GENERATED = "srcgrad.backends.generated."
OF_TENSORS = ("_a", "_node")  # attributes that only tensors have
# libraries whose frames are hidden below a call by srcgrad, and shown below a call by the user
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "gast", "astunparse")


def shorten(error: BaseException) -> None:
    """Removes internal frames from an exception and from its causes and contexts.

    A failed assertion of srcgrad's own is a bug report: it keeps its full traceback.
    """
    if os.environ.get("SRCGRAD_TRACEBACK") == "full" or is_on("debug"):
        return
    if _is_fault(error):
        return
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        _keep(each, [t for t, visible in _frames(each) if visible])
        fault = isinstance(each, CompilerError)  # its cause is what went wrong in srcgrad
        cause = each.__cause__ if fault else _visible(each.__cause__)
        each.__cause__, hidden = cause, each.__suppress_context__
        each.__context__ = _visible(each.__context__)
        each.__suppress_context__ = hidden  # assigning __cause__ sets it
        each = each.__cause__ or (None if hidden else each.__context__)


def _is_fault(error: BaseException) -> bool:
    frames = list(_frames(error))
    return type(error) is AssertionError and bool(frames) and not frames[-1][1]


def called_outside(error: BaseException) -> tuple[FrameType, FrameType] | None:
    """The frames at which srcgrad called the code that raised: the caller's, and the callee's.

    None where srcgrad itself raised it, or a library that it called.
    """
    frames = [(t.tb_frame, visible) for t, visible in _frames(error)]
    if not frames or not frames[-1][1]:
        return None
    first = max((k for k, (_, visible) in enumerate(frames) if not visible), default=-1) + 1
    return frames[max(first - 1, 0)][0], frames[first][0]


def _visible(error: BaseException | None) -> BaseException | None:
    """The first exception of a chain with a frame of the user's, or without any frames."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = [visible for _, visible in _frames(error)]
        if any(frames) or not frames:
            return error
        error = error.__cause__ or error.__context__
    return None


def _keep(error: BaseException, frames: list[TracebackType]) -> None:
    later = None
    for t in reversed(frames):
        t.tb_next, later = later, t
    error.__traceback__ = later


def _frames(error: BaseException) -> Iterator[tuple[TracebackType, bool]]:
    """The frames of a traceback, outermost first, each with whether it is shown."""
    t, visible = error.__traceback__, True
    while t is not None:
        if _is_ours(t.tb_frame):
            visible = False
        elif not visible:
            visible = not t.tb_frame.f_code.co_filename.startswith(_libraries(len(sys.modules)))
        yield t, visible
        t = t.tb_next


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return frame.f_code.co_filename.startswith((OURS, "<srcgrad ")) or name.startswith(GENERATED)


@functools.lru_cache(maxsize=1)
def _libraries(modules: int) -> tuple[str, ...]:
    """Path prefixes of the libraries that srcgrad calls; cached by the number of loaded modules."""
    paths = sysconfig.get_paths()
    found = [getattr(sys.modules.get(name), "__file__", None) for name in LIBRARIES]
    folders = [os.path.dirname(f) + os.sep for f in found if f]
    standard = [
        os.path.join(paths["stdlib"], name)
        for name in (*sys.stdlib_module_names, "_pyrepl")
        if not name.startswith("__")
    ]
    ends = (".py", os.sep)
    return (*folders, "<frozen ", *(path + end for path in standard for end in ends))


def users_level() -> int:
    """The `stacklevel` of the user's call in a warning, for the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        level, frame = level + 1, frame.f_back
    return level


def is_library(file: str) -> bool:
    """Whether a file is of Python's, of a library that srcgrad calls, or of srcgrad."""
    return file.startswith((OURS, "<srcgrad ", *_libraries(len(sys.modules))))


def users_place() -> Location | None:
    """The place in the user's source that is being run; None if there is none."""
    frame: FrameType | None = sys._getframe(1)
    hidden = _libraries(len(sys.modules))
    while frame is not None and (_is_ours(frame) or frame.f_code.co_filename.startswith(hidden)):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code
    places = [*code.co_positions()]
    line, last, start, end = places[frame.f_lasti // 2]
    if line is None or line != last or start is None or end is None:
        start = end = 0
    return Location(code.co_filename, line or frame.f_lineno, start, end, code.co_name)


# ---- entry points ----
def entrance(function: F, home: str = "") -> F:
    """Wraps a public function so that tracebacks of its exceptions are shortened.

    The compiler sees through the wrapper (`within`); pickle finds it by its name in module `home`.
    """
    if marked(function, "srcgrad_within") is not None:
        return function
    finish = vars(function).get("srcgrad_finish")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                made = function(*args, **kwargs)
                return made if finish is None else finish(made, args, kwargs)
            except TypeError as error:
                other = _renamed(error, kwargs)
                if other is None:
                    raise
                raise other from None
            except AttributeError as error:
                if not _wants_tensor(function, error, args):
                    raise
                kind, name = type(error.obj).__name__, function.__name__
                raise TensorTypeError(f"{name}(): expected a Tensor, not {kind}") from None
        except BaseException as error:
            shorten(error)
            raise

    mark(call, "srcgrad_within", function)
    call.__module__ = home or function.__module__
    return call  # type: ignore[return-value]  (it takes what the function takes)


# other packages' names of arguments, and what to write here
RENAMED = {
    "argnum": "write grad_position=",
    "wrt": "write grad_position=", "static_argnums": "leave it out: what has to be known is found",
    "static_argnames": "leave it out: what has to be known is found",
    "donate_argnums": "leave it out", "nopython": "leave it out", "nogil": "leave it out",
    "holomorphic": "leave it out: flow.jvp along 1 is the derivative of an analytic function",
}  # fmt: skip


def _renamed(error: TypeError, kwargs: dict[str, Any]) -> Exception | None:
    """The error for an argument that has another name here; None for any other error."""
    known = [n for n in RENAMED if n in kwargs]
    tb = error.__traceback__
    if not known or tb is None or tb.tb_next is not None or "unexpected keyword" not in str(error):
        return None
    return ArgumentTypeError(str(error), None, RENAMED[known[0]])


def _wants_tensor(function: Callable, error: AttributeError, args: tuple) -> bool:
    """Whether an AttributeError of a tensor function means that an argument is not a tensor."""
    ours = str(function.__module__).startswith("srcgrad.eager")
    if not ours or hasattr(type(error.obj), "srcgrad_value") or list(_frames(error))[-1][1]:
        return False
    return error.name in OF_TENSORS or any(error.obj is a for a in args)


def is_entrance(function: F) -> F:
    """Marks a function as one that calls `shorten` itself: for hot functions, to save a wrapper."""
    mark(function, "srcgrad_within", function)
    return function


def within(function: Any) -> Any:
    """The function that an entry point wraps; any other value unchanged."""
    return marked(function, "srcgrad_within", function)


def entered(public: dict[str, Any], home: str) -> dict[str, Any]:
    """Wraps the public functions of a module, and in place the methods of its public classes."""
    for value in public.values():
        if isinstance(value, type):
            _enter_methods(value)
    return {n: entrance(f, home) for n, f in public.items() if type(f) is FunctionType}


def _enter_methods(cls: type) -> None:
    for base in cls.__mro__:
        if not base.__module__.startswith("srcgrad"):
            continue
        for name, f in list(vars(base).items()):
            made = _entered(name, f)
            if made is not f:
                setattr(base, name, made)


SPECIAL = (
    "__call__", "__init__", "__getattr__", "__getitem__", "__setitem__", "__setattr__",
    "__bool__", "__float__", "__int__", "__complex__", "__index__", "__len__", "__iter__",
    "__matmul__", "__rmatmul__", "__array__", "__array_function__", "__array_ufunc__",
    "__copy__", "__deepcopy__", "__reduce__", "__enter__",
)  # fmt: skip


def _entered(name: str, f: Any) -> Any:
    if name.startswith("_") and name not in SPECIAL:
        return f
    match f:
        case FunctionType():
            return entrance(f)
        case classmethod() if isinstance(f.__func__, FunctionType):
            return classmethod(entrance(f.__func__))
        case staticmethod() if isinstance(f.__func__, FunctionType):
            return staticmethod(entrance(f.__func__))
        case property() if f.fset is not None and name != "data":
            return property(f.fget, entrance(f.fset), f.fdel, f.__doc__)
    return f
