"""The errors users see: one class per kind of problem, and the one place where text is made.

An error that concerns the user's source carries a `Location`; its text is
`file:line`, the source line, a caret, the reason and the way out. Never imports
anything else of srcgrad.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Self

from srcgrad.records import record


@record(frozen=True)
class Location:
    """A place in the user's source; `column` and `end` count characters from 0.

    Without a file it is in a call that no source contains, of something not a Python function.

    >>> import srcgrad as flow
    >>> flow.errors.Location("program.py", 3, 4, 7, "f").line
    3
    """

    file: str
    line: int
    column: int = 0
    end: int = 0
    function: str = ""
    role: str = ""  # how generated code is labelled: "grad of: "

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).rstrip("\n")


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one is meant to be; empty if none is close."""
    allowed = 1 if len(name) < 8 else 2
    near = [(_edits(name, k), k) for k in set(known) if abs(len(k) - len(name)) <= allowed]
    edits, found = min(near, default=(allowed + 1, ""))
    return found if edits <= allowed and len(name) > 2 else ""


def _edits(a: str, b: str) -> int:
    """The number of letters added, left out, replaced or exchanged with their neighbour."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
            if i > 1 and j > 1 and (x, y) == (b[j - 2], a[i - 2]):
                row[j] = min(row[j], earlier[j - 2] + 1)
    return row[-1]


def place(file: str, line: int) -> str:
    """A line of a file as errors name it: `file.py:3`, or `Cell In[13], line 3` in a notebook."""
    cell = cell_of(file)
    return f"{cell}, line {line}" if cell else f"{file}:{line}"


def cell_of(file: str) -> str:
    """The name of a notebook's cell by the name of its code, as `Cell In[13]`; "" for a file."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name = getattr(getattr(shell, "compile", None), "format_code_name", lambda file: None)
    return " ".join(name(file) or ())


def located(reason: str, location: Location | None, way_out: str = "") -> str:
    """The text of an error at a place of the user's source."""
    if location is None or not location.file:
        return f"{reason}\n  {way_out}" if way_out else reason
    line = location.text
    shown = line.strip()
    start = max(location.column - (len(line) - len(line.lstrip())), 0)
    width = max(min(location.end - location.column, len(shown) - start), 1)
    where = place(location.file, location.line)
    if location.function:
        where += f", in {location.function}"
    lines = [reason, f"  {where}"]
    if shown:
        lines += [f"    {shown}", "    " + " " * start + "^" * width]
    if way_out:
        lines.append(f"  {way_out}")
    return "\n".join(lines)


class SrcgradError(Exception):
    """Base class of the errors that srcgrad raises itself.

    `reason`, `location` and `way_out` make up the text, `page` explains the class, `others` are
    further problems of the same function. `runs` says that only compiling is refused: the function
    can be run on the tape.
    """

    page: str
    reason: str
    location: Location | None
    way_out: str

    page = "docs/errors.md"
    others: tuple[SrcgradError, ...] = ()
    runs = False

    def __init__(self, reason: str, location: Location | None = None, way_out: str = ""):
        self.reason, self.location, self.way_out = reason, location, way_out
        # not super(): among the bases of `_also` NumPy's AxisError would keep the text elsewhere
        Exception.__init__(self, located(reason, location, way_out))

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.reason, self.location, self.way_out)
        return type(self), given, {**vars(self), "args": self.args}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ == __name__:
            cls.page = f"docs/errors.md#{cls.__name__.lower()}"


@lru_cache(maxsize=256)
def _also(cls: type[Any], like: type[Exception]) -> type[Any]:
    """A subclass of an srcgrad error and a built-in one, under the name of the former."""
    members = {
        "__str__": lambda self: self.args[0],  # a KeyError would show the repr of its text
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "like": like,
    }
    return type(cls.__name__, (cls, like), members)


def together(problems: list[SrcgradError]) -> SrcgradError:
    """The first of several problems, whose text lists the others too."""
    first, *others = problems
    if others:
        texts = [located(p.reason, p.location, p.way_out) for p in problems]
        first.others, first.args = tuple(others), ("\nalso: ".join(texts),)
    return first


class UnsupportedError(SrcgradError, NotImplementedError):
    """The program uses something that srcgrad does not differentiate; nothing was computed.

    `like` is the class that plain Python raises there: the error is an instance of it as well.
    """

    like: type[Exception] | None = None

    def __new__(cls, *args: object, like: type[Exception] | None = None, **kwargs: object) -> Self:
        if like is None or issubclass(cls, like):
            return super().__new__(cls)
        return like.__new__(_also(cls, like))

    def __init__(
        self,
        reason: str,
        location: Location | None = None,
        way_out: str = "",
        like: type[Exception] | None = None,
    ):
        super().__init__(reason, location, way_out)

    def __reduce__(self) -> tuple[Any, ...]:
        ours = next(c for c in type(self).__mro__ if "like" not in vars(c) or c is UnsupportedError)
        given = (self.reason, self.location, self.way_out)
        return _again, (ours, self.like, given), {**vars(self), "args": self.args}


