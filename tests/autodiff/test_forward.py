"""Forward mode against differences, and forward over forward, on programs built by hand."""

import numpy as np
import pytest

from srcgrad.autodiff.forward import jvp
from srcgrad.backends.python import build
from srcgrad.errors import UnsupportedError
from srcgrad.ir.text import to_text
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.registry import Primitive
from tests.autodiff.build import branch, function, loop, while_
from tests.autodiff.running import check_forward, tangents

A = np.array([0.3, -0.7, 1.1, 0.4])
B = np.array([1.2, 0.5, -0.6, 0.9])
M = np.array([[0.3, -0.2, 0.5], [1.1, 0.8, -0.4]])


def test_scalar_chain():
    def body(b, x, y):
        return b.mul(b.sin(b.mul(x, y)), b.exp(b.div(x, y)))

    check_forward(function(body, "x:f64", "y:f64"), 0.7, 1.3)


def test_returns_that_do_not_vary():
    def body(b, x, n):
        return b.add(x, 1.0), 2.5, b.add(n, 1), b.zeros(n, dtype="f64"), x

    f = function(body, "x:f64", "n:int")
    check_forward(f, 0.7, 3)
    assert len(jvp(f, (0,), REGISTRY).returns) == 5 + 4


def test_loop_with_carried_scalars():
    def body(b, x, n):
        def step(i, s, p):
            return b.add(s, b.mul(p, x)), b.mul(p, b.sin(s))

        return loop(b, 0, n, (x, 1.0), step)

    check_forward(function(body, "x:float", "n:int"), 0.7, 4)


def test_while():
    def body(b, x):
        return while_(
            b,
            (x, 1.0),
            lambda y, s: b.gt(b.mul(y, y), 0.01),
            lambda y, s: (b.mul(y, 0.5), b.add(s, b.exp(y))),
        )

    check_forward(function(body, "x:f64"), 0.7)


def test_branch():
    def body(b, x, y):
        (z,) = branch(b, b.gt(x, y), lambda: b.mul(x, y), lambda: b.sub(b.sin(x), 0.0))
        (w,) = branch(b, b.gt(x, y), lambda: 1.0, lambda: b.exp(y))
        return z, w

    f = function(body, "x:f64", "y:f64")
    check_forward(f, 0.7, 1.3)
    check_forward(f, 1.7, 1.3)


def test_stores_and_views():
    def body(b, x):
        n = x.type.dims[0]
        y = b.zeros(n, dtype="f64", name="y")

        def step(i):
            b.store(y, i, b.sin(b.load(x, i)))

        loop(b, 0, n, (), step)
        v = b.view(y, 1, 2, 1, spec=("s",))
        b.assign(v, b.mul(v, v))
        b.add_at(y, 0, b.load(y, 2))
        b.add_to(x, y)
        b.store(x, 3, 5.0)
        return b.sum(b.mul(x, y), axes=(0,)), y

    check_forward(function(body, "x:f64[1]"), A)


def test_overlapping_assignment():
    def body(b, x):
        head, tail = (b.view(x, k, 3, 1, spec=("s",)) for k in (0, 1))
        b.assign(tail, head)
        b.add_to(head, tail)
        return b.load(x, 3)

    check_forward(function(body, "x:f64[1]"), A)


@pytest.mark.parametrize("written", ["x", "y", "none"])
def test_an_array_equal_to_another_is_not_its_alias(written):
    # the tangent of x + c is x's own, but it must not be x's buffer once either is written
    def body(b, x):
        y = b.add(x, 0.4, name="y")
        if written != "none":
            b.store(x if written == "x" else y, 0, b.exp(b.load(x, 1)))
        return b.mul(x, y)

    check_forward(function(body, "x:f64[1]"), A)


def test_a_returned_array_has_a_tangent_of_its_own():
    f = function(lambda b, x: (b.add(x, 1.0), b.sub(x, 2.0)), "x:f64[1]")
    _, _, y_dot, z_dot = build(jvp(f, (0,), REGISTRY))(A, B)
    assert y_dot is not B and z_dot is not B and y_dot is not z_dot


def test_views_of_one_buffer():
    def body(b, x):
        t = b.transpose(x, perm=(1, 0))
        row = b.view(x, 1, spec=("i", ":"))
        b.store(t, 0, 1, b.exp(b.load(x, 0, 0)))
        flat = b.reshape(b.copy(x), 6)
        b.store(flat, 2, b.load(row, 0))
        return b.mul(row, row), flat, t

    check_forward(function(body, "x:f64[2]"), M)


def test_swapped_references():
    def body(b, x, n):
        y = b.copy(x, name="y")

        def step(i, a, c):
            b.assign(c, b.sin(a))
            b.add_at(c, 0, b.load(a, 1))
            return c, a

        return loop(b, 0, n, (x, y), step)

    check_forward(function(body, "x:f64[1]", "n:int"), A, 3)


def test_a_reference_that_one_branch_chooses():
    def body(b, x, y):
        fresh = b.zeros(x.type.dims[0], dtype="f64")
        (z,) = branch(b, b.gt(b.load(x, 0), 0.0), lambda: fresh, lambda: x)
        b.store(z, 1, b.mul(b.load(y, 1), b.load(y, 0)))
        return b.sum(z, axes=(0,)), fresh

    f = function(body, "x:f64[1]", "y:f64[1]")
    check_forward(f, A, B)
    check_forward(f, -A, B)


