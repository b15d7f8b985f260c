"""Run-time loops: what they carry is found by trial.

The body is interpreted with the kinds assumed so far; what it leaves is joined with these until
nothing changes. A place (a name, an item of a list, an attribute) is carried if the body changes
it. A `while` whose test binds names or changes anything is turned: the test runs once before the
loop and again at the end of the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.branches import Cell
from srcgrad.frontend.carrier import Carrier
from srcgrad.frontend.flow import exits, nothing
from srcgrad.frontend.frame import RESULT, RETURNED, Diverged
from srcgrad.frontend.heap import State
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import Spec, StaticSpec, conflict, join_specs, loose, spec_of
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.values import UNBOUND, Conflict, Iterated, MaybeUnbound, Record
from srcgrad.ir.nodes import Def, For, Var, While, atom
from srcgrad.ir.types import INT
from srcgrad.ir.walk import walk


@dataclass
class Trip:
    """What is known of a loop before its body is interpreted (once more)."""

    node: Any
    it: Iterated | None
    kinds: set[str]  # of exits
    before: State
    known: set[int]  # containers that were there before
    turned: bool = False
    specs: dict[Cell, Spec] = field(default_factory=dict)
    frozen: dict[int, Any] = field(default_factory=dict)  # at the head
    shared: set[int] = field(default_factory=set)  # of the head's own containers: frozen too

    @property
    def counted(self) -> bool:
        return self.it is not None and not (self.kinds & {"break", "return"})


@dataclass
class Attempt:
    """One interpretation of a loop's body."""

    index: Var
    head: dict[Cell, tuple[list[Var], Any]] = field(default_factory=dict)
    made: list[Any] = field(default_factory=list)  # containers of the head
    test: list = field(default_factory=list)
    cond: Any = True
    body: list = field(default_factory=list)
    yields: list = field(default_factory=list)
    left: list[Any] = field(default_factory=list)  # the containers that the body leaves in them


