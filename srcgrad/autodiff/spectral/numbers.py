"""The function f of a matrix function, derived from the vectors that scale its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.autodiff.spectral.chains import COLUMN, ROW, VECTOR, Scale
from srcgrad.autodiff.spectral.decompositions import VALUES, Decompositions, Role, is_still
from srcgrad.autodiff.spectral.scalars import ScalarFunction, needed
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, Stmt, Var
from srcgrad.ir.types import Array, Scalar, float_type, same_dim
from srcgrad.primitives import memory, reductions
from srcgrad.primitives.registry import REGISTRY


class Unlike(Exception):
    """The vectors are not values of one function of the eigenvalues."""


class Numbers:
    """Turns elementwise operations on all values into a function of one value.

    Their other inputs are operands: a number, or an integer or a boolean for each of the
    values. With floats that differ it would be undetermined where values repeat.
    """

    def __init__(self, found: Decompositions, b: Builder, role: Role, values: Var):
        self.found, self.b, self.role, self.values = found, b, role, values
        self.scalars = Builder(REGISTRY)
        self.x = Var("x", Scalar(values.type.dtype))
        self.known: dict[tuple[Atom, str], Var] = {}
        self.others: list[tuple[Var, Var, bool]] = []  # the parameter, the operand, whether varied

    @property
    def operands(self) -> tuple[Var, ...]:
        return tuple(x for _, x, _ in self.others)

    @property
    def varied(self) -> tuple[bool, ...]:
        return tuple(v for _, _, v in self.others)

    def function(self, scales: Sequence[Scale]) -> ScalarFunction:
        s = self.scalars
        y: Any = None
        for f in scales:
            number = self.number(f.by, f.lies, f.at)
            if f.over:
                y = s("div", 1.0 if y is None else y, number)
            else:
                y = number if y is None else s("mul", y, number)
        if y is None:
            y = Const(1.0, Scalar(self.values.type.dtype))
        if self.role.span is not None:
            y = s("where", self._kept(*self.role.span), y, s.cast(0.0, Scalar(y.type.dtype)))
        params = (self.x, *(p for p, _, _ in self.others))
        made = ScalarFunction(params, needed(s.out, y), y)
        try:
            made.slope().slope()
        except UnsupportedError:
            raise Unlike from None
        return made

    def ruled(self, f: ScalarFunction) -> tuple[bool | None, ...]:
        """Whether f has a derivative in each other operand; None: it has none, not even zero."""
        return tuple(self._has_derivative(f, p) for p, _, _ in self.others)

    def _has_derivative(self, f: ScalarFunction, p: Any) -> bool | None:
        if not float_type(p.type):
            return False
        try:
            one = Const(1.0, Scalar(p.type.dtype))
            made = f.derivative({p: one}).result
        except UnsupportedError:
            return None
        return not (isinstance(made, Const) and made.value == 0.0)

    def _kept(self, start: Atom, length: Atom) -> Var:
        """An operand that tells whether a value is one of those that are taken."""
        b = self.b
        places = b.iota(self.values.type.dims[-1])
        kept = b.logical_and(b.ge(places, start), b.lt(places, b.add(start, length)))
        return self._other(kept, True)

    def _other(self, x: Var, varied: bool) -> Var:
        t: Any = x.type
        p = Var(x.name, Scalar(t.dtype) if isinstance(t, Array) else t)
        self.others.append((p, x, varied))
        return p

    # ---- reading ----
    def number(self, a: Atom, lies: str, at: Stmt) -> Atom:
        """The scalar in f for an element of a vector."""
        if not isinstance(a, Var):
            return a
        if not isinstance(a.type, Array):
            return self.leaf(a, VECTOR, False)
        r = self.found.role(a, at)
        if r is not None:
            if r.part != VALUES or not r.fits(self.role):
                raise Unlike
            return self.scalars.cast(self.x, Scalar(a.type.dtype))
        axis = 2 if lies == COLUMN else 1
        dims = a.type.dims
        if len(dims) < axis or (isinstance(dims[-axis], int) and dims[-axis] == 1):
            return self.leaf(a, lies, False)
        if not float_type(a.type) and not self.found.depends(a, self.role.of):
            return self.leaf(a, lies, True)
        d = self.found.contents(a, at)
        if d is None:
            raise Unlike
        return self.made(d, lies, at if d.op.view else d)

    def made(self, d: Def, lies: str, at: Stmt) -> Atom:
        if d.op.elementwise:
            args = [self.number(a, lies, at) for a in d.args]
            return self.scalars(d.op, *args, **d.params)
        if d.op in (memory.copy, reductions.broadcast_to) or (
            d.op is memory.transpose and is_still(d)
        ):
            return self.number(d.args[0], lies, at)
        if d.op is memory.view and set(d.params["spec"]) <= {":", "n"}:
            return self.number(d.args[0], _before_axes(d.params["spec"], lies), at)
        raise Unlike

    def leaf(self, a: Var, lies: str, varied: bool) -> Var:
        key = (a, lies)
        if key not in self.known:
            if varied and not self._is_beside(a, lies):
                raise Unlike
            if isinstance(a.type, Array) and not self.found.classes.is_pure(a):
                raise Unlike
            self.known[key] = self._other(self._as_vector(a, lies), varied)
        return self.known[key]

    def _is_beside(self, a: Var, lies: str) -> bool:
        """Whether an operand has an element for each of all the values."""
        length = a.type.dims[-2 if lies == COLUMN else -1]
        return self.role.span is None and same_dim(length, self.values.type.dims[-1])

    def _as_vector(self, a: Var, lies: str) -> Any:
        """An operand in its orientation beside the values."""
        n = len(a.type.dims) if isinstance(a.type, Array) else 0
        if n == 0:
            return self.b.value(a)
        if lies == ROW and n > 1:
            return self._without(a, n - 2)
        if lies == COLUMN:
            return self.b.load(a, 0) if n == 1 else self._without(a, n - 1)
        return a

    def _without(self, a: Var, axis: int) -> Any:
        """An array without an axis of length 1."""
        dims = a.type.dims
        if not isinstance(dims[axis], int) or dims[axis] != 1:
            raise Unlike
        spec = tuple("i" if k == axis else ":" for k in range(len(dims)))
        return self.b.view(a, 0, spec=spec)


def _before_axes(spec: tuple[str, ...], lies: str) -> str:
    """The orientation of a vector before new axes were inserted."""
    axis = 2 if lies == COLUMN else 1
    if spec[-axis] != ":":
        raise Unlike
    if lies == COLUMN:
        return VECTOR if spec[-1] == "n" else COLUMN
    return VECTOR if lies == ROW and len(spec) > 1 and spec[-2] == "n" else lies
