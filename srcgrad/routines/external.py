"""Functions that routines call and that are no programs: LAPACK, BLAS, memory without values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.handlers.elementwise import scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.operation import Primitive
from srcgrad.records import record


@record(frozen=True)
class Routine:
    """The program of an operation; the text of its LinAlgError, by the number it leaves with."""

    program: Callable[..., None]
    error: str | Callable[[int], str] = ""


# the result of a routine with an operand that is not finite; LAPACK's own numbers are smaller
NOT_FINITE = 2**30 + 1


def _not_run(*args: Any, **params: Any) -> Any:
    raise NotImplementedError("routines are compiled")


# LAPACK's routine `name`, without the letter of the dtype, and its number: 0 if it succeeded.
# `letters`: for each argument its letter, "0" for a null pointer, "" for an operand
extern = Primitive(
    "extern", _not_run, "nondiff", typing=lambda b, *args, routine, letters: ("i64", ())
)
# BLAS's, which has no number
extern_of_blas = Primitive("extern_of_blas", _not_run, "nondiff", effect=True)


def lapack(name: str, *args: Any) -> int:
    """Calls a routine, which takes its dtype from the first array of floats, without `info`."""
    return _not_run()


def blas(name: str, *args: Any) -> None:
    """Calls a routine, as `lapack` does. Numbers of the dtype are in memory."""
    _not_run()


# leaves the routine with a number, where a condition holds
leaves = Primitive("leaves", _not_run, "nondiff", effect=True)


def leave_if(condition: Any, code: Any) -> None:
    """Leaves the routine with this number, where the condition holds."""
    _not_run()


def check(info: Any) -> None:
    """Leaves the routine with LAPACK's number, unless it is 0; negative ones tell of NaN."""
    leave_if(info != 0, abs(info))


def room(rows: Any, columns: Any, dtype: Any) -> Any:
    """A matrix without values."""
    return _not_run()


def contiguous(a: Any) -> bool:
    """Whether the rows of a matrix follow one another: known when it is compiled."""
    return _not_run()


@implements(lapack)
def _lapack(it: Interpreter, node: Node, name: str, *args: Any) -> Any:
    given, letters = _apart(args)
    return it.b(extern, *given, routine=name, letters=letters)


@implements(blas)
def _blas(it: Interpreter, node: Node, name: str, *args: Any) -> None:
    given, letters = _apart(args)
    it.b(extern_of_blas, *given, routine=name, letters=letters)


def _apart(args: tuple[Any, ...]) -> tuple[list[Any], tuple[str, ...]]:
    """The operands, and the letters of all arguments."""
    letters = tuple("0" if a is None else a if isinstance(a, str) else "" for a in args)
    return [a for a, letter in zip(args, letters, strict=True) if not letter], letters


@implements(contiguous)
def _contiguous(it: Interpreter, node: Node, a: Any) -> bool:
    return a.type.layout == "C"


@implements(leave_if)
def _leave_if(it: Interpreter, node: Node, condition: Any, code: Any) -> None:
    it.b(leaves, condition, code)


@implements(room)
def _room(it: Interpreter, node: Node, rows: Any, columns: Any, dtype: Any) -> Any:
    return it.b.empty(rows, columns, dtype=scalar_type(it, node, dtype).dtype)
