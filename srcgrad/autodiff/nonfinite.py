"""Values that may be infinite or NaN although all inputs are finite.

A zero adjoint (from the side that a select did not take, of an unused element) times such a value
must stay zero: there the product absorbs. Elsewhere it is a plain product. Never looks at numbers:
quotients, logarithms, exponentials and the like are suspect, and values computed from them; data
are suspect where the program itself tests whether something is finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from srcgrad.autodiff.activity import Edges, followed
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import float_type, is_complex, is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import elementwise, memory, reductions

ASKING = frozenset((elementwise.isnan, elementwise.isinf, elementwise.isfinite))
TINY = 1e-100  # quotients by more than this do not overflow on data of ordinary size


class MayBeNonFinite:
    """`may_be_nonfinite(atom)`: whether a value may be infinite or NaN."""

    def __init__(self, function: Function, classes: AliasClasses):
        self.classes = classes
        suspect: set[Var] = set()
        self._edges: Edges = {}  # from values to those that are computed of them
        statements = walk(function.body)
        self._bounds = LowerBounds(statements, classes)
        if any(isinstance(s, Def) and s.op in ASKING for s in statements):
            suspect.update(self._key(p) for p in function.params if float_type(p.type))
        for s in statements:
            suspect.update(self._key(v) for v in self._suspect(s))
        self._found = followed(suspect, self._edges)

    def __call__(self, a: Atom) -> bool:
        return _is_nonfinite(a) if isinstance(a, Const) else self._key(a) in self._found

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def _suspect(self, s: Stmt) -> Iterator[Var]:
        """The values of a statement that are suspect whatever others are; notes its edges."""
        for v, sources in _flows(s):
            if not isinstance(v, Var) or not float_type(v.type):
                continue
            if isinstance(s, Def) and s.var is v and not self.stays_finite(s):
                yield v
            for a in sources:
                if isinstance(a, Var):
                    self._edges.setdefault(self._key(a), []).append(self._key(v))
                elif _is_nonfinite(a):
                    yield v

    def stays_finite(self, s: Def) -> bool:
        """Whether value and partials of an operation are finite for finite operands."""
        bound = self._bounds
        match s.op:
            case elementwise.div | elementwise.floordiv:
                return bound.is_away_from_zero(s.args[1])
            case (
                elementwise.sqrt
                | elementwise.log
                | elementwise.log2
                | elementwise.log10
                | elementwise.log1p
            ):
                return bound.is_away_from_zero(s.args[0])
            case elementwise.pow | elementwise.powi:
                whole = s.op is elementwise.powi and s.params["n"] >= 0
                return whole or bound.is_away_from_zero(s.args[0])
            case _:
                if s.op.nonfinite == "complex":
                    return not is_complex(s.args[0].type.dtype)
                return not s.op.nonfinite


def _is_nonfinite(a: Const) -> bool:
    return isinstance(a.value, float) and not -math.inf < a.value < math.inf


def _flows(s: Stmt) -> Iterator[tuple[Atom, tuple[Atom, ...]]]:
    """The values that a statement makes or changes, each with what it is computed of."""
    match s:
        case Def(var=None):
            if s.args:
                yield s.args[0], s.args[1:]
        case Def(var=Var() as v):
            yield v, s.args
        case For() | While():
            for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                yield p, (init, new)
                yield r, (p,)
        case If():
            for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
                yield r, (x, y)
        case _:
            pass


class LowerBounds:
    """Lower bounds of values from the form of their formulas: sums of squares and a constant.

    A formula does not bound an array that is stored to.
    """

    def __init__(self, statements: list[Stmt], classes: AliasClasses):
        self._definition = {
            s.var: s
            for s in statements
            if isinstance(s, Def) and s.var is not None
            if not is_reference(s.var.type) or classes.is_pure(s.var)
        }
        self._known: dict[Var, float] = {}

    def is_away_from_zero(self, a: Atom) -> bool:
        if isinstance(a, Const):
            return a.value != 0
        return self.of(a) > TINY or self._replaces_zero(a)

    def _made_by(self, a: Atom) -> Def | None:
        return self._definition.get(a) if isinstance(a, Var) else None

    def _replaces_zero(self, a: Atom) -> bool:
        """Whether this is `where(x == 0, c, x)`, for an x that is 0 or more."""
        d = self._made_by(a)
        if d is None or d.op is not elementwise.where:
            return False
        test, other = self._made_by(d.args[0]), d.args[2]
        if test is None or test.op is not elementwise.eq or test.args[0] is not other:
            return False
        zero = isinstance(test.args[1], Const) and test.args[1].value == 0
        return zero and self.is_away_from_zero(d.args[1]) and self.of(other) >= 0

    def of(self, a: Atom) -> float:
        if isinstance(a, Const):
            return -math.inf if is_complex(a.type.dtype) else float(a.value)
        if is_complex(a.type.dtype):
            return -math.inf
        if a not in self._known:
            self._known[a] = -math.inf  # a recursion: nothing is known
            d = self._definition.get(a)
            self._known[a] = -math.inf if d is None else self._formula(d)
        return self._known[a]

    def _formula(self, d: Def) -> float:
        match d.op, d.args:
            case elementwise.add, (a, b):
                return self.of(a) + self.of(b)
            case elementwise.mul, (a, b):
                low = self.of(a), self.of(b)
                return low[0] * low[1] if min(low) >= 0 else 0.0 if a is b else -math.inf
            case elementwise.powi, (a,):
                even = d.params["n"] % 2 == 0 and d.params["n"] > 0
                return max(self.of(a), 0.0) ** d.params["n"] if even else -math.inf
            case elementwise.sqrt, (a,) if self.of(a) >= 0:
                return math.sqrt(self.of(a))
            case elementwise.maximum, (a, b):
                return max(self.of(a), self.of(b))
            case elementwise.larger, (Const() as a, b):
                return max(self.of(a), self.of(b))
            case elementwise.larger, (_, b):  # the first may be NaN
                return self.of(b)
            case elementwise.abs, (a,):
                return max(self.of(a), 0.0)
            case (
                (elementwise.cast | reductions.broadcast_to | memory.copy | memory.view),
                (a, *_),
            ):
                return self.of(a)
            case _:
                return -math.inf
