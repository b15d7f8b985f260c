"""IR values that a rule computes with: operations on them are emitted through a builder.

An operand is computed only when a rule reads it; its shape and dtype are known without. Constants
take the dtype of their partner. Never copies: rules never store, so 1.0 * x is x itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcgrad.autodiff.decisions import Made
from srcgrad.ir.build import Builder, Op
from srcgrad.ir.nodes import Atom, Const, Def, Var, atom
from srcgrad.ir.types import Scalar, Type, np_dtype
from srcgrad.operation import Params, Primitive
from srcgrad.primitives import elementwise, memory
from srcgrad.primitives.registry import Operators
from srcgrad.primitives.rules import plain


class Values:
    """The source of a rule's operands; here: the operands as they are at the definition.

    Reverse mode overrides the three methods: they are called only for what a rule reads.
    """

    may_be_nonfinite: Any = None  # `nonfinite.MayBeNonFinite`: which atoms may be infinite or NaN
    roots: frozenset[Var] = frozenset()  # `roots.roots_of_squares`

    def of_forward_sweep(self, v: Var) -> bool:
        """Whether a reverse sweep recovers operands, and `v` is of the forward sweep."""
        return False

    def __init__(self, definition: Def):
        self.definition = definition

    def __call__(self, k: int) -> Atom:
        """The contents of argument `k`."""
        return self.definition.args[k]

    def result(self) -> Atom:
        """The contents of the result."""
        assert self.definition.var is not None
        return self.definition.var

    def dim(self, d: Var) -> Atom:
        """The integer that a dim of the operands' types represents."""
        return d

    def again(self, op: Op, places: list[int], params: Params) -> Atom | None:
        """The program's own result of `op` on these arguments, if available."""
        return None

    def decided(self, made: Made) -> Atom | None:
        """The saved outcome of a decision on forward values; None if it is made here."""
        return None


class Traced(Operators):
    """An IR value of a known type; its atom is emitted when it is first needed."""

    masks = True
    place: int | None = None  # its number among the arguments of the definition
    made: Atom | Made | None = None  # its forward expression; None if it reads the adjoint

    def __init__(self, tracer: Tracer, type: Type, force: Callable[[], Atom]):
        self.tracer, self.type, self._force = tracer, type, force
        self.emitted: Atom | None = None

    @property
    def atom(self) -> Atom:
        if self.emitted is None:
            self.emitted = self._force()
        return self.emitted

    @property
    def shape(self) -> tuple[Traced, ...]:
        return tuple(self.tracer.dim(d) for d in getattr(self.type, "dims", ()))

    @property
    def ndim(self) -> int:
        return len(getattr(self.type, "dims", ()))

    @property
    def dtype(self) -> np.dtype:
        return np_dtype(self.type.dtype)  # type: ignore[union-attr]  (scalars and arrays are traced)

    def apply_primitive(self, op: Primitive, args: tuple[Any, ...], params: Params) -> Any:
        return self.tracer.run(op, args, params)


class Deferred(Traced):
    """An expression over forward values alone, emitted when it is first used.

    If its use is a decision made in the forward sweep, it is not needed in the reverse sweep.
    """

    def __init__(self, tracer: Tracer, made: Made | None, force: Callable[[], Atom]):
        self.tracer, self.made, self._force = tracer, made, force
        self.emitted = None

    @property
    def type(self) -> Type:
        return self.atom.type

    @property
    def shape(self) -> tuple[Traced, ...]:
        dims = super().shape
        if not isinstance(self.made, Made):
            return dims
        return tuple(self._length(k, d) for k, d in enumerate(dims))

    def _length(self, axis: int, here: Traced) -> Traced:
        """A length that varies is one of the sweep; its forward expression is of the value."""
        if not isinstance(here.made, Const):
            here.made = Made.of(memory.dim, (self.made,), {"axis": axis})  # type: ignore[arg-type]  (not None)
        return here


