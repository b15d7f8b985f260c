"""Dicts, sets and queues whose items the run decides, among the results."""

import collections

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.turns import share

X = np.sin(np.arange(80.0)) * 2.5 + 0.7


def sums(x):
    out = {}
    for k, v in enumerate(x):
        if v > 0.0:
            out[k % 7] = out.get(k % 7, 0.0) + v
    return out


def squares(x):
    return [1, {"found": {k: v * v for k, v in enumerate(x) if v > 0.0}}]


def by_pairs(x):
    out = collections.defaultdict(float)
    for k, v in enumerate(x):
        if v > 0.0:
            out[k, k % 3] += v
    return out


def counts(x):
    out = collections.Counter()
    for k, v in enumerate(x):
        if v > 0.0:
            out[k % 5] += 1
    return out, x[0]


def arrays(x):
    out = collections.OrderedDict()
    for k, v in enumerate(x):
        if v > 0.0:
            out[k] = x[:2] * v
    return out


def without_items(x):
    return {k: v for k, v in enumerate(x) if v > 100.0}, x[0]


def sets(x):
    found = {k % 6 for k, v in enumerate(x) if v > 0.0}
    return found, frozenset(found), x[0] * len(found)


def queue(x):
    out = collections.deque(maxlen=4)
    for v in x:
        if v > 0.0:
            out.append(v)
    return out


def queue_of_pairs(x):
    out = collections.deque()
    for k, v in enumerate(x):
        if v > 0.0:
            out.append((v, k))
    return out


ALL = [sums, squares, by_pairs, counts, arrays, without_items, sets, queue, queue_of_pairs]


def same(a, b):
    """Whether values have the same classes, keys in the same order, and numbers."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple | collections.deque):
        alike = getattr(a, "maxlen", None) == getattr(b, "maxlen", None)
        return alike and len(a) == len(b) and all(map(same, a, b))
    return a == b if isinstance(a, set | frozenset) else np.allclose(a, b, rtol=1e-13, atol=0.0)


def total(v):
    """The sum of the floats in a structure; those of a set are none."""
    if isinstance(v, np.ndarray | float):
        return float(np.sum(v))
    if isinstance(v, dict):
        return sum(map(total, v.values()))
    return sum(map(total, v)) if isinstance(v, list | tuple | collections.deque) else 0.0


EACH = [(f, "python") for f in ALL] + share([(f, "cpu") for f in ALL])


@pytest.mark.parametrize(("f", "target"), EACH, ids=lambda v: getattr(v, "__name__", v))
def test_values_and_derivatives(f, target):
    compiled, direction = flow.compile(f, target=target), np.cos(np.arange(80.0))
    assert same(compiled(X), f(X))
    wanted = (total(f(X + 1e-6 * direction)) - total(f(X - 1e-6 * direction))) / 2e-6
    value, gradient = flow.value_and_grad(compiled)(X)
    assert same(value, f(X))
    np.testing.assert_allclose(gradient @ direction, wanted, rtol=1e-6)
    value, tangent = flow.jvp(compiled, (X,), (direction,))
    assert same(value, f(X))
    np.testing.assert_allclose(total(tangent), wanted, rtol=1e-6)


def test_tangents_have_the_keys_of_the_values():
    _, tangent = flow.jvp(by_pairs, (X,), (X,))
    assert type(tangent) is collections.defaultdict
    assert list(tangent) == list(by_pairs(X))
    _, (found, frozen, _) = flow.jvp(sets, (X,), (X,))
    assert found is frozen is None


def by_floats(x):
    return {v: k for k, v in enumerate(x) if v > 0.0}, x[0]


def set_of_floats(x):
    return {v for v in x if v > 0.0}


def of_lists(x):
    out = collections.defaultdict(list)
    for k, v in enumerate(x):
        if v > 0.0:
            out[k % 5].append(v)
    return out


@pytest.mark.parametrize("f", [by_floats, set_of_floats, of_lists], ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(flow.errors.ReturnTypeError, match=r"whose (keys|members|values) are"):
        flow.compile(f)(X)


def test_adjoints_and_jacobians_are_refused():
    for call in (lambda: flow.vjp(sums, X)[1](sums(X)), lambda: flow.jacobian(sums)(X)):
        with pytest.raises(flow.UnsupportedError, match="a dict or a queue whose length"):
            call()
