"""Arrays that NumPy may lay out with their axes in another order: their reshapes may be copies.

NumPy's results for a transposed array are transposed in memory too, also `x.T * 2` and
`np.zeros_like(x.T)`, and `x[:, indices]` is: a reshape of such an array is a copy. Here every new
array is in C order, and its reshape a view. The difference shows only where one of the two is
stored to, and is refused there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from srcgrad.errors import Location, UnsupportedError
from srcgrad.frontend.snapshots import loops_of, writes_to
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Def, For, Function, If, Var, While
from srcgrad.ir.types import Array
from srcgrad.ir.walk import walk
from srcgrad.primitives import arrays, memory
from srcgrad.records import record

# results that are in C order whatever their arguments are
ORDERED = (arrays.matmul, memory.reshape, memory.zeros, memory.empty)


@record(frozen=True)
class Reshape:
    """A reshape: `made` is a view of `source` here."""

    made: Var
    source: Var
    what: str
    loc: Location | None


def refuse_reordered(
    function: Function, reshapes: list[Reshape], marks: Mapping[Var, Var | bool]
) -> None:
    """Refuses the first reshape that NumPy may copy, if that shows.

    `marks`: for arrays of which the IR does not tell, whether they are in C order, or the array
    whose order they have.
    """
    if not reshapes:
        return
    order = list(walk(function.body))
    others = _disordered(function, order, marks)
    doubtful = [r for r in reshapes if r.source in others]
    if not doubtful:
        return
    aliases, loops = alias_classes(function), list(loops_of(order))
    for each in doubtful:
        if aliases.of(each.source) not in aliases.written:
            continue
        at = next((k for k, s in enumerate(order) if _defines(s, each.made)), 0)
        writes = [k for k, s in enumerate(order) if writes_to(s, aliases, aliases.of(each.made))]
        if any(w > at or any(a <= w and at <= b and a <= at for a, b in loops) for w in writes):
            raise UnsupportedError(
                f"{each.what} is a copy in NumPy if its axes lie in another order in memory, which "
                "they may, and it is stored to",
                each.loc,
                "make a copy before: .copy()",
            )


def _defines(s: Any, v: Var) -> bool:
    return isinstance(s, Def) and s.var is v


def _disordered(function: Function, order: list, marks: Mapping[Var, Var | bool]) -> set[Var]:
    """The arrays whose axes may be in another order in memory."""
    found = {p for p in function.params if _matrix(p) and p.type.layout != "C"}
    before = -1
    while before != len(found):  # loops propagate it
        before = len(found)
        for s in order:
            match s:
                case Def(var=Var() as v) if _matrix(v):
                    if _made_disordered(s, found, marks.get(v)):
                        found.add(v)
                case For() | While():
                    for group in zip(s.params, s.inits, s.yields, s.results, strict=True):
                        _together(group, found)
                case If():
                    for group in zip(s.results, s.then_yields, s.else_yields, strict=True):
                        _together(group, found)
    return found


def _made_disordered(s: Def, found: set[Var], mark: Var | bool | None) -> bool:
    if isinstance(mark, bool):
        return not mark
    if mark is not None:
        return mark in found
    if s.op in ORDERED:
        return False
    if s.op is memory.transpose:
        return True
    if s.op is memory.gather and ":" in s.params["spec"][: s.params["spec"].index("a")]:
        return True
    return any(a in found for a in s.args)


def in_c_order(
    v: Atom, definition: Callable[[Atom], Def | None], marks: Mapping[Var, Var | bool],
    given: Container[Var],
) -> bool:  # fmt: skip
    """Whether an array is known to lie in C order in NumPy; `given` are the arguments."""
    if not isinstance(v, Var) or not _matrix(v):
        return True
    made, mark = definition(v), marks.get(v)
    if v.type.layout != "C" or (made is None and mark is None):
        return v.type.layout == "C" and v in given
    sources = (mark,) if isinstance(mark, Var) else made.args if made is not None else ()
    others = {
        a for a in sources if isinstance(a, Var) and not in_c_order(a, definition, marks, given)
    }
    return not (_made_disordered(made, others, mark) if made is not None else mark in others)


def _together(group: tuple[Atom, ...], found: set[Var]) -> None:
    if any(a in found for a in group):
        found |= {a for a in group if isinstance(a, Var)}


def _matrix(v: Var) -> bool:
    return isinstance(v.type, Array) and v.type.ndim > 1
