"""The reference backend: the printed text itself, run with the primitives in scope.

Every other backend is compared with it. Scalars have NumPy's semantics (x / 0 is inf), arrays are
C-contiguous if their type is, and an error names the user's line. Never optimises.
"""

from __future__ import annotations
import __future__

import functools
import hashlib
import linecache
import math
import weakref
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from srcgrad.backends.backend import Backend, BuildOptions, Executable
from srcgrad.backends.deep_texts import compilable
from srcgrad.backends.located import located_error
from srcgrad.ir.nodes import Function, Stmt
from srcgrad.ir.text import Printed, printed
from srcgrad.ir.types import DTYPES, Scalar, Type, np_dtype
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.callbacks import Raised


class Python(Backend):
    name = "python"

    def build(self, function: Function, options: BuildOptions) -> Executable:
        return build(function)


BACKEND: Backend = Python()


def build(function: Function) -> Executable:
    """An executable of the function."""
    text = printed(function, taken=set(REGISTRY))
    return Executable(running(function, text, namespace()), lambda: text)


def running(function: Function, text: Printed, scope: dict[str, Any]) -> Callable[..., tuple]:
    """The function that runs a program's text, with the names of `scope`."""
    text = compilable(text)
    file = f"<srcgrad {function.name} {hashlib.sha256(text.text.encode()).hexdigest()[:12]}>"
    code = compile(text.text, file, "exec", __future__.annotations.compiler_flag, True)
    exec(code, scope)
    run = scope[text.name]
    types = [p.type for p in function.params]

    def call(*args: Any) -> tuple:
        values = [_argument(a, t) for a, t in zip(args, types, strict=True)]
        failed: BaseException
        try:
            with np.errstate(all="ignore"):
                return run(*values)
        except Raised as e:
            failed = e.original
        except Exception as e:
            found, s = _place(e.__traceback__, file, text)
            if not found:
                raise
            error = located_error(e, s)
            if error is e:
                raise
            raise error.with_traceback(e.__traceback__) from None
        raise failed  # by a function that was called back: unchanged

    call.__name__ = call.__qualname__ = function.name
    shown_while(call, file, text.text)
    return call


def namespace() -> dict[str, Any]:
    """The names that a printed text needs in scope to run."""
    scope: dict[str, Any] = {name: _implementation(op) for name, op in REGISTRY.items()}
    scope.update({str(Scalar(short)): np_dtype(short).type for short in DTYPES})
    scope.update(
        inf=math.inf, nan=math.nan, bounded=lambda limit: True, independent=iter, promised=iter
    )
    return scope


@functools.cache
def _implementation(op: Any) -> Callable[..., Any]:
    """A primitive on NumPy values; a fresh array is contiguous, as its type states."""
    impl = op.impl

    def run(*args: Any, **params: Any) -> Any:
        out = impl(*args, **params)
        if type(out) is np.ndarray and not op.view and not out.flags.c_contiguous:
            return np.ascontiguousarray(out)
        return out

    run.__name__ = run.__qualname__ = op.name
    return run


def _argument(value: Any, type: Type) -> Any:
    """A number with the dtype that its parameter has; Python's own where the type is weak."""
    if isinstance(type, Scalar) and not type.weak:
        return np_dtype(type.dtype).type(value)
    return value


_shown: Counter[str] = Counter()  # by file: the number of functions with its text


def shown_while(function: Callable, file: str, text: str) -> None:
    """Lets tracebacks and debuggers find a text under a file's name while a function lives."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    _shown[file] += 1
    weakref.finalize(function, _released, file).atexit = False


def _released(file: str) -> None:
    _shown[file] -= 1
    if not _shown[file]:
        del _shown[file]
        linecache.cache.pop(file, None)


def _place(traceback: TracebackType | None, file: str, text: Printed) -> tuple[bool, Stmt | None]:
    """Whether a primitive of the text failed, and the statement it belongs to.

    An error of the text itself (an unbound name, say) is a fault of srcgrad: it is left unchanged.
    """
    found: tuple[bool, Stmt | None] = False, None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:  # the last: a text may have parts
            found = traceback.tb_next is not None, text.owner(traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