class Loops(Interpreter):
    """Mixed into the interpreter."""

    def loop(self, node: Any, iterated: Iterated | None) -> None:
        """A `for` over `iterated`, or a `while` (None)."""
        self.frame.depth += 1
        kinds = exits(node.body)
        for kind in kinds - {"return"}:
            self.env[self.flag(kind)] = False
        if "return" in kinds:
            self.env.setdefault(RETURNED, False)
        turned = isinstance(node, gast.While) and _binds(node.test)
        self._settled(node, iterated, kinds, turned)
        broken = self.env.pop(self.flag("break"), False)
        self.env.pop(self.flag("continue"), None)
        self.frame.depth -= 1
        if _endless(node) and "break" not in kinds:
            if "return" not in kinds:
                self.fail("RuntimeError", "the end of an endless loop was reached")
            self.env[RETURNED] = True
        if node.orelse:
            gone = broken
            if "return" in kinds:
                returned = self.env.get(RETURNED, False)
                gone = returned if gone is False else self.either(gone, returned)
            self.branch(self.negate(gone), lambda: self.block(node.orelse), nothing, node)

    def _settled(self, node: Node, it: Iterated | None, kinds: set[str], turned: bool) -> None:
        """Emit the loop once a trial changes nothing."""
        entry = self.snapshot()
        if turned:
            self.env[self._test()] = self._going_on(node, it, None, set())
        before = self.snapshot()
        trip = Trip(node, it, kinds, before, self.known(before), turned)
        for n in self._carried_names(node, kinds, turned):
            self._carry(trip, (id(self.env), n))
        while True:
            statement = self._trial(trip)
            if statement == "turn":
                self.restore(entry)
                return self._settled(node, it, kinds, True)
            if statement is not None:
                break
            self.restore(before)
        self.b.append(statement)
        self.env.pop(self._test(), None)

    def _carried_names(self, node: Any, kinds: set[str], turned: bool) -> list[str]:
        head = self.frame.live.live_at_head(node)
        bound = assigned([node.target] if isinstance(node, gast.For) else [])
        inside = assigned([*node.body, *([node.test] if isinstance(node, gast.While) else [])])
        live = (head | self.frame.live.live_after(node)) - self.frame.elsewhere
        names = [n for n in dict.fromkeys([*bound, *inside]) if n in live]
        if "break" in kinds:
            names.append(self.flag("break"))
        if "return" in kinds:
            names += [RETURNED, RESULT]
        return [*names, self._test()] if turned else names

    def _test(self) -> str:
        """Where the value of the test of a turned loop is kept."""
        return f"$test{self.frame.depth}"

    def _carry(self, trip: Trip, cell: Cell) -> None:
        first = self._at(trip.before, cell)
        trip.specs[cell] = spec_of(first, cell[1] == self._test(), trip.known)

    def _at(self, state: State, cell: Cell) -> Any:
        """What a place holds in a state."""
        owner, key = cell
        held = state.env if owner == id(self.env) else state.contents[owner]
        return held.get(key, UNBOUND)

    def _put(self, trip: Trip, cell: Cell, value: Any) -> None:
        owner, key = cell
        if owner == id(self.env):
            self.env[key] = value
            return
        target = trip.before.objects[owner]
        (target.fields if isinstance(target, Record) else target)[key] = value

    # ---- one trial ----
    def _trial(self, trip: Trip) -> Any:
        """The loop as one statement, None if it must be tried again, "turn" to turn it."""
        b, loc, depth = self.b, self.b.loc, self.frame.depth
        carrier, a = Carrier(b), Attempt(Var("i", INT))
        a.head = {c: carrier.fresh(s, str(c[1]).lstrip("$")) for c, s in trip.specs.items()}
        a.made = carrier.made
        self._enter(trip, a)
        head = self.captured(trip.before.objects)
        if not trip.counted:
            with b.block() as a.test:
                a.cond = self._tested(trip, a.index)
            if not trip.turned and self._test_changes(trip, head, a.test):
                return "turn"
        with b.block() as a.body:
            try:
                self._body(trip, a.index)
                end = self.captured(trip.before.objects)
            except Diverged:
                self.frame.depth = depth
                self.restore(head)
                end = head
            b.loc = loc
            again = self._widen(trip, head, end)
            if not again:
                self._yield(trip, a, end)
        return None if again else self._finished(trip, a)

    def _enter(self, trip: Trip, a: Attempt) -> None:
        """The state at the head of the loop."""
        for cell, (_, value) in a.head.items():
            self._put(trip, cell, value)
        self.frozen.update(trip.frozen)
        self.frozen.update({id(a.made[k]): a.made[k] for k in trip.shared})

    def _body(self, trip: Trip, index: Var) -> None:
        self.env[self.flag("continue")] = False
        if trip.it is None:
            self.block(trip.node.body)
        else:
            self.trip(trip.node, trip.it, index)
        if trip.turned:
            self.env[self._test()] = self._going_on(trip.node, None, None, trip.kinds)

    def _yield(self, trip: Trip, a: Attempt, end: State) -> None:
        carrier = Carrier(self.b)
        for c, s in trip.specs.items():
            a.yields += carrier.flatten(s, self._at(end, c))
        if not trip.counted and trip.it is not None:
            a.yields.append(self.b("add", a.index, 1))
        a.left = carrier.seen

    def _finished(self, trip: Trip, a: Attempt) -> Any:
        """The statement of a settled loop; the state becomes that after it."""
        ended = dict(self.frozen)
        self.restore(trip.before)
        initial, after = Carrier(self.b), Carrier(self.b)
        inits = [
            x for c, s in trip.specs.items() for x in initial.flatten(s, self._at(trip.before, c))
        ]
        sources = list(zip(initial.seen, a.left, strict=True))
        if self._head_shared(trip, a, sources, ended):
            return None
        out = {c: after.fresh(s, str(c[1]).lstrip("$")) for c, s in trip.specs.items()}
        node = trip.node
        for n in assigned([*node.body, *([node.target] if trip.it is not None else [])]):
            if n not in self.frame.elsewhere:
                self.env.pop(n, None)
        for c, (_, value) in out.items():
            self._put(trip, c, value)
        self.frozen.update(ended)
        self.freeze_shared(_merges(after.made, sources))
        return self._statement(trip, a, inits, [v for vs, _ in out.values() for v in vs])

    def _statement(self, trip: Trip, a: Attempt, inits: list, results: list) -> Any:
        loc = self.b.loc
        params = [v for vs, _ in a.head.values() for v in vs]
        if trip.counted:
            assert trip.it is not None
            start, stop = self._bounds(trip.it)
            return For(a.index, start, stop, tuple(params), tuple(inits), tuple(a.body),
                       tuple(a.yields), tuple(results), False, loc)  # fmt: skip
        limit = None
        if trip.it is not None:
            start, stop = self._bounds(trip.it)
            limit = self.b("maximum", self.b("sub", stop, start), 0)
            params.append(a.index)
            inits.append(start)
            results.append(Var("i", INT))
        return While(tuple(a.test), atom(a.cond), tuple(params), tuple(inits), tuple(a.body),
                     tuple(a.yields), tuple(results), limit, loc)  # fmt: skip

    # ---- the test of a while ----
    def _tested(self, trip: Trip, index: Var) -> Any:
        """The condition evaluated before each trip."""
        if trip.turned:
            return self.env[self._test()]
        try:
            return self._going_on(trip.node, trip.it, index, trip.kinds)
        except Diverged:  # the test raises before there is a trip
            return False

    def _test_changes(self, trip: Trip, head: State, test: list) -> bool:
        """Whether evaluating the test of a while changed anything."""
        if trip.it is not None:
            return False
        if any(isinstance(s, Def) and s.op.effect and not s.op.raises for s in walk(tuple(test))):
            return True
        now = self.captured(trip.before.objects)
        pairs = [(head.env, now.env)]
        pairs += [(head.contents[k], now.contents[k]) for k in head.contents]
        return any(
            a.keys() != c.keys()
            or any(v is not c[k] and not narrowed(v, c[k]) for k, v in a.items())
            for a, c in pairs
        )

    def _going_on(self, node: Any, it: Iterated | None, index: Var | None, kinds: set[str]) -> Any:
        """Whether there is another trip: not left, and the test."""
        left = self._exited(kinds - {"continue"})
        if left is True:
            return False
        stay = self.negate(left)

        def test() -> Any:
            if it is not None:
                return self.b("lt", index, self._bounds(it)[1])
            return self.truth(self.expression(node.test), node.test)

        if stay is True:
            return test()
        return self.branch(stay, test, lambda: False, node, live_rest=True)

    def _bounds(self, it: Iterated) -> tuple[Any, Any]:
        if it.range is not None and self.b.is_const(it.range.step, 1):
            return atom(it.range.start), atom(it.range.stop)
        return atom(0), atom(it.length)

    # ---- what is carried ----
    def _widen(self, trip: Trip, head: State, end: State) -> bool:
        """Join what the body left with what was assumed; whether anything changed."""
        changed = self._discover(trip, head, end)
        for cell in list(trip.specs):
            joined = self._joined_cell(trip, cell, self._at(end, cell))
            if joined is not None and joined != trip.specs[cell]:
                trip.specs[cell] = joined
                changed = True
        return changed

    def _discover(self, trip: Trip, head: State, end: State) -> bool:
        """Carry the places that the body changed without binding a name."""
        mine, found = id(self.env), []
        bound = set(assigned([trip.node])) - self.frame.elsewhere
        pairs = [(mine, head.env, end.env)]
        pairs += [(k, head.contents[k], end.contents[k]) for k in head.contents]
        for owner, a, c in pairs:
            if owner not in self.scopes and list(a) != list(c):
                self.reshaped(trip.before.objects[owner], a, c)
            for key in dict.fromkeys([*a, *c]):
                x, y = a.get(key, UNBOUND), c.get(key, UNBOUND)
                if x is y or (owner, key) in trip.specs or narrowed(x, y):
                    continue
                if owner in self.scopes and key.startswith("$"):
                    continue
                if owner == mine and key in bound:
                    continue
                found.append((owner, key))
        if found:
            self.restore(trip.before)
            for cell in found:
                self._carry(trip, cell)
            self.restore(end)
        return bool(found)

    def _joined_cell(self, trip: Trip, cell: Cell, v: Any) -> Spec | None:
        """The spec of a place after one more trip; None if the value tells nothing."""
        old, key = trip.specs[cell], cell[1]
        static = old.value if isinstance(old, StaticSpec) else None
        if isinstance(static, Conflict) or (v is UNBOUND and (static is UNBOUND or key == RESULT)):
            return None
        if isinstance(v, Conflict):
            self._refuse_conflict(cell, v)
        if key == RESULT and static is UNBOUND:
            return loose(spec_of(v, True, trip.known))
        joined = join_specs(old, spec_of(v, False, trip.known))
        if joined is not None:
            return joined
        before = self._at(trip.before, cell)
        self.fit_lists(before, v)
        self._refuse_conflict(cell, conflict(before, v))

    def _refuse_conflict(self, cell: Cell, c: Conflict) -> NoReturn:
        key = cell[1]
        if key == RESULT:
            raise UnsupportedError(
                f"the returns of {self.frame.source.title}() do not fit together: {c.reason}",
                self.frame.returns[-1], "return one kind of value on every path",
            )  # fmt: skip
        what = str(key).lstrip("$") if cell[0] in self.scopes else f"the item or attribute {key!r}"
        raise UnsupportedError(
            f"{what} changes kind in a loop: {c.reason}",
            self.b.loc,
            "give it one kind (dtype, rank, structure) before the loop, or use another name",
        )

    def _head_shared(self, trip: Trip, a: Attempt, sources: list[tuple], ended: dict) -> bool:
        """Freeze what the head's containers share with others; whether that is news."""
        for c, (_, value) in a.head.items():
            self._put(trip, c, value)
        if any(id(s) in ended for _, s in sources):
            self.frozen.update(ended)
        self.freeze_shared(_merges(a.made, sources))
        shared = {k for k, m in enumerate(a.made) if id(m) in self.frozen}
        # what the body made is made anew in the next attempt: only older ones stay frozen
        frozen = {k: v for k, v in self.frozen.items() if k in trip.before.objects}
        self.restore(trip.before)
        if shared <= trip.shared and frozen.keys() <= trip.frozen.keys():
            return False
        trip.shared |= shared
        trip.frozen.update(frozen)
        return True


def narrowed(old: Any, new: Any) -> bool:
    """Whether a name only lost its doubt: it was read, hence bound."""
    return isinstance(old, MaybeUnbound) and new is old.value


def _merges(made: list[Any], sources: list[tuple]) -> list[tuple[Any, list[Any]]]:
    return [
        (m, [s for s in given if s is not None]) for m, given in zip(made, sources, strict=True)
    ]


def _endless(node: Any) -> bool:
    """`while True`: only an exit or an exception leaves it."""
    return (
        isinstance(node, gast.While)
        and isinstance(node.test, gast.Constant)
        and bool(node.test.value)
    )


def _binds(test: Any) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in gast.walk(test))
