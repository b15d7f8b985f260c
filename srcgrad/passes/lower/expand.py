"""Expands array operations of more than one step: joins, running sums, orderings, positions.

Each function emits simpler array operations or loops through the builder. `concatenate` becomes
stores into pieces of a fresh array, so that they fuse with what computes the pieces; an extremum
is preceded by the check that there is something to choose from.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import reduce

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Var, atom
from srcgrad.ir.types import BOOL, INT, Array, Dim, Scalar, is_float
from srcgrad.passes.lower.access import ZERO
from srcgrad.primitives import Primitive, arrays, memory, reductions, scans


def expands(function: Function) -> bool:
    """Whether `early` does anything to a statement of a function."""
    return not contents(function).operations.isdisjoint((*EARLY, *EXTREMA))


def early(b: Builder, s: Def) -> bool:
    """Emits the array operations that `s` expands to; False if it stays, after what it needs."""
    b.loc = s.loc
    expand = EARLY.get(s.op)
    if expand is not None:
        expand(b, s)
        return True
    if s.op in EXTREMA:
        _check_not_empty(b, s, over=s.params["axes"])
    return False


def late(b: Builder, s: Def) -> Atom | bool | None:
    """Emits the loops of an operation that is not a step of a nest; returns a scalar's value.

    False if the operation stays whole.
    """
    b.loc = s.loc
    expand = LATE.get(s.op)
    return False if expand is None else expand(b, s)


def _operand(s: Def, k: int = 0) -> Var:
    """An operand that is an array."""
    x = s.args[k]
    assert isinstance(x, Var)
    return x


def _allocate(b: Builder, v: Var, kind: str) -> None:
    dims = tuple(map(atom, v.type.dims))
    b.append(Def(v, b.table[kind], dims, {"dtype": v.type.dtype}, b.loc))


@contextmanager
def _loop(b: Builder, dim: object, carried: dict[str, tuple[Atom, Scalar]] | None = None):
    """A loop over a dim: yields (index, params, yields); results are appended to `yields`."""
    carried = carried or {}
    params = tuple(Var(n, t) for n, (_, t) in carried.items())
    results = tuple(Var(n, t) for n, (_, t) in carried.items())
    i = Var("i", INT)
    after: list[Atom] = []
    with b.block() as body:
        yield i, params, after, results
    inits = tuple(a for a, _ in carried.values())
    b.append(For(i, ZERO, atom(dim), params, inits, tuple(body), tuple(after), results, loc=b.loc))


def _concatenate(b: Builder, s: Def) -> None:
    assert s.var is not None
    _allocate(b, s.var, "empty")
    axis, start = s.params["axis"], atom(0)
    spec = tuple("s" if k == axis else ":" for k in range(s.var.type.ndim))
    for k in range(len(s.args)):
        x = _operand(s, k)
        length = atom(x.type.dims[axis])
        piece = b.view(s.var, start, length, 1, spec=spec, name="piece")
        b.assign(piece, x)
        start = b.add(start, length)


def _pack(b: Builder, s: Def) -> None:
    assert s.var is not None
    _allocate(b, s.var, "empty")
    for k, a in enumerate(s.args):
        b.store(s.var, *arrays.packed_at(k, s.params.get("dims")), a)


# ---- extrema ----
def _check_not_empty(b: Builder, s: Def, over: tuple[int, ...]) -> None:
    """NumPy raises if an axis to choose from is empty, even where there is nothing to find."""
    name = "minimum" if s.op is reductions.min else "maximum"
    message = f"zero-size array to reduction operation {name} which has no identity"
    empty = _some_zero(b, [_operand(s).type.dims[k] for k in over])
    if not (isinstance(empty, Const) and not empty.value):
        b.check_equal(empty, False, message=message)


def _some_zero(b: Builder, dims: list[Dim]) -> Atom:
    tests = [b.eq(d, 0) for d in dims if isinstance(d, Var) or d == 0]
    return reduce(lambda p, q: b.logical_or(p, q), tests, Const(False, BOOL))


def _extreme_place(b: Builder, s: Def) -> Atom | None:
    """argmax and argmin: the first of the best; a NaN is better than anything."""
    x, v = _operand(s), s.var
    assert v is not None
    rank, axes = x.type.ndim, s.params["axes"]
    message = f"attempt to get {s.op.name} of an empty sequence"
    b.check_equal(_some_zero(b, [x.type.dims[a] for a in axes]), False, message=message)
    kept = [k for k in range(rank) if k not in axes]
    indices: dict[int, Atom] = {}
    if not kept:
        return _search(b, s, x, list(axes), indices)
    _allocate(b, v, "empty")

    def outer(k: int) -> None:
        if k == len(kept):
            b.store(v, *(indices[a] for a in kept), _search(b, s, x, list(axes), dict(indices)))
            return
        with _loop(b, x.type.dims[kept[k]]) as (i, _, _, _):
            indices[kept[k]] = i
            outer(k + 1)

    outer(0)
    return None


def _search(b: Builder, s: Def, x: Var, axes: list[int], indices: dict[int, Atom]) -> Atom:
    """Loops over the reduced axes that carry the best value, its place and the current place."""
    scalar = Scalar(x.type.dtype)
    zero = Const(0, INT)
    better = b.gt if s.op is reductions.argmax else b.lt

    def level(k: int, best: Atom, found: Atom, here: Atom) -> tuple[Atom, Atom, Atom]:
        if k == len(axes):
            value = b.load(x, *(indices[a] for a in range(x.type.ndim)))
            wins = b.logical_or(b.eq(here, 0), better(value, best))
            if is_float(scalar.dtype):
                first_nan = b.logical_and(b.isnan(value), b.logical_not(b.isnan(best)))
                wins = b.logical_or(wins, first_nan)
            return b.where(wins, value, best), b.where(wins, here, found), b.add(here, 1)
        carried = {"best": (best, scalar), "place": (found, INT), "here": (here, INT)}
        with _loop(b, x.type.dims[axes[k]], carried) as (i, params, after, results):
            indices[axes[k]] = i
            after.extend(level(k + 1, *params))
        return results  # type: ignore[return-value]  (one per carried value)

    blank = Const({"f": 0.0, "b": False, "c": 0j}.get(scalar.dtype[0], 0), scalar)
    return level(0, blank, zero, zero)[1]


# ---- softmax and related ones ----
def _weights(b: Builder, s: Def, finite: bool) -> tuple[Atom, Atom, Atom]:
    """x - top, its exponential, and the sum of that; an infinite top is 0 if `finite`."""
    x, axes = _operand(s), s.params["axes"]
    _check_not_empty(b, s, over=axes)
    top = b.max(x, axes=axes, name="top")
    if finite:
        top = b.where(b.isfinite(top), top, 0.0)
    below = b.sub(x, _kept(b, top, x, axes))
    e = b.exp(below)
    return below, e, b.sum(e, axes=axes, name="total")


def _softmax(b: Builder, s: Def) -> None:
    _, e, total = _weights(b, s, finite=False)
    _define(b, s, "div", e, _kept(b, total, e, s.params["axes"]))


def _log_softmax(b: Builder, s: Def) -> None:
    below, e, total = _weights(b, s, finite=True)
    b.scopes[-1]["total of exponentials", s.var] = total
    _define(b, s, "sub", below, _kept(b, b.log(total), e, s.params["axes"]))


def _softmax_bar(b: Builder, s: Def) -> None:
    """y * (g - sum(y * g)); zeros of `g` absorb a y that is NaN."""
    g, y = s.args
    total = b.sum(b.absorb(g, y), axes=s.params["axes"], name="total")
    _define(b, s, "absorb", b.sub(g, _kept(b, total, g, s.params["axes"])), y)


def _log_softmax_bar(b: Builder, s: Def) -> None:
    """g - sum(g) * exp(y); reuses the exponentials that y was computed from, if there are any."""
    (g, y), axes = s.args, s.params["axes"]
    total = b.sum(g, axes=axes, name="total")
    key = "total of exponentials", y
    known = next((scope[key] for scope in b.scopes if key in scope), None)
    if isinstance(known, Var):
        e = b.definition[known].args[0]
        weights = b.div(e, _kept(b, known, e, axes))
    else:
        weights = b.exp(y)
    _define(b, s, "sub", g, b.absorb(_kept(b, total, g, axes), weights))


def _kept(b: Builder, a: Atom, x: Atom, axes: tuple[int, ...]) -> Atom:
    """A reduction over axes of `x`, with these as axes of length 1; a scalar stays one."""
    rank = x.type.ndim if isinstance(x.type, Array) else 0
    if len(axes) == rank:
        return a
    return b.view(a, spec=tuple("n" if k in axes else ":" for k in range(rank)))


def _define(b: Builder, s: Def, op: str, *args: Atom) -> None:
    b.append(Def(s.var, b.table[op], args, {}, b.loc))


# ---- along an axis, over places ----
def _scan(b: Builder, s: Def) -> None:
    """Running sums; also products and recurrences, which exclude their own element."""
    x, v, axis = _operand(s), s.var, s.params["axis"]
    assert v is not None
    _allocate(b, v, "empty")
    dims, scalar = x.type.dims, Scalar(x.type.dtype)
    others = [k for k in range(len(dims)) if k != axis]
    indices: dict[int, Atom] = {}

    def outer(k: int) -> None:
        if k < len(others):
            with _loop(b, dims[others[k]]) as (i, _, _, _):
                indices[others[k]] = i
                outer(k + 1)
            return
        first = _nothing(s.op is scans.running_product, scalar)
        with _loop(b, dims[axis], {"total": (first, scalar)}) as (i, (total,), after, _):
            last = b.sub(b.sub(dims[axis], 1), i)
            indices[axis] = last if s.params["reverse"] else i
            at = [indices[a] for a in range(len(dims))]
            item = b.load(x, *at)
            inclusive = s.op is scans.cumsum
            new = (b.add if inclusive else b.mul)(total, item, name="total")
            if s.op is scans.recurrence:
                new = b.add(new, b.load(s.args[1], *at), name="total")
            after.append(new)
            b.store(v, *at, new if inclusive else total)

    outer(0)


def _nothing(product: bool, scalar: Scalar) -> Const:
    """The initial value of a scan: 1, or the zero that added to -0.0 leaves it unchanged."""
    minus = {"f": -0.0, "c": complex(-0.0, -0.0)}.get(scalar.dtype[0], 0)
    return Const(type(minus)(1) if product else minus, scalar)


def _nonzero(b: Builder, s: Def) -> None:
    """The flat positions of the true elements, one after another."""
    x, v = _operand(s), s.var
    assert v is not None
    _allocate(b, v, "empty")
    indices: list[Atom] = []

    def level(k: int, position: Atom, here: Atom) -> tuple[Atom, Atom]:
        if k == x.type.ndim:
            value = b.load(x, *indices)
            if value.type.dtype != "bool":
                value = b.ne(value, b.cast(0, value.type))
            with b.block() as then:
                b.store(v, position, here)
                more = b.add(position, 1)
            result = Var("position", INT)
            b.append(If(value, tuple(then), (), (more,), (position,), (result,), loc=b.loc))
            return result, b.add(here, 1)
        carried = {"position": (position, INT), "here": (here, INT)}
        with _loop(b, x.type.dims[k], carried) as (i, params, after, results):
            indices.append(i)
            after.extend(level(k + 1, *params))
            indices.pop()
        return results  # type: ignore[return-value]  (one per carried value)

    level(0, Const(0, INT), Const(0, INT))


def _take_last(b: Builder, s: Def) -> None:
    """The element for each write of a scatter, 0 if it was overwritten: places record the last."""
    x, idx, spec, v = _operand(s), s.args[1:], s.params["spec"], s.var
    assert v is not None
    dims = tuple(map(atom, v.type.dims))
    order = b.zeros(*map(atom, x.type.dims), dtype="i64", name="order")
    writers = b.add(b.iota(atom(b.size(v.type.dims))), 1)
    writers = b.reshape(writers, *dims, name="writer")
    b.scatter(order, *idx, writers, spec=spec)
    last = b.eq(b.gather(order, *idx, spec=spec), writers)
    value = b.gather(x, *idx, spec=spec)
    none = b.cast(0, Scalar(v.type.dtype))
    _define(b, s, "where", last, value, none)


def _argsort(b: Builder, s: Def) -> bool | None:
    """Orders line by line: the library orders one axis."""
    x, v, axis = _operand(s), s.var, s.params["axis"]
    assert v is not None
    if x.type.ndim == 1:
        return False
    _allocate(b, v, "empty")
    spec = tuple(":" if k == axis else "i" for k in range(x.type.ndim))

    def outer(k: int, at: list[Atom]) -> None:
        if k == x.type.ndim:
            line = b.view(v, *at, spec=spec, name="line")
            order = b.argsort(b.view(x, *at, spec=spec), axis=0)
            with _loop(b, x.type.dims[axis]) as (i, _, _, _):
                b.store(line, i, b.load(order, i))
        elif k == axis:
            outer(k + 1, at)
        else:
            with _loop(b, x.type.dims[k]) as (i, _, _, _):
                outer(k + 1, [*at, i])

    outer(0, [])
    return None


def _searchsorted(b: Builder, s: Def) -> Atom | bool | None:
    a, wanted, v = s.args[0], s.args[1], s.var
    assert v is not None
    if not isinstance(wanted, Var) or not isinstance(wanted.type, Array):
        return False
    if not wanted.type.dims:
        return b(s.op, a, b.load(wanted), **s.params)
    _allocate(b, v, "empty")

    def level(at: list[Atom]) -> None:
        if len(at) == wanted.type.ndim:
            place = b(s.op, a, b.load(wanted, *at), **s.params)
            b.store(v, *at, b.cast(place, Scalar(v.type.dtype)))
            return
        with _loop(b, wanted.type.dims[len(at)]) as (i, _, _, _):
            level([*at, i])

    level([])
    return None


EXTREMA = (reductions.max, reductions.min)
EARLY: dict[Primitive, Callable[[Builder, Def], None]] = {
    arrays.concatenate: _concatenate,
    memory.take_last: _take_last,
    scans.softmax: _softmax,
    scans.log_softmax: _log_softmax,
    scans.softmax_bar: _softmax_bar,
    scans.log_softmax_bar: _log_softmax_bar,
}
LATE: dict[Primitive, Callable[[Builder, Def], Atom | bool | None]] = {
    reductions.argmax: _extreme_place,
    reductions.argmin: _extreme_place,
    scans.cumsum: _scan,
    scans.running_product: _scan,
    scans.recurrence: _scan,
    reductions.nonzero: _nonzero,
    scans.argsort: _argsort,
    scans.searchsorted: _searchsorted,
    arrays.pack: _pack,
}
