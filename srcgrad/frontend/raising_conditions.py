"""Decides before statements run whether one of them will raise: the condition of a `try`.

A copy of the statements, up to the last that may raise what is caught, computes a code: 0 if none
raises, else that of the first which does. The copy stores to memory of its own alone, and the code
is made of comparisons, so that nothing of it is differentiated; later passes share what both
compute. Never interprets syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from srcgrad.errors import Location, UnsupportedError
from srcgrad.frontend.one_shape import is_mark
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered, atom
from srcgrad.ir.types import INT, is_reference
from srcgrad.ir.walk import blocks, free_variables, map_type, replaced_by, walk
from srcgrad.operation import Primitive
from srcgrad.primitives import (
    callbacks,
    cholesky_factors,
    elementwise,
    factorisations,
    least_squares,
    linalg,
    memory,
    reductions,
    scans,
    singular_vectors,
    triangular,
)
from srcgrad.primitives.draws import draw, never_raises
from srcgrad.primitives.messages import WRITTEN, report
from srcgrad.primitives.raising import class_of
from srcgrad.records import record

NOTHING = Const(0, INT)  # the code where nothing is raised
Ends = tuple[Atom, ...]  # a code, and the values of a path
Codes = Callable[[Def], int]  # the code of what a definition may raise; 0 if it is not caught


WAY_OUT = "move it out of the 'try'; test with an 'if' for what it would raise"


def undecided(reason: str, loc: Location | None) -> UnsupportedError:
    return UnsupportedError(f"in a 'try': {reason}", loc, WAY_OUT)


class Shown(UnsupportedError):
    """Raised if changes by a statement would show although a later step of it raises."""

    statement: Any = None  # the last one of its group

    def __init__(self, location: Location | None):
        reason = "in a 'try': what this changes shows although a later step may raise"
        super().__init__(reason, location, "change it after the 'try', or where nothing follows")


def catches(s: Stmt, codes: Codes) -> bool:
    """Whether a statement may raise an exception that is caught."""
    return any(map(codes, raising((s,))))


def raising(block: Sequence[Stmt]) -> Iterator[Def]:
    """The operations that may raise, those in nested blocks included."""
    return (d for d in walk(block) if isinstance(d, Def) and d.op.raises)


def foreseen(
    b: Builder, block: Sequence[Stmt], codes: Codes, kept: Callable[[Def], Sequence[Stmt]]
) -> Atom:
    """Emits the code of what a block of statements raises; `kept`: what it does where it fails."""
    refuse_effects(block, codes)
    stmts, _ = copied(tuple(block), {})
    out, (code,) = _Foresight(b, codes, kept).block(stmts, (), ())
    b.out.extend(out)
    return code


@record(frozen=True)
class _Foresight:
    b: Builder
    codes: Codes
    kept: Callable[[Def], Sequence[Stmt]]

    def block(self, stmts: Sequence[Stmt], values: Ends, instead: Ends) -> tuple[list[Stmt], Ends]:
        """The statements that decide, their code, and `values` or, where one raises, `instead`."""
        first = next((k for k, s in enumerate(stmts) if catches(s, self.codes)), None)
        if first is None:  # statements that only compute values for later ones are left out
            return (list(stmts) if values else []), (NOTHING, *values)
        out, s, rest = list(stmts[:first]), stmts[first], stmts[first + 1 :]
        if isinstance(s, Def):
            code: Atom = Const(self.codes(s), INT)
            if s.op is memory.fail:
                return [*out, *self.kept(s)], (code, *instead)
            cond, safe = self._condition(s, out), [s]
        elif isinstance(s, If):
            cond, code, safe = self._of_if(s, out)
        else:
            loop, code = self._of_loop(s)
            out.append(loop)
            cond, safe = self._emitted(out, "ne", code, 0), []
        inner, ends = self.block(rest, values, instead)
        if inner or values:  # else nobody reads what the statement makes: its effects would show
            inner = [*safe, *inner]
        return out, self._either(out, s, cond, (code, *instead), inner, ends)

    def _either(
        self, out: list[Stmt], s: Stmt, cond: Atom, raised: Ends, inner: list[Stmt], ends: Ends
    ) -> Ends:
        """Emits a branch with the code and values of both paths; lengths among these are joined."""
        code, *instead = raised
        results = [Var("v", a.type) for a in instead]
        pairs = zip(instead, results, strict=True)
        f = replaced_by({a: r for a, r in pairs if isinstance(a, Var)})
        for r in results:
            r.type = map_type(r.type, f)
        joined = (Var("raised", code.type), *results)
        out.append(If(cond, (), tuple(inner), raised, ends, joined, s.loc))
        return joined

    def _of_if(self, s: If, out: list[Stmt]) -> tuple[Atom, Atom, list[Stmt]]:
        """Whether a branch raises, the code, and the statement that makes its values then."""
        refuse_effects((s,), self.codes)  # the copy runs, then the branch
        (copy,), _ = copied((s,), {})
        assert isinstance(copy, If)
        then, (one,) = self.block(copy.then, (), ())
        orelse, (other,) = self.block(copy.orelse, (), ())
        if not then and isinstance(one, Const) and one.value and other is NOTHING:
            return s.cond, one, [s] if s.orelse else []
        code = Var("raised", INT)
        out.append(If(s.cond, tuple(then), tuple(orelse), (one,), (other,), (code,), s.loc))
        return self._emitted(out, "ne", code, 0), code, [s]

    def _of_loop(self, s: For | While) -> tuple[Stmt, Var]:
        """A loop that carries the code: trips after the first that raises compute nothing."""
        if isinstance(s, While) and any(catches(t, self.codes) for t in s.test):
            raise undecided("the test of this 'while' may raise", s.loc)
        before, code, body = Var("raised", INT), Var("raised", INT), list[Stmt]()
        cond = self._emitted(body, "ne", before, 0)
        inner, ends = self.block(s.body, s.yields, s.params)
        ends = self._either(body, s, cond, (before, *s.params), inner, ends)
        new: dict[str, Any] = {
            "params": (*s.params, before), "inits": (*s.inits, NOTHING), "body": tuple(body),
            "yields": (*ends[1:], ends[0]), "results": (*s.results, code),
        }  # fmt: skip
        if isinstance(s, While):
            test = list(s.test)
            going = self._emitted(test, "eq", before, 0)
            new["cond"] = self._emitted(test, "logical_and", s.cond, going)
            new["test"] = tuple(test)
        return altered(s, **new), code

    def _condition(self, s: Def, out: list[Stmt]) -> Atom:
        """Whether an operation raises, from its operands."""
        rule = CONDITIONS.get(s.op)
        if rule is None:
            name = s.params["back"].name if s.op is callbacks.call_back else s.op.name
            raise undecided(f"whether {name}() raises is not known before it runs", s.loc)
        with self.b.block() as made:
            cond = atom(rule(self.b, *s.args, **s.params))
        out.extend(made)
        return cond

    def _emitted(self, out: list[Stmt], op: str, *args: Any) -> Atom:
        with self.b.block() as made:
            result = self.b(op, *args)
        out.extend(made)
        return atom(result)


def first_shown(block: Sequence[Stmt]) -> Def | None:
    """The first operation with an effect outside of statements, besides their results."""
    shows = _showing(block)
    return next((s for s in walk(block) if isinstance(s, Def) and shows(s)), None)


def _showing(block: Sequence[Stmt]) -> Callable[[Def], bool]:
    classes = AliasClasses(Function("", (), tuple(block), ()))
    outside = {classes.of(v) for v in free_variables(tuple(block)) if is_reference(v.type)}

    def shows(d: Def) -> bool:
        if d.op.writes:
            return classes.of(d.args[0]) in outside
        return d.op in WRITTEN or d.op.draws

    return shows


def refuse_effects(block: Sequence[Stmt], codes: Codes) -> None:
    """Refuses statements with an effect outside although a later one of them may raise."""
    shows = _showing(block)

    def scan(stmts: Sequence[Stmt], shown: Def | None) -> Def | None:
        """The first statement with an effect outside, if there is one."""
        for s in stmts:
            if isinstance(s, Def):
                if shown is not None and catches(s, codes):
                    raise Shown(shown.loc)
                shown = s if shown is None and shows(s) else shown
                continue
            parts = blocks(s)
            for _ in range(1 if isinstance(s, If) else 2):  # the next trip comes after this one
                left = [scan(p, shown) for p in parts]
                shown = next((d for d in left if d is not None), None)
        return shown

    scan(block, None)


# ---- whether an operation raises, by its operands ----
def _any(b: Builder, conditions: Sequence[Any]) -> Any:
    return reduce(lambda a, c: b.logical_or(a, c), conditions, False)


def _outside(b: Builder, i: Any, n: Any, axis: int = 0) -> Any:
    return b.logical_or(b.lt(i, b.neg(n)), b.ge(i, n))


def _some_outside(b: Builder, i: Any, n: Any, axis: int = 0) -> Any:
    bad = _outside(b, i, n)
    return b.any(bad, axes=tuple(range(bad.type.ndim)))


def _without_elements(b: Builder, x: Any, axes: tuple[int, ...], **params: Any) -> Any:
    return _any(b, [b.eq(x.type.dims[k], 0) for k in axes])


def _differ(b: Builder, *dims: Any, split: int) -> Any:
    """Whether lengths do not broadcast."""
    pairs = zip(reversed(dims[:split]), reversed(dims[split:]), strict=False)
    return _any(b, [
        b.logical_and(b.ne(m, n), b.logical_and(b.ne(m, 1), b.ne(n, 1)))
        for m, n in pairs
    ])  # fmt: skip


def _do_not_fit(b: Builder, *dims: Any, split: int) -> Any:
    """Whether lengths cannot be stored to those of a target."""
    target, value = dims[:split], dims[split:]
    extra = value[: max(len(value) - len(target), 0)]
    pairs = zip(reversed(target), reversed(value), strict=False)
    bad = [b.logical_and(b.ne(m, n), b.ne(n, 1)) for m, n in pairs]
    return _any(b, [*bad, *(b.ne(n, 1) for n in extra)])


def _singular(b: Builder, a: Any, *rhs: Any) -> Any:
    """Whether a matrix has a pivot of zero: its determinant is exactly zero then."""
    return b.eq(b.detsign(a), 0)


def _zero_on_diagonal(b: Builder, a: Any, rhs: Any, unit: bool, **params: Any) -> Any:
    """Whether a triangular matrix is singular."""
    if unit:
        return False
    k = b.iota(a.type.dims[-1])
    zero = b.eq(b.gather(a, k, k, spec=(*":" * (a.type.ndim - 2), "a", "a")), 0)
    return b.any(zero, axes=tuple(range(zero.type.ndim)))


def _indefinite(b: Builder, a: Any) -> Any:
    return b.eq(b.definite(a), 0)


def _has_nan(b: Builder, a: Any, *others: Any, **params: Any) -> Any:
    """Whether a matrix has a NaN: LAPACK finds the singular values of any other."""
    return b.any(b.isnan(a), axes=tuple(range(a.type.ndim)))


def _not_finite(b: Builder, a: Any, **params: Any) -> Any:
    """Whether a matrix has an element that NumPy refuses before it looks for eigenvalues."""
    return b.any(b.logical_not(b.isfinite(a)), axes=tuple(range(a.type.ndim)))


def _never(b: Builder, a: Any, **params: Any) -> bool:
    """False: the iteration for symmetric matrices converges. Should it fail, no handler runs."""
    return False


SVD = (
    singular_vectors.svd, singular_vectors.full_svd, singular_vectors.singular_values,
    least_squares.lstsq, least_squares.pinv,
)  # fmt: skip
OF_MATRICES = (_singular, _indefinite, _zero_on_diagonal, _has_nan, _not_finite, _never)
PLACES = (memory.index, memory.indices, memory.check_range)
CONDITIONS: dict[Primitive, Callable[..., Any]] = {
    memory.index: _outside,
    memory.indices: _some_outside,
    memory.check_equal: lambda b, m, n, **params: b.ne(m, n),
    memory.check_broadcast: _differ,
    memory.check_assign: _do_not_fit,
    memory.trips: lambda b, start, stop, step: b.eq(step, 0),
    cholesky_factors.cholesky: _indefinite,
    linalg.solve: _singular,
    linalg.inv: _singular,
    triangular.solve_triangular: _zero_on_diagonal,
    factorisations.eigh: _never,
    factorisations.eig: _not_finite,
    **dict.fromkeys(SVD, _has_nan),
    **dict.fromkeys((reductions.max, reductions.min), _without_elements),
    **dict.fromkeys((reductions.argmax, reductions.argmin), _without_elements),
    **dict.fromkeys((scans.softmax, scans.log_softmax), _without_elements),
}


def raised_by(d: Def) -> type[BaseException] | None:
    """The class that an operation raises; None if a check before it has ruled that out."""
    if is_mark(d):
        return None
    if d.op in (memory.fail, memory.check_equal):
        return class_of(d.params.get("kind", "ValueError"))
    if d.op in PLACES:
        return IndexError
    if d.op is report:  # if a filter makes it an error: no handler takes it then
        return None
    if d.op is elementwise.floordiv:  # of scalars, after a check; arrays may be divided by zero
        return None
    if d.op is callbacks.call_back:
        return BaseException
    if d.op is draw:
        sure = never_raises(d.params["words"], d.params["rank"], len(d.args))
        return None if sure else BaseException
    of_matrices = CONDITIONS.get(d.op, _singular) in OF_MATRICES
    return np.linalg.LinAlgError if of_matrices else ValueError
