"""Einstein sums of several operands: the order of the pairs, and the numbers in any order."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.handlers.einsum import _order

LENGTHS = dict(zip("abcde", (2, 3, 4, 2, 3), strict=True))


@pytest.mark.parametrize(
    ("spec", "pairs"),
    [
        ("ab,bc,cd->ad", [(0, 1), (0, 1)]),  # of equal orders the first
        ("bij,vj,vb->vi", [(1, 2), (0, 1)]),  # one product, not one for each v
        ("abc,bc,c->a", [(1, 2), (0, 1)]),
        ("ab,ac,bc->", [(0, 1), (0, 1)]),
        ("a,b,bc->ac", [(1, 2), (0, 1)]),  # not the outer product first
        ("a,a,a,a,a,a->a", [(0, 1)] * 5),
    ],
)
def test_order_of_the_pairs(spec, pairs):
    left, right = spec.split("->")
    assert _order(left.split(","), right) == pairs


def drawn(rng: np.random.Generator) -> tuple[str, list[np.ndarray]]:
    """Subscripts of three to six operands, and operands."""
    letters = list(LENGTHS)
    terms = [
        "".join(rng.choice(letters, size=rng.integers(0, 4), replace=False))
        for _ in range(rng.integers(3, 7))
    ]
    used = sorted(set("".join(terms)))
    rng.shuffle(used)
    right = "".join(used[: rng.integers(0, 4)])
    xs = [rng.standard_normal([LENGTHS[c] for c in t]) for t in terms]
    return ",".join(terms) + "->" + right, xs


@pytest.mark.parametrize("seed", range(20))
def test_against_numpy(seed):
    rng = np.random.default_rng(seed)
    spec, xs = drawn(rng)

    def f(xs):
        return np.sum(np.sin(np.einsum(spec, *xs)))

    value, pulled = flow.vjp(flow.compile(f, target="python"), xs)
    assert value == pytest.approx(np.sum(np.sin(np.einsum(spec, *xs))), rel=1e-12)
    directions = [rng.standard_normal(x.shape) for x in xs]
    _, tangent = flow.jvp(flow.compile(f, target="python"), (xs,), (directions,))
    found = sum(np.sum(g * d) for g, d in zip(pulled(1.0)[0], directions, strict=True))
    assert found == pytest.approx(tangent, rel=1e-10, abs=1e-12)
    step = 1e-6
    ends = [f([x + h * d for x, d in zip(xs, directions, strict=True)]) for h in (step, -step)]
    assert tangent == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6, abs=1e-7)
