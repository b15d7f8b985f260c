"""The batching rule of each operation: its form when operands have a trailing batch axis.

Elementwise operations, sums and views keep their meaning, a store of a scalar becomes a store of a
vector, and matrix products stay matrix products. An operation without a rule runs in a loop over
the seeds. Never decides which values vary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from srcgrad.autodiff.rules import same_dims
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def, For, Var, altered, atom
from srcgrad.ir.types import INT, Array, RefTape, Scalar, Tape, Type
from srcgrad.primitives import (
    Primitive,
    arrays,
    elementwise,
    linalg,
    memory,
    reductions,
    scans,
    tapes,
    triangular,
)


class Unbatched(Exception):
    """The program cannot be batched: control flow or a rule depends on the seed."""


class Batch:
    """The batched counterparts of varying values, and the helpers that emit them."""

    def __init__(
        self, b: Builder, size: Any, varies: Callable[[Atom], bool], pure: Callable[[Atom], bool]
    ):
        self.b, self.size, self.varies, self.pure = b, size, varies, pure
        self.new: dict[Var, Any] = {}
        # the diagonals of vectors whose batch is a diagonal matrix: scaled unit seeds
        self.diagonals: dict[Atom, Any] = {}
        self.first: Any = None  # where the seeds begin, if they are some of the unit vectors

    # ---- values ----
    def __call__(self, a: Atom) -> Any:
        return self.new.get(a, a) if isinstance(a, Var) else a

    def many(self, atoms: Iterable[Atom]) -> list[Any]:
        return [self(a) for a in atoms]

    def require_still(self, atoms: Iterable[Atom]) -> None:
        """Refuses operands that vary where all seeds must share one value."""
        if any(self.varies(a) for a in atoms):
            raise Unbatched("control flow or an index depends on the seed")

    def type(self, t: Type) -> Type:
        match t:
            case Scalar():
                return Array(t.dtype, (self.size,))
            case Array():
                return Array(t.dtype, (*t.dims, self.size), t.layout)
            case RefTape():
                return RefTape(t.dtype, t.ndim + 1)
            case Tape():
                return t
            case _:
                raise Unbatched("several values at once")

    def beside(self, a: Atom) -> Any:
        """An operand that broadcasts against batches: unbatched arrays get an axis of length 1."""
        if self.varies(a) or not isinstance(a.type, Array):
            return self(a)
        if not a.type.dims:
            return self.b.load(a)
        return self.b.view(a, spec=(*":" * a.type.ndim, "n"))

    def lifted(self, a: Atom) -> Any:
        """A value as a contiguous batch; an unbatched one is broadcast."""
        if self.varies(a):
            return self.contiguous(self(a))
        if not isinstance(a.type, Array | Scalar):
            raise Unbatched("a tape that only some paths fill")
        dims = a.type.dims if isinstance(a.type, Array) else ()
        return self.b.broadcast_to(self.beside(a), *dims, self.size)

    def joined(self, a: Atom, v: Var) -> Any:
        """The value of a phi on one path; memory that is stored to is passed on without a copy."""
        strided = getattr(v.type, "layout", "C") == "S"
        return self(a) if self.varies(a) and (strided or not self.pure(a)) else self.lifted(a)

    def contiguous(self, x: Any) -> Any:
        return self.b.copy(x) if getattr(x.type, "layout", "C") == "S" else x

    def lengths(self, s: Def) -> Def:
        """The length of a varying value, without the batch axis."""
        x = self(s.args[0])
        if s.op is memory.dim:
            return altered(s, args=(x,))
        if s.op is tapes.slots:
            args = (self.b.slots(x), atom(self.size))
            return altered(s, op=self.b.table["floordiv"], args=args, params={})
        raise Unbatched(f"{s.op.name} of what varies")

    def columns(self, x: Any) -> Any:
        """The elements along the last axis that belong to the seeds."""
        if self.first is None:
            return x
        return self.b.view(x, self.first, self.size, 1, spec=(*":" * (x.type.ndim - 1), "s"))

    # ---- operations ----
    def elementwise(self, s: Def) -> Any:
        assert s.var is not None
        self.scaled(s)
        t = self.type(s.var.type)
        assert isinstance(t, Array)
        return self.emitted(s, Array(t.dtype, t.dims), tuple(self.beside(a) for a in s.args))

    def scaled(self, s: Def) -> None:
        """Propagates the diagonal through an operation that keeps a diagonal batch diagonal."""
        v, moving = s.var, [a for a in s.args if self.varies(a)]
        if v is None or not self.pure(v) or any(a not in self.diagonals for a in moving):
            return
        both = s.op in (elementwise.add, elementwise.sub) and len(moving) == 2
        first = s.op in (elementwise.div, elementwise.absorb) and moving == [s.args[0]]
        one = s.op in (elementwise.mul, elementwise.neg, elementwise.cast) and len(moving) == 1
        if (both or first or one) and all(_as_long(a, v) for a in moving):
            args = tuple(self.diagonals.get(a, a) for a in s.args)
            self.diagonals[v] = self.emitted(s, v.type, args)

    def emitted(self, s: Def, type: Type, args: tuple[Atom, ...]) -> Var:
        """Emits an operation without shape checks: the unbatched operation has made them."""
        assert s.var is not None
        made = Var(s.var.name, type)
        definition = Def(made, s.op, args, s.params, s.loc)
        self.b.append(definition)
        self.b.definition[made] = definition
        return made

    def each(self, s: Def) -> Any:
        """Runs an operation in a loop over the seeds."""
        if s.var is None or s.op.effect or s.op.view or not isinstance(s.var.type, Array | Scalar):
            raise Unbatched(f"{s.op.name} has several values, or is an effect")
        b, k, t = self.b, Var("k", INT), s.var.type
        dims = t.dims if isinstance(t, Array) else ()
        made = b.empty(*dims, self.size, dtype=t.dtype)
        with b.block() as body:
            one = b(s.op, *(self.one(a, k) for a in s.args), **s.params)
            place = b.view(made, k, spec=(*":" * len(dims), "i"))
            if dims:
                b.assign(place, one)
            else:
                b.store(place, b.value(one))
        b.append(For(k, atom(0), atom(self.size), (), (), tuple(body), (), (), loc=s.loc))
        return made

    def one(self, a: Atom, k: Var) -> Any:
        """The value of an operand for one seed."""
        if not self.varies(a):
            return a
        x = self(a)
        if isinstance(a.type, Scalar):
            return self.b.load(x, k)
        return self.b.copy(self.b.view(x, k, spec=(*":" * (x.type.ndim - 1), "i")))


def _as_long(a: Atom, b: Atom) -> bool:
    """Whether two vectors have the same length, so that neither is broadcast."""
    match a.type, b.type:
        case Array(dims=m), Array(dims=(_,) as n):
            return same_dims(m, n)
        case _:
            return False


# ---- allocation, views ----
def _copy(t: Batch, s: Def) -> Any:
    return t.b.copy(t(s.args[0])) if t.varies(s.args[0]) else t.lifted(s.args[0])


def _view(t: Batch, s: Def) -> Any:
    return t.b.view(*t.many(s.args), spec=(*s.params["spec"], ":"))


def _transpose(t: Batch, s: Def) -> Any:
    perm = s.params["perm"]
    return t.b.transpose(t(s.args[0]), perm=(*perm, len(perm)))


def _with_dims(t: Batch, s: Def) -> Any:
    """An operation whose last operands are the dims of its result."""
    return t.b(s.op, *t.many(s.args), t.size, **s.params)


def _reshape(t: Batch, s: Def) -> Any:
    x = t(s.args[0])
    # a reference that is read back is contiguous, although its type does not say so
    x = t.contiguous(x) if t.pure(s.args[0]) else x
    return t.b.reshape(x, *s.args[1:], t.size)


def _load(t: Batch, s: Def) -> Any:
    x = s.args[0]
    place = _place(t, s, s.args[1:])
    return place if t.pure(x) else t.b.copy(place)


def _place(t: Batch, s: Def, index: tuple[Atom, ...]) -> Any:
    """The vector of all seeds at one index of a varying array or tape."""
    t.require_still(index)
    x = t(s.args[0])
    if isinstance(x.type, Tape):
        return t.b.tape_view(x, t.b.mul(index[0], t.size), t.size)
    return t.b.view(x, *index, spec=(*"i" * len(index), ":"))


# ---- tapes: a slot is as long as the batch ----
def _tape(t: Batch, s: Def) -> Any:
    return t.b.tape(t.b.mul(s.args[0], t.size), **s.params)


def _tape_like(t: Batch, s: Def) -> Any:
    x = s.args[0]
    if t.varies(x):
        return t.b.tape_like(t(x))
    assert isinstance(x.type, Tape)
    made = t.b.tape(t.b.mul(t.b.slots(x), t.size), dtype=x.type.dtype)
    # zeros, as `tape_like` gives them: a `tape` starts with whatever its memory held
    t.b.assign(t.b.tape_view(made, 0, t.b.slots(made)), 0.0)
    return made


def _tape_view(t: Batch, s: Def) -> Any:
    x, start, *dims = s.args
    return t.b.tape_view(t(x), t.b.mul(start, t.size), *dims, t.size)


def _reserve(t: Batch, s: Def) -> None:
    t.b.reserve(t(s.args[0]), t.b.mul(s.args[1], t.size))


def _reftape(t: Batch, s: Def) -> Any:
    return t.b.reftape(dtype=s.params["dtype"], ndim=s.params["ndim"] + 1)


def _ref_put(t: Batch, s: Def) -> None:
    tape, place, reference = s.args
    t.require_still((place,))
    t.b.ref_put(t(tape), place, t(reference))


# ---- stores ----
def _store(t: Batch, s: Def) -> None:
    place = _place(t, s, s.args[1:-1])
    (t.b.assign if s.op is memory.store else t.b.add_to)(place, t.beside(s.args[-1]))


def _assign(t: Batch, s: Def) -> None:
    x, value = s.args
    if s.op is memory.add_to and value in t.diagonals and _as_long(value, x):
        places = t.b.iota(t.size)
        rows = places if t.first is None else t.b.add(places, t.first)
        t.b.scatter_add(t(x), rows, places, t.columns(t.diagonals[value]), spec=("a", "a"))
        return
    if isinstance(value.type, Array):
        value = t.lifted(value)
    elif t.varies(value):
        value = t.b.broadcast_to(t(value), *t(x).type.dims)
    t.b(s.op, t(x), value)


def _scatter(t: Batch, s: Def) -> None:
    x, *index, value = s.args
    t.require_still(index)
    value = t.lifted(value) if isinstance(value.type, Array) else t(value)
    t.b(s.op, t(x), *index, value, spec=(*s.params["spec"], ":"))


def _gather(t: Batch, s: Def) -> Any:
    t.require_still(s.args[1:])
    return t.b(s.op, *t.many(s.args), spec=(*s.params["spec"], ":"))


# ---- joins, sums, products ----
def along(t: Batch, s: Def) -> Any:
    """An operation whose axes are counted from the front, so the batch axis does not shift them."""
    t.require_still(s.args[1:])
    return t.b(s.op, *t.many(s.args), **s.params)


def _softmax_bar(t: Batch, s: Def) -> Any:
    """softmax_bar and log_softmax_bar, where only the adjoint varies."""
    g, y = s.args
    return t.each(s) if t.varies(y) else t.b(s.op, t(g), t.beside(y), **s.params)


def _concatenate(t: Batch, s: Def) -> Any:
    return t.b.concatenate(*(t.lifted(a) for a in s.args), **s.params)


def _pack(t: Batch, s: Def) -> Any:
    rows = [t.b.view(t.lifted(a), spec=("n", ":")) for a in s.args]
    packed = t.b.concatenate(*rows, axis=0)
    dims = s.params.get("dims")
    return packed if dims is None else t.b.reshape(packed, *dims, packed.type.dims[-1])


def _matmul(t: Batch, s: Def) -> Any:
    a, c = s.args
    if t.varies(a) and t.varies(c):
        return t.each(s)
    if t.varies(c):
        return _product(t, a, t(c))
    turned = t.b.copy(_turned(t, c))
    assert isinstance(a.type, Array)
    n = a.type.ndim
    if n == 2:
        return _rows(t, t(a), turned)
    made = _product(t, turned, _turned(t, t(a), 1))
    return t.b.copy(t.b.transpose(made, perm=(*range(n - 2), n - 1, n - 2, n)))


def _rows(t: Batch, a: Any, turned: Any) -> Any:
    """Multiplies a batch of matrices by a matrix, given transposed, one row at a time."""
    b, k = t.b, Var("k", INT)
    made = b.empty(a.type.dims[0], turned.type.dims[0], t.size, dtype=a.type.dtype)
    with b.block() as body:
        row = b.matmul(turned, b.view(a, k, spec=("i", ":", ":")))
        b.assign(b.view(made, k, spec=("i", ":", ":")), row)
    b.append(For(k, atom(0), atom(a.type.dims[0]), (), (), tuple(body), (), (), loc=b.loc))
    return made


def _turned(t: Batch, x: Any, last: int = 0) -> Any:
    """Transposes the matrices of an array; `last`: the number of batch axes after them."""
    n = x.type.ndim - last
    return t.b.transpose(x, perm=(*range(n - 2), n - 1, n - 2, *range(n, n + last)))


def _product(t: Batch, a: Any, c: Any) -> Any:
    """Multiplies matrices by a batch of matrices, whose batch axis is merged with the columns."""
    *lead, k, n, _ = c.type.dims
    flat = t.b.reshape(t.contiguous(c), *lead, k, t.b.size((n, t.size)))
    made = t.b.matmul(a, flat)
    return t.b.reshape(made, *made.type.dims[:-1], n, t.size)


def _matvec(t: Batch, s: Def) -> Any:
    a, x = s.args
    if t.varies(a) and t.varies(x):
        return t.each(s)
    if x in t.diagonals:
        diagonal = t.b.view(t.columns(t.diagonals[x]), spec=("n", ":"))
        return t.b.mul(t.columns(a), diagonal)
    if t.varies(x):
        return t.b.matmul(a, t(x))
    row = t.b.view(x, spec=("n", ":", "n"))
    return t.b.sum(t.b.mul(t(a), row), axes=(1,))


def _vecdot(t: Batch, s: Def) -> Any:
    a, c = s.args
    if t.varies(a) and t.varies(c):
        return t.b.sum(t.b.mul(t(a), t(c)), axes=(0,))
    still, moving = (c, a) if t.varies(a) else (a, c)
    if moving in t.diagonals:
        return t.b.mul(t.columns(still), t.columns(t.diagonals[moving]))
    return t.b.matvec(t.b.transpose(t(moving), perm=(1, 0)), still)


def _solve(t: Batch, s: Def) -> Any:
    *of, c = s.args
    if any(map(t.varies, of)):
        return t.each(s)
    x = t(c)
    if x.type.ndim == 2:
        return t.b(s.op, *of, x, **s.params)
    *lead, n, size = x.type.dims
    made = t.b(s.op, *of, t.b.reshape(t.contiguous(x), *lead, t.b.size((n, size))), **s.params)
    return t.b.reshape(made, *made.type.dims[:-1], n, size)


RULES: Mapping[Primitive, Callable[[Batch, Def], Any]] = {
    memory.zeros: _with_dims, memory.empty: _with_dims, memory.copy: _copy, memory.view: _view,
    memory.transpose: _transpose, memory.reshape: _reshape, memory.load: _load, tapes.tape: _tape,
    tapes.tape_like: _tape_like, tapes.tape_view: _tape_view, tapes.reftape: _reftape,
    tapes.ref_get: _with_dims, memory.gather: _gather, memory.take_last: _gather,
    reductions.sum: along, reductions.sum_to: _with_dims, reductions.broadcast_to: _with_dims,
    arrays.concatenate: _concatenate, arrays.pack: _pack,
    scans.softmax_bar: _softmax_bar, scans.log_softmax_bar: _softmax_bar,
    arrays.matmul: _matmul, arrays.matvec: _matvec, arrays.vecdot: _vecdot, linalg.solve: _solve,
    triangular.solve_triangular: _solve, triangular.solved: _solve,
}  # fmt: skip

EFFECTS: Mapping[Primitive, Callable[[Batch, Def], None]] = {
    memory.store: _store, memory.add_at: _store, memory.assign: _assign, memory.add_to: _assign,
    memory.scatter: _scatter, memory.scatter_add: _scatter, tapes.reserve: _reserve,
    tapes.ref_put: _ref_put,
}  # fmt: skip