def test_a_constant_parameter_joined_with_an_active_one():
    def body(b, x, y):
        n = x.type.dims[0]
        y = b.view(y, 0, n, 1, spec=("s",))
        (z,) = branch(b, b.gt(b.load(x, 0), 0.0), lambda: y, lambda: x)
        b.store(z, 0, b.exp(b.load(x, 1)))
        return z, b.mul(x, y)

    f = function(body, "x:f64[1]", "y:f64[1]")
    check_forward(f, A, B, wrt=(0,))
    check_forward(f, -A, B, wrt=(0,))


def test_fresh_arrays_carried_by_a_loop():
    def body(b, x, n):
        def step(i, a):
            return b.add(b.sin(a), x)

        return loop(b, 0, n, (x,), step)

    check_forward(function(body, "x:f64[1]", "n:int"), A, 3)


def test_broadcasting():
    def body(b, x, y, s):
        row = b.view(y, spec=("n", ":"))
        z = b.mul(b.add(x, row), s)
        return z, b.add(s, x), b.where(b.gt(x, 0.4), row, s)

    check_forward(function(body, "x:f64[2]", "y:f64[1]", "s:f64"), M, A[:3], 0.3)


def test_dtypes():
    def body(b, x, y):
        wide = b("cast", x, dtype="f64")
        z = b.mul(wide, y)
        return b.mul(b("cast", z, dtype="f32"), x), b("cast", y, dtype="i64")

    f = function(body, "x:f32[1]", "y:f64[1]")
    out = jvp(f, (0, 1), REGISTRY).returns
    assert [a.type.dtype for a in out] == ["f32", "i64", "f32"]
    x, y = A.astype(np.float32), B
    got = tangents(f, (x, y), (0, 1), (x, y))
    assert np.allclose(got[:4], 3 * x * x * y, rtol=1e-5)


def test_reductions():
    def body(b, x):
        return (
            b.sum(x, axes=(0,)),
            b.max(x, axes=(1,)),
            b.min(x, axes=(0, 1)),
            b.cumsum(x, axis=1, reverse=False),
            b.argmax(x, axes=(0,)),
        )

    check_forward(function(body, "x:f64[2]"), M)


def test_joins_with_constants():
    def body(b, x, s):
        fixed = b.zeros(2, dtype="f64")
        return b.concatenate(fixed, x, axis=0), b.pack(1.5, s, 2.5)

    check_forward(function(body, "x:f64[1]", "s:f64"), A, 0.7)


def test_gather_and_scatter():
    def body(b, x, i):
        picked = b.gather(x, i, spec=("a",))
        y = b.zeros(x.type.dims[0], dtype="f64")
        b.scatter(y, i, b.mul(picked, picked), spec=("a",))
        b.scatter_add(y, i, picked, spec=("a",))
        b.scatter(x, i, b.zeros(i.type.dims[0], dtype="f64"), spec=("a",))
        return y, b.take_last(y, i, spec=("a",))

    check_forward(function(body, "x:f64[1]", "i:i64[1]"), A, np.array([2, 0, 2]))


def test_linear_algebra():
    def body(b, a, x):
        c = b.matmul(a, b.transpose(a, perm=(1, 0)))
        c = b.add(c, b("cast", b.eq(c, c), dtype="f64"))
        y = b.matvec(c, x)
        return b.vecdot(y, x), b.solve(b.inv(a), x), b.det(a), b.logabsdet(a)

    check_forward(function(body, "a:f64[2]", "x:f64[1]"), np.array([[1.3, 0.2], [0.4, 0.9]]), B[:2])


def test_tapes():
    """What reverse mode emits: a tape that grows, slabs viewed in it, references put and got."""

    def body(b, x, n):
        d = x.type.dims[0]
        tape = b.tape(1, dtype="f64")
        refs = b.reftape(dtype="f64", ndim=1)

        def push(i, y):
            b.reserve(tape, b.mul(b.add(i, 1), d))
            slab = b.tape_view(tape, b.mul(i, d), d)
            b.assign(slab, y)
            new = b.sin(b.mul(y, x))
            b.ref_put(refs, i, new)
            return new

        loop(b, 0, n, (x,), push)

        def pull(i, s):
            slab = b.tape_view(tape, b.mul(i, d), d)
            kept = b.ref_get(refs, i, d)
            s = b.add(s, b.mul(b.load(slab, 0), b.load(tape, b.mul(i, d))))
            return b.add(s, b.sum(b.mul(kept, slab), axes=(0,)))

        return loop(b, 0, n, (0.0,), pull, reverse=True)

    check_forward(function(body, "x:f64[1]", "n:int"), A, 3)


def test_a_constant_select_is_not_poisoned():
    """where(x > 0, sqrt(x), 0) at 0: the branch not taken has an infinite derivative."""

    def body(b, x):
        return b.where(b.gt(x, 0.0), b.sqrt(x), 0.0)

    got = tangents(function(body, "x:f64"), (0.0,), (0,), (1.0,))
    assert list(got) == [0.0, 1.0]


def test_flat_is_zero_and_no_rule_is_refused():
    def flat(b, x):
        return b.floor(x)

    assert list(tangents(function(flat, "x:f64"), (0.3,), (0,), (1.0,))) == [0.0, 1.0]
    odd = Primitive("odd", np.sin, "nondiff", typing=lambda b, x: (x.type.dtype, ()))

    def unknown(b, x):
        return b(odd, x)

    with pytest.raises(UnsupportedError, match="odd"):
        jvp(function(unknown, "x:f64"), (0,), REGISTRY)


def test_names_and_the_original():
    def body(b, x):
        return b.mul(b.sin(x, name="y"), x, name="z")

    f = function(body, "x:f64")
    before = to_text(f)
    text = to_text(jvp(f, (0,), REGISTRY))
    assert to_text(f) == before
    assert "y_dot" in text and "z_dot" in text and "def f_jvp(x: f64, x_dot: f64)" in text
