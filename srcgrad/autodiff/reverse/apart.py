"""Proves that arrays which a loop carries and changes are reached by no other name.

Such arrays may be replaced by copies where the loop begins and ends, and in between. Refuses a
loop of which that is not certain. Never emits anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.autodiff.reverse.program import Point, Program, Reads
from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.nodes import Atom, Def, For, If, Stmt, Var, While, type_vars
from srcgrad.ir.types import Array, RefTape, Tape, is_reference
from srcgrad.ir.walk import free_variables, uses, walk

Loop = For | While


def refused(reason: str, loc: Location | None, way_out: str) -> UnsupportedError:
    return UnsupportedError(f"a loop over flow.checkpointed {reason}", loc, way_out)


def changes_length(program: Program, s: Loop, v: Var) -> bool:
    """Whether a trip of a loop may begin with more or fewer elements of an array than another."""
    return any(d in s.params or program.inside(d, s) for d in type_vars(v.type))


class Apart:
    """Checks for a loop that no other name reaches the arrays that it carries and changes."""

    def __init__(self, program: Program):
        self.program, self.classes = program, program.classes
        self.users: dict[Var, list[Stmt]] = {}
        self.stores: dict[Var, list[Def]] = {}  # by alias class
        for s in walk(program.function.body):
            for v in dict.fromkeys(uses(s)):
                self.users.setdefault(v, []).append(s)
            if isinstance(s, Def) and s.op.writes:
                self.stores.setdefault(self.classes.of(s.args[0]), []).append(s)

    # ---- what a loop carries ----
    def carried(self, s: Loop) -> list[int]:
        """The places of carried arrays that are stored to somewhere, which are to be copied."""
        by_class: dict[Var, list[int]] = {}
        for j, p in enumerate(s.params):
            if isinstance(p.type, Tape | RefTape):
                raise _growing(s)
            if isinstance(p.type, Array) and not self.classes.is_pure(p):
                by_class.setdefault(self.classes.of(p), []).append(j)
        for cls, js in by_class.items():
            if self._changes(cls, s):
                self._require_apart(cls, js, s)
        return sorted(j for js in by_class.values() for j in js)

    def _changes(self, cls: Var, s: Loop) -> bool:
        """Whether memory of a class that is there when a trip begins may be stored to from then on.

        Arrays that a trip makes, fills and passes on are as good as values to the next one.
        """
        here, own = self.program.point[s], self.program.own_loops(cls)
        begin = Reads([here])
        for t in self.stores.get(cls, ()):
            at = self.program.point[t]
            if at[: len(here)] != here and begin.comes_later(at, own):
                return True
            if at[: len(here)] == here and any(
                v in s.params or self._is_strange(v, s) for v in self.roots(t.args[0], s)
            ):
                return True
        return False

    def _is_strange(self, v: Var, s: Loop) -> bool:
        """Whether a buffer is neither carried nor made in a trip, or not known to be."""
        own = v in s.params or self.program.inside(v, s)
        return not own or isinstance(v.type, RefTape)

    def _require_apart(self, cls: Var, js: list[int], s: Loop) -> None:
        seen: set[Var] = set()
        for sources in (self.roots(s.yields[j], s) for j in js):
            if seen & sources or any(self._is_strange(v, s) for v in sources):
                raise self._shared(s, s.params[js[0]])
            seen |= sources
        seen = set()
        for sources in (self.roots(s.inits[j], s) for j in js):
            if seen & sources:
                raise self._shared(s, s.params[js[0]])
            seen |= sources
        for v in self.program.defined:
            if is_reference(v.type) and self.classes.of(v) is cls and self._is_before(v, s):
                self._require_unused(v, s)

    def _is_before(self, v: Var, s: Loop) -> bool:
        """Whether a reference may be another name of what the loop begins with."""
        if self.program.inside(v, s) or v in s.results:
            return False
        return not self.roots(v, s) <= set(s.results)

    def _require_unused(self, v: Var, s: Loop) -> None:
        own = frozenset(self.program.loops(self.program.defined[v]))
        here = self.program.point[s]
        begin = Reads([here])
        around = [t for t in self.program.loops(here) if t not in own]
        for t in self.users.get(v, ()):
            if t is s:
                later = bool(around) or v in s.yields
            elif isinstance(t, For | While) and _encloses(self.program.point[t], here):
                later = v in t.yields or any(u in self.program.loops(self.program.point[t])
                                             for u in around)  # fmt: skip
            else:
                later = begin.comes_later(self.program.point[t], own)
            if later:
                raise self._shared(s, v)
        if v in self.program.function.returns:
            raise self._shared(s, v)

    def _shared(self, s: Loop, v: Var) -> UnsupportedError:
        return refused(
            f"changes an array that it carries and that has another name as well, '{v}'", s.loc,
            "make copies of such arrays before the loop, and in it: u = u.copy()",
        )  # fmt: skip

    # ---- what a loop stores to and does not carry ----
    def free(self, s: Loop) -> dict[Var, Var]:
        """The free references in a loop's blocks that it stores to: each with its buffer."""
        written = self.program.stores[s]
        found: dict[Var, Var] = {}
        for v in free_variables((s,)):
            if is_reference(v.type) and self.classes.of(v) in written and v not in s.inits:
                found[v] = self.buffer(v)
        by_class: dict[Var, dict[Var, None]] = {}
        for v in found.values():
            if isinstance(v.type, Tape | RefTape):
                raise _growing(s)
            by_class.setdefault(self.classes.of(v), {})[v] = None
        for roots in by_class.values():
            if len(roots) > 1 and any(map(self.program.is_join, roots)):
                names = ", ".join(f"'{v}'" for v in roots)
                raise refused(
                    f"stores to arrays that may share memory: {names}", s.loc,
                    "make copies of such arrays before the loop: u = u.copy()",
                )  # fmt: skip
        return found

    def buffer(self, v: Var) -> Var:
        """The array that a chain of views starts from."""
        while isinstance(d := self.program.owner.get(v), Def) and d.op.view:
            v = d.array
        return v

    def roots(self, a: Atom, s: Loop) -> set[Var]:
        """The buffers that a reference may be: through views and joins, up to the loop's own."""
        out: set[Var] = set()
        todo: list[Atom] = [a]
        seen: set[Atom] = set()
        while todo:
            x = todo.pop()
            if x in seen or not isinstance(x, Var):
                continue
            seen.add(x)
            owner = self.program.owner.get(x)
            if x in s.params or x in s.results:
                out.add(x)
            elif isinstance(owner, Def) and owner.op.view:
                todo.append(owner.args[0])
            elif owner is not None and self.program.is_join(x):
                todo += _joined(owner, x)
            else:
                out.add(x)
        return out


def _joined(s: Stmt, v: Var) -> Iterable[Atom]:
    if isinstance(s, If):
        j = s.results.index(v)
        return s.then_yields[j], s.else_yields[j]
    assert isinstance(s, For | While)
    j = (s.params if v in s.params else s.results).index(v)
    return s.inits[j], s.yields[j]


def _encloses(outer: Point, inner: Point) -> bool:
    return len(outer) < len(inner) and inner[: len(outer)] == outer


def _growing(s: Loop) -> UnsupportedError:
    return refused(
        "changes a list that grows at run time and was made before it", s.loc,
        "store to an array of its final length",
    )  # fmt: skip
