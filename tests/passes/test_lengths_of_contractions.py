"""Which lengths are long enough for a product of matrices, and where the run decides."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.primitives import arrays
from tests.passes.contracted import A, B, added, elements, products, rng, stored
from tests.passes.with_and_without import anew


@pytest.mark.parametrize("lengths", [(7, 9, 300), (300, 7, 9), (9, 300, 7), (8, 8, 63)])
def test_short_loops_run_as_loops(lengths):
    n, k, m = lengths
    a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    assert products(elements, a, b) == 1
    found = flow.compile(anew(elements), target="python")(a, b)
    np.testing.assert_array_equal(found, elements(a, b))


def test_loops_that_are_known_to_be_short_stay():
    assert products(lambda a, b: stored(np.zeros((4, 5)), a, b), A, B) == 0


def test_additions_keep_their_order_where_they_have_to():
    a, b = rng.normal(size=(20, 30)), rng.normal(size=(30, 25))
    f = flow.compile(anew(elements), target="python", fastmath=False)
    np.testing.assert_array_equal(f(a, b), elements(a, b))
    assert np.any(flow.compile(anew(elements), target="python")(a, b) != elements(a, b))


def counts(f):
    """The numbers of loops and of products in each program of a function, the newest first."""
    found = []
    for e in f._entries[next(iter(f._entries))]:
        body = walk(e.program.function.body)
        products = sum(isinstance(s, Def) and s.op is arrays.matmul for s in body)
        found.append((sum(isinstance(s, For) for s in body), products))
    return found


LONG = rng.normal(size=(20, 30)), rng.normal(size=(30, 25))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("calls", "programs"),
    [((LONG, (A, B), LONG), [(3, 1), (0, 1)]), (((A, B), (A[:2], B), LONG), [(3, 1), (3, 0)])],
)
def test_the_first_call_decides_what_is_compiled(calls, programs, target):
    f = flow.compile(anew(elements), target=target)
    for a, b in calls:
        np.testing.assert_allclose(f(a, b), elements(a, b), rtol=1e-12)
    assert sorted(counts(f)) == sorted(programs)
    g = flow.grad(flow.compile(anew(added), target=target), (0, 1))
    for a, b in calls:
        with without("contractions"):
            old = flow.grad(flow.compile(anew(added), target=target), (0, 1))(a, b)
        for x, y in zip(g(a, b), old, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
