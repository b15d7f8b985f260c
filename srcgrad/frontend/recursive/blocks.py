"""Cuts a recursive function into blocks at its own calls: the body of a loop over activations.

    pc = 0
    while pc >= 0:
        if pc == 0: ...    # from the beginning to the first call
        elif pc == 1: ...  # from the return of that call on

A block ends by naming the next one. Before a call, the values that are read after it are pushed on
a stack, together with the number of the block that continues then; a return looks up that number.
Nothing is evaluated here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.liveness import Liveness, assigned
from srcgrad.frontend.recursive.calls_apart import (
    Callee,
    CallsApart,
    NotApart,
    assignment,
    name,
    placed,
)
from srcgrad.frontend.trees import OURS, always_exits, exits, own_statements, parameters_of
from srcgrad.records import record

NEXT, RESULT, DEPTH, CALLS, STACK = (
    OURS + n for n in ("next", "result", "depth", "calls", "stack")
)
OWN = NEXT, DEPTH, CALLS
Tail = Callable[[], list[Any]]  # the statements that a path ends with


class Entered(gast.Tuple):
    """Puts names on the stack, and the number of the block that is to go on: a call begins."""


class Resumed(gast.Tuple):
    """The names that were put on the stack where a call began: it has returned."""


class Passed(gast.Tuple):
    """The arguments of a call that begins, or the result of one that ends."""


class Sequence(gast.Tuple):
    """A sequence that a loop runs over by places: refused if it is something else."""


class Forgotten(gast.Constant):
    """As many values as there are names: none of them is bound."""


class Leaving(gast.Tuple):
    """The number of the block that goes on after a return."""


class Around(gast.While):
    """The loop over the activations of a recursive function."""


@record(frozen=True)
class Exits:
    """The ways out of a loop that calls cut: what its `break` and its `continue` lead to."""

    broken: Tail
    continued: Tail


@functools.lru_cache(maxsize=1024)
def as_loop(tree: Any, callee: Callee) -> Any:
    """A function as a loop. Raises `NotApart` where a call of itself cannot be cut off."""
    return _Cut(tree, callee).tree()


class _Cut:
    def __init__(self, tree: Any, callee: Callee):
        a = tree.args
        if a.vararg is not None or a.kwarg is not None:
            raise NotApart(tree, "a function with * or ** among its parameters")
        self.given, self.own, self.builtins = tree, callee.is_called, callee.builtins
        elsewhere = _bound_elsewhere(tree)
        self.names = {*parameters_of(tree), *_bound(tree)} - elsewhere
        self.parameters = [p for p in parameters_of(tree) if p != callee.owner]
        self.apart = CallsApart(callee, lambda n: n not in elsewhere)
        body = tree.body
        if isinstance(tree, gast.Lambda):
            body = [placed(gast.Return(tree.body), tree.body)]
        self.body = self.apart.block(body)
        self.names |= set(assigned(self.body)) - elsewhere
        self.kept = {p for p in parameters_of(tree) if self._is_unchanged(p)}
        self.blocks: list[list[Any]] = []
        self.entered: list[tuple[Any, Any, int]] = []  # what is put on and taken off, the block

    def tree(self) -> Any:
        falls = lambda: self._return(gast.Return(None), self.given)
        self._block(lambda: self._sequence(self.body, falls, None))
        self._fill_in()
        like = self.given
        loop = gast.Constant(None, None)
        for k in reversed(range(len(self.blocks))):
            is_next = gast.Compare(name(NEXT, like), [gast.Eq()], [gast.Constant(k, None)])
            last = k == len(self.blocks) - 1
            loop = (
                self.blocks[k] if last else [placed(gast.If(is_next, self.blocks[k], loop), like)]
            )
        test = gast.Compare(name(NEXT, like), [gast.GtE()], [gast.Constant(0, None)])
        first = [assignment(n, gast.Constant(0, None), like) for n in (NEXT, DEPTH)]
        body = [*first, placed(Around(test, loop, []), like),
                placed(gast.Return(name(RESULT, like)), like)]  # fmt: skip
        title = getattr(like, "name", "lambda_")
        body = [*_stated(like), *body]
        made = gast.FunctionDef(title, like.args, body, [], None, None, [])
        return placed(made, like)

    # ---- arguments ----
    def _is_unchanged(self, p: str) -> bool:
        """Whether all calls within one another have the same value under a parameter."""
        if p in assigned(self.body):
            return False
        calls = [n for s in self.body for n in gast.walk(s) if self.own(n)]
        given = (self._given(c).get(p) for c in calls)
        if p not in self.parameters:
            return True
        return all(isinstance(v, gast.Name) and v.id == p for v in given)

    def _given(self, call: Any) -> dict[str, Any]:
        """The arguments of a call by the names of their parameters."""
        a = self.given.args
        positional = [p for p in self.parameters if p not in {k.id for k in a.kwonlyargs}]
        if len(call.args) > len(positional):
            raise NotApart(call, "a call of itself with too many arguments")
        given = dict(zip(positional, call.args, strict=False))
        for k in call.keywords:
            if k.arg not in self.parameters or k.arg in given:
                raise NotApart(call, "a call of itself with other arguments than its own")
            given[k.arg] = k.value
        for p in self.parameters:
            if p not in given:
                given[p] = self._default(p, call)
        return given

    def _default(self, p: str, call: Any) -> Any:
        a = self.given.args
        ordered = [x.id for x in (*a.posonlyargs, *a.args)]
        defaults = dict(zip(reversed(ordered), reversed(a.defaults), strict=False))
        defaults |= {x.id: d for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d}
        value = defaults.get(p)
        if not isinstance(value, gast.Constant):
            raise NotApart(call, f"a call of itself without the argument '{p}'")
        return value

    # ---- sequences ----
    def _block(self, make: Tail) -> int:
        """The number of a new block."""
        self.blocks.append([])
        k = len(self.blocks) - 1
        self.blocks[k] = make()
        return k

    def _is_cut(self, s: Any) -> bool:
        return bool(exits([s])) or self.apart.has(s)

    def _sequence(self, stmts: list[Any], after: Tail, around: Exits | None) -> list[Any]:
        for k, s in enumerate(stmts):
            if self._is_cut(s):
                then = functools.partial(self._sequence, stmts[k + 1 :], after, around)
                return [*stmts[:k], *self._statement(s, then, around)]
            if always_exits([s]):  # it raises
                return stmts[: k + 1]
        return [*stmts, *after()]

    def _statement(self, s: Any, then: Tail, around: Exits | None) -> list[Any]:
        match s:
            case gast.Return():
                return self._return(s, s)
            case gast.Break() if around is not None:
                return around.broken()
            case gast.Continue() if around is not None:
                return around.continued()
            case gast.Expr(value=call) | gast.Assign(value=call) if self.own(call):
                return self._call(s, call, then)
            case gast.If():
                ends = always_exits(s.body) or always_exits(s.orelse)
                tail = then if ends else self._once(then, s)
                arms = [self._sequence(arm, tail, around) for arm in (s.body, s.orelse)]
                return [placed(gast.If(s.test, *arms), s)]
            case gast.While():
                return self._while(s, then)
            case gast.For():
                return self._for(s, then)
        raise NotApart(s, f"a call of itself or a 'return' inside '{type(s).__name__.lower()}'")

    def _once(self, then: Tail, like: Any) -> Tail:
        """A tail that goes to one block, however many paths end with it."""
        made: list[int] = []

        def tail() -> list[Any]:
            if not made:
                made.append(len(self.blocks))
                self._block(then)
            return [_jump(made[0], like)]

        return tail

    def _return(self, s: Any, like: Any) -> list[Any]:
        value = gast.Constant(None, None) if s.value is None else s.value
        going = assignment(NEXT, Leaving([name(DEPTH, like)], gast.Load()), like)
        going.goes_to = ()
        given = placed(Passed([value], gast.Load()), like)
        return [_unpacked([RESULT], given, like), going]

    def _call(self, s: Any, call: Any, then: Tail) -> list[Any]:
        given = {p: v for p, v in self._given(call).items() if p not in self.kept}
        entered = placed(Entered([name(n, s) for n in (DEPTH, CALLS)], gast.Load()), s)
        resumed = _unpacked([DEPTH], placed(Resumed([name(DEPTH, s)], gast.Load()), s), s)
        passed = placed(Passed([*given.values()], gast.Load()), s)
        used = []
        if isinstance(s, gast.Assign):
            used = [placed(gast.Assign(s.targets, name(RESULT, s), None), s)]
        self.entered.append((entered, resumed, len(self.blocks)))
        self._block(lambda: [resumed, *used, *then()])
        arguments = [_unpacked([*given], passed, s)] if given else []
        return [_unpacked([DEPTH, CALLS], entered, s), *arguments, _jump(0, s)]

    # ---- loops ----
    def _while(self, s: Any, then: Tail) -> list[Any]:
        after, head = self._once(then, s), len(self.blocks)
        around = Exits(after, lambda: [_jump(head, s)])

        def trip() -> list[Any]:
            body = self._sequence(s.body, around.continued, around)
            if isinstance(s.test, gast.Constant) and s.test.value:
                return body
            orelse = self._sequence(s.orelse, after, around)
            return [placed(gast.If(s.test, body, orelse), s)]

        self._block(trip)
        return [_jump(head, s)]

    def _for(self, s: Any, then: Tail) -> list[Any]:
        """A `for` as a `while` that counts, as Python runs over sequences."""
        k = self.apart.new()
        before, test, bind = self._counted(s, k)
        step = placed(gast.AugAssign(name(k, s, store=True), gast.Add(), gast.Constant(1, None)), s)
        before = [*before, assignment(k, gast.Constant(0, None), s)]
        self.names |= set(assigned(before))
        loop = placed(gast.While(test, [bind, step, *s.body], s.orelse), s)
        return [*before, *self._while(loop, then)]

    def _counted(self, s: Any, k: str) -> tuple[list[Any], Any, Any]:
        """The statements before a loop, its test for a counter, and what binds its target."""
        match s.iter:
            case gast.Call(func=gast.Name(id="range"), args=args, keywords=[]) if (
                "range" in self.builtins
            ):
                return self._over_range(s, args, k)
            case gast.Call(func=gast.Name(id="enumerate"), args=[items], keywords=[]) if (
                "enumerate" in self.builtins
            ):
                before, test, item = self._over_items(s, items, k)
                value = gast.Tuple([name(k, s), item], gast.Load())
            case gast.Call(func=gast.Name(id="zip"), args=[_, *_] as args, keywords=[]) if (
                "zip" in self.builtins
            ):
                each = [self._over_items(s, items, k) for items in args]
                before = [b for first, *_ in each for b in first]
                tests = [t for _, t, _ in each]
                test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
                value = gast.Tuple([item for *_, item in each], gast.Load())
            case _:
                before, test, value = self._over_items(s, s.iter, k)
        return before, placed(test, s), placed(gast.Assign([s.target], value, None), s)

    def _over_range(self, s: Any, args: list[Any], k: str) -> tuple[list[Any], Any, Any]:
        items = self.apart.new()
        count = gast.Call(name(f"{OURS}len", s), [name(items, s)], [])
        whole = gast.Call(name(f"{OURS}range", s), args, [])
        test = gast.Compare(name(k, s), [gast.Lt()], [count])
        item = gast.Subscript(name(items, s), name(k, s), gast.Load())
        bind = placed(gast.Assign([s.target], item, None), s)
        return [assignment(items, placed(whole, s), s)], placed(test, s), bind

    def _over_items(self, s: Any, items: Any, k: str) -> tuple[list[Any], Any, Any]:
        held = self.apart.new()
        before = [assignment(held, Sequence([items], gast.Load()), s)]
        count = gast.Call(name(f"{OURS}len", s), [name(held, s)], [])
        test = gast.Compare(name(k, s), [gast.Lt()], [count])
        return before, test, gast.Subscript(name(held, s), name(k, s), gast.Load())

    # ---- what is kept ----
    def _fill_in(self) -> None:
        """Lets each call keep the names that are read after it."""
        for entered, resumed, number in self.entered:
            entered.number = resumed.value.number = number
        flow = _Flow(self.blocks)
        read = {number: flow.kept(number) for _, _, number in self.entered}
        changing = True
        while changing:
            changing = False
            for entered, resumed, number in self.entered:
                names = (read[number] & self.names) - self.kept - {RESULT, *OWN}
                if names != {e.id for e in entered.elts[2:]}:
                    changing = True
                    entered.elts = [name(n, entered) for n in (DEPTH, CALLS, *sorted(names))]
                    own = [name(n, resumed, store=True) for n in (DEPTH, *sorted(names))]
                    resumed.targets[0].elts = own
            flow = _Flow(self.blocks)
            read = {number: flow.kept(number) for _, _, number in self.entered}
        strange = sorted((flow.begin[0] & self.names) - {*parameters_of(self.given), RESULT, *OWN})
        if strange:
            forgotten = placed(Forgotten(len(strange), None), self.given)
            self.blocks[0].insert(0, _unpacked(strange, forgotten, self.given))


class _Flow(Liveness):
    """The names that are live where each block begins."""

    def __init__(self, blocks: list[list[Any]]):
        self.after, self.head, self.always = {}, {}, set()
        self._loops, self._noting, self._first = [], False, {}
        for node in (n for block in blocks for s in block for n in gast.walk(s)):
            if isinstance(node, gast.Name) and node.id == "eval":
                raise NotApart(node, "an eval() in a function that calls itself")
            if isinstance(node, gast.FunctionDef | gast.Lambda | gast.Try):
                self.always |= {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
        self.blocks = blocks
        self.begin: list[set[str]] = [set() for _ in blocks]
        while (now := [self._block(b, set()) for b in blocks]) != self.begin:
            self.begin = now

    def kept(self, number: int) -> set[str]:
        """The names that a block reads after a call has returned."""
        return self._block(self.blocks[number][1:], set()) | self.always

    def _statement(self, s: Any, live: set[str]) -> set[str]:
        goes_to = getattr(s, "goes_to", None)
        if goes_to is not None:
            return set().union(*(self.begin[k] for k in goes_to))
        return super()._statement(s, live)


def _jump(number: int, like: Any) -> Any:
    made = assignment(NEXT, gast.Constant(number, None), like)
    made.goes_to = (number,)
    return made


def _unpacked(names: list[str], value: Any, like: Any) -> Any:
    target = gast.Tuple([name(n, like, store=True) for n in names], gast.Store())
    return placed(gast.Assign([target], value, None), like)


def _bound(tree: Any) -> list[str]:
    return [] if isinstance(tree, gast.Lambda) else assigned(tree.body)


def _bound_elsewhere(tree: Any) -> set[str]:
    """The names of other scopes that a function binds."""
    return {n for s in _stated(tree) for n in s.names}


def _stated(tree: Any) -> list[Any]:
    if isinstance(tree, gast.Lambda):
        return []
    return [s for s in own_statements(tree) if isinstance(s, gast.Nonlocal | gast.Global)]
