"""Gives each call that a function makes to itself a statement of its own, in order of evaluation.

What Python evaluates before such a call, in the same statement, is held in a name. Nothing is
evaluated here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.trees import OURS, always_exits
from srcgrad.records import record

COMPREHENSIONS = (gast.GeneratorExp, gast.ListComp)
Pair = tuple[list[Any], Any]  # statements, and the expression that is left to evaluate after them


@record(frozen=True)
class Callee:
    """How a function calls itself: by a name, or by a method of `owner`, its first parameter."""

    text: str
    owner: str | None = None
    builtins: frozenset[str] = frozenset()  # the names of Python's own functions

    def is_called(self, node: Any) -> bool:
        f = node.func if isinstance(node, gast.Call) else None
        if self.owner is None:
            return isinstance(f, gast.Name) and f.id == self.text
        of = f.value if isinstance(f, gast.Attribute) and f.attr == self.text else None
        return isinstance(of, gast.Name) and of.id == self.owner


def most_calls(tree: Any) -> int:
    """The most calls of its own name that a function makes on one path; 2 for more, or in a loop.

    >>> most_calls(gast.parse("def f(n): return 1 if n < 2 else n * f(n - 1)").body[0])
    1
    """
    if isinstance(tree, gast.Lambda):
        return 2
    return min(2, _most_in(tree.body, tree.name))


def _most_in(part: Any, text: str) -> int:
    if isinstance(part, list):
        first, rest = (part[0], part[1:]) if part else (None, [])
        if not isinstance(first, gast.If):
            return _most_in(first, text) + _most_in(rest, text) if part else 0
        arms = [
            _most_in(arm, text) + (0 if always_exits(arm) else _most_in(rest, text))
            for arm in (first.body, first.orelse)
        ]
        return _most_in(first.test, text) + max(arms)
    match part:
        case gast.If():
            return _most_in([part], text)
        case gast.IfExp():
            arms = (_most_in(part.body, text), _most_in(part.orelse, text))
            return _most_in(part.test, text) + max(arms)
        case gast.For() | gast.While() | gast.ListComp() | gast.GeneratorExp():
            return 2 * sum(_most_in(n, text) for n in gast.iter_child_nodes(part))
    f = part.func if isinstance(part, gast.Call) else None
    named = f.id if isinstance(f, gast.Name) else getattr(f, "attr", None)
    return (f is not None and named == text) + sum(
        _most_in(n, text) for n in gast.iter_child_nodes(part)
    )


class NotApart(Exception):
    """Raised for a call inside a statement that cannot be cut."""

    def __init__(self, node: Any, what: str):
        super().__init__(what)
        self.node = node


def name(text: str, like: Any, store: bool = False) -> Any:
    """A name in the tree, at the place of a node."""
    made = gast.Name(text, gast.Store() if store else gast.Load(), None, None)
    return gast.copy_location(made, like)


def assignment(target: str, value: Any, like: Any) -> Any:
    return placed(gast.Assign([name(target, like, store=True)], value, None), like)


def placed(node: Any, like: Any) -> Any:
    return gast.fix_missing_locations(gast.copy_location(node, like))


class CallsApart:
    """The statements of a function in which its own calls are the values of assignments.

    A name is `stable` if no call of the function binds it.
    """

    def __init__(self, callee: Callee, stable: Callable[[str], bool]):
        self.own, self.builtins, self.stable = callee.is_called, callee.builtins, stable
        self.numbers = itertools.count()

    def new(self) -> str:
        return f"{OURS}held{next(self.numbers)}"

    def has(self, node: Any) -> bool:
        return any(self.own(n) for n in gast.walk(node))

    # ---- statements ----
    def block(self, stmts: list[Any]) -> list[Any]:
        return [made for s in stmts for made in (self.statement(s) if self.has(s) else [s])]

    def statement(self, s: Any) -> list[Any]:
        match s:
            case gast.Expr(value=value) if self.own(value):
                before, call = self.call(value)
                return [*before, placed(gast.Expr(call), s)]
            case gast.Expr():
                before, value = self.value(s.value)
                return [*before, placed(gast.Expr(value), s)]
            case gast.Return(value=gast.IfExp() as e):
                before, test = self.value(e.test)
                arms = [self.block([placed(gast.Return(v), v)]) for v in (e.body, e.orelse)]
                return [*before, placed(gast.If(test, *arms), s)]
            case gast.Return():
                before, value = self.value(s.value)
                return [*before, placed(gast.Return(value), s)]
            case gast.Assign() if not any(map(self.has, s.targets)):
                before, value = (self.call if self.own(s.value) else self.value)(s.value)
                return [*before, placed(gast.Assign(s.targets, value, None), s)]
            case gast.AnnAssign() if s.value is not None and not self.has(s.target):
                return self.statement(placed(gast.Assign([s.target], s.value, None), s))
            case gast.AugAssign():
                return self._augmented(s)
            case gast.If():
                before, test = self.value(s.test)
                made = gast.If(test, self.block(s.body), self.block(s.orelse))
                return [*before, placed(made, s)]
            case gast.While():
                return self._while(s)
            case gast.For() if not self.has(s.target):
                before, items = self.value(s.iter)
                made = gast.For(s.target, items, self.block(s.body), self.block(s.orelse), None)
                return [*before, placed(made, s)]
            case gast.Assert() if s.msg is None or not self.has(s.msg):
                before, test = self.value(s.test)
                return [*before, placed(gast.Assert(test, s.msg), s)]
        raise NotApart(s, f"a call of itself inside '{type(s).__name__.lower()}'")

    def _augmented(self, s: Any) -> list[Any]:
        """`target op= value`: the old value is read before the call, as in Python."""
        if self.has(s.target) or not (
            isinstance(s.target, gast.Subscript)
            or (isinstance(s.target, gast.Name) and self.stable(s.target.id))
        ):
            raise NotApart(s, "a call of itself in this operation in place")
        if isinstance(s.target, gast.Name):
            before, value = self.value(s.value)
            return [*before, placed(gast.AugAssign(s.target, s.op, value), s)]
        first, target = self._held(s.target)
        old = self.new()
        read = gast.copy_location(gast.Subscript(target.value, target.slice, gast.Load()), s.target)
        before, value = self.value(s.value)
        added = gast.AugAssign(name(old, s, store=True), s.op, value)
        stored = gast.Assign([target], name(old, s), None)
        return [*first, assignment(old, read, s), *before, placed(added, s), placed(stored, s)]

    def _held(self, target: Any) -> Pair:
        """A subscript whose parts are evaluated before."""
        before, parts = self._in_order(_slots(target), hold=True)
        return before, _with(target, parts)

    def _while(self, s: Any) -> list[Any]:
        body, orelse = self.block(s.body), self.block(s.orelse)
        if not self.has(s.test):
            return [placed(gast.While(s.test, body, orelse), s)]
        if orelse:
            raise NotApart(s, "a call of itself in the test of a 'while' with 'else'")
        before, test = self.value(s.test)
        leaving = placed(gast.If(placed(gast.UnaryOp(gast.Not(), test), s), [gast.Break()], []), s)
        always = gast.copy_location(gast.Constant(True, None), s)
        return [placed(gast.While(always, [*before, leaving, *body], []), s)]

    # ---- expressions ----
    def value(self, e: Any) -> Pair:
        """The statements that have to come before an expression, and what is left of it."""
        if not self.has(e):
            return [], e
        if self.own(e):
            before, call = self.call(e)
            held = self.new()
            return [*before, assignment(held, call, e)], name(held, e)
        match e:
            case gast.IfExp():
                return self._choice(e)
            case gast.BoolOp():
                return self._bool_op(e)
            case gast.NamedExpr():
                before, value = self.value(e.value)
                return [*before, assignment(e.target.id, value, e)], name(e.target.id, e)
            case gast.Call(func=gast.Name(id="sum" | "any" | "all" as of), keywords=[]) if (
                of in self.builtins and e.args and isinstance(e.args[0], COMPREHENSIONS)
            ):
                return self._reduced(e, of)
            case gast.Compare() if any(map(self.has, e.comparators[1:])):
                raise NotApart(e, "a call of itself in a chain of comparisons")
        before, parts = self._in_order(_slots(e))
        return before, _with(e, parts)

    def call(self, e: Any) -> Pair:
        """A call of the function itself, whose arguments have no other one inside."""
        before, parts = self._in_order(_slots(e))
        return before, _with(e, parts)

    def _in_order(self, parts: list[Any], hold: bool = False) -> Pair:
        """Expressions that are evaluated one after another: those before a call are held."""
        last = (
            len(parts) if hold else max((k for k, p in enumerate(parts) if self.has(p)), default=0)
        )
        before: list[Any] = []
        made = []
        for k, part in enumerate(parts):
            more, left = self.value(part)
            before += more
            if k < last and not self._is_stable(left):
                held = self.new()
                before.append(assignment(held, left, part))
                left = name(held, part)
            made.append(left)
        return before, made

    def _is_stable(self, e: Any) -> bool:
        """Whether no call changes what an expression names: a constant, a name, a module's."""
        while isinstance(e, gast.Attribute):
            e = e.value
            if isinstance(e, gast.Name):
                return True
        return isinstance(e, gast.Constant) or (isinstance(e, gast.Name) and self.stable(e.id))

    def _choice(self, e: Any) -> Pair:
        before, test = self.value(e.test)
        held = self.new()
        arms = []
        for arm in (e.body, e.orelse):
            first, value = self.value(arm)
            arms.append([*first, assignment(held, value, arm)])
        return [*before, placed(gast.If(test, *arms), e)], name(held, e)

    def _bool_op(self, e: Any) -> Pair:
        first, *rest = e.values
        before, value = self.value(first)
        held = self.new()
        before = [*before, assignment(held, value, first)]
        if not rest:
            return before, name(held, e)
        others = rest[0] if len(rest) == 1 else gast.copy_location(gast.BoolOp(e.op, rest), e)
        more, value = self.value(others)
        inner = [*more, assignment(held, value, e)]
        arms = (inner, []) if isinstance(e.op, gast.And) else ([], inner)
        arms = tuple(arm or [gast.copy_location(gast.Pass(), e)] for arm in arms)
        return [*before, placed(gast.If(name(held, e), *arms), e)], name(held, e)

    def _reduced(self, e: Any, of: str) -> Pair:
        """`sum`, `any` and `all` of a comprehension: a loop."""
        comprehension, *start = e.args
        renamed = {
            n.id: self.new()
            for g in comprehension.generators
            for n in gast.walk(g.target)
            if isinstance(n, gast.Name)
        }
        made = self.new()
        first, *inner = comprehension.generators
        if any(n.is_async for n in comprehension.generators):
            raise NotApart(e, "an asynchronous comprehension")
        element = _renamed(comprehension.elt, renamed)
        if of == "sum":
            step = [gast.AugAssign(name(made, e, store=True), gast.Add(), element)]
            begin: Any = start[0] if start else gast.Constant(0, None)
        else:
            found = gast.Constant(of == "any", None)
            test = element if of == "any" else gast.UnaryOp(gast.Not(), element)
            over = [assignment(made, found, e), *([] if inner else [gast.Break()])]
            step, begin = [gast.If(test, over, [])], gast.Constant(of == "all", None)
            if inner:
                raise NotApart(e, "a call of itself in a comprehension with two loops")
        for g in reversed(comprehension.generators):
            for test in reversed(g.ifs):
                step = [gast.If(_renamed(test, renamed), step, [])]
            items = g.iter if g is first else _renamed(g.iter, renamed)
            step = [gast.For(_renamed(g.target, renamed), items, step, [], None)]
        begun = assignment(made, begin, e)
        return [begun, *self.block([placed(s, e) for s in step])], name(made, e)


