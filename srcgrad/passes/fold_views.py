"""Rewrites accesses to elements of views as accesses to elements of their bases.

>>> show(fold_views(parse('''
... def f(x: f64[n, 4], y: f64[n]):
...     n: int = dim(x, axis=0)
...     t: f64.strided[4, n] = transpose(x, perm=(1, 0))
...     row: f64.strided[n] = view(t, 2, spec=('i', ':'))
...     for i in range(0, n):
...         v: f64 = load(row, i)
...         store(y, i, v)
...     return ()
... ''')))
def f(x: f64[n, 4], y: f64[n]):
    n: int = dim(x, axis=0)
    t: f64.strided[4, n] = transpose(x, perm=(1, 0))
    row: f64.strided[n] = view(t, 2, spec=('i', ':'))
    for i in range(0, n):
        v: f64 = load(x, i, 2)
        store(y, i, v)
    return ()

Passes that compare accesses by reference and index then see one reference. In a view by new axes,
fixed indices or a permutation, each index of the base is an index of the view or an integer;
the view checked those. Slices stay: an index of their base is an arithmetic expression, and places
that were equal by name would no longer be. Never removes a view (`dead_code` does).
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Def, Function, Stmt, altered
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import memory

VIEWS = (memory.transpose, memory.view)
# accesses to an element, and the number of operands after its indices
ELEMENT = {memory.load: 0, memory.store: 1, memory.add_at: 1}


def fold_views(function: Function) -> Function:
    if contents(function).operations.isdisjoint(VIEWS):
        return function
    return _FoldViews().function(function)


class _FoldViews(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.views: dict[Atom, Def] = {}

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.var is not None and s.op in VIEWS:
            self.views[s.var] = s
        yield self.folded(s) if s.op in ELEMENT else s

    def folded(self, s: Def) -> Def:
        """The access to an element, as one to an array that is not itself a foldable view."""
        end = len(s.args) - ELEMENT[s.op]
        base, places, rest = s.args[0], s.args[1:end], s.args[end:]
        while (view := self.views.get(base)) is not None:
            inside = _places(view, places)
            if inside is None:
                break
            base, places = view.args[0], inside
        return s if base is s.args[0] else altered(s, args=(base, *places, *rest))


def _places(view: Def, places: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """The indices in the base of an element of a view; None for a view by slices."""
    if view.op is memory.transpose:
        by_axis = dict(zip(view.params["perm"], places, strict=True))
        return tuple(by_axis[k] for k in range(len(places)))
    spec = view.params["spec"]
    if "s" in spec:
        return None
    fixed, own = iter(view.args[1:]), iter(places)
    found: list[Atom] = []
    for code in spec:
        match code:
            case "i":
                found.append(next(fixed))
            case ":":
                found.append(next(own))
            case _:
                next(own)  # a new axis is 1 long: its index is 0
    return tuple(found)