def refusal(
    text: str, location: Location | None, kind: type[SrcgradError] = UnsupportedError
) -> SrcgradError:
    """The refusal with a text that `located` made from a reason and a way out."""
    reason, _, way_out = text.partition("\n  ")
    return kind(reason, location, way_out)


def _again(cls: type[Any], like: type[Exception] | None, given: tuple[Any, ...]) -> Exception:
    return cls(*given, like=like)


class CompilerError(UnsupportedError):
    """A fault of srcgrad while it builds a program; its cause is the internal exception."""


class SourceError(SrcgradError, OSError):
    """The source of a function could not be found."""

    runs = True


class ArgumentTypeError(SrcgradError, TypeError):
    """An argument or a position has the wrong type."""


class ReturnTypeError(ArgumentTypeError):
    """A function returns something other than numbers, arrays and containers of them."""


class ArgumentValueError(SrcgradError, ValueError):
    """An argument or a position has a wrong value."""


class PositionError(SrcgradError, RuntimeError):
    """A position for which the call has no argument."""


class ShapeError(SrcgradError, ValueError):
    """Shapes that do not fit together; the text is NumPy's."""


class BoundsError(SrcgradError, IndexError):
    """An index outside its axis; the text is NumPy's."""


class UnboundError(SrcgradError, UnboundLocalError):
    """A name was read that no statement on the path taken had bound."""


class DivisionError(SrcgradError, ZeroDivisionError):
    """An integer was divided by zero."""


class GradientError(SrcgradError, AssertionError):
    """A derivative disagrees with another; the text says which, where, and by how much."""


class GradientWarning(UserWarning):
    """Differences of a function disagree with its derivative: a kink, or too rough to tell."""


class LocatedWarning(UserWarning):
    """Base of the warnings that have a reason, a place and a way out, as errors have."""

    page: str
    reason: str
    location: Location | None
    way_out: str

    page = "docs/errors.md"

    def __init__(self, reason: str, location: Location | None = None, way_out: str = ""):
        self.reason, self.location, self.way_out = reason, location, way_out
        super().__init__(located(reason, location, way_out))

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.page = f"docs/errors.md#{cls.__name__.lower()}"


class ZeroGradientWarning(LocatedWarning):
    """A gradient is zero: every path to the result passes a step without a derivative."""


class PartialGradientWarning(LocatedWarning):
    """A gradient leaves out what a loop finds by comparisons, as bisection does."""


class RebuildWarning(LocatedWarning):
    """A function is rebuilt again and again, each time for another kind of call."""


class DeviceError(SrcgradError, RuntimeError):
    """A GPU, its driver or a package for it that is missing, or an array on the wrong device."""


class RankError(SrcgradError, RuntimeError):
    """Another process of a distributed computation has failed, or computes something else."""


class SingularError(SrcgradError):
    """A matrix that a decomposition or a solve cannot take (NumPy's LinAlgError, located)."""


class OutOfMemoryError(SrcgradError, MemoryError):
    """There is no memory for an array, or for what the reverse sweep saves."""


class RaisedError(SrcgradError):
    """The user's own `raise` or `assert`, carried through compiled code."""


@lru_cache(maxsize=256)
def raised_class(cls: type[Exception]) -> type[Exception]:
    """A located subclass of the class that the user's `raise` raises."""

    def init(self: Exception, reason: str, location: Location | None = None) -> None:
        # not the user's `__init__`, which may make another text
        self.reason, self.location, self.way_out = reason, location, ""  # type: ignore[attr-defined]  (attributes of our subclasses)
        self.args = (located(reason, location),)

    # KeyError would show the repr of its text
    members = {
        "__init__": init,
        "__str__": lambda self: self.args[0],
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
    }
    return type(cls.__name__, (RaisedError, cls), members)


class TensorError(SrcgradError, RuntimeError):
    """An operation on tensors that is impossible; the text is OneFlow's or PyTorch's."""


class AutogradError(TensorError):
    """A backward pass that is impossible or would give a wrong gradient."""


class TensorIndexError(SrcgradError, IndexError):
    """An index or a dimension outside the tensor."""


class TensorTypeError(SrcgradError, TypeError):
    """An argument of a tensor function has the wrong type."""


__all__ = [
    "ArgumentTypeError", "ArgumentValueError", "AutogradError", "BoundsError", "CompilerError",
    "DeviceError", "DivisionError", "GradientError", "GradientWarning", "LocatedWarning",
    "Location", "OutOfMemoryError", "PartialGradientWarning", "PositionError", "RaisedError",
    "RebuildWarning", "ReturnTypeError", "ShapeError", "SingularError", "SourceError",
    "SrcgradError", "TensorError", "TensorIndexError", "TensorTypeError", "UnboundError",
    "UnsupportedError", "ZeroGradientWarning",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
