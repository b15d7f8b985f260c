"""Systems of equations: factors their matrix once, for the value and for its derivatives.

>>> show(factor_once(parse('''
... def f(a: f64[n, n], b: f64[m, n]):
...     n: int = dim(a, axis=0)
...     m: int = dim(b, axis=0)
...     s: f64[n] = zeros(n, dtype='f64')
...     for k in range(0, 9):
...         c: f64[n] = view(b, k, spec=('i', ':'))
...         x: f64[n] = solve(a, c)
...         add_to(s, x)
...     return (s,)
... ''')))
def f(a: f64[n, n], b: f64[m, n]):
    n: int = dim(a, axis=0)
    m: int = dim(b, axis=0)
    s: f64[n] = zeros(n, dtype='f64')
    t: int = add(n, 1)
    t1: f64[t, n] = factored(a)
    for k in range(0, 9):
        c: f64[n] = view(b, k, spec=('i', ':'))
        x: f64[n] = solved(t1, a, c, transposed=False)
        add_to(s, x)
    return (s,)

Runs before differentiation: the adjoint and the tangent then solve their own systems by the same
factors, as systems of the transpose do. `solved` is differentiated with respect to its matrix, an
operand that it does not read; after the last differentiation `by_factors` removes the operand, so
that it need not be saved. A matrix that no trip of a loop changes is factored before the loop,
unless a trip does anything observable before it solves: a singular matrix raises where the first
trip begins. Never moves what a branch guards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered, atom
from srcgrad.ir.types import atom_dims
from srcgrad.ir.walk import defined, dims_of, inner_definitions
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.effects import classes_written, observable_within
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import linalg, memory, triangular


def factor_once(function: Function) -> Function:
    if linalg.solve not in contents(function).operations:
        return function
    return _FactorOnce(function).function(function)


def by_factors(function: Function) -> Function:
    """The function without the matrices of systems that are solved by factors."""
    if triangular.solved not in contents(function).operations:
        return function
    return eliminate(_ByFactors().function(function))


def by_matrices(function: Function) -> Function:
    """The function that solves each system by its matrix again, as a reader would write it."""
    if triangular.solved not in contents(function).operations:
        return function
    return eliminate(_ByMatrices(builder_for(function)).function(function))


class _ByMatrices(Emitter):
    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op is triangular.factored and s.var is not None:  # nothing reads it now
            dtype = s.var.type.dtype
            return (Def(s.var, memory.empty, tuple(map(atom, atom_dims(s.var))), {"dtype": dtype}),)
        if s.op is not triangular.solved:
            return (s,)
        self.b.loc = s.loc
        _, a, right = s.args
        a = self.b.transpose(a, perm=(1, 0)) if s.params["transposed"] else a
        return (Def(s.var, linalg.solve, (a, right), {}, s.loc),)


class _ByFactors(Rewriter):
    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op is triangular.solved:
            factors, _, right = s.args
            s = altered(s, op=triangular.solved_by_factors, args=(factors, right))
        yield s


class _FactorOnce(Emitter):
    def __init__(self, function: Function):
        super().__init__(builder_for(function))
        self.classes = alias_classes(function)

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op is not linalg.solve or len(atom_dims(s.args[0])) != 2:
            return (s,)
        self.b.loc = s.loc
        a, transposed = self.base(s.args[0])
        factors = self.b.factored(a)
        args = (factors, a, s.args[1])
        return (Def(s.var, triangular.solved, args, {"transposed": transposed}, s.loc),)

    def base(self, a: Atom) -> tuple[Atom, bool]:
        """The matrix that is factored, and whether the system is its transpose's."""
        d = self.b.definition.get(a) if isinstance(a, Var) else None
        if d is not None and d.op is memory.transpose:
            return self.atom(d.args[0]), True
        return a, False

    # ---- loops ----
    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        moved = list(self.invariant(new)) if isinstance(new, For) else []
        if not isinstance(new, For) or not any(map(_is_factoring, moved)):
            yield new
            return
        yield from self.before(new, moved)
        gone = set(moved)
        yield altered(new, body=tuple([t for t in new.body if t not in gone]))

    def invariant(self, s: For) -> Iterator[Stmt]:
        """The factorings at the beginning of a trip whose matrix no trip changes.

        With their lengths, and the checks before them.
        """
        inner = defined(s.body) | set(inner_definitions(s))
        made = {t.var: t for t in s.body if isinstance(t, Def)}  # and not yet moved
        written = classes_written(s.body, self.classes)
        for t in s.body:
            if isinstance(t, Def) and t.op is triangular.factored:
                a = t.args[0]
                lengths = [made.pop(d) for d in dims_of(t) if d in made]
                known = a not in inner and all(inner.isdisjoint(d.args) for d in lengths)
                if not known or self.classes.of(a) in written:
                    return
                yield from lengths
                yield t
            elif _is_check(t, inner):
                yield t
            elif observable_within(t):
                return

    def before(self, s: For, moved: list[Stmt]) -> Iterable[Stmt]:
        """The factorings and checks, where the loop has a trip."""
        runs = self.b.lt(s.start, s.stop)
        lengths = [t for t in moved if isinstance(t, Def) and not _is_factoring(t)]
        yield from lengths
        rest = [t for t in moved if t not in lengths]
        if isinstance(runs, Const):
            yield from rest
            return
        then: list[Stmt] = []
        results: list[tuple[Var, Var]] = []
        for t in rest:
            if isinstance(t, Def) and t.var is not None:
                made = Var(t.var.name, t.var.type)
                results.append((t.var, made))
                t = altered(t, var=made)
            then.append(t)
        with self.b.block() as orelse:
            none = [self.b.empty(*atom_dims(v), dtype=v.type.dtype) for v, _ in results]
        names, yields = zip(*results, strict=True)
        yield If(runs, tuple(then), tuple(orelse), yields, tuple(none), names, s.loc)


def _is_factoring(s: Stmt) -> bool:
    return isinstance(s, Def) and s.op is triangular.factored


def _is_check(s: Stmt, inner: set[Var]) -> bool:
    """Whether a statement does nothing but raise, where what is known before a loop is wrong."""
    if not isinstance(s, If) or s.results or s.orelse or s.cond in inner:
        return False
    return all(
        isinstance(t, Def) and t.op is memory.fail and inner.isdisjoint(t.args) for t in s.then
    )
