"""Programs that draw random numbers: a derivative runs each draw once, as the program does.

A differentiator that would run a part of the program again gives a function with more draws than
the program has: it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec

from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Block, Def, Function
from srcgrad.ir.walk import walk

P = ParamSpec("P")
WAY_OUT = "draw before, and pass the numbers"


def draws_in(block: Block) -> Iterator[Def]:
    """The draws among statements, and in those inside them."""
    return (s for s in walk(block) if isinstance(s, Def) and s.op.draws)


def refused(reason: str, loc: Location | None) -> UnsupportedError:
    return UnsupportedError(f"{reason}, and with it this draw of random numbers", loc, WAY_OUT)


def draws_once(
    differentiate: Callable[Concatenate[Function, P], Function],
) -> Callable[Concatenate[Function, P], Function]:
    """A differentiator whose result runs each draw of a function once; else it is refused."""

    @wraps(differentiate)
    def once(function: Function, *args: P.args, **kwargs: P.kwargs) -> Function:
        made = differentiate(function, *args, **kwargs)
        if any(op.draws for op in contents(function).operations):
            first, *rest = draws_in(function.body)
            if len([*draws_in(made.body)]) > 1 + len(rest):
                raise refused("this derivative runs a part of the program again", first.loc)
        return made

    return once
