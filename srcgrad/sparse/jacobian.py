"""`sparse_jacobian`, `sparse_hessian`: functions that return matrices as `scipy.sparse` arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcgrad.autodiff.jacobian import ROWS
from srcgrad.errors import ArgumentValueError
from srcgrad.records import record
from srcgrad.sparse.patterns import by_position, counts_of, pattern_of
from srcgrad.sparse.plans import Plan, as_pattern
from srcgrad.sparse.ravelled import Layout
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.compressed_program import SEEDS, Compressed
from srcgrad.transforms.entry_points import grad
from srcgrad.transforms.positions import checked_positions
from srcgrad.transforms.stacking import taken_apart, variadic
from srcgrad.tree import paths


def sparse_jacobian(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, sparsity: Any = None
) -> SparseJacobian:
    """The Jacobian of `fn` as a function that returns a `scipy.sparse.csr_array`.

    A row for each float that `fn` returns, a column for each float of the arguments at
    `grad_position`, all of them ravelled. Columns (or rows) that share no row (or column) are
    computed by one product, so a band takes as many products as it is wide. `sparsity` is a sparse
    array or a matrix of flags with True at least where the derivative is not zero, or the `plan`
    of another one; without it `flow.sparsity` finds it at the first call, and again where
    shapes, other arguments or captured values have changed. ArgumentValueError if a given one has
    another shape. It and its plan can be pickled.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return x[1:] ** 2 - x[:-1]
    >>> jac = flow.sparse_jacobian(flow.compile(f, target="python"))
    >>> jac(np.array([1.0, 2.0, 3.0])).toarray()
    array([[-1.,  4.,  0.],
           [ 0., -1.,  6.]])
    >>> jac.plan.products
    2
    """
    return SparseJacobian(fn, checked_positions(grad_position, None), sparsity)


def sparse_hessian(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, sparsity: Any = None
) -> SparseJacobian:
    """The Hessian of `fn`, which returns a number, as a function that returns a `csr_array`.

    A row and a column for each float of the arguments at `grad_position`, all of them ravelled. It
    is the sparse Jacobian of the gradient, but of two elements that mirror each other one is
    computed, by as many products as a star coloring has colors: two for an arrow, where columns
    without a row in common would take as many as there are. `sparsity`, its plan and errors are as
    in `sparse_jacobian`; a pattern that is not symmetric is completed.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return x[0] * np.sum(x[1:] ** 2)
    >>> hess = flow.sparse_hessian(flow.compile(f, target="python"))
    >>> hess(np.array([1.0, 2.0, 3.0, 4.0])).toarray()
    array([[0., 4., 6., 8.],
           [4., 2., 0., 0.],
           [6., 0., 2., 0.],
           [8., 0., 0., 2.]])
    >>> hess.plan.products
    2
    """
    positions = checked_positions(grad_position, None)
    return SparseJacobian(grad(fn, grad_position), positions, sparsity, symmetric=True)


FEW = 16  # products for which a program of their own is made: their loops are unrolled


class SparseJacobian:
    """The sparse Jacobian of a function: see `sparse_jacobian` and `sparse_hessian`."""

    fn: Callable[..., Any]
    positions: tuple[int, ...]
    symmetric: bool

    plan: Plan | Any  # of the last call; None before the first

    def __init__(
        self, fn: Callable[..., Any], positions: tuple[int, ...], sparsity: Any = None,
        symmetric: bool = False,
    ):  # fmt: skip
        self.fn, self.positions, self.symmetric = fn, positions, symmetric
        planned = sparsity is None or isinstance(sparsity, Plan)
        self.given: Plan | None = sparsity if planned else self._planned(as_pattern(sparsity))
        self.plan = self.given
        self._found: _Found | None = None
        self._prepare()

    def _prepare(self) -> None:
        function, spec, options = taken_apart(self.fn)
        self._function, self._options = function, options
        self._chosen = by_position(function, spec, self.positions)
        self._plain = Compiled(function, spec, options)
        named = variadic(function)

        @functools.cache
        def compiled(forward: bool, columns: int | None) -> Compiled:
            made = Compressed(
                spec, self.positions, forward=forward, columns=columns, variadic=named
            )
            return Compiled(function, made, options)

        self._compiled = compiled

    def __getstate__(self) -> dict[str, Any]:
        names = ("fn", "positions", "symmetric", "given", "plan")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _found=None)
        self._prepare()

    def __call__(self, *args: Any, **kwargs: Any) -> csr_array:
        arguments = self._plain._bind(args, kwargs)
        self.plan = plan = self._plan_for(arguments)
        if not plan.products:
            return plan.filled(np.zeros(0))
        try:
            few = plan.products if plan.products <= FEW else None
            made = self._compiled(plan.forward, few)._run(arguments, {SEEDS: plan.seeds})
        except ValueError as error:
            if self.given is None or ROWS.partition("{")[0] not in str(error):
                raise
            raise self._misfit(None) from None
        flat = [np.reshape(v, (-1, plan.products)) for v in made]
        products = np.concatenate(flat) if len(flat) > 1 else flat[0]
        if len(products) != plan.shape[not plan.forward]:
            raise self._misfit(len(products))
        return plan.filled(products)

    def _planned(self, pattern: Any) -> Plan:
        if not self.symmetric:
            return Plan.of(pattern)
        m, n = pattern.shape
        if m != n:
            raise ArgumentValueError(f"a Hessian is square, the sparsity has shape {(m, n)}")
        return Plan.symmetric(pattern)

    def _misfit(self, results: int | None) -> ArgumentValueError:
        assert self.given is not None  # a pattern that was found fits
        rows = f"{self.given.shape[0]} rows"
        others = "another number of" if results is None else results
        return ArgumentValueError(f"the sparsity has {rows}, the results have {others} floats")

    def _plan_for(self, arguments: dict[str, Any]) -> Plan:
        slots = self._chosen.slots(arguments)
        self._chosen.refuse_without_floats(slots)
        layout = Layout.of(slots)
        if self.given is not None:
            columns = self.given.shape[1]
            if layout.size != columns:
                raise ArgumentValueError(
                    f"the sparsity has {columns} columns, the arguments have {layout.size} floats"
                )
            return self.given
        if self._found is None or not self._found.holds_for(arguments, layout):
            counts = counts_of(self._function, self._options, self._chosen, arguments)
            plan = self._planned(pattern_of(counts, self._chosen, arguments))
            self._found = _Found.of(plan, layout, counts, arguments)
        return self._found.plan


@record(frozen=True, eq=False)
class _Found:
    """A plan, and what it was found for: the layout, the other leaves and the captured values."""

    plan: Plan
    layout: Layout
    others: tuple[tuple[tuple[Any, ...], Any], ...]
    counts: Compiled
    entry: Any  # the program of counts
    captured: tuple[Any, ...]  # what it reads beside its arguments

    @staticmethod
    def of(plan: Plan, layout: Layout, counts: Compiled, arguments: dict[str, Any]) -> _Found:
        given = _leaves(arguments)
        entry, captured = counts._entry_for(arguments, given)
        others = tuple((p, _copied(v)) for p, v in given if p not in layout.paths)
        return _Found(plan, layout, others, counts, entry, tuple(map(_copied, captured)))

    def holds_for(self, arguments: dict[str, Any], layout: Layout) -> bool:
        given = _leaves(arguments)
        others = [(p, v) for p, v in given if p not in layout.paths]
        if layout != self.layout or [p for p, _ in others] != [p for p, _ in self.others]:
            return False
        if not all(_same(v, w) for (_, v), (_, w) in zip(others, self.others, strict=True)):
            return False
        entry, captured = self.counts._entry_for(arguments, given)
        return entry is self.entry and all(map(_same, captured, self.captured))


def _leaves(arguments: dict[str, Any]) -> list[tuple[tuple[Any, ...], Any]]:
    return [pair for n, v in arguments.items() for pair in paths(v, (n,))]


def _copied(v: Any) -> Any:
    return v.copy() if isinstance(v, np.ndarray) else v


def _same(v: Any, w: Any) -> bool:
    if isinstance(v, np.ndarray) and isinstance(w, np.ndarray):
        alike = v.shape == w.shape and v.dtype == w.dtype and np.array_equal(v, w)
        signs = v.dtype.kind != "f" or np.array_equal(np.signbit(v), np.signbit(w))  # of zeros
        return bool(alike and signs)
    if isinstance(v, float) and isinstance(w, float):
        return v == w and math.copysign(1.0, v) == math.copysign(1.0, w)
    return v is w or (type(v) is type(w) and bool(v == w))
