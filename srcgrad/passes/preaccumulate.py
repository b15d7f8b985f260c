"""Preaccumulation: makes a chain of products in a recurrence one product with a factor made ahead.

>>> show(preaccumulate(parse('''
... def f(a: f64[n], b: f64[n], x: f64):
...     n: int = dim(a, axis=0)
...     s: f64 = x
...     for i in range(0, n):
...         p: f64 = load(a, i)
...         q: f64 = load(b, i)
...         t: f64 = absorb(s, p)
...         u: f64 = absorb(t, q)
...         v: f64 = neg(u)
...         w: f64 = add(v, t)
...         s = w
...     return (s,)
... ''')))
def f(a: f64[n], b: f64[n], x: f64):
    n: int = dim(a, axis=0)
    s: f64 = x
    for i in range(0, n):
        p: f64 = load(a, i)
        q: f64 = load(b, i)
        t: f64 = absorb(p, q)
        t1: f64 = neg(t)
        t2: f64 = add(t1, p)
        w: f64 = absorb(s, t2)
        s = w
    return (s,)

The reverse of a trip is linear in the adjoint that it gets. Where its statements multiply that
adjoint by one partial after another, the next trip waits for all of them; the product of the
partials waits for nothing. Products are reassociated and distributed over sums, so that results are
rounded otherwise. What a selection leaves out stays zero, an infinite adjoint too, and
an adjoint that is zero absorbs an infinite product where it has absorbed its factors. Only in
serial loops (`ahead`), and only numbers that the next trip may wait for.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.ahead import FLOATS, Ahead, SerialLoops
from srcgrad.passes.combining import chain, reads_of_statements
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, Primitive, elementwise, memory
from srcgrad.records import record

LONG = 3  # operations in a row that one product replaces
TRUE, FALSE = Const(True, BOOL), Const(False, BOOL)
PRODUCTS = (elementwise.mul, elementwise.absorb)


def preaccumulate(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(PRODUCTS):
        return function
    pass_ = _Preaccumulate(function)
    new = pass_.function(function)
    return eliminate(new) if pass_.changed else function


class _Preaccumulate(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.serial = SerialLoops(function)
        self.changed = False

    def loop(self, s: For | While) -> Iterable[Stmt]:
        part = self.serial.ahead(s) if isinstance(s, For) and _has_products(s) else None
        linear = None if part is None else _Linear(part)
        if linear is None or not (ends := linear.ends()):
            yield self.rebuilt(s)
            return
        self.changed = True
        yield altered(linear.loop, body=tuple(_Products(linear, ends).rewritten()))


def _has_products(s: For) -> bool:
    made = [t for t in s.body if isinstance(t, Def) and t.op in PRODUCTS]
    return any(t.var is not None and t.var.type.dtype in FLOATS for t in made)


# ---- what is linear in what ----
@record(frozen=True)
class Form:
    """A number of a trip as a multiple of another one, by so many operations in a row."""

    root: Var
    product: Primitive | None  # the kind of its products; None: by constants alone
    depth: int


class _Linear:
    """The numbers of a trip that are multiples of one that needs the trips before."""

    def __init__(self, part: Ahead):
        self.part, self.loop = part, part.loop
        self.forms: dict[Atom, Form] = {p: Form(p, None, 0) for p in part.loop.params}
        self.outer: set[Atom] = {*part.loop.yields}  # numbers that others read
        for s in self.loop.body:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        form = self.form(s) if isinstance(s, Def) else None
        if form is None:
            self.outer |= {v for t in walk((s,)) for v in uses(t)}
            if isinstance(s, Def) and s.var is not None and not self.part.is_known(s.var):
                form = Form(s.var, None, 0)
        if form is not None:
            assert isinstance(s, Def)
            self.forms[s.var] = form  # type: ignore[index]  (it has a result)

    def form(self, s: Def) -> Form | None:
        """The form that a statement makes of those of its operands."""
        if s.var is None or not isinstance(s.var.type, Scalar) or s.var.type.dtype not in FLOATS:
            return None
        match s.op, s.args:
            case elementwise.neg, (a,):
                return self.of(s, a)
            case ((elementwise.add | elementwise.sub), (a, b)):
                return self.of(s, a, b)
            case ((elementwise.mul | elementwise.absorb), (a, p)) if self.part.is_known(p):
                return self.of(s, a, product=None if isinstance(p, Const) else s.op)
            case elementwise.mul, (p, a) if self.part.is_known(p):
                return self.of(s, a, product=None if isinstance(p, Const) else s.op)
            case elementwise.where, (c, a, b) if self.part.is_known(c):
                return self.of(s, *(v for v in (a, b) if not is_zero(v)))
            case _:
                return None

    def of(self, s: Def, *terms: Atom, product: Primitive | None = None) -> Form | None:
        """The form of multiples of one number that are added, selected or multiplied."""
        forms = [self.forms.get(a) for a in terms]
        first = forms[0] if forms else None
        if first is None or any(f is None or f.root is not first.root for f in forms):
            return None
        if any(a.type != s.var.type for a in (first.root, *terms)):  # type: ignore[union-attr]  (it has a result)
            return None
        products = {f.product for f in forms if f is not None} | {product}
        products.discard(None)
        if len(products) > 1:
            return None
        depth = max(f.depth for f in forms if f is not None)
        return Form(first.root, next(iter(products), None), depth + 1)

    # ---- which of them are worth a product ----
    def ends(self) -> set[Atom]:
        """The last numbers of chains that the next trip may wait for."""
        fed = self.fed()
        found = [v for v, f in self.forms.items() if f.depth > 1 and v in self.outer and v in fed]
        forms = [self.forms[v] for v in found]
        # selections and halvings alone take less time than the product
        long = {f.root for f in forms if f.depth >= LONG and f.product is not None}
        return {v for v in found if self.forms[v].root in long}

    def fed(self) -> set[Atom]:
        """The numbers of which those are made that the next trip reads."""
        s, classes = self.loop, self.part.classes
        out: set[Atom] = set()
        reads = reads_of_statements()
        for p, y in zip(s.params, s.yields, strict=True):
            ops = chain(s.body, p, s.yields, y, reads)
            if ops is None or len(ops) != 1:
                out.add(y)
        late = {
            classes.of(t.array)
            for t in s.body
            if isinstance(t, Def) and t.op is memory.load and t.var not in self.part.free
        }
        for t in reversed(s.body):
            if not isinstance(t, Def):
                out |= {v for u in walk((t,)) for v in uses(u)}
            elif t.var in out or (t.var is None and classes.of(t.array) in late):
                out |= set(t.args)
        return out


def is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 0


# ---- the rewriting ----
class _Products:
    """Emits the factor of each number of a chain, and at its end one product with the root."""

    def __init__(self, linear: _Linear, ends: set[Atom]):
        self.linear, self.ends = linear, ends
        self.b = Builder(REGISTRY)
        self.factors: dict[Atom, Atom] = {}
        self.selected: dict[Atom, Atom] = {}  # whether any selection has left a number in
        self.roots = {linear.forms[v].root for v in ends}

    def rewritten(self) -> list[Stmt]:
        b = self.b
        for s in self.linear.loop.body:
            v = s.var if isinstance(s, Def) else None
            form = None if v is None else self.linear.forms.get(v)
            if form is None or form.root not in self.roots or form.root is v:
                b.append(s)
                continue
            assert isinstance(s, Def) and s.var is not None
            b.loc = s.loc
            self.factors[s.var], self.selected[s.var] = self.factor(s), self.is_left_in(s)
            b.append(self.product(s, form) if s.var in self.ends else s)
        return b.out

    def product(self, s: Def, form: Form) -> Def:
        """The number at the end of a chain, zero where no selection has left it in."""
        op = elementwise.mul if form.product is None else form.product
        assert s.var is not None
        factor, selected = self.factors[s.var], self.selected[s.var]
        if is_true(selected):
            return altered(s, op=op, args=(form.root, factor), params={})
        made, nothing = self.b(op, form.root, factor), Const(0.0, s.var.type)
        return altered(s, op=elementwise.where, args=(selected, made, nothing), params={})

    def factor(self, s: Def) -> Atom:
        b, of = self.b, self.factor_of
        match s.op, s.args:
            case elementwise.neg, (a,):
                return b.neg(of(a))
            case elementwise.add, (a, c):
                return b.add(of(a), of(c))
            case elementwise.sub, (a, c):
                return b.sub(of(a), of(c))
            case elementwise.where, (c, x, y):
                return b.where(c, of(x), of(y))
            case _:
                a, p = s.args if self.linear.part.is_known(s.args[1]) else s.args[::-1]
                return self.times(s.op, of(a), p)

    def times(self, op: Primitive, a: Atom, p: Atom) -> Atom:
        """The product of a factor, which may be a sign, and a partial."""
        if isinstance(a, Const) and abs(a.value) == 1:
            return p if a.value == 1 else self.b.neg(p)
        return self.b(op, a, p)

    def factor_of(self, a: Atom) -> Atom:
        if is_zero(a) or a in self.factors:
            return self.factors.get(a, a)
        return Const(1.0, a.type)

    def is_left_in(self, s: Def) -> Atom:
        """The condition under which no selection has replaced a number by zero."""
        b, of = self.b, self.left_in
        match s.op, s.args:
            case elementwise.where, (c, x, y):
                first, second = b.logical_and(c, of(x)), b.logical_and(b.logical_not(c), of(y))
                return of(x) if of(x) is of(y) else b.logical_or(first, second)
            case ((elementwise.add | elementwise.sub), (x, y)):
                return of(x) if is_true(of(x)) or of(x) is of(y) else b.logical_or(of(x), of(y))
            case _:
                known = self.linear.part.is_known
                return of(next(a for a in s.args if not known(a)))

    def left_in(self, a: Atom) -> Atom:
        if is_zero(a):
            return FALSE
        return self.selected.get(a, TRUE)


def is_true(a: Atom) -> bool:
    return isinstance(a, Const) and bool(a.value)
