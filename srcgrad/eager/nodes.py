"""The nodes of the hot path: one tensor and at most one Python number, or two like tensors.

No broadcasting and no change of dtype: everything else is `generic_node`. A node saves what its
rule reads and compares its version; the rules come from the table. Writes no derivative.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from srcgrad.eager import devices
from srcgrad.eager.holders import IN_CALLERS_VARIABLE, references
from srcgrad.eager.saved import Saved, fitted, modified, rebuilt
from srcgrad.eager.tensor import Storage, Tensor
from srcgrad.primitives import numpy_fast_paths
from srcgrad.primitives.rules import product

_ndarray = np.ndarray
_multiply = np.multiply


class OfInput(Saved):
    """f(x), its partial read from x."""

    __slots__ = ("version", "x")
    # computes the partial as a new array, which may hold the product; None: the rule does
    partial: ClassVar[Any] = None
    x: Any
    version: int  # unset where the operand had no storage: 0

    def _operand(self, keep: bool) -> Tensor:
        x = self.x
        if x is None:
            raise self.released()
        s = x._store
        if s is not None:
            saved = getattr(self, "version", 0)
            if s.version != saved:
                raise modified(self, x._a, s.version, saved)
        if not keep:
            self.x = None
        return x

    def vjp(self, g: Any, keep: bool) -> Any:
        x = self.x
        if x is None or x._store is not None:
            x = self._operand(True)
        if not keep:
            self.x = None
        partial = self.partial
        if partial is None:
            return product(g, self.rule(None, x._a), self.singular)
        p = partial(x._a)
        return _multiply(g, p, p) if type(p) is _ndarray else g * p

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x = self._operand(keep)
        x = rebuilt(x._a, self.next, x._store)
        return product(g, self.rule_recorded(None, x), self.singular)


class OfInputAndNumber(OfInput):
    """f(x, c) or f(c, x) with a Python number c, its partial read from x."""

    __slots__ = ("c",)
    c: Any
    first: ClassVar[bool]  # x is the first argument

    def vjp(self, g: Any, keep: bool) -> Any:
        a = self._operand(keep)._a
        p = self.rule(None, a, self.c) if self.first else self.rule(None, self.c, a)
        r = product(g, p, self.singular)
        return r if r.dtype is g.dtype else devices.array_of(r, g.dtype)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x = self._operand(keep)
        x = rebuilt(x._a, self.next, x._store)
        rule = self.rule_recorded
        p = rule(None, x, self.c) if self.first else rule(None, self.c, x)
        return fitted(product(g, p, self.singular), x, recorded=True)


class Power(OfInputAndNumber):
    """x ** n with an integer n other than 0 and 1: finite at finite x if n is positive."""

    __slots__ = ()

    def vjp(self, g: Any, keep: bool) -> Any:
        n = self.c
        if n < 0:
            return super().vjp(g, keep)
        a = self._operand(keep)._a
        made = g * self.rule(None, a, n)
        # an adjoint of zero next to an infinite x stays zero
        finite = numpy_fast_paths.all_finite(made)
        return made if finite else product(g, self.rule(None, a, n), True)


class OfResult(Saved):
    """f(x), its partial read from the result."""

    __slots__ = ("out", "version", "y")
    partial: ClassVar[Any] = None  # as above
    y: Any
    out: Storage | None  # set by the tensor when it gets one
    version: int

    def _result(self, keep: bool) -> Any:
        y = self.y
        if y is None:
            raise self.released()
        if self.out is not None and self.out.version != self.version:
            raise modified(self, y, self.out.version, self.version)
        if not keep:
            self.y = None
        return y

    def vjp(self, g: Any, keep: bool) -> Any:
        y, partial = self._result(keep), self.partial
        if partial is None:
            return product(g, self.rule(y, None), self.singular)
        p = partial(y)
        return _multiply(g, p, p) if type(p) is _ndarray else g * p

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        y = rebuilt(self._result(keep), self, self.out)
        return product(g, self.rule_recorded(y, None), self.singular)


class Scaling(Saved):
    """A sum or product with a Python number: the partial is a number, nothing is saved."""

    __slots__ = ("p",)
    p: Any  # a number, or a 0-d array of the gradient's dtype
    passes: ClassVar[bool]  # it is the number that the tensor was multiplied with

    def vjp(self, g: Any, keep: bool) -> Any:
        p = self.p
        if type(p) is _ndarray:
            # into the gradient's own memory if nothing else holds it
            if references(g) == IN_CALLERS_VARIABLE and g.base is None and g.ndim:
                return _multiply(g, p, g)
            return _multiply(g, p)
        return g if p == 1.0 else g * p

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        p = self.p.item() if type(self.p) is _ndarray else self.p
        return g if p == 1.0 else g * p


class Pair(Saved):
    """f(x, z) of two tensors of the same shape and dtype, a gradient wanted for either or both."""

    __slots__ = ("versions", "x", "z")
    many = True
    rules: ClassVar[tuple]
    rules_recorded: ClassVar[tuple]
    reads_x: ClassVar[tuple[bool, bool]]  # whether the rule for x, for z, reads x
    reads_z: ClassVar[tuple[bool, bool]]
    x: Any
    z: Any
    versions: tuple[int, int]

    def _operands(self, keep: bool) -> tuple:
        x, z = self.x, self.z
        if x is RELEASED:
            raise self.released()
        for operand, saved in ((x, self.versions[0]), (z, self.versions[1])):
            if operand is not None and (s := operand._store) is not None and s.version != saved:
                raise modified(self, operand._a, s.version, saved)
        if not keep and not (x is None and z is None):
            self.x = self.z = RELEASED
        return x, z

    def vjp(self, g: Any, keep: bool) -> Any:
        x, z = self._operands(keep)
        a, b = None if x is None else x._a, None if z is None else z._a
        one, other = self.next
        r0, r1 = self.rules
        return (
            None if one is None else product(g, r0(None, a, b), self.singular),
            None if other is None else product(g, r1(None, a, b), self.singular),
        )

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x, z = self._operands(keep)
        one, other = self.next
        x = None if x is None else rebuilt(x._a, one, x._store)
        z = None if z is None else rebuilt(z._a, other, z._store)
        r0, r1 = self.rules_recorded
        return (
            None if one is None else product(g, r0(None, x, z), self.singular),
            None if other is None else product(g, r1(None, x, z), self.singular),
        )


RELEASED: Any = object()