class Tracer:
    """Runs a rule's primitives through a builder; `unit` is the type of masks and of zeros."""

    def __init__(self, builder: Builder, unit: Scalar, values: Values | None = None):
        self.builder, self.unit, self.values = builder, unit, values

    # ---- operands ----
    def known(self, a: Atom) -> Traced:
        traced = Traced(self, a.type, lambda: a)
        traced.made = a if isinstance(a, Const) else None
        return traced

    def dim(self, d: Any) -> Traced:
        if isinstance(d, Var) and self.values is not None:
            traced = Traced(self, d.type, partial(self.values.dim, d))
            traced.made = d if self.values.of_forward_sweep(d) else None
            return traced
        return self.known(atom(d))

    def operands(self) -> tuple[Traced | None, list[Traced]]:
        """The result and the arguments of the definition, each computed when it is read."""
        values = self.values
        assert values is not None
        d = values.definition
        y = None if d.var is None else Traced(self, d.var.type, values.result)
        args = [Traced(self, a.type, partial(values, k)) for k, a in enumerate(d.args)]
        for k, a in enumerate(args):
            a.place = k
            a.made = _forward(values, d.args[k])
        if y is not None:
            y.made = _forward(values, d.var)
        return y, args

    def made(self, op: Primitive, args: tuple[Any, ...], params: Params) -> Made | None:
        """The operation as a forward expression; None unless it reads forward values alone."""
        parts = [a.made if isinstance(a, Traced) else atom(a) for a in args]
        if all(p is None or isinstance(p, Const) for p in parts):
            return None
        known = [p for p in parts if p is not None]
        return Made.of(op, known, params) if len(known) == len(parts) else None

    def typed(self, a: Any) -> Any:
        """A literal with the dtype that the rule works in."""
        if isinstance(a, Traced):
            return a
        return self.known(self.builder.cast(a, self.unit))

    # ---- emission ----
    def emit(self, op: Op, *args: Any, **params: Any) -> Atom:
        places = [a.place for a in args if isinstance(a, Traced) and a.place is not None]
        if self.values is not None and len(places) == len(args):
            known = self.values.again(op, places, params)
            if known is not None:
                return known
        atoms = [a.atom if isinstance(a, Traced) else atom(a) for a in args]
        return self.builder(op, *atoms, **params)

    def decide(self, made: Made, op: Primitive, args: tuple[Any, ...], params: Params) -> Atom:
        """Emits a decision, or recovers its outcome if it was made in the forward sweep."""
        assert self.values is not None
        decided = self.values.decided(made)
        return self.emit(op, *args, **params) if decided is None else decided

    def run(self, op: Primitive, args: tuple[Any, ...], params: Params) -> Any:
        args = tuple(map(plain, args))
        if op is elementwise.where:
            args = (args[0], self.typed(args[1]), self.typed(args[2]))
        if op is elementwise.mul:
            for one, other in (args, args[::-1]):
                sign = _unit_sign(one, other)
                if sign:
                    return other if sign > 0 else -other
        if op is elementwise.powi and params["n"] in (0, 1):
            return args[0] if params["n"] else 1.0
        made = self.made(op, args, params)
        if made is None:
            return self.known(self.emit(op, *args, **params))
        if op.decides:
            return Deferred(self, made, lambda: self.decide(made, op, args, params))
        return Deferred(self, made, lambda: self.emit(op, *args, **params))


def _forward(values: Values, a: Any) -> Atom | None:
    return a if isinstance(a, Const) or values.of_forward_sweep(a) else None


def _unit_sign(a: Any, other: Any) -> int:
    """1 or -1 if `a` is that constant and multiplying by it changes neither dtype nor shape."""
    if not isinstance(other, Traced):
        return 0
    if isinstance(a, Traced):
        if not isinstance(a.emitted, Const) or not (
            a.emitted.type.weak or np_dtype(a.emitted.type.dtype) == other.dtype
        ):
            return 0
        a = a.emitted.value
    return int(a) if not isinstance(a, bool | complex) and a in (1.0, -1.0) else 0


def scalar_of(type: Type) -> Scalar:
    """The scalar type of a value's elements."""
    return type if isinstance(type, Scalar) else Scalar(type.dtype)  # type: ignore[union-attr]  (an array type)
