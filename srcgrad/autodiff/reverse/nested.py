"""The reverse of branches and loops: scalars and pure arrays flow through them as values.

A branch is reversed under the same condition, a loop runs over the trips actually made, backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from srcgrad.autodiff.reverse.program import body_of
from srcgrad.autodiff.reverse.sweep import Sweep, grad_of
from srcgrad.ir.nodes import Atom, Block, Const, For, If, Stmt, Var, While, atom
from srcgrad.ir.types import INT, Array, Dims, Scalar, same_dim

Scope = dict[Any, Any]  # the values of names of the forward sweep in a block
Side = tuple[list[Stmt], dict[Var, Atom]]  # of a branch: its reverse, and the adjoints after it


class Nested(Sweep):
    # ---- branches ----
    def branch(self, s: If) -> None:
        results = [r for r in s.results if self._has_adjoint(r)]
        if not results and not self.adjoints.touches(s):
            return
        self.after()
        cond = self.values(s.cond)
        self.adjoints.prepare(s)
        seeds = {r: self.adjoints.take(r) for r in results}
        free = self.adjoints.free_scalars(s)
        before = dict(self.adjoints.scalars)
        sides: list[Side] = []
        for k, (block, yields) in enumerate(((s.then, s.then_yields), (s.orelse, s.else_yields))):
            self.adjoints.scalars = dict(before)
            out = self.inside(
                s, k, block, [(yields[s.results.index(r)], g) for r, g in seeds.items()], {}
            )
            sides.append((out, self.adjoints.scalars))
        self.adjoints.scalars = before
        self._join(s, cond, sides, free)

    def inside(
        self,
        s: Stmt,
        k: int,
        block: Block,
        seeds: list[tuple[Atom, Any]],
        scope: Scope,
        close: Callable[[], None] | None = None,
    ) -> list[Stmt]:
        """Emits the reverse of one block of a statement, its yields seeded; `close` emits last."""
        key = (s, k)
        with self.entered(s, k, scope) as out:
            self.values.now = (*self.program.point[s], (key, len(block)))
            self.open(block, key)
            for a, g in seeds:
                self.adjoints.add(a, g)
            self.block(block, key)
            if close is not None:
                close()
        return out

    @contextmanager
    def entered(self, s: Stmt, k: int, scope: Scope) -> Generator[list[Stmt]]:
        """Collects the reverse of one block of a statement."""
        point, key = self.program.point[s], (s, k)
        outer, self.adjoints.block = self.adjoints.block, key
        self.values.scopes.append(scope)
        with self.b.block() as out:
            yield out
        self.values.scopes.pop()
        self.adjoints.block = outer
        self.values.now = point
        self.b.loc = grad_of(s.loc)

    def _join(self, s: If, cond: Any, sides: list[Side], free: list[Var]) -> None:
        """Emits the `If` of the reverse sweep; adjoints of outer scalars join."""
        results: list[Var] = []
        then_yields: list[Atom] = []
        else_yields: list[Atom] = []
        (then, bars), (orelse, others) = sides
        for v in free:
            x, y = bars.get(v), others.get(v)
            if x is None and y is None:
                continue
            if x is not None and x is y:
                self.adjoints.scalars[v] = x
                continue
            r = Var(f"{v.name}_bar", v.type)
            results.append(r)
            zero = Const(0.0, v.type)
            then_yields.append(zero if x is None else x)
            else_yields.append(zero if y is None else y)
            self.adjoints.scalars[v] = r
        self.b.append(
            If(cond, tuple(then), tuple(orelse), tuple(then_yields), tuple(else_yields),
               tuple(results), grad_of(s.loc))
        )  # fmt: skip

    def _has_adjoint(self, v: Var) -> bool:
        a = self.adjoints
        if isinstance(v.type, Scalar):
            return v in a.scalars
        return v in a.whole or v in a.parts

    # ---- loops ----
    def loop(self, s: For | While) -> None:
        if not any(self._has_adjoint(r) for r in s.results) and not self.adjoints.touches(s):
            return
        self.reversed_loop(s).emit()

    def reversed_loop(self, s: For | While) -> ReversedLoop:
        return ReversedLoop(self, s)


class ReversedLoop:
    """The reverse of one loop: its own carried adjoints, those of outer scalars, swapped names."""

    def __init__(self, sweep: Nested, s: For | While):
        self.sweep, self.s = sweep, s
        self.adjoints, self.values, self.b = sweep.adjoints, sweep.values, sweep.b
        self.params: list[Var] = []
        self.inits: list[Any] = []
        self.yields: list[Any] = []
        self.carried: list[tuple[int, Var]] = []  # (which param of the loop, its adjoint here)

    def emit(self) -> None:
        s, adj = self.s, self.adjoints
        self.sweep.after()
        adj.prepare(s)
        start, stop, index, scope, reverse = self._range()
        self._carry_own()
        free = adj.free_scalars(s)
        outer = [self._carry(v, adj.scalars.pop(v, Const(0.0, v.type)), v.type) for v in free]
        self._carry_swapped(scope)
        saved = adj.scalars
        adj.scalars = dict(zip(free, outer, strict=True))
        seeds = [(s.yields[j], p) for j, p in self.carried]
        own = [s.params[j] for j, _ in self.carried]
        end: list[Any] = []
        body = self.reverse_body(seeds, scope, lambda: self._close(own, free, end))
        adj.scalars = saved
        self.yields[: len(end)] = end
        results = [Var(p.name, p.type) for p in self.params]
        self._type_results(results)
        self.b.append(
            For(index, start, stop, tuple(self.params), tuple(self.inits), tuple(body),
                tuple(self.yields), tuple(results), reverse, grad_of(s.loc),
                promised=isinstance(s, For) and s.promised)
        )  # fmt: skip
        self._settle(free, outer, results)

    def reverse_body(
        self, seeds: list[tuple[Atom, Any]], scope: Scope, close: Callable[[], None]
    ) -> list[Stmt]:
        """Emits the reverse of one trip, its yields seeded; `close` emits last."""
        s = self.s
        return self.sweep.inside(s, body_of(s)[1], s.body, seeds, scope, close)

    def _range(self) -> tuple[Any, Any, Var, Scope, bool]:
        """The trips actually made, in the opposite direction."""
        s = self.s
        if isinstance(s, For):
            start, stop = self.values(s.start), self.values(s.stop)
            index = Var(s.index.name, INT)
            scope: Scope = {s.index: index}
            reverse = not s.reverse
        else:
            tapes = self.values.tapes
            start, stop = atom(0), self.values(tapes.trips(s))
            index = Var("k", INT)
            scope = {tapes.counter(s).param: index}
            reverse = True
        return start, stop, index, scope, reverse

    def _carry(self, v: Var, init: Any, type_: Any, name: str = "") -> Var:
        p = Var(name or f"{v.name}_bar", type_)
        self.params.append(p)
        self.inits.append(init)
        self.yields.append(None)
        return p

    def _carry_own(self) -> None:
        """Carries the adjoints of carried variables: scalars, and arrays that are values."""
        adj, s = self.adjoints, self.s
        for j, p in enumerate(s.params):
            if not adj.active(p):
                continue
            if isinstance(p.type, Scalar):
                g = adj.take(s.results[j])
                init = Const(0.0, p.type) if g is None else g
                self.carried.append((j, self._carry(p, init, p.type)))
            elif isinstance(p.type, Array) and adj.is_value(p):
                self._carry_array(j, p)

    def _carry_array(self, j: int, p: Var) -> None:
        adj, s, values = self.adjoints, self.s, self.values
        r = s.results[j]
        g = adj.take_value(r)
        g = adj.zeros(r) if g is None else g
        if self._dims_vary(j):
            own = [self._carry(p, values(atom(d)), INT, "n") for d in r.type.dims]
            type_ = Array(p.type.dtype, tuple(own))
        else:
            type_ = Array(p.type.dtype, values.dims(r.type))
        self.carried.append((j, self._carry(p, g, type_)))

    def _dims_vary(self, j: int) -> bool:
        s = self.s
        dims = [getattr(a[j].type, "dims", ()) for a in (s.params, s.inits, s.yields, s.results)]
        return any(not all(same_dim(d, e) for e in rest) for d, *rest in zip(*dims, strict=True))

    def _close(self, own: list[Var], free: list[Var], end: list[Any]) -> None:
        """Ends the body's reverse: appends the adjoints that flow to the previous trip."""
        adj = self.adjoints
        for (j, _), p in zip(self.carried, own, strict=True):
            if isinstance(p.type, Array):
                value = adj.take_value(p)
                value = adj.zeros(p) if value is None else value
                if self._dims_vary(j):
                    end += [self.values(atom(d)) for d in p.type.dims]
            else:
                value = adj.take(p)
                value = Const(0.0, p.type) if value is None else value
            end.append(value)
        for v in free:
            end.append(adj.scalars.get(v, Const(0.0, v.type)))

    def _type_results(self, results: list[Var]) -> None:
        """Replaces carried dims in the types of results by the results of these dims."""
        new = dict(zip(self.params, results, strict=True))
        for r in results:
            if isinstance(r.type, Array) and any(
                d in new for d in r.type.dims if isinstance(d, Var)
            ):
                dims = tuple(new.get(d, d) if isinstance(d, Var) else d for d in r.type.dims)
                r.type = Array(r.type.dtype, dims, r.type.layout)

    def _settle(self, free: list[Var], outer: list[Var], results: list[Var]) -> None:
        """Passes on adjoints after the loop: of outer scalars, and of the inits."""
        adj = self.adjoints
        by_param = dict(zip(self.params, results, strict=True))
        for v, p in zip(free, outer, strict=True):
            adj.scalars[v] = by_param[p]
        for j, p in self.carried:
            adj.add(self.s.inits[j], by_param[p])

    # ---- swapped names ----
    def _carry_swapped(self, scope: Scope) -> None:
        """Carries permuted references backwards by the inverse permutation: no tape."""
        s, refs, values = self.s, self.sweep.references, self.values
        image = self._permutation()
        js = list(image)
        if not js:
            return
        kinds = (
            ["buffer", "shadow"]
            if any(self.adjoints.active(s.params[j]) for j in js)
            else ["buffer"]
        )
        for kind in kinds:
            get = values if kind == "buffer" else refs.shadow
            here = {j: self._swapped(s.params[j], s.results[j], get, kind) for j in js}
            for j in js:
                source, (var, dims) = s.params[image[j]], here[j]
                scope[source if kind == "buffer" else ("shadow", source)] = var
                scope.update(
                    {d: n for d, n in zip(source.type.dims, dims, strict=True) if n is not d}
                )
                back, back_dims = here[next(i for i in js if image[i] == j)]
                k = self.params.index(var)
                self.yields[k] = back
                for n, m in zip(dims, back_dims, strict=True):
                    if isinstance(n, Var) and n in self.params:
                        self.yields[self.params.index(n)] = m

    def _permutation(self) -> dict[int, int]:
        """Maps carried references to those they become in the next trip; empty if two coincide."""
        s = self.s
        js = [
            j
            for j, p in enumerate(s.params)
            if isinstance(p.type, Array) and not self.adjoints.is_value(p)
        ]
        if not all(s.yields[j] in s.params for j in js):
            return {}
        image = {j: s.params.index(s.yields[j]) for j in js}
        return image if sorted(image.values()) == js else {}

    def _swapped(self, p: Var, result: Var, get: Any, kind: str) -> tuple[Var, Dims]:
        """A carried reference for `p`, and its dims: carried too where they belong to the loop."""
        dims = tuple(
            self._carry(p, self.values(atom(r)), INT, "n")
            if isinstance(d, Var) and self.sweep.program.inside(d, self.s)
            else self.values.dims(Array(p.type.dtype, (d,)))[0]
            for d, r in zip(p.type.dims, result.type.dims, strict=True)
        )
        name = p.name if kind == "buffer" else f"{p.name}_bar"
        var = self._carry(p, get(result), Array(p.type.dtype, dims, "S"), name)
        return var, dims
