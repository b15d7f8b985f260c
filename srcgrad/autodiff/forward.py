"""Forward mode: emits each statement followed by its tangent.

A float scalar has a tangent scalar, an active buffer a tangent buffer of its own (`x_dot`)
that is viewed, stored to, joined and carried exactly as the buffer is; so aliasing needs no
special case. Statements of the primal stay unchanged. Never gives integers a tangent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.autodiff import attached
from srcgrad.autodiff.activity import Activity
from srcgrad.autodiff.repeated_draws import draws_once
from srcgrad.autodiff.roots import roots_of_squares
from srcgrad.autodiff.tangents import tangent
from srcgrad.autodiff.traced import Values, scalar_of
from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, type_vars
from srcgrad.ir.types import Array, Scalar, Tape, Type, float_type, is_reference
from srcgrad.primitives import attached as rows
from srcgrad.primitives import memory, tapes


@draws_once
def jvp(
    function: Function, wrt: Sequence[int], table: Mapping[str, Any],
    of: Sequence[int] | None = None,
) -> Function:  # fmt: skip
    """The function with tangents: parameters, then one tangent per position in `wrt`;
    returns, then the tangents of the returns at `of`, by default of all floats.
    """
    if of is None:
        of = [k for k, a in enumerate(function.returns) if float_type(a.type)]
    return _Forward(function, wrt, table, [function.returns[k] for k in of]).run()


class _Forward:
    def __init__(
        self, function: Function, wrt: Sequence[int], table: Mapping[str, Any],
        outputs: Sequence[Atom],
    ):  # fmt: skip
        self.function, self.outputs = function, outputs
        self.b = Builder(table)
        self.classes = alias_classes(function)
        self.inputs = [function.params[k] for k in wrt]
        assert all(float_type(p.type) for p in self.inputs)
        # values on which no output depends may have no rule: their tangent is not needed
        self.active = Activity(function, self.inputs, outputs)
        attached.refuse_unexchanged(function, self.active)
        self.roots = roots_of_squares(function, self.classes)
        self.returned = {self.classes.of(a) for a in function.returns if is_reference(a.type)}
        self.dot: dict[Var, Atom] = {}
        self.waiting: dict[Var, set[Var]] = {}
        self.ruled: dict[Atom, list[Atom | None]] = {}  # tangents of values with user-defined rules
        self.head: list[Stmt] = []  # precedes all other statements

    def run(self) -> Function:
        f = self.function
        new = [_dotted(p) for p in self.inputs]
        self.dot.update(zip(self.inputs, new, strict=True))
        joined = [p for p in f.params if p not in self.dot and is_reference(p.type)]
        self.waiting = {p: set(type_vars(p.type)) for p in joined if self.active(p)}
        self._constant_buffers()
        self.block(f.body)
        dots = tuple(self.of_type(a, a.type) for a in self.outputs)
        body = (*self.head, *self.b.out)
        return Function(f"{f.name}_jvp", (*f.params, *new), body, (*f.returns, *dots))

    # ---- values ----
    def of(self, a: Atom) -> Atom | None:
        """The tangent of an atom; None if it is zero."""
        return self.dot.get(a) if isinstance(a, Var) and float_type(a.type) else None

    def of_type(self, a: Atom, type: Type) -> Atom:
        """The tangent of an atom, zeros made explicit: a scalar to be carried, a buffer."""
        t = self.of(a)
        return self.zero(type) if t is None else t

    def zero(self, type: Type) -> Atom:
        if isinstance(type, Array):
            return self.b.zeros(*type.dims, dtype=type.dtype)
        return self.b.cast(0.0, scalar_of(type))

    # ---- parameters that are not differentiated but joined with buffers that vary ----
    def _constant_buffers(self, bound: Var | None = None) -> None:
        """Zeros for each such parameter, as soon as the dims in its type are bound."""
        for p, missing in list(self.waiting.items()):
            missing.discard(bound)
            if not missing:
                del self.waiting[p]
                self.dot[p] = self._constant_buffer(p, f"{p.name}_dot")

    def _constant_buffer(self, p: Var, name: str) -> Atom:
        match p.type:
            case Array(dtype=dtype, dims=dims):
                return self.b.zeros(*dims, dtype=dtype, name=name)
            case Tape():
                return self.b.tape_like(p, name=name)
            case _:
                raise UnsupportedError(
                    f"{p.name} holds references of which only some are differentiated"
                )

    # ---- statements ----
    def block(self, block: Block) -> None:
        for s in block:
            self.b.loc = _tangent_of(s.loc)
            match s:
                case Def():
                    self.keep(s)
                    self.derive(s)
                case For():
                    self.for_loop(s)
                case While():
                    self.while_loop(s)
                case If():
                    self.branch(s)

    def keep(self, s: Def) -> None:
        self.b.append(s)
        if s.var is not None:
            self.b.definition[s.var] = s
            if self.waiting:
                self._constant_buffers(s.var)

    def derive(self, s: Def) -> None:
        """Emits the tangent of a definition, or applies an effect to tangents."""
        v = s.var
        if v is None:
            self.effect(s)
        elif s.op in (rows.attached, rows.part):
            if self.active(v):
                self.by_own_rule(s, v)
        elif float_type(v.type) and self.active(v):
            self.dot[v] = self.define(s)

    def define(self, s: Def) -> Atom:
        """The tangent of a definition that varies."""
        assert s.var is not None
        name = f"{s.var.name}_dot"
        if s.op.fresh:
            op = "zeros" if s.op is memory.empty else s.op
            return self.b(op, *s.args, name=name, **s.params)
        ts = [self.of(a) for a in s.args]
        values = Values(s)
        values.roots = self.roots
        t = tangent(self.b, s, ts, values)
        if t is None:
            t = self.zero(s.var.type)
        elif isinstance(s.var.type, Array) and not s.op.view and not self._owns(s, t, ts):
            t = self.b.copy(t)
        last = self.b.out[-1]
        if isinstance(t, Var) and isinstance(last, Def) and last.var is t:
            t.name = name
        return t

    def by_own_rule(self, s: Def, v: Var) -> None:
        """Sets the tangents of values whose derivative the user states."""
        if s.op is rows.part:
            k: int = s.params["k"]
            t = self.ruled[s.args[0]][k]
            t = self.zero(v.type) if t is None else t
            self.dot[v] = self.b.copy(t) if isinstance(v.type, Array) else t
            return
        attached.refuse_foreign(s, self.active)
        direction = s.params["rule"].forward()
        tangents = [self.of_type(a, a.type) for a in attached.operands(s).inputs]
        self.ruled[v] = attached.run(
            self.b, s, direction, tangents, lambda k: self.b.part(v, k=k), lambda a: a, self.head
        )

    def _owns(self, s: Def, t: Atom, ts: list[Atom | None]) -> bool:
        """Whether `t` may be the tangent buffer of the result: it belongs to no other value, or
        sharing it makes no difference because neither is ever written or returned.
        """
        assert s.var is not None and isinstance(t, Var)
        if t.type.layout != s.var.type.layout:
            return False
        references = [a for a in s.args if is_reference(a.type)]
        others = {self._base(a) for a in (*references, s.var, *ts) if isinstance(a, Var)}
        if self._base(t) not in others:
            return True
        if self.classes.of(s.var) in self.returned:
            return False
        return all(self.classes.is_pure(a) for a in (s.var, *references))

    def _base(self, v: Var) -> Var:
        while (d := self.b.definition.get(v)) is not None and d.op.view:
            assert isinstance(d.args[0], Var)
            v = d.args[0]
        return v

    def effect(self, s: Def) -> None:
        """Repeats on the tangent buffer what an effect does to a buffer that varies."""
        if not s.args or not self.active(s.args[0]):
            return
        target, rest = self.dot[s.array], s.args[1:]
        if s.op is tapes.reserve:
            self.b(s.op, target, *rest)
        elif s.op is tapes.ref_put:
            self.b(s.op, target, rest[0], self.dot[rest[1]])  # type: ignore[index]  (an active buffer is a variable)
        elif s.op.writes:
            t = self.of(rest[-1])
            if t is None and s.op.adds:
                return
            if t is None:
                t = self._zeros_to_store(s)
            self.b(s.op, target, *rest[:-1], t, **s.params)

    def _zeros_to_store(self, s: Def) -> Atom:
        value = s.args[-1]
        if s.op is memory.scatter and isinstance(value.type, Array):
            return self.zero(value.type)
        return self.zero(Scalar(s.args[0].type.dtype))

    # ---- control flow ----
    def _varying(self, vs: Sequence[Var]) -> list[int]:
        """The positions of variables that are carried or joined together with a tangent."""
        return [k for k, v in enumerate(vs) if float_type(v.type) and self.active(v)]

    def _pairs(self, vs: Sequence[Var], which: list[int]) -> tuple[Var, ...]:
        """Variables for the tangents at some positions, after the variables themselves."""
        new = [_dotted(vs[k]) for k in which]
        self.dot.update(zip((vs[k] for k in which), new, strict=True))
        return (*vs, *new)

    def _with_tangents(
        self, atoms: Sequence[Atom], which: list[int], like: Sequence[Var]
    ) -> tuple[Atom, ...]:
        return (*atoms, *(self.of_type(atoms[k], like[k].type) for k in which))

    def for_loop(self, s: For) -> None:
        which = self._varying(s.params)
        inits = self._with_tangents(s.inits, which, s.params)
        params = self._pairs(s.params, which)
        with self.b.block() as body:
            self.block(s.body)
            yields = self._with_tangents(s.yields, which, s.params)
        results = self._pairs(s.results, which)
        self.b.append(
            For(
                s.index,
                s.start,
                s.stop,
                params,
                inits,
                tuple(body),
                yields,
                results,
                s.reverse,
                s.loc,
                promised=s.promised,
            )
        )

    def while_loop(self, s: While) -> None:
        which = self._varying(s.params)
        inits = self._with_tangents(s.inits, which, s.params)
        params = self._pairs(s.params, which)
        with self.b.block() as test:
            self.block(s.test)
        with self.b.block() as body:
            self.block(s.body)
            yields = self._with_tangents(s.yields, which, s.params)
        results = self._pairs(s.results, which)
        self.b.append(
            While(tuple(test), s.cond, params, inits, tuple(body), yields, results, s.limit, s.loc)
        )

    def branch(self, s: If) -> None:
        which = self._varying(s.results)
        sides: list[tuple[Block, tuple[Atom, ...]]] = []
        for block, yields in ((s.then, s.then_yields), (s.orelse, s.else_yields)):
            with self.b.block() as out:
                self.block(block)
                new = self._with_tangents(yields, which, s.results)
            sides.append((tuple(out), new))
        (then, then_yields), (orelse, else_yields) = sides
        results = self._pairs(s.results, which)
        self.b.append(If(s.cond, then, orelse, then_yields, else_yields, results, s.loc))


def _tangent_of(loc: Location | None) -> Location | None:
    """The user's location, marked as that of a derivative."""
    return loc if loc is None or loc.role else replace(loc, role="tangent of: ")


def _dotted(v: Var) -> Var:
    return Var(f"{v.name}_dot", v.type)
