"""`sparsity`: which elements of a Jacobian may be other than zero, from the program itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcgrad.autodiff.counts import refused
from srcgrad.sparse.probing import probed
from srcgrad.sparse.ravelled import Layout, joined
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.dependence_program import Dependence
from srcgrad.transforms.positions import checked_positions
from srcgrad.transforms.specs import ByPosition
from srcgrad.transforms.stacking import taken_apart, variadic


def sparsity(
    fn: Callable, *args: Any, grad_position: int | tuple[int, ...] = 0, **kwargs: Any
) -> csr_array:
    """The sparsity of the Jacobian of `fn`, for arguments of these shapes.

    A `scipy.sparse.csr_array` of bools with a row for each float that `fn` returns and a column for
    each float of the arguments at `grad_position`, all of them ravelled one after the other. It
    holds for every value of these: True wherever the derivative may be other than zero, whichever
    branches are taken. The other arguments count with their values: lengths, indices, coefficients
    that loops depend on. UnsupportedError if it cannot be found, for example where the shape of the
    result depends on the values.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return x[1:] * x[:-1]
    >>> flow.sparsity(flow.compile(f, target="python"), np.ones(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    function, spec, options = taken_apart(fn)
    chosen = by_position(function, spec, checked_positions(grad_position, None))
    arguments = Compiled(function, spec, options)._bind(args, kwargs)
    return pattern_of(counts_of(function, options, chosen, arguments), chosen, arguments)


def by_position(function: Any, spec: Any, positions: tuple[int, ...]) -> ByPosition:
    return ByPosition(spec, positions, variadic=variadic(function))


def counts_of(
    function: Any, options: Any, chosen: ByPosition, arguments: dict[str, Any]
) -> Compiled:
    """The program of counts with respect to the arguments that are chosen."""
    names = {path[0] for path, _ in chosen.slots(arguments)}
    return Compiled(function, Dependence(chosen.inner, frozenset({*arguments} - names)), options)


def pattern_of(counts: Compiled, chosen: ByPosition, arguments: dict[str, Any]) -> csr_array:
    """The sparsity with respect to the arguments that are chosen."""
    slots = chosen.slots(arguments)
    chosen.refuse_without_floats(slots)
    layout, names = Layout.of(slots), {path[0] for path, _ in slots}
    floats = Layout.of([((n,), arguments[n]) for n in names])
    others = {p: t for p, t in floats.split(np.zeros(floats.size)).items() if p not in layout.paths}

    def product(flags: np.ndarray) -> np.ndarray:
        given = others | layout.split(flags)
        tangents = {("tangent", *p): t for p, t in given.items()}
        try:
            return joined(counts._run(arguments, tangents)) != 0
        except (IndexError, ArithmeticError) as error:  # both branches run
            place = getattr(error, "location", None)
            raise refused(f"a branch that may not be taken raises ({error})", place) from error

    count, rows, columns = probed(product, layout.size)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
    flags = np.ones(len(rows), bool)
    return csr_array((flags, columns, starts), shape=(count, layout.size))
