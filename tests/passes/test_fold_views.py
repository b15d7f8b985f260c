"""Elements of views: what becomes an element of the base, and what stays one of the view."""

import numpy as np

from srcgrad.passes.fold_views import fold_views
from tests.passes.pass_programs import after, agree, program, text

X = np.arange(24.0).reshape(2, 3, 4)


def accesses(body, call="x: f64[n, 3, 4], y: f64[m], k: int"):
    """The accesses of a program after the pass, which leaves it computing the same."""
    new = agree(fold_views, program(call, body), (X, np.arange(3.0), 1))
    return [line for line in text(new).splitlines() if "load(" in line or line[:5] in STORES]


STORES = ("store", "add_a")


def test_a_permutation():
    body = """
t: f64.strided[4, n, 3] = transpose(x, perm=(2, 0, 1))
v: f64 = load(t, 3, k, 2)
store(t, 2, 0, k, v)
add_at(t, k, 1, 0, v)
"""
    assert accesses(body) == [
        "v: f64 = load(x, k, 2, 3)", "store(x, 0, k, 2, v)", "add_at(x, 1, 0, k, v)",
    ]  # fmt: skip


def test_integers_and_new_axes():
    body = """
r: f64.strided[3, 1] = view(x, k, 2, spec=('i', ':', 'i', 'n'))
v: f64 = load(r, 1, 0)
store(y, 0, v)
"""
    assert accesses(body)[0] == "v: f64 = load(x, k, 1, 2)"


def test_an_element_as_an_array_without_axes():
    body = """
r: f64[()] = view(x, k, 2, 3, spec=('i', 'i', 'i'))
v: f64 = load(r)
store(r, 0.0)
store(y, 0, v)
"""
    assert accesses(body)[:2] == ["v: f64 = load(x, k, 2, 3)", "store(x, k, 2, 3, 0.0)"]


def test_views_of_views():
    body = """
r: f64[3, 4] = view(x, k, spec=('i', ':', ':'))
t: f64.strided[4, 3] = transpose(r, perm=(1, 0))
c: f64.strided[1, 3] = view(t, 2, spec=('i', 'n', ':'))
v: f64 = load(c, 0, 1)
store(y, 0, v)
"""
    # `c` has its new axis behind the integer, before the axis that is left
    assert accesses(body)[0] == "v: f64 = load(x, k, 1, 2)"


def test_slices_stay_and_what_is_made_of_them_ends_there():
    body = """
s: f64.strided[n, 3, 2] = view(x, 1, 2, 1, spec=(':', ':', 's'))
r: f64.strided[3, 2] = view(s, k, spec=('i', ':', ':'))
v: f64 = load(r, 1, 0)
store(y, 0, v)
"""
    assert accesses(body)[0] == "v: f64 = load(s, k, 1, 0)"


def test_reshapes_stay():
    body = """
r: f64[n, 12] = reshape(x, n, 12)
v: f64 = load(r, k, 5)
store(y, 0, v)
"""
    assert accesses(body)[0] == "v: f64 = load(r, k, 5)"


def test_what_a_loop_carries_stays():
    body = """
r: f64[4] = view(x, 0, 0, spec=('i', 'i', ':'))
q: f64[4] = view(x, 1, 1, spec=('i', 'i', ':'))
a: f64[4] = r
for i in range(0, k):
    v: f64 = load(a, 2)
    store(y, i, v)
    a = q
"""
    new = after(fold_views, program("x: f64[n, 3, 4], y: f64[m], k: int", body))
    assert "load(a, 2)" in text(new)
    accesses(body)
