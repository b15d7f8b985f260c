"""A call of a function with a user-defined derivative, as it is traced.

The rule is followed at the call, once, into a separate function that the differentiators
inline. Its errors are raised when a derivative is requested. Never runs a rule.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast

from srcgrad.autodiff.repeated_draws import draws_in, refused
from srcgrad.custom.isolated import apart, unchanging
from srcgrad.custom.transpose import turned
from srcgrad.errors import Location, SourceError, SrcgradError, UnsupportedError
from srcgrad.frontend import source
from srcgrad.frontend.binding import bind
from srcgrad.frontend.frame import Diverged
from srcgrad.frontend.instances import refuse_instances
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import kind_of
from srcgrad.frontend.read_only import refuse_visible
from srcgrad.frontend.specs import is_same
from srcgrad.frontend.trees import own_statements
from srcgrad.frontend.values import MADE, is_array, is_value
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    atom,
    type_vars,
)
from srcgrad.ir.rule import Direction, Rule
from srcgrad.ir.types import Array, Scalar, float_type, is_complex, is_reference
from srcgrad.ir.walk import defined, free_variables, rename, walk
from srcgrad.primitives import REGISTRY
from srcgrad.protocols import held
from srcgrad.records import record
from srcgrad.tree import leaves, mapped


def varies(v: Any) -> bool:
    """Whether a leaf is a float that is known only at run time."""
    return isinstance(v, Var) and is_value(v) and float_type(v.type)


def is_floating(v: Any) -> bool:
    return is_value(v) and float_type(atom(v).type)


@record(frozen=True, eq=False)
class Running:
    """A rule being followed: a call of its function with these leaves is its result."""

    owner: Any
    leaves: tuple[Any, ...]
    own: Any = None

    def is_call(self, leaves: Sequence[Any]) -> bool:
        same = zip(self.leaves, leaves, strict=False)
        return len(leaves) == len(self.leaves) and all(is_same(a, b) for a, b in same)


class Call:
    """One call: its arguments, its computation, and its values with their rule attached."""

    def __init__(self, it: Interpreter, owner: Any, args: list, kwargs: dict, node: Node):
        self.it, self.owner, self.node = it, owner, node
        self.name, self.analytic = owner.__name__, bool(held(owner, "analytic"))
        self.args = [own_names(it, a) for a in positional(it, owner, args, kwargs, node)]
        refuse_instances(it, self.args, node, f"an argument of {self.name}()")
        static = owner.nondiff(len(self.args))
        self.constants = [self.args[k] for k in static]
        self.primals = [a for k, a in enumerate(self.args) if k not in static]
        self.leaves = leaves(self.primals)
        self.inputs = [v for v in self.leaves if varies(v)]

    what = ""  # the name of its values in refusals
    analytic = False  # whether its rule holds for complex numbers

    # ---- values ----
    def values(self, function: Any) -> tuple[Any, Block]:
        """The value of a function for the arguments, and the statements that compute it."""
        it = self.it
        start, out = len(it.b.out), it.b.out
        running = Running(self.owner, tuple(leaves(self.args)))
        it.ruling.append(running)
        try:
            with apart(it, self.name, self.node), unchanging(it, self.args):
                made = it.call(function, list(self.args), {}, self.node)
        finally:
            it.ruling.remove(running)
        assert it.b.out is out
        block = tuple(out[start:])
        refuse_stores(block, (), f"{self.name}() has a derivative of its own and stores to")
        out[start:] = block = _carrying_copies(block)
        return made, block

    def attach(self, value: Any, block: Block, make: Callable[[Called], None]) -> Any:
        """Attaches a rule to the value; `make` states it, or raises its error."""
        b = self.it.b
        self.it.locate(self.node)
        refuse_instances(self.it, value, self.node, f"the value of {self.name}()")
        called = Called(self, value, block)
        rule = called.rule
        if called.values:
            try:
                if not self.analytic:
                    self._refuse_complex(called)
                make(called)
            except SrcgradError as e:
                rule.refused = e
                called.rest.clear()
        foreign = called.foreign()
        rule.outputs, rule.inputs = len(called.values), len(self.inputs)
        rule.foreign = len(foreign)
        if not called.values or not (self.inputs or foreign or rule.exchanged):
            return value
        t = b.attached(*called.values, *self.inputs, *foreign, *called.rest, rule=rule)
        parts = iter([self.part(t, k, y, called) for k, y in enumerate(called.values)])
        return mapped(value, lambda v: next(parts) if is_floating(v) else v)

    def _refuse_complex(self, called: Called) -> None:
        """Refuses complex numbers: a rule does not state the conjugates that adjoints need."""
        numbers = (*called.values, *self.inputs)
        if any(is_complex(atom(v).type.dtype) for v in numbers if is_value(v)):
            self.it.refuse(
                self.node, f"{self.name}() has a derivative of its own and complex numbers",
                "give it real and imaginary parts",
            )  # fmt: skip

    def part(self, t: Var, k: int, y: Atom, called: Called) -> Any:
        it = self.it
        made = it.b.part(t, k=k, name=getattr(y, "name", ""))
        if isinstance(y.type, Scalar):
            return it.b.retyped(made, y.type, made.name) if y.type.weak else made
        it.captures.kinds[made] = kind_of(it, y)
        source = called.shared(k)
        if source is not None:
            what = self.what or f"what {self.name}() returns"
            it.stands_for_view(made, source, what, self.node)
        return made


class Called:
    """The values of a call, and their rule while it is being stated."""

    def __init__(self, call: Call, value: Any, block: Block):
        self.call, self.it = call, call.it
        self.value = value
        self.values = [atom(v) for v in leaves(value) if is_floating(v)]
        self.rule = Rule(call.name, len(self.values), len(call.inputs), 0, turned)
        self.rest: list[Var] = []
        self.block = block
        self.inside = defined(block)
        self.classes = AliasClasses(Function("", (), block, ()))
        self.own = [self.variable(y, "value") for y in self.values]

    def variable(self, like: Atom, name: str) -> Var:
        """A variable for an adjoint, a tangent or a value, with the type of another."""
        t = like.type
        made = Var(getattr(like, "name", "y") + name if name[0] == "_" else name, t)
        if isinstance(t, Array):
            made.type = replace(t, layout="C")
            self.it.captures.kinds[made] = kind_of(self.it, like)
        return made

    def like_value(self, floats: Sequence[Any]) -> Any:
        """The value's structure with other floats; None for all other leaves."""
        mine = iter(floats)
        return mapped(self.value, lambda v: next(mine) if is_floating(v) else None)

    def with_own(self) -> Any:
        """The value, its floats replaced by the results that the rule may read."""
        mine = iter(self.own)
        return mapped(self.value, lambda v: next(mine) if is_floating(v) else v)

    def foreign(self) -> list[Var]:
        """The floats from outside that the values are computed from, except the inputs."""
        outside = free_variables(self.block, self.values)
        mine = {id(v) for v in self.call.inputs}
        return [v for v in outside if varies(v) and id(v) not in mine]

    def shared(self, k: int) -> Any:
        """Another variable that reaches the memory of the k-th value, or None."""
        y = self.values[k]
        if not isinstance(y, Var):
            return None
        mine = self.classes.of(y)
        others = [v for v in free_variables(self.block, self.values) if is_reference(v.type)]
        others += [v for v in self.values[:k] if is_array(v)]
        return next((v for v in others if self.classes.of(v) is mine), None)

    # ---- directions ----
    def direction(self, given: list[Var], results: int, run: Callable[[], list]) -> Direction:
        """Follows a rule into a function: `run` gives one atom for each result, None for zero."""
        return self.directions((given, results, run))[0]

    def directions(self, *rules: tuple[list[Var], int, Callable[[], list]]) -> list[Direction]:
        """Follows the rules of both directions, which read the same other values."""
        made = [self._followed(*each) for each in rules]
        rest = [v for f, given, _ in made for v in self._free(f, given)]
        self.rest = list(dict.fromkeys(rest))
        return [Direction(self._closed(f, given), gives) for f, given, gives in made]

    def _followed(
        self, given: list[Var], results: int, run: Callable[[], list]
    ) -> tuple[Function, list[Var], tuple]:
        it = self.it
        before = len(it.snapshots)
        with apart(it, self.call.name, self.call.node), it.b.block() as out:
            it.heads.append((len(it.b.scopes), []))
            it.begun.append(next(MADE))
            try:
                made = run()
            except Diverged:  # it raises whenever it runs
                made = [None] * results
            finally:
                it.begun.pop()
                out[:0] = it.heads.pop()[1]
        seen, it.snapshots[before:] = it.snapshots[before:], []
        returns = tuple(a for a in made if a is not None)
        body = tuple(out)
        if (drawn := next(draws_in(body), None)) is not None:
            raise refused(f"the rule of {self.call.name}() runs what was run before", drawn.loc)
        refuse_stores(body, given, f"the rule of {self.call.name}() stores to")
        own: dict[Var, Atom] = {
            y: v for y, v in zip(self.values, self.own, strict=True)
            if isinstance(y, Var) and y in self.inside
        }  # fmt: skip
        function = rename(Function(f"{self.call.name}_rule", (), body, returns), own)
        refuse_visible(Function("", (), body, returns), seen)
        places = iter(range(len(returns)))
        return function, given, tuple(None if a is None else next(places) for a in made)

    def _free(self, fn: Function, given: list[Var]) -> list[Var]:
        known = {*given, *self.own}
        free = [v for v in free_variables(fn.body, fn.returns) if v not in known]
        return free + [d for v in (*given, *self.own, *free) for d in type_vars(v.type)]

    def _closed(self, fn: Function, given: list[Var]) -> Function:
        params = (*given, *self.own, *self.rest)
        return clone(_on_copies(Function(fn.name, params, fn.body, fn.returns), given))


