"""The routine of each operation, and its IR for operands of some dtypes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.frontend.requirements import Requirements, restarted
from srcgrad.frontend.trace import trace
from srcgrad.ir.nodes import Def, Function, Stmt
from srcgrad.ir.types import np_dtype
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import Primitive, memory
from srcgrad.routines import banded, ordering, spectra, systems
from srcgrad.routines.external import Routine

ROUTINES: dict[Primitive, Routine] = {
    **banded.ROUTINES,
    **ordering.ROUTINES,
    **spectra.ROUTINES,
    **systems.ROUTINES,
}

# a matrix, a vector (of one column), a number that is a result
SHAPES = {"m": (4, 4), "v": (4, 1), "n": (1, 1)}


def traced(op: Primitive, kinds: tuple[str, ...], params: dict[str, Any]) -> Function:
    """The routine of `op` for a result and operands of these kinds.

    A kind is a dtype; an array's ends with its shape, and with an `s` if it is strided.
    """
    program = ROUTINES[op].program
    names = program.__code__.co_varnames[: len(kinds)]
    given = {n: _like(k) for n, k in zip(names, kinds, strict=True)} | params
    required = Requirements(static_leaves={(name,) for name in params})
    made, _ = restarted(lambda: trace(program, given, required), op.name)
    assert not made.hidden, "a routine captures nothing"
    return _Unchecked().function(made.function)


def _like(kind: str) -> Any:
    """An argument of this kind; no length is read of it but that of a vector's or number's axis."""
    strided = kind[-1] == "s"
    kind = kind.removesuffix("s")
    shape = SHAPES.get(kind[-1])
    if shape is None:
        return 1.0 if kind[0] == "f" else 1
    rows, columns = shape
    made = np.zeros((2 * rows, 2 * columns), np_dtype(kind[:-1]))
    return made[::2, ::2] if strided else made[:rows, :columns].copy()


# lengths fit, and indices are in bounds
CHECKS = (memory.index, memory.check_range, memory.check_equal)


class _Unchecked(Rewriter):
    """Drops the checks that user programs have."""

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op not in CHECKS:
            yield s
        elif s.var is not None:
            self.new[s.var] = s.args[0]
