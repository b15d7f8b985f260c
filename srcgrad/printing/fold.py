"""Picks the definitions that are written where they are used: temporaries with one reader, near it.

A definition moves to its reader only within a block, and only if no memory that it reads is
written in between. Names given by the user keep their own lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Tape, Tuple, is_reference
from srcgrad.ir.walk import blocks, walk

GENERATED = frozenset(("t", "g", "at", "old", "runs", "size", "value"))  # names of temporaries
LARGEST = 9  # primitives in one expression
INDEXING = frozenset(("load", "store", "add_at", "view"))
ALLOCATIONS = frozenset(("zeros", "empty", "tape", "tape_like", "reftape"))


class Folds:
    """`folded` maps a variable to the definition that is written in its place."""

    def __init__(self, function: Function, uses: Counter[Var]):
        self.folded: dict[Var, Def] = {}
        self.operands = {s.op.name for s in walk(function.body) if isinstance(s, Def)}
        self._uses = uses
        self._aliases = alias_classes(function)
        self._reads: set[Var] = set()  # folded ones that read memory which is written somewhere
        self._weight: Counter[Var] = Counter()
        self._places = _read_as_places(function)
        self.arrays = _plain_arrays(function)
        self._targets = {
            s.args[0]
            for s in walk(function.body)
            if isinstance(s, Def) and s.op.name in ("assign", "add_to")
        }
        self._block(function.body, function.returns)

    def leaves(self, *read: Atom) -> Iterator[Var]:
        """The named variables that the text of these atoms mentions."""
        for a in read:
            if isinstance(a, Var):
                d = self.folded.get(a)
                yield from (a,) if d is None else self.leaves(*d.args)

    def _block(self, block: Block, ending: tuple[Atom, ...]) -> None:
        readers: dict[Var, int] = {}
        for k, s in enumerate(block):
            readers.update((a, k) for a in _head(s) if isinstance(a, Var))
        readers.update((a, len(block)) for a in ending if isinstance(a, Var))
        writes = [k for k, s in enumerate(block) if _writes(s)]
        for k, s in enumerate(block):
            match s:
                case Def(var=Var() as v) if v in readers:
                    crossed = any(k < w < readers[v] for w in writes)
                    self._definition(s, v, crossed)
                case For():
                    self._block(s.body, s.yields)
                case While():
                    self._block(s.test, (s.cond,))
                    self._block(s.body, s.yields)
                case If():
                    self._block(s.then, s.then_yields)
                    self._block(s.orelse, s.else_yields)
                case Def():
                    pass

    def _definition(self, s: Def, v: Var, crossed: bool) -> None:
        if s.op.name in ("index", "wrap") and v not in self._places:
            return  # only subscripts count from the end by themselves
        reads = self._reads_memory(s)
        weight = 1 + sum(self._weight[a] for a in s.args if isinstance(a, Var))
        if not self._transparent(s, v):
            if self._uses[v] != 1 or not self.temporary(s) or weight > LARGEST:
                return
            if isinstance(v.type, Tuple) or s.op.name in ALLOCATIONS or (reads and crossed):
                return
            if v in self._targets and not self._subscript(s):
                return
        self.folded[v] = s
        self._weight[v] = weight
        if reads:
            self._reads.add(v)

    def _transparent(self, s: Def, v: Var) -> bool:
        """Whether a definition's text is that of its operand, which several readers may repeat."""
        match s.op.name, s.args:
            case (("index" | "wrap"), (place, _)) if place not in self.folded:
                return v in self._places
            case "cast", (x,) if x not in self.folded:
                return x.type.dtype == v.type.dtype
            case _:
                return False

    def _subscript(self, s: Def) -> bool:
        """Whether the text of a view can be assigned to."""
        if s.op.name == "tape_view":
            tape, _, *dims = s.args
            return len(dims) <= 1 and tape in self.arrays
        return s.op.name == "view" and all(_forward(a) for a in _steps(s))

    def temporary(self, s: Def) -> bool:
        """Whether the name of a definition tells a reader nothing."""
        assert s.var is not None
        name = s.var.name.removesuffix("_bar")
        return name in GENERATED or name == s.op.name or name in self.operands

    def _reads_memory(self, s: Def) -> bool:
        if any(a in self._reads for a in s.args):
            return True
        if s.op.view or s.op.name == "dim":
            return False
        return any(
            is_reference(a.type) and self._aliases.of(a) in self._aliases.written for a in s.args
        )


def _steps(view: Def) -> Iterator[Atom]:
    """The steps of a view's slices."""
    k = 1
    for code in view.params["spec"]:
        if code == "s":
            yield view.args[k + 2]
        k += {"s": 3, "i": 1}.get(code, 0)


def _forward(step: Atom) -> bool:
    return isinstance(step, Const) and step.value > 0


def _head(s: Stmt) -> tuple[Atom, ...]:
    """The atoms that a statement reads before its blocks run."""
    match s:
        case Def():
            return s.args
        case For():
            return (s.start, s.stop, *s.inits)
        case While():
            return s.inits
        case If():
            return (s.cond,)


def _writes(s: Stmt) -> bool:
    if isinstance(s, Def):
        return s.op.writes
    return any(_writes(inner) for b in blocks(s) for inner in b)


def _read_as_places(function: Function) -> set[Var]:
    """Variables that are read only as positions of an axis, where NumPy counts from the end itself.

    Not those of a tape: its items end before its memory does.
    """
    places: set[Var] = set()
    other: set[Atom] = set(function.returns)
    for s in walk(function.body):
        if isinstance(s, Def) and s.op.name in INDEXING:
            stored = s.args[-1:] if s.op.effect else ()
            spec = s.params.get("spec", ())
            whole = s.op.name != "view" or all(code in "i:n" for code in spec)
            whole = whole and not isinstance(s.args[0].type, Tape)
            (places if whole else other).update(a for a in s.args[1:] if isinstance(a, Var))
            other.update(stored)
        elif isinstance(s, Def):
            other.update(s.args)
        else:
            other.update(_head(s))
            match s:
                case If():
                    other.update((*s.then_yields, *s.else_yields))
                case While():
                    other.update((*s.yields, s.cond))
                case For():
                    other.update(s.yields)
    return places - other


def _plain_arrays(function: Function) -> set[Var]:
    """Tapes whose length is known at the start: plain arrays to a reader."""
    tapes: set[Var] = set()
    grown: set[Atom] = set()
    for s in walk(function.body):
        if isinstance(s, Def):
            if s.op.name == "tape" and s.var is not None:
                tapes.add(s.var)
            used = s.args[1:] if s.op.name in ("store", "load", "tape_view") else s.args
            grown.update(used)
        elif isinstance(s, For | While):
            grown.update((*s.inits, *s.yields))
        else:
            grown.update((*s.then_yields, *s.else_yields))
    return {t for t in tapes if t not in grown}
