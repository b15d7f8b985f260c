"""Which values may be infinite or NaN although all inputs are finite.

A zero adjoint (of what a select did not take, of an element nobody used) times such a value must
stay zero: there the product absorbs. Elsewhere it is a plain product. Never looks at numbers:
quotients, logarithms, exponentials and the like are suspect, and what is computed from them; data
are suspect where the program itself asks whether something is finite.
"""

from __future__ import annotations

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Var, While
from srcgrad.ir.types import float_type, is_reference
from srcgrad.ir.walk import walk

SUSPECT = frozenset(
    ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sinh", "cosh", "tan", "pow", "sqrt",
     "arcsin", "arccos", "arccosh", "arctanh", "logaddexp", "solve", "inv", "cholesky",
     "logabsdet", "fmod", "mod")
)  # fmt: skip
ASKING = frozenset(("isnan", "isinf", "isfinite"))


class Suspects:
    """`suspects(atom)`: whether a value may be infinite or NaN."""

    def __init__(self, function: Function, classes: AliasClasses):
        self.classes = classes
        self._found: set[Var] = set()
        statements = list(walk(function.body))
        if any(isinstance(s, Def) and s.op.name in ASKING for s in statements):
            self._found.update(self._key(p) for p in function.params if float_type(p.type))
        size = -1
        while size != len(self._found):
            size = len(self._found)
            for s in statements:
                self._step(s)

    def __call__(self, a: Atom) -> bool:
        if isinstance(a, Const):
            return isinstance(a.value, float) and not -float("inf") < a.value < float("inf")
        return self._key(a) in self._found

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def _add(self, v: Atom, sources: tuple[Atom, ...]) -> None:
        if isinstance(v, Var) and float_type(v.type) and any(self(a) for a in sources):
            self._found.add(self._key(v))

    def _step(self, s: object) -> None:
        match s:
            case Def(var=None):
                self._add(s.args[0], s.args[1:]) if s.args else None
            case Def(var=Var() as v):
                if _is_source(s) and float_type(v.type):
                    self._found.add(self._key(v))
                self._add(v, s.args)
            case For() | While():
                for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                    self._add(p, (init, new))
                    self._add(r, (p,))
            case If():
                for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    self._add(r, (x, y))


def _is_source(s: Def) -> bool:
    if s.op.name == "div":
        divisor = s.args[1]
        return not (isinstance(divisor, Const) and divisor.value != 0)
    if s.op.name == "powi":
        return s.params["n"] < 0
    return s.op.name in SUSPECT
