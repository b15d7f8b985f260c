"""Buffers that each trip fills become its own; those that something else reads stay."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import without
from srcgrad.passes.privatized_buffers import privatized_buffers
from srcgrad.testing import check_grads
from tests.passes.pass_programs import agree, program, text, vec

CALLS = [(vec(1, 2, 3), vec(5, 6, 7, 8)), (vec(1, 2), vec(5)), (vec(), vec(1, 2))]
FILL = """
for j in range(0, n):
    a: f64 = load(x, j)
    b: f64 = mul(a, v)
    store(t, j, b)"""
LOOP = """
t: f64[n] = {made}
for i in range(0, m):
    v: f64 = load(y, i)
{trip}{after}
"""


def moves(trip, after="", made="zeros(n, dtype='f64')", calls=CALLS):
    """Whether the buffer is made in the trips; results are the same anyway."""
    inner = "".join(f"    {line}\n" for line in trip.strip("\n").splitlines())
    f = program("x: f64[n], y: f64[m]", LOOP.format(made=made, trip=inner, after=after))
    new = text(agree(privatized_buffers, f, *calls))
    assert new == text(f) or "    t: f64[n] = empty(n, dtype='f64')" in new
    return new != text(f)


READ = """
for k in range(0, n):
    c: f64 = load(t, k)
    add_at(y, i, c)"""


def test_filled_by_a_loop_and_read():
    assert moves(FILL + READ)
    assert moves(FILL + "\nadd_at(t, 0, 1.0)" + READ, calls=CALLS[:2])


def test_filled_by_an_assignment():
    assert moves("u: f64[n] = mul(x, v)\nassign(t, u)" + READ)
    assert moves("assign(t, v)" + READ)


def test_what_is_read_at_the_element_just_stored_to():
    assert moves(FILL + "\n    c: f64 = load(t, j)\n    add_at(y, i, c)" + READ)


@pytest.mark.parametrize(
    "fill",
    [
        FILL.replace("range(0, n)", "range(1, n)"),  # not all of it
        FILL.replace("range(0, n)", "range(0, m)").replace("load(x, j)", "load(y, j)"),
        FILL.replace("store(t, j, b)", "add_at(t, j, b)"),
        FILL.replace("store(t, j, b)", "c: bool = gt(b, 0.0)\n    if c:\n        store(t, j, b)"),
        FILL.replace("store(t, j, b)", "store(t, 0, b)"),
        FILL.replace("b: f64 = mul(a, v)", "b: f64 = load(t, j)"),  # reads before it stores
        FILL + "\n    k: int = sub(n, j)\n    l: int = sub(k, 1)\n    c: f64 = load(t, l)\n"
        "    add_at(y, i, c)",  # and elements that are not there yet
        "w: f64 = load(t, 0)\nadd_at(y, i, w)" + FILL,
        "q: bool = gt(v, 5.0)\nif q:\n    assign(t, v)",
        "u: f64[n] = mul(t, v)\nassign(t, u)",
    ],
)
def test_what_may_be_of_an_earlier_trip(fill):
    calls = [(vec(1, 2, 3), vec(5, 6, 7)), (vec(1, 2), vec(4, 8))]
    assert not moves(fill + READ, calls=calls)


def test_what_is_read_after_the_loop():
    assert not moves(FILL + READ, "e: f64 = load(t, 0)\nstore(x, 0, e)", calls=CALLS[:2])


def test_what_has_another_name():
    assert not moves("r: f64.strided[n] = view(t, 0, n, 1, spec=('s',))" + FILL + READ)


def test_a_copy_is_no_new_buffer():
    assert not moves(FILL + READ, made="copy(x)")


@pytest.mark.parametrize(("row", "is_own"), [("j", True), ("0", False)])
def test_a_matrix(row, is_own):
    f = program(
        "x: f64[n], y: f64[m]",
        f"""
t: f64[n, m] = zeros(n, m, dtype='f64')
for i in range(0, 3):
    for j in range(0, n):
        for k in range(0, m):
            a: f64 = load(y, k)
            store(t, j, k, a)
        b: f64 = load(t, {row}, 0)
        add_at(x, j, b)
""",
    )
    new = text(agree(privatized_buffers, f, (vec(1, 2), vec(5, 6, 7)), (vec(), vec(1))))
    assert ("    t: f64[n, m] = empty(n, m, dtype='f64')" in new) is is_own
    assert is_own or new == text(f)


def test_into_the_innermost_loop_that_names_it():
    f = program(
        "x: f64[n], y: f64[m]",
        """
t: f64[n] = zeros(n, dtype='f64')
for i in range(0, m):
    for k in range(0, m):
        for j in range(0, n):
            a: f64 = load(y, k)
            store(t, j, a)
        b: f64[n] = mul(t, 2.0)
        add_to(x, b)
""",
    )
    new = text(agree(privatized_buffers, f, (vec(1, 2), vec(5, 6, 7))))
    assert "        t: f64[n] = empty(n, dtype='f64')" in new


# ---- in reverse mode ----
def mixture(mu, L, X):
    """Log densities by triangular factors, in buffers that all points use."""
    n, d = X.shape
    k = mu.shape[0]
    total = 0.0
    t = np.empty(k)
    xc = np.empty(d)
    for i in range(n):
        for c in range(k):
            for j in range(d):
                xc[j] = X[i, j] - mu[c, j]
            v = 0.0
            for a in range(d):
                s = 0.0
                for b in range(a + 1):
                    s += L[c, a, b] * xc[b]
                v += s * s
            t[c] = -0.5 * v
        m = t[0]
        for c in range(k):
            m = max(m, t[c])
        s = 0.0
        for c in range(k):
            s += np.exp(t[c] - m)
        total += np.log(s) + m
    return total


def inputs(n):
    r = np.random.RandomState(0)
    return r.randn(2, 3), 0.3 * r.randn(2, 3, 3), r.rand(n, 3)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 70])
def test_a_mixture(target, n):
    f = flow.compile(mixture, target=target)
    mu, L, X = inputs(n)
    got = flow.value_and_grad(f, argnums=(0, 1, 2))(mu, L, X)
    with without("privatized_buffers"):
        want = flow.value_and_grad(lambda *a: mixture(*a), argnums=(0, 1, 2))(mu, L, X)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-13)
    for a, b in zip(got[1], want[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def test_the_gradient_of_a_mixture():
    check_grads(mixture, inputs(3))
