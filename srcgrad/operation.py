"""The row of the table of primitives: a record of the facts that every stage needs of an operation.

Programs name operations as these objects, and stages key their tables by them; the rows themselves
are in `primitives`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from srcgrad.records import record

Rule = Callable[..., Any]
# the dtype and the dims of a result that a row states, and the layout of a buffer
Stated = tuple[str, tuple[Any, ...]] | tuple[str, tuple[Any, ...], str]
Params = dict[str, Any]  # the static part of an operation: axes, dtypes, functions


@record(frozen=True, eq=False)
class Primitive:
    """One row of the table; calling it dispatches on the kind of its arguments."""

    name: str
    impl: Callable[..., Any]  # on NumPy arrays and scalars
    kind: str  # "derive", "linear", "multilinear", "custom" or "nondiff"
    elementwise: bool = False
    arity: int = 1  # the number of operands of an elementwise one
    params: tuple[str, ...] = ()  # the integers that an elementwise one states
    selects: bool = False  # its first operand is a condition, which its dtype does not depend on
    # derive: partials(y, *args); linear: transposes(g, y, *args, **params); custom: the same
    rules: tuple[Rule | None, ...] = ()
    # (tangents, y, *args, **params), None: zero tangent; replaces what the rules would give
    jvp: Rule | None = None
    singular: bool = False  # partials may be infinite: products absorb a zero adjoint
    typing: Rule | None = None  # (build, *args, **params) -> (dtype, dims) or more
    effect: bool = False  # writes to its first argument, or to the world
    writes: bool = False  # an effect on the memory of its first argument
    adds: bool = False  # a write that adds its last argument to what is there
    holds: bool = False  # a write after which its first argument leads to its last one's memory
    view: bool = False  # its result is a view of its first argument
    fresh: bool = False  # its result is a new buffer although it reads none
    along: bool = False  # works line by line along the axes that its parameters state
    flat: bool = False  # nondiff: its float result is piecewise constant
    # custom, or flat: the rules hold for complex operands too. Those of the other kinds always do:
    # partials are formulas of analytic functions, transposes do not conjugate
    analytic: bool = False
    raises: bool = False  # may raise at run time: never moved to where it would not have run
    decides: bool = False  # its result is a discontinuous function of a float operand
    exact: bool = False  # its float results are operands, their negatives or integers: not rounded
    # may be infinite or NaN for ordinary finite operands; for complex ones only, or its partials
    nonfinite: bool | Literal["complex"] = False
    # compares numbers. NumPy orders complex ones too, by their real parts first: Python refuses to,
    # and no derivative of it is what one would expect
    ordered: bool = False
    # each run counts: its result is never that of another, nor is it run again
    draws: bool = False
    kept: bool = False  # not folded if its operands are constant: it matters for its derivative
    # (*args) -> the operand, or a number of its type, that the operation reduces to whatever its
    # other operands are; None: it has to be computed. Exact, signed zeros and NaN included
    identity: Rule | None = None
    # what a reverse sweep recomputes rather than saves: its scalars, or its arrays as well, if
    # their operands are saved anyway
    cheap: Literal["", "scalars", "arrays"] = ""

    def __call__(self, *args: Any, **params: Any) -> Any:
        for a in args:
            apply = getattr(a, "apply_primitive", None)
            if apply is not None:
                return apply(self, args, params)
        return self.impl(*args, **params)

    def __repr__(self) -> str:
        return self.name
