"""The declarations `decides` and `exact` of every row, checked against its implementation."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from srcgrad.autodiff.decisions import decides
from srcgrad.autodiff.rules import contribution
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Def, Var
from srcgrad.ir.types import FLOAT
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.bessel import SCALED
from srcgrad.primitives.incomplete import BY_SHAPES
from srcgrad.primitives.registry import Primitive
from srcgrad.primitives.rules import plain
from srcgrad.primitives.special import SPECIAL

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
POINTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
INSIDE = (0.5, 1.0, 2.0)  # special functions have poles and orders on the other side
STEP, JUMP, LARGE = 1e-12, 0.05, 1e3
PARAMS: dict[str, dict[str, Any]] = {
    "powi": {"n": 3}, "polygamma": {"n": 1}, "cast": {"dtype": "i64"},
}  # fmt: skip
# of floats they give no floats, but read lengths only, or the numbers of places
READ_NO_FLOAT = {
    "dim", "index", "wrap", "indices", "slice_start", "slice_stop", "trips", "broadcast_dim",
    "slots", "tape_view", "ref_get", "iota", "attached", "part", "bit_and", "bit_or", "bit_xor",
    "invert", "shift_left", "shift_right", "undetermined", "trip_bytes",
}  # fmt: skip
FLOAT_WHOLE = {"stop_gradient", "before_rounding"}  # flat, and as continuous as can be
# factors jump with the choice of pivots, but what is solved by them does not
FACTORS = {"factored", "solved_by_factors"}

LEFT_OUT = (
    READ_NO_FLOAT | {op.name for op in SCALED} | {"lambertw"}
)  # these take complex numbers alone
ELEMENTWISE = [p for p in REGISTRY.values() if p.elementwise and p.name not in LEFT_OUT]
by_name = pytest.mark.parametrize("row", ELEMENTWISE, ids=str)


def operands(row: Primitive, at: tuple[float, ...]) -> list[Any]:
    first = [True] if row.name == "where" else []
    return [*first, *(np.float64(x) for x in at)]


def beside(row: Primitive) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Points a little apart, on both sides of where functions jump."""
    n = row.arity - row.selects
    points = INSIDE if row.name in SPECIAL or row in BY_SHAPES else POINTS
    for at in itertools.product(points, repeat=n):
        for k in range(n):
            if row.name in ("expn", "bessel_yn", "bessel_kn") and k == 0:
                continue  # an order, which is a whole number
            low, high = list(at), list(at)
            low[k] -= STEP
            high[k] += STEP
            yield tuple(low), tuple(high)


def jumps(row: Primitive, function: Any) -> bool:
    def value(at: tuple[float, ...]) -> float:
        with np.errstate(all="ignore"):
            return float(np.real(function(*operands(row, at))))

    def apart(one: float, other: float) -> bool:
        ordinary = np.isfinite([one, other]).all() and max(abs(one), abs(other)) < LARGE
        return bool(ordinary and abs(one - other) > JUMP)

    return any(apart(value(low), value(high)) for low, high in beside(row))


@by_name
def test_a_row_decides_if_its_result_jumps(row: Primitive):
    params = PARAMS.get(row.name, {})
    ones = operands(row, (1.0,) * (row.arity - row.selects))
    of_truth = np.asarray(row.impl(*ones, **params)).dtype == bool
    assert row.decides == (of_truth or jumps(row, lambda *xs: row.impl(*xs, **params)))


@by_name
def test_a_rule_whose_partial_jumps_asks_rows_that_decide(row: Primitive):
    params = PARAMS.get(row.name, {})
    for k, rule in enumerate(row.rules):
        if rule is None or row.kind != "derive" or row.decides:
            continue  # what itself decides is recomputed only where the result is the same

        def partial(*xs: Any, rule: Any = rule) -> Any:
            return plain(rule(row.impl(*xs, **params), *xs, **params))

        if jumps(row, partial):
            assert any(decides(s) for s in emitted(row, k, params))


def emitted(row: Primitive, k: int, params: dict[str, Any]) -> list[Def]:
    """What the rule for argument `k` emits."""
    b = Builder(REGISTRY)
    args = [Var("a", FLOAT) for _ in range(row.arity)]
    d = Def(Var("y", FLOAT), row, tuple(args), params)
    contribution(b, d, k, Var("g", FLOAT))
    return [s for s in b.out if isinstance(s, Def)]


def test_rows_without_derivative_decide_or_read_no_float():
    silent = {
        p.name for p in REGISTRY.values()
        if p.kind == "nondiff" and not (p.effect or p.fresh or p.decides)
    }  # fmt: skip
    assert silent <= READ_NO_FLOAT | FLOAT_WHOLE | FACTORS


@pytest.mark.parametrize("row", [p for p in ELEMENTWISE if p.exact], ids=str)
def test_an_exact_row_rounds_nothing(row: Primitive):
    rng = np.random.default_rng(0)
    for _ in range(20):
        at = tuple(rng.uniform(-3.0, 3.0, row.arity - row.selects))
        out = row.impl(*operands(row, at), **PARAMS.get(row.name, {}))
        assert out == np.rint(out) or abs(out) in np.abs(at)
