"""Recognises functions of matrices, V f(w) V' and U f(s) V', and gives them their derivatives.

Vectors of values that repeat are not determined, but such a product is a smooth function of the
matrix. The values remain those that the program computes. Products that are not recognised keep the
derivatives of their steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.autodiff.spectral.chains import Chains, Factor, Other, Scale, Vectors
from srcgrad.autodiff.spectral.decompositions import (
    LEFT,
    RIGHT,
    VALUES,
    Decomposition,
    Decompositions,
    Role,
)
from srcgrad.autodiff.spectral.numbers import Numbers, Unlike
from srcgrad.autodiff.spectral.rules import attached, differentiated, following, is_recognised
from srcgrad.autodiff.spectral.terms import Operands, Term
from srcgrad.autodiff.traced import Tracer
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Def, Function, Stmt, Var, altered, atom
from srcgrad.ir.types import Scalar, same_dims
from srcgrad.ir.walk import map_atoms, walk
from srcgrad.primitives import arrays, factorisations, singular_vectors
from srcgrad.primitives.registry import REGISTRY

PRODUCTS = (arrays.matmul, arrays.matvec)


def with_matrix_functions(function: Function) -> Function:
    """The function whose matrix functions have derivatives of their own; itself without any."""
    return _Recognised(function).function()


class _Recognised:
    def __init__(self, function: Function):
        self.of = function
        self.found = Decompositions(function)
        self.chains = Chains(self.found)
        self.b = Builder(REGISTRY)
        self.b.definition.update(self.found.definition)
        self.before: dict[Stmt, list[Stmt]] = {}
        self.after: dict[Stmt, list[Stmt]] = {}
        self.renamed: dict[Stmt, Def] = {}
        self.made: dict[Any, tuple[Var, ...] | None] = {}  # by decomposition
        found = (s for s in walk(function.body) if isinstance(s, Def) and is_recognised(s))
        self.done = {s.args[0] for s in found}

    def function(self) -> Function:
        for s in walk(self.of.body):
            if isinstance(s, Def) and s.op in PRODUCTS and s.var not in self.done:
                self.product(s)
        return self.of.with_body(self._woven(self.of.body)) if self.renamed else self.of

    def _woven(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            new = self.renamed.get(s) or map_atoms(s, lambda a: a, self._woven)
            out += [*self.before.get(s, []), new, *self.after.get(s, [])]
        return tuple(out)

    # ---- products ----
    def product(self, s: Def) -> None:
        """Gives a product its derivatives, if two of its factors are vectors of one function."""
        left, right = self.chains.product(s)
        k = next((i for i, f in enumerate(reversed(left)) if not isinstance(f, Scale)), len(left))
        j = next((i for i, f in enumerate(right) if not isinstance(f, Scale)), len(right))
        if k == len(left) or j == len(right):
            return
        first, last = left[-1 - k], right[j]
        scales = [f for f in (*left[len(left) - k :], *right[:j]) if isinstance(f, Scale)]
        before, after = left[: -1 - k], right[j + 1 :]
        if not isinstance(first, Vectors) or not isinstance(last, Vectors):
            return
        others = [f for f in (*before, *after) if not isinstance(f, Other)]
        if others or not _belong(first.role, last.role):
            return
        if self.found.before(first.role.of, s):
            self._recognised(s, first.role, scales, before, after)

    def _recognised(
        self, s: Def, role: Role, scales: list[Scale], before: list[Factor], after: list[Factor]
    ) -> None:
        parts = self._parts(role.of)
        if parts is None:
            return
        b = self.b
        assert s.var is not None
        with b.block() as out:
            b.loc = s.loc
            try:
                term, of = self._term(s, role, scales, parts)
            except Unlike:
                return
            value = Var(s.var.name, s.var.type)
            if not before and not after:
                attached(b, term, of, value, s.var)
            else:
                made = self._around(differentiated(b, term, of), before, after)
                following(b, value, made, s.var)
        self.renamed[s] = altered(s, var=value)
        self.after.setdefault(s, []).extend(out)
        self.chains.whole.add(s.var)

    def _around(self, made: Any, before: list[Factor], after: list[Factor]) -> Any:
        """The product of a matrix function with the factors before and after it."""
        b = self.b
        for f in reversed(before):
            made = b.matmul(b.cast(self._other(f), Scalar(made.type.dtype)), made)
        for f in after:
            x = b.cast(self._other(f), Scalar(made.type.dtype))
            made = (b.matmul if x.type.ndim > 1 else b.matvec)(made, x)
        return made

    def _other(self, f: Factor) -> Any:
        assert isinstance(f, Other)
        x = f.matrix
        n = x.type.ndim
        return self.b.transpose(x, perm=(*range(n - 2), n - 1, n - 2)) if f.turned else x

    def _term(
        self, s: Def, role: Role, scales: Sequence[Scale], parts: tuple[Var, ...]
    ) -> tuple[Term, Operands]:
        """The matrix function with the vectors of a role and these scalings."""
        b = self.b
        matrix, values, left, right = self._shaped(s, role, parts)
        numbers = Numbers(self.found, b, role, values)
        f = numbers.function(scales)
        ruled = numbers.ruled(f)
        term = Term(f, role.of.symmetric, s.var.type.dtype, ruled, numbers.varied)  # type: ignore[union-attr]  (a product has a result)
        return term, Operands(matrix, (), numbers.operands, values, left, right)

    # ---- the parts of a decomposition ----
    def _shaped(self, s: Def, role: Role, parts: tuple[Var, ...]) -> tuple[Any, ...]:
        """The matrix, values, left and right vectors, in stacks like those of the product."""
        b, (matrix, values, left, right) = self.b, parts
        lead = s.var.type.dims[:-2]  # type: ignore[union-attr]  (a product has a result)
        if role.of.loop is not None:
            matrix, values, left, right = (
                b.reshape(x, *map(atom, (*lead, *x.type.dims[1:]))) for x in parts
            )
        elif lead:
            raise Unlike
        if role.part == RIGHT:
            n = matrix.type.ndim
            turned = b.copy(b.transpose(matrix, perm=(*range(n - 2), n - 1, n - 2)))
            return turned, values, right, left
        return matrix, values, left, right

    def _parts(self, of: Decomposition) -> tuple[Var, ...] | None:
        """Copies of the matrix, the values, left and right vectors, made right after them."""
        key = (of.step, of.loop)
        if key not in self.made:
            self.made[key] = self._of_stack(of) if of.loop is not None else self._of_step(of.step)
        return self.made[key]

    def _of_step(self, step: Def) -> tuple[Var, ...]:
        b, y, a = self.b, step.var, step.args[0]
        assert y is not None and isinstance(a, Var)
        m, n = a.type.dims
        with b.block() as out:
            b.loc = step.loc
            values = b.copy(b.view(y, 0, spec=("i", ":")))
            left = b.copy(b.view(y, 1, m, 1, spec=("s", ":")))
            right = left
            if step.op is singular_vectors.svd:
                right = b.copy(b.view(y, b.add(m, 1), n, 1, spec=("s", ":")))
            matrix = self._matrix(step, a, y.type.dims[-1])
        self.after.setdefault(step, [])[:0] = out
        return matrix, values, left, right

    def _matrix(self, step: Def, a: Var, n: Any) -> Var:
        """The decomposed matrices, symmetric ones as represented by the triangle that is read."""
        b = self.b
        if step.op is singular_vectors.svd:
            return b.copy(a)
        lead = a.type.ndim - 2
        if not same_dims(a.type.dims[-2:], (n, n)):
            a = b.view(a, 0, n, 1, 0, n, 1, spec=(*":" * lead, "s", "s"))
        known = Tracer(b, Scalar(a.type.dtype)).known(a)
        return factorisations.stated(known, step.params["lower"]).atom

    def _of_stack(self, of: Decomposition) -> tuple[Var, ...] | None:
        b, step, loop = self.b, of.step, of.loop
        assert loop is not None
        a, slabs = self.found.stack_of(step, loop), self.found.slabs(of)
        if a is None or LEFT not in slabs or (not of.symmetric and RIGHT not in slabs):
            return None
        _, m, n = a.type.dims
        slab, turned = slabs[LEFT]
        k = m if of.symmetric else slab.type.dims[1 if turned else 2]
        values, _ = slabs.get(VALUES) or (self._stored_values(of, k), False)
        count = loop.stop
        with b.block() as out:
            b.loc = step.loc
            values = b.reshape(b.copy(values), count, k)
            left = self._slab(slabs[LEFT], count, m, k)
            right = left if of.symmetric else self._slab(slabs[RIGHT], count, n, k)
            matrix = self._matrix(step, a, m)
        self.after.setdefault(loop, [])[:0] = out
        return matrix, values, left, right

    def _stored_values(self, of: Decomposition, k: Any) -> Var:
        """Memory for the values of each matrix, which the program does not store."""
        b, loop, y = self.b, of.loop, of.step.var
        assert loop is not None and y is not None
        with b.block() as out:
            made = b.zeros(loop.stop, k, dtype=y.type.dtype)
        self.before.setdefault(loop, []).extend(out)
        with b.block() as out:
            place = b.view(made, loop.index, spec=("i", ":"))
            b.assign(place, b.view(y, 0, spec=("i", ":")))
        self.after.setdefault(of.step, []).extend(out)
        return made

    def _slab(self, slab: tuple[Var, bool], *dims: Any) -> Var:
        x, turned = slab
        x = self.b.transpose(x, perm=(0, 2, 1)) if turned else x
        return self.b.reshape(self.b.copy(x), *map(atom, dims))


def _belong(first: Role, last: Role) -> bool:
    """Whether vectors are at the two ends of a matrix function."""
    if not first.fits(last) or first.turned or not last.turned:
        return False
    return first.of.symmetric or {first.part, last.part} == {LEFT, RIGHT}
