"""The partials of the elementwise primitives, run on NumPy arrays, against differences."""

import numpy as np
import pytest

from srcgrad.primitives import REGISTRY
from tests.autodiff.examples import ELEMENTWISE
from tests.tools.oracles import derivative

CASES = [
    (e, k)
    for e in ELEMENTWISE
    if not any("[" in p for p in e.params) or e.op in ("where", "clip")
    for k, p in enumerate(e.params)
    if p.startswith("f64") and e.op != "cast"
]


@pytest.mark.parametrize(("example", "k"), CASES, ids=lambda v: str(v))
@pytest.mark.parametrize("seed", range(3))
def test_partial(example, k, seed):
    op, args = REGISTRY[example.op], example.inputs(seed=seed)
    y = op.impl(*args, **example.static)
    got = op.rules[k](y, *args, **example.static)

    def moved(h):
        new = [a + h if j == k else a for j, a in enumerate(args)]
        return np.asarray(op.impl(*new, **example.static))

    # an argument that is broadcast moves every element at once: each by its own partial
    want, error = derivative(moved)
    assert np.all(np.abs(got - want) <= 50 * error + 1e-8 * (1 + np.abs(want)))