def _carrying_copies(block: Block) -> Block:
    """Statements whose loops carry copies of their initial values.

    The derivative goes through the rule, not through these statements: carried values would have
    an adjoint, and be saved for it, if they were in one class with a value that has one.
    """
    outside = {v for v in free_variables(block) if isinstance(v.type, Array)}
    carried = [a for s in walk(block) for a in _joined(s) if a in outside]
    new: dict[Var, Atom] = {}
    copies: list[Def] = []
    for v in dict.fromkeys(a for a in carried if isinstance(a, Var)):
        new[v] = made = Var(v.name, replace(v.type, layout="C"))
        copies.append(Def(made, REGISTRY["copy"], (v,)))
    return (*copies, *rename(Function("", (), block, ()), new).body)


def _on_copies(fn: Function, given: list[Var]) -> Function:
    """The function on copies of arguments that it stores to, and of those that its loops carry.

    Where a derivative is taken an argument may be memory of a tape. The derivative of a loop that
    carries a reference to it would need the adjoint of the tape before the loop.
    """
    classes = alias_classes(fn)
    joined = (a for s in walk(fn.body) for a in _joined(s))
    carried = {classes.of(a) for a in joined if isinstance(a, Var) and is_reference(a.type)}
    copied = [
        v
        for v in fn.params
        if isinstance(v.type, Array)
        if classes.of(v) in carried or (v in given and not classes.is_pure(v))
    ]
    outer = {v: Var(v.name, v.type) for v in copied}
    copies = [Def(v, REGISTRY["copy"], (outer[v],)) for v in copied]
    return replace(fn, params=tuple(outer.get(p, p) for p in fn.params), body=(*copies, *fn.body))


