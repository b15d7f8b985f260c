"""Lists whose length only the run tells, among the results: items, tangents, what is refused."""

import collections
import dataclasses

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.sin(np.arange(80.0)) * 2.5 + 0.7  # more items than loops are unrolled for

Pair = collections.namedtuple("Pair", "value place")


@dataclasses.dataclass
class Peak:
    height: float
    place: int


def numbers_of_numpy(x):
    return [v * v for v in x if v > 0.0]


def numbers_of_python(a, n):
    out = []
    for k in range(n):
        if k % 3:
            out.append(a * k)
    return out


def integers(x):
    out = []
    for k in range(x.shape[0]):
        if x[k] > 0.0:
            out.append(k)
    return out, x[0] * len(out)


def comparisons(a, n):
    out = []
    for k in range(n):
        out.append(a * k > 20.0)
    return out


def arrays(x):
    out = []
    for k in range(x.shape[0]):
        if x[k] > 0.0:
            out.append(x[:3] * x[k])
    return {"rows": out}


def no_items(x):
    return [v for v in x if v > 100.0], [x[:2] * v for v in x if v > 100.0]


def tuples(x):
    out = []
    for k in range(x.shape[0]):
        if x[k] > 0.0:
            out.append((k, x[k] * 3.0, "high" if x[k] > 1.5 else "low", [x[k], x[:2]]))
    return out


def texts(x):
    out = []
    for v in x:
        out.append("high" if v > 1.5 else "low")
    return out, x[0]


def named(x):
    return [Pair(v * v, k) for k, v in enumerate(x) if v > 0.0]


def dicts(x):
    return [{"place": k, "value": v * v} for k, v in enumerate(x) if v > 0.0]


def objects(x):
    return [Peak(v * v, k) for k, v in enumerate(x) if v > 0.0]


def of_several_kinds(x):
    out = []
    for k in range(x.shape[0]):
        if x[k] > 0.0:
            out.append((x[k], k))
        else:
            out.append(x[:2] * x[k])
        if x[k] < -1.0:
            out.append(None)
    return out


def of_several_kinds_in_a_place(x):
    out = []
    for k in range(x.shape[0]):
        out.append([x[k] * 2.0, None if x[k] < 0.0 else k])
    return out


def one_of_two(x):
    if x[0] > 0.5:
        out = [v * v for v in x if v > 0.0]
    else:
        out = [v for v in x if v < 0.0]
    return out


def returned_on_two_paths(x):
    if x[0] > 0.5:
        return [v * v for v in x if v > 0.0]
    return []


def twice(x):
    out = [v for v in x if v > 0.0]
    return out, (out[0], out)


OF_ARRAYS = [
    numbers_of_numpy, integers, arrays, no_items, tuples, texts, named, dicts,
    of_several_kinds, of_several_kinds_in_a_place, one_of_two, returned_on_two_paths, twice,
]  # fmt: skip


@pytest.mark.parametrize("f", OF_ARRAYS, ids=lambda f: f.__name__)
def test_items_are_those_of_python(f):
    for x in (X, -X, X.astype(np.float32)):
        agrees(f, x)


def test_numbers_of_python_come_back_as_such():
    agrees(numbers_of_python, 1.5, 50)
    agrees(comparisons, 1.5, 50)


def test_objects_come_back_as_instances():
    for target in TARGETS:
        made = flow.compile(objects, target=target)(X)
        assert all(type(p) is Peak for p in made)
        assert made == objects(X)


def _sum(value):
    """The sum of the floats in a structure."""
    if isinstance(value, np.ndarray | float):
        return float(np.sum(value))
    if isinstance(value, dict):
        return sum(map(_sum, value.values()))
    return sum(map(_sum, value)) if isinstance(value, list | tuple) else 0.0


@pytest.mark.parametrize("f", OF_ARRAYS, ids=lambda f: f.__name__)
def test_derivatives(f):
    direction, step = np.cos(np.arange(80.0)), 1e-6
    wanted = (_sum(f(X + step * direction)) - _sum(f(X - step * direction))) / (2 * step)
    for target in TARGETS:
        compiled = flow.compile(f, target=target)
        value, gradient = flow.value_and_grad(compiled)(X)
        assert repr(value) == repr(f(X)) or f is one_of_two
        np.testing.assert_allclose(gradient @ direction, wanted, rtol=1e-6, atol=1e-8)
        value, tangent = flow.jvp(compiled, (X,), (direction,))
        np.testing.assert_allclose(_sum(tangent), wanted, rtol=1e-6, atol=1e-8)


def test_tangents_have_the_structure_of_the_items():
    x = np.array([1.0, -1.0, 2.0])
    _, tangent = flow.jvp(tuples, (x,), (np.array([1.0, 0.0, 0.5]),))
    assert [t[:2] for t in tangent] == [(None, 3.0), (None, 1.5)]
    y = np.tile([2.0, 1.0, -3.0, -0.5], 20)
    _, tangent = flow.jvp(of_several_kinds, (y,), (2.0 * y,))
    assert tangent[:2] == [(4.0, None), (2.0, None)]
    assert tangent[2].tolist() == [-24.0, -12.0]
    assert tangent[3] is None
    _, (places, _) = flow.jvp(integers, (X,), (X,))
    assert places is None or set(places) == {None}


def test_items_share_no_memory():
    (rows,) = flow.compile(arrays)(X).values()
    rows[0][:] = 7.0
    assert not np.any(rows[1] == 7.0)


def stored_in_a_container(d, x):
    d["kept"] = [v for v in x if v > 0.0]
    return d["kept"][0] * 2.0


def test_containers_of_the_caller_hold_it():
    for target in TARGETS:
        given, plain = {}, {}
        assert flow.compile(stored_in_a_container, target=target)(given, X) == (
            stored_in_a_container(plain, X)
        )
        assert given == plain


class Kept:
    seen = None


KEPT = Kept()


def stored_outside(x):
    KEPT.seen = [v for v in x if v > 0.0]
    return x[0]


def test_attributes_outside_hold_it():
    for target in TARGETS:
        flow.compile(stored_outside, target=target)(X)
        held, KEPT.seen = KEPT.seen, None
        stored_outside(X)
        assert held == KEPT.seen


def test_self_check(monkeypatch):
    monkeypatch.setenv("SRCGRAD_CHECK", "1")
    for f in (tuples, integers, lambda x: [x[0] * 2.0, 3, x]):
        flow.grad(f)(X + 0.01)


def narrower(x):
    out = []
    for v in x:
        if v > 0.0:
            out.append(v)
        else:
            out.append(0.1)
    return out


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: flow.compile(narrower)(X.astype(np.float32)), "narrower ones of NumPy's"),
        (lambda: flow.vjp(no_items, X)[1](([], [])), "which has no product with adjoints"),
        (lambda: flow.jacobian(numbers_of_numpy)(X), "which has no Jacobian"),
        (lambda: flow.jacfwd(numbers_of_numpy)(X), "which has no Jacobian"),
        (lambda: flow.sparsity(numbers_of_numpy, X), "which has no sparsity"),
        (lambda: flow.vmap(numbers_of_numpy)(np.stack([X, X])), "differentiated or batched inside"),
    ],
)
def test_refused(call, reason):
    with pytest.raises(flow.UnsupportedError, match=reason):
        call()


def test_what_is_said_to_do_instead():
    as_array = lambda x: np.array(numbers_of_numpy(x))
    assert flow.jacobian(as_array)(X).shape == (len(numbers_of_numpy(X)), 80)
    assert flow.vjp(as_array, X)[1](np.ones(len(numbers_of_numpy(X))))[0].shape == (80,)
