"""Contractions of two arrays: every form computes the sums, and the one chosen moves the least."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.handlers import products
from srcgrad.frontend.handlers.contraction_forms import Form, best, forms
from srcgrad.transforms import reuse

LENGTHS = dict(zip("abcdef", (2, 3, 4, 2, 3, 5), strict=True))
N = object()  # a length that only the run knows


@pytest.mark.parametrize(
    ("spec", "known", "form"),
    [
        ("nci,oc->noi", {}, Form(1, "n", "o", "c", "i")),  # no transposition, of no array
        ("nci,oc->noi", {"i": 4}, Form(0, "", "ni", "c", "o")),  # too few columns for products
        ("ncij,oc->nijo", {}, Form(0, "n", "ij", "c", "o")),
        ("nijc,oc->nijo", {}, Form(0, "", "nij", "c", "o")),
        ("abc,acd->abd", {}, Form(0, "a", "b", "c", "d")),
        ("bqhd,bkhd->bhqk", {}, Form(0, "bh", "q", "d", "k")),
        ("ab,cb->ca", {}, Form(1, "", "c", "b", "a")),
        ("pqrs,pi->iqrs", {}, Form(1, "", "i", "p", "qrs")),
        ("pqrs,ri->pqis", {}, Form(1, "pq", "i", "r", "s")),
        ("pqrs,ri->pqis", {c: 3 for c in "pqrsi"}, Form(0, "", "pqs", "r", "i")),  # few numbers
    ],
)
def test_choice(spec, known, form):
    assert _best(spec, known) == form


def _best(spec, known):
    left, right = spec.split("->")
    s, t = left.split(",")
    summed = "".join(c for c in s if c in t and c not in right)
    dims = dict.fromkeys(s + t, N) | known
    return best((s, t), summed, right, dims, (True, True))


def _drawn(rng):
    letters = list(LENGTHS)
    while True:
        s, t = ("".join(rng.permutation(letters)[: rng.integers(1, 5)]) for _ in range(2))
        both = [c for c in s if c in t]
        if both:
            summed = set(both[: rng.integers(1, len(both) + 1)])
            right = "".join(rng.permutation([c for c in dict.fromkeys(s + t) if c not in summed]))
            return f"{s},{t}->{right}"


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", ["f8", "i8"])
def test_each_form_against_numpy(seed, dtype, monkeypatch):
    rng = np.random.default_rng(seed)
    spec = _drawn(rng)
    left, right = spec.split("->")
    s, t = left.split(",")
    summed = "".join(c for c in s if c in t and c not in right)
    xs = [rng.integers(-4, 5, size=[LENGTHS[c] for c in term]).astype(dtype) for term in (s, t)]
    # a view that is not contiguous, with the same numbers
    xs[seed % 2] = np.repeat(xs[seed % 2], 2, axis=-1)[..., ::2]
    for form in set(forms((s, t), summed, right, dict.fromkeys(s + t, N))):
        f = _einsum(spec, form, monkeypatch)
        np.testing.assert_array_equal(f(*xs), np.einsum(spec, *xs))
        if dtype == "f8":
            _check_products(f, xs, rng)


def _einsum(spec, form, monkeypatch):
    """A function that is compiled with this form."""
    reuse.forget()
    monkeypatch.setattr(products, "best", lambda *_: form)
    return flow.compile(lambda x, y: np.einsum(spec, x, y), target="python")


def _check_products(f, xs, rng):
    """<g, J t> by forward and reverse mode; the function is linear in each operand."""
    ts = [rng.standard_normal(x.shape) for x in xs]
    y, tangent = flow.jvp(f, tuple(xs), tuple(ts))
    g = rng.standard_normal(np.shape(y))
    _, pulled = flow.vjp(f, *xs)
    found = sum(np.sum(a * b) for a, b in zip(pulled(g), ts, strict=True))
    assert found == pytest.approx(np.sum(g * tangent), rel=1e-10, abs=1e-10)


class Reversed(Form):
    result = "onji"


def test_a_form_with_another_order_is_noticed(monkeypatch):
    x, y = np.arange(36.0).reshape(2, 3, 2, 3), np.arange(6.0).reshape(2, 3)
    for kind, right in ((Form, True), (Reversed, False)):
        f = _einsum("ncij,oc->onij", kind(1, "", "o", "c", "nij"), monkeypatch)
        assert np.array_equal(f(x, y), np.einsum("ncij,oc->onij", x, y)) is right


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("spec", "shapes"),
    [
        ("ncij,oc->noij", [(3, 4, 5, 6), (2, 4)]),
        ("nci,oc->noi", [(3, 4, 20), (5, 4)]),
        ("ncij,oc->nijo", [(3, 4, 5, 6), (2, 4)]),
        ("nci,oc->noi", [(0, 4, 20), (5, 4)]),
        ("nci,oc->noi", [(3, 0, 20), (5, 0)]),
        ("nci,oc->noi", [(3, 4, 0), (5, 4)]),
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_channels_first(target, spec, shapes, dtype):
    rng = np.random.default_rng(0)
    xs = [rng.integers(-4, 5, size=shape).astype(dtype) for shape in shapes]

    def f(x, y):
        return np.einsum(spec, x, y)

    np.testing.assert_array_equal(flow.compile(f, target=target)(*xs), np.einsum(spec, *xs))


def test_lengths_that_do_not_fit():
    def f(x, y):
        return np.einsum("nci,oc->noi", x, y)

    with pytest.raises(ValueError, match="not aligned"):
        flow.compile(f, target="python")(np.ones((2, 3, 4)), np.ones((5, 2)))