def _joined(s: Stmt) -> tuple[Atom, ...]:
    """The initial values of a loop, or the yields of a branch."""
    match s:
        case For() | While():
            return s.inits
        case If():
            return (*s.then_yields, *s.else_yields)
        case _:
            return ()


def refuse_stores(block: Block, allowed: Sequence[Var], what: str) -> None:
    """Refuses a store to memory from outside of a block."""
    classes = AliasClasses(Function("", (), block, ()))
    outside = {classes.of(v): v for v in free_variables(block) if is_reference(v.type)}
    for s in walk(block):
        if not (isinstance(s, Def) and s.op.writes):
            continue
        target = outside.get(classes.of(s.args[0]))
        if target is not None and target not in allowed:
            raise UnsupportedError(
                f"{what} '{target}', which it did not make", s.loc, "make a copy of it: .copy()"
            )


# ---- arguments ----
def positional(it: Interpreter, owner: Any, args: list, kwargs: dict, node: Node) -> list[Any]:
    """All arguments by position, defaults included; keyword-only ones have their defaults."""
    f = owner.function
    if not isinstance(f, types.FunctionType):
        if kwargs:
            it.refuse(node, f"{owner.__name__}() takes arguments by position only")
        return list(args)
    env, out = bind(it, f, args, kwargs, node), []
    for name, p in inspect.signature(f, follow_wrapped=False).parameters.items():
        if p.kind is p.VAR_POSITIONAL:
            out += list(env[name])
        elif p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD):
            if name in kwargs or (p.kind is p.VAR_KEYWORD and env[name]):
                said = "has a rule of its own: it takes arguments by position only"
                way_out = "make the argument an ordinary one"
                it.refuse(node, f"{owner.__name__}() {said}", way_out)
        else:
            out.append(env[name])
    return out


def own_names(it: Interpreter, value: Any) -> Any:
    """An argument with new variables for captured values, which shows whether a function reads its
    argument or captures it.
    """
    captured = {h.var for h in it.captures.hidden.values()}
    if not any(isinstance(v, Var) and v in captured for v in leaves(value)):
        return value
    return mapped(value, lambda v: _renamed(it, v) if v in captured else v)


def _renamed(it: Interpreter, v: Var) -> Var:
    b = it.b
    if isinstance(v.type, Array):
        made = b.view(v, spec=(":",) * v.type.ndim, name=v.name)
        it.captures.kinds[made] = kind_of(it, v)
        return made
    made = Var(v.name, v.type)
    definition = Def(made, b.table["cast"], (v,), {"dtype": v.type.dtype}, b.loc)
    b.append(definition)
    b.definition[made] = definition
    return made


def returned_at(it: Interpreter, rule: Any) -> Location | None:
    """The location at which a rule returns."""
    if not isinstance(rule, types.FunctionType):
        return it.b.loc
    try:
        found = source.find(rule)
    except SourceError:
        return it.b.loc
    if isinstance(found.tree, gast.Lambda):
        return found.location(found.tree)
    places = [n for n in own_statements(found.tree) if isinstance(n, gast.Return)]
    last = max(places, key=lambda n: n.lineno, default=found.tree)
    return found.location(last)
