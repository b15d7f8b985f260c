"""Loop interchange: sums down the columns of a matrix run along its rows.

>>> show(interchange(parse('''
... def f(a: f64[n, m], x: f64[n], y: f64[m]):
...     n: int = dim(a, axis=0)
...     m: int = dim(a, axis=1)
...     for j in range(0, m):
...         s: f64 = f64(0.0)
...         for i in range(0, n):
...             u: f64 = load(x, i)
...             v: f64 = load(a, i, j)
...             w: f64 = mul(u, v)
...             t: f64 = add(s, w)
...             s = t
...         e: f64 = exp(s)
...         store(y, j, e)
...     return ()
... ''')))
def f(a: f64[n, m], x: f64[n], y: f64[m]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    s: f64[m] = zeros(m, dtype='f64')
    for i in range(0, n):
        u: f64 = load(x, i)
        for j in range(0, m):
            v: f64 = load(a, i, j)
            w: f64 = mul(u, v)
            add_at(s, j, w)
    for j1 in range(0, m):
        t: f64 = load(s, j1)
        e: f64 = exp(t)
        store(y, j1, e)
    return ()

A loop over columns around a sum over rows reads elements that are far apart, one at a time, and so
does its adjoint. The loop is distributed, and the part that sums is interchanged: the sums are
elements of a buffer, to which each row adds. Terms are added in the same order, so that no number
changes. Legal if the trips are independent, and what they carry is a number of one part. Only for
innermost loops that add to numbers, read columns but no row of the trip, and cannot raise. Runs
before differentiation: the loops of the adjoint have this order, too. Left out for devices, whose
threads read the columns side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT, Scalar
from srcgrad.ir.walk import defined, replaced_by, results, uses, walk
from srcgrad.passes.contractions.contractions import has_product
from srcgrad.passes.contractions.nests import is_zero
from srcgrad.passes.cse import cse
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import is_scalar_operation, may_raise
from srcgrad.passes.hoist import hoist
from srcgrad.passes.phases import is_plain
from srcgrad.passes.places import constant, linear, variables
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.simplify import simplify
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import REGISTRY, elementwise, memory

FLOATS = ("f32", "f64")
SHORT = 8  # columns: a loop known to have fewer stays as it is
MOST = 200  # statements of a trip


def interchange(function: Function) -> Function:
    if contents(function).depth < 2:
        return function
    new = _Interchange(function).function(function)
    return function if new is function else eliminate(hoist(cse(simplify(new))))


class _Interchange(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.facts = Dependence(function)

    def branch(self, s: If) -> Iterable[Stmt]:
        if has_product(s):  # the other side is loops for short axes
            then = self.block(s.then)
            yield s if then is s.then else altered(s, then=then)
            return
        yield self.rebuilt(s)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        parts = self.parts(s) if isinstance(s, For) else []
        if parts:
            assert isinstance(s, For)
            made = _Parts(s, parts)
            if made.may_divide():
                return made.statements()
        return (self.rebuilt(s),)

    def parts(self, s: For) -> list[Block]:
        """The parts of a trip: loops to interchange, and the statements between them."""
        inner = [t for t in s.body if isinstance(t, For)]
        body = walk(s.body)
        if not inner or s.promised or _is_short(s) or len(body) > MOST:
            return []
        if any(isinstance(t, For | While) and t not in inner for t in body):
            return []
        sums = [t for t in inner if self.is_sum_of_columns(s, t)]
        if not sums or not all(map(is_plain, body)):
            return []
        verdict = self.facts.of(s)
        if not isinstance(verdict, Independent) or verdict.shared or verdict.near:
            return []
        if verdict.scratch or verdict.leaders:
            return []
        parts: list[Block] = [()]
        for t in s.body:
            if t in sums:
                parts += [(t,), ()]
            else:
                parts[-1] = (*parts[-1], t)
        return parts

    def is_sum_of_columns(self, around: For, s: For) -> bool:
        """Whether an innermost loop adds numbers that it reads from columns."""
        inside = defined(around.body) | {around.index, *around.params}
        if not s.params or {s.start, s.stop} & inside or _is_short(s):
            return False
        if not all(isinstance(t, Def) and not t.op.writes and not may_raise(t) for t in s.body):
            return False
        if not all(_term(s, k) is not None for k in range(len(s.params))):
            return False
        columns = False
        for t in s.body:
            if isinstance(t, Def) and t.op is memory.load:
                place = self.facts.places.access(t, t.array, (around, s)).place
                if None in place:
                    return False
                first = {v for p in place[:-1] for v in variables(p or {})}
                last = variables(place[-1] or {})
                if s.index in last and around.index in first | last:
                    return False
                parts = linear(place[-1] or {}, around.index)
                steps = parts is not None and parts[0] == constant(1)
                columns = columns or (steps and s.index in first)
        return columns


def _is_short(s: For) -> bool:
    known = isinstance(s.start, Const) and isinstance(s.stop, Const)
    return known and s.stop.value - s.start.value < SHORT  # type: ignore[union-attr]  (constants)


def _term(s: For, k: int) -> Atom | None:
    """The number that each trip of a loop adds to one that it does not read otherwise."""
    p, y = s.params[k], s.yields[k]
    made = [t for t in s.body if isinstance(t, Def) and t.var is y]
    if not made or made[0].op is not elementwise.add or p.type.dtype not in FLOATS:
        return None
    rest = [a for a in made[0].args if a is not p]
    readers = [v for t in s.body for v in uses(t) if v is p or v is y]
    once = len(rest) == 1 and len(readers) == 1 and sum(a is y or a is p for a in s.yields) == 1
    same = once and rest[0].type.dtype == p.type.dtype == y.type.dtype
    return rest[0] if same else None


class _Parts:
    """A loop as several: every second one of `parts` is a sum."""

    def __init__(self, loop: For, parts: Sequence[Block]):
        self.loop, self.parts = loop, parts
        self.maker = {v: k for k, part in enumerate(parts) for s in part for v in results(s)}
        self.again = dict[Var, Def]()  # whole numbers that each part finds for itself
        for s in loop.body:
            if isinstance(s, Def) and s.var is not None and self.is_found_again(s):
                self.again[s.var] = s
        self.fills: list[list[tuple[Var, Atom]]] = [[] for _ in parts]  # how sums begin
        self.carried: list[list[int]] = [[] for _ in parts]
        self.b = Builder(REGISTRY)
        self.b.loc = loop.loc

    def is_found_again(self, s: Def) -> bool:
        """Whether a number is exact, and made of indices."""
        inside = {*self.maker, *self.loop.params}
        exact = is_scalar_operation(s) and s.var.type.dtype in ("i64", "bool")  # type: ignore[union-attr]  (a number)
        return exact and all(a not in inside or a in self.again for a in s.args)

    def may_divide(self) -> bool:
        """Whether each carried value is a number of one part, and hands it on."""
        reads = [{v for s in walk(part) for v in uses(s)} for part in self.parts]
        for k, (p, y) in enumerate(zip(self.loop.params, self.loop.yields, strict=True)):
            at = {j for j, read in enumerate(reads) if p in read}
            if not (isinstance(p.type, Scalar) and isinstance(y, Var) and y in self.maker):
                return False
            if y in self.again:
                return False
            at.add(self.maker[y])
            if len(at) > 1 or any(j % 2 for j in at):
                return False
            self.carried[at.pop()].append(k)
        return all(isinstance(v.type, Scalar) for v in self.maker)

    def statements(self) -> Block:
        s, b = self.loop, self.b
        self.start = b.retyped(s.start, INT)
        self.trips = b.maximum(b.sub(b.retyped(s.stop, INT), self.start), 0, name="trips")
        self.buffers = dict[Var, Var]()  # of sums, and of numbers that parts hand on
        for k in range(1, len(self.parts), 2):
            self.begin(k)
        for k in range(len(self.parts)):
            for v in self.handed_on(k):
                if v not in self.buffers:
                    self.buffers[v] = b.empty(self.trips, dtype=v.type.dtype, name=v.name)
        for k, part in enumerate(self.parts):
            if k % 2:
                self.sum(k)
            elif part or self.fills[k]:
                self.between(k)
        return tuple(b.out)

    def begin(self, k: int) -> None:
        """Makes the buffers of sums, and notes with what they begin."""
        (s,) = self.parts[k]
        assert isinstance(s, For)
        for p, a, r in zip(s.params, s.inits, s.results, strict=True):
            readers = [v for t in walk(self.loop.body) for v in uses(t) if v is a]
            if isinstance(a, Var) and a in self.buffers and len(readers) == 1:
                buffer = self.buffers[a]  # goes on with a sum before it
            elif is_zero(a):
                buffer = self.b.zeros(self.trips, dtype=p.type.dtype, name=p.name)
            else:
                buffer = self.b.empty(self.trips, dtype=p.type.dtype, name=p.name)
                self.fills[k - 1].append((buffer, a))
            self.buffers[p] = self.buffers[r] = buffer

    def handed_on(self, k: int) -> list[Var]:
        """The numbers of earlier parts that a part reads."""
        part = self.parts[k]
        if k % 2:
            (s,) = part
            assert isinstance(s, For)
            read = [v for t in walk(s.body) for v in uses(t)]
        else:
            read = [v for t in walk(part) for v in uses(t)]
            ends = (self.loop.yields[j] for j in self.carried[k])
            read += [v for v in (*ends, *(a for _, a in self.fills[k])) if isinstance(v, Var)]
        found = (v for v in dict.fromkeys(read) if v not in self.again)
        return [v for v in found if self.maker.get(v, k) != k]

    def repeated(self, block: Block) -> Block:
        """The whole numbers that a part finds for itself."""
        needed = set[Atom](v for s in walk(block) for v in uses(s)) - defined(block)
        out: list[Stmt] = []
        for s in reversed(list(self.again.values())):
            if s.var in needed:
                needed.update(s.args)
                out.append(s)
        return tuple(out[::-1])

    def between(self, k: int) -> None:
        """Writes the statements before the first sum, between two, or after the last one."""
        s, b = self.loop, self.b
        index, carried = Var(s.index.name, s.index.type), self.carried[k]
        params = anew(s.params[j] for j in carried)
        known: dict[Var, Atom] = {s.params[j]: p for j, p in zip(carried, params, strict=True)}
        known[s.index] = index
        with b.block() as body:
            at = b.sub(b.retyped(index, INT), self.start)
            known |= {v: self.loaded(v, at) for v in self.handed_on(k)}
            part = tuple([t for t in self.parts[k] if t not in self.again.values()])
            found, new = copied((*self.repeated(part), *part), known)
            b.out += found
            for v in (v for t in part for v in results(t)):
                if v in self.buffers:
                    b.store(self.buffers[v], at, new[v])
            for buffer, a in self.fills[k]:
                b.store(buffer, at, new.get(a, a) if isinstance(a, Var) else a)
        ends = tuple(map(replaced_by(new), (s.yields[j] for j in carried)))
        b.append(
            altered(
                s, index=index, params=params, inits=tuple(s.inits[j] for j in carried),
                body=tuple(body), yields=ends, results=tuple(s.results[j] for j in carried),
            )
        )  # fmt: skip

    def sum(self, k: int) -> None:
        """A sum, all trips at once: the loop around is the inner one."""
        (s,) = self.parts[k]
        assert isinstance(s, For)
        b, at = self.b, Var(self.loop.index.name, INT)
        index = Var(s.index.name, s.index.type)
        with b.block() as body:
            known: dict[Var, Atom] = {s.index: index, self.loop.index: b.add(self.start, at)}
            known |= {v: self.loaded(v, at) for v in self.handed_on(k)}
            terms = [_term(s, j) for j in range(len(s.params))]
            rest = tuple([t for t in s.body if not (isinstance(t, Def) and t.var in s.yields)])
            found, new = copied((*self.repeated(s.body), *rest), known)
            b.out += found
            for p, a in zip(s.params, terms, strict=True):
                b.add_at(self.buffers[p], at, new.get(a, a) if isinstance(a, Var) else a)
        inner = For(at, Const(0, INT), self.trips, (), (), tuple(body), (), (), loc=s.loc)
        b.append(altered(s, index=index, params=(), inits=(), body=(inner,), yields=(), results=()))

    def loaded(self, v: Var, at: Atom) -> Atom:
        """A number of an earlier part."""
        return self.b.retyped(self.b.load(self.buffers[v], at), v.type, v.name)