def _slots(e: Any) -> list[Any]:
    """The expressions inside one, in the order of their evaluation."""
    match e:
        case gast.BinOp():
            return [e.left, e.right]
        case gast.UnaryOp():
            return [e.operand]
        case gast.Compare():
            return [e.left, *e.comparators]
        case gast.Call():
            return [e.func, *_starless(e.args), *(k.value for k in e.keywords)]
        case gast.Attribute():
            return [e.value]
        case gast.Subscript():
            return [e.value, *_slots_of_index(e.slice)]
        case gast.Tuple() | gast.List():
            return _starless(e.elts)
    raise NotApart(e, "a call of itself in this expression")


def _slots_of_index(e: Any) -> list[Any]:
    if isinstance(e, gast.Tuple):
        return [p for part in e.elts for p in _slots_of_index(part)]
    if isinstance(e, gast.Slice):
        return [p for p in (e.lower, e.upper, e.step) if p is not None]
    return [e]


def _starless(parts: list[Any]) -> list[Any]:
    if any(isinstance(p, gast.Starred) for p in parts):
        raise NotApart(parts[0], "a call of itself beside a starred expression")
    return parts


def _with(e: Any, parts: list[Any]) -> Any:
    """An expression with other expressions inside, in the order of `_slots`."""
    rest = iter(parts)
    match e:
        case gast.BinOp():
            made: Any = gast.BinOp(next(rest), e.op, next(rest))
        case gast.UnaryOp():
            made = gast.UnaryOp(e.op, next(rest))
        case gast.Compare():
            made = gast.Compare(next(rest), e.ops, list(rest))
        case gast.Call():
            func, given = next(rest), [next(rest) for _ in e.args]
            named = [
                gast.copy_location(gast.keyword(k.arg, next(rest)), k.value) for k in e.keywords
            ]
            made = gast.Call(func, given, named)
        case gast.Attribute():
            made = gast.Attribute(next(rest), e.attr, e.ctx)
        case gast.Subscript():
            value = next(rest)
            made = gast.Subscript(value, _index_with(e.slice, rest), e.ctx)
        case _:
            made = type(e)(list(rest), e.ctx)
    return gast.copy_location(made, e)


def _index_with(e: Any, rest: Any) -> Any:
    if isinstance(e, gast.Tuple):
        return gast.copy_location(gast.Tuple([_index_with(p, rest) for p in e.elts], e.ctx), e)
    if isinstance(e, gast.Slice):
        bounds = [p if p is None else next(rest) for p in (e.lower, e.upper, e.step)]
        return gast.copy_location(gast.Slice(*bounds), e)
    return next(rest)


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """A copy of an expression with other names, without what was noted about its nodes."""
    if isinstance(node, list):
        return [_renamed(n, names) for n in node]
    if not isinstance(node, gast.AST):
        return node
    made = type(node)(*(_renamed(getattr(node, f, None), names) for f in node._fields))
    if isinstance(made, gast.Name):
        made.id = names.get(made.id, made.id)
    return gast.copy_location(made, node)
