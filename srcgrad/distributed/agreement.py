"""Agreement of the ranks on what is added up, and on an error if one of them has failed.

A rank that fails still takes part in the message of the step and sets its flag. Then all exchange
what they have: the failure is raised on each rank, or an error that says how they disagree.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import traceback
import zlib
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

import numpy as np

from srcgrad.distributed.flat import Number
from srcgrad.distributed.ranks import Group
from srcgrad.errors import ArgumentValueError, RankError, SrcgradError
from srcgrad.records import record
from srcgrad.tracebacks import is_library

T = TypeVar("T")


@record(frozen=True)
class Offer:
    """The part of a call that the ranks have to agree on before numbers are exchanged."""

    numbers: tuple[Number, ...] | None  # None: a rank without rows has no result
    rows: int  # of this rank
    whole: int | None  # the rows that are divided; None: each rank has its own


def attempt(run: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """The value of a computation, or the exception that it raised."""
    try:
        return run(), None
    except Exception as error:
        return None, error


def agreed(ranks: Group, facts: tuple[tuple[str, Any], ...], offer: Offer | None,
           error: Exception | None) -> list[Offer]:  # fmt: skip
    """The offers of all ranks; raises on each rank if one has failed or they do not agree."""
    offers: list[Offer] = _told(ranks, facts, offer, error)
    with_data = [k for k, o in enumerate(offers) if o.numbers is not None]
    if not with_data:
        raise ArgumentValueError("no rank has a row of data: there is nothing to compute")
    for k, offer in enumerate(offers):
        _compare("the number of rows to divide", 0, offers[0].whole, k, offer.whole)
    first = with_data[0]
    for k in with_data:
        _compare_numbers(first, offers[first].numbers or (), k, offers[k].numbers or ())
    return offers


def settle(ranks: Group, facts: tuple[tuple[str, Any], ...], error: Exception | None) -> None:
    """Raises on each rank if one has failed or has other facts; all exchange one number."""
    same = ranks.same(-1 if error is not None else zlib.crc32(repr(facts).encode()))
    if error is not None or not same:
        _told(ranks, facts, None, error)


def _told(ranks: Group, facts: tuple[tuple[str, Any], ...], more: Any,
          error: Exception | None) -> list[Any]:  # fmt: skip
    """The additions of all ranks to their facts; raises if one has failed or has other facts."""
    mine = None if error is None else _shown(error)
    told: list[tuple[str | None, Any, Any]] = ranks.told((mine, facts, more))
    if error is not None:
        raise error
    for number, (text, _, _) in enumerate(told):
        if text is not None:
            raise RankError(f"rank {number} of {ranks.size} raised {text}")
    for number, (_, others, _) in enumerate(told):
        for (name, first), (_, other) in zip(told[0][1], others, strict=True):
            _compare(name, 0, first, number, other)
    return [more for _, _, more in told]


def _compare(name: str, a: int, first: Any, b: int, other: Any) -> None:
    if first != other:
        raise RankError(
            f"the ranks do not compute the same: {name} is {first} on rank {a} and {other} on "
            f"rank {b}"
        )


def _compare_numbers(a: int, first: tuple, b: int, other: tuple) -> None:
    for x, y in zip(first, other, strict=False):
        _compare("a name", a, x.path, b, y.path)
        for fact in ("shape", "dtype", "form"):
            _compare(f"the {fact} of {x.path}", a, getattr(x, fact), b, getattr(y, fact))
    _compare("the number of arrays and numbers", a, len(first), b, len(other))


def _shown(error: Exception) -> str:
    """The class, the text and the line of an exception, for ranks that have not seen it raised."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SrcgradError) and error.location is not None:
        return text
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not is_library(f.filename)] or list(frames)
    if not own:
        return text
    last = own[-1]
    return f"{text}\n  {last.filename}:{last.lineno}, in {last.name}\n    {last.line}"


# ---- facts ----
def facts_of(function: Any, options: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The versions, the function and the options, which are the same if ranks run one program."""
    return (
        ("srcgrad's version", _version()),
        ("NumPy's version", np.__version__),
        ("Python's version", platform.python_version()),
        ("the function", _described(function)),
        *options.items(),
    )


@functools.cache
def _version() -> str:
    import srcgrad

    return srcgrad.__version__


def _described(function: Any) -> str:
    """The name of a function and a digest of its code."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    code = getattr(function, "__code__", None)
    if code is None:
        return name
    return f"{name} with the digest {hashlib.sha256(_text(code).encode()).hexdigest()[:12]}"


def _text(code: CodeType) -> str:
    """All that a function's code does, without the place of its source."""
    constants = [_constant(c) for c in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars)
    return f"{code.co_code.hex()} {names} {constants}"


def _constant(value: Any) -> str:
    if isinstance(value, frozenset):  # whose order differs between processes
        return str(sorted(map(_constant, value)))
    return _text(value) if isinstance(value, CodeType) else repr(value)
