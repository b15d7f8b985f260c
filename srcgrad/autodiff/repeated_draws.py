"""Programs that draw random numbers: a derivative runs each draw once, as the program does.

A differentiator that would run a part of the program again gives a function with more draws than
the program has: it is refused. So is a derivative by what decides how the numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec

from srcgrad.autodiff.activity import Activity
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
    differentiate: Callable[Concatenate[Function, Sequence[int], P], Function],
) -> Callable[Concatenate[Function, Sequence[int], P], Function]:
    """A differentiator whose result runs each draw of a function once; else it is refused."""

    @wraps(differentiate)
    def once(function: Function, wrt: Sequence[int], *args: P.args, **kwargs: P.kwargs) -> Function:
        if not any(op.draws for op in contents(function).operations):
            return differentiate(function, wrt, *args, **kwargs)
        drawn = [*draws_in(function.body)]
        _refuse_by_parameters(function, wrt, drawn)
        made = differentiate(function, wrt, *args, **kwargs)
        if len([*draws_in(made.body)]) > len(drawn):
            raise refused("this derivative runs a part of the program again", drawn[0].loc)
        return made

    return once


def _refuse_by_parameters(function: Function, wrt: Sequence[int], drawn: Sequence[Def]) -> None:
    """Refuses derivatives by what is a parameter of a draw: they would not be pathwise."""
    varies = Activity(function, [function.params[k] for k in wrt]).varies
    for s in drawn:
        if any(map(varies, s.args)):
            raise UnsupportedError(
                "a parameter of this draw of random numbers depends on what the derivative is "
                "taken by: there is no pathwise derivative",
                s.loc,
                "flow.stop_gradient(parameter) where a zero is intended",
            )
