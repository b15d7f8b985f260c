"""Compiled code against the text: values, dtypes, errors; every kind of statement is compiled."""

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.text.module import text_of
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import For, If, Var, While, atom
from srcgrad.ir.types import FLOAT, INT, np_dtype
from srcgrad.passes.lower import fuse, lower
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.special import SPECIAL
from tests.backends.backend_programs import Program, agree, outcome, random_program, same
from tests.tools.turns import share

FLOATS = [-np.inf, -3.5, -1.0, -0.0, 0.0, 0.25, 1.0, 2.0, 7.3, np.inf, np.nan]
INTEGERS = [-7, -2, -1, 0, 1, 2, 3, 5]
VALUES = {
    "f64": FLOATS, "f32": FLOATS, "i64": INTEGERS, "i32": INTEGERS, "i8": INTEGERS,
    "u8": [0, 1, 2, 200, 255], "bool": [False, True], "c128": [1 + 2j, -1j, 0.5, -2.0, 0.0],
}  # fmt: skip
# SciPy's functions call its compiled ones, which other tests hold against it; those with three
# operands or with parameters stand below; a mark of rules is taken out before any target
LEFT_OUT = {
    *SPECIAL, "gammainc_by_shape", "gammainc_by_shape_twice", "stdtr_by_freedom", "undetermined",
}  # fmt: skip
ROWS = [p for p in REGISTRY.values() if p.elementwise and p.name not in LEFT_OUT and not p.params]
UNARY = [p.name for p in ROWS if p.arity == 1]
BINARY = [p.name for p in ROWS if p.arity == 2]
# a negative power raises; the frontend makes parts of floats, and takes parts of complex numbers
NOT_OF = {
    "pow": "iub", "to_complex": "iubc", "real": "b", "imag": "b", "larger": "c", "smaller": "c",
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


def compiled(function):
    return build(function, BuildOptions(cache=False))


def defined(op, dtype):
    """Whether compiled code has the operation: bools only from bools."""
    if dtype[0] in NOT_OF.get(op, ""):
        return False
    p = Program()
    x = p.array("x", None, dtype=dtype)
    try:
        v = p.b(op, *(x, x)[: 2 if op in BINARY else 1])
    except (TypeError, UnsupportedError):  # complex numbers have no order
        return False
    return dtype != "bool" or v.type.dtype == "bool"


def elementwise(dtype):
    """All operations on two arrays: one program per dtype."""

    def make():
        p = Program()
        x, y = p.array("x", None, dtype=dtype), p.array("y", None, dtype=dtype)
        y.type = x.type
        out = [p.b(op, x, y) for op in BINARY if defined(op, dtype)]
        out += [p.b(op, x) for op in UNARY if defined(op, dtype)]
        if dtype not in ("bool", "c128"):
            out += [p.b.powi(x, n=n) for n in (0, 1, 3, 7)]
            out += [p.b.clip(x, y, y), p.b.where(p.b.lt(x, y), x, y)]
        return p.returns(*out)

    return make


@pytest.mark.parametrize("dtype", VALUES)
def test_elementwise_operations(dtype):
    values = np.array(VALUES[dtype], np_dtype(dtype))
    x, y = (g.ravel().copy() for g in np.meshgrid(values, values, indexing="ij"))
    make = elementwise(dtype)
    want = outcome(python.build, make(), (x, y))
    got = outcome(compiled, fuse(make()), (x, y))
    for g, w in zip(got, want, strict=True):
        assert same([g], [w]), (g, w)


@pytest.mark.parametrize("seed", share(range(1000, 1012)))
@pytest.mark.parametrize("lowering", [lower, fuse])
def test_random_programs(seed, lowering):
    make, args = random_program(seed)
    assert agree(make, args, compiled, lowering)


# ---- statements ----
def test_branches_and_loops():
    """Newton's method: a while loop in a for loop, a branch with a join, a swap."""

    def make():
        p = Program()
        x, n = p.array("x", None), p.scalar("n", INT)
        b, i = p.b, Var("i", INT)
        a, c = Var("a", FLOAT), Var("c", FLOAT)
        with b.block() as body:
            v = b.load(x, i)
            r, t = Var("r", FLOAT), Var("t", FLOAT)
            with b.block() as test:
                going = b.gt(b.abs(b.sub(b.mul(r, r), v)), 1e-12)
            with b.block() as step:
                new = b.mul(b.add(r, b.div(v, r)), 0.5)
            root = Var("root", FLOAT)
            b.append(While(tuple(test), going, (r,), (atom(1.0),), tuple(step), (new,), (root,)))
            with b.block() as then:
                b.store(x, i, root)
            b.append(If(b.gt(root, 1.5), tuple(then), (), (root,), (atom(0.0),), (t,)))
            total = b.add(a, t)
        results = (Var("a", FLOAT), Var("c", FLOAT))
        start = (atom(0.0), atom(1.0))
        b.append(For(i, atom(0), n, (a, c), start, tuple(body), (c, total), results, True))
        return p.returns(*results, p.b.powi(n, n=2))

    args = [np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 4]
    assert agree(make, args, compiled, lower)


def test_tapes_grow():
    def make():
        p = Program()
        n, b = p.scalar("n", INT), p.b
        tape = b.tape(2, dtype="f64", name="tape")
        cell = b.zeros(1, dtype="f64")

        def record(i):
            b.reserve(tape, b.add(i, 1))
            b.store(tape, i, b.mul(b.cast(i, FLOAT), 0.5))

        def replay(i):
            b.add_at(cell, 0, b.mul(b.load(tape, i), b.cast(i, FLOAT)))

        p.loop(0, n, record)
        p.loop(0, n, replay, reverse=True)
        shadow = b.tape_like(tape)
        square = b.tape_view(tape, 0, 2, 2, name="square")
        b.add_to(square, 1.0)
        return p.returns(b.load(cell, 0), square, b.load(shadow, 1))

    assert agree(make, [9], compiled, lower)


def test_references_are_kept_by_position():
    def make():
        p = Program()
        x, b = p.array("x", None), p.b
        n = x.type.dims[0]
        kept = b.reftape(dtype="f64", ndim=1, name="kept")
        b.ref_put(kept, 0, x)
        b.ref_put(kept, 1, b.mul(x, 2.0))
        b.ref_put(kept, 0, b.view(x, b.sub(n, 1), n, -1, spec=("s",)))
        back = b.ref_get(kept, 0, n)
        b.store(back, 0, 7.0)
        return p.returns(b.add(back, b.ref_get(kept, 1, n)))

    assert agree(make, [np.arange(4.0)], compiled, lower)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_linear_algebra(dtype):
    def make():
        p = Program()
        a = p.array("a", None, None, dtype=dtype)
        x = p.array("x", None, dtype=dtype, layout="S")
        s = p.array("s", None, None, None, dtype=dtype)
        b = p.b
        spd = b.matmul(a, b.transpose(a, perm=(1, 0)))
        return p.returns(
            spd, b.matvec(a, x), b.vecdot(x, x), b.solve(a, x), b.solve(a, spd),
            b.inv(a), b.cholesky(spd), b.det(a), b.logabsdet(a), b.detsign(a),
            b.cofactors(a), b.matmul(s, s), b.argsort(x, axis=0),
        )  # fmt: skip

    numbers = np.random.default_rng(0)
    a = numbers.normal(size=(3, 3)) + 3 * np.eye(3)
    args = [a, numbers.normal(size=6)[::2], numbers.normal(size=(2, 3, 3))]
    args = [v.astype(np_dtype(dtype)) for v in args]
    want = outcome(python.build, make(), args)
    got = outcome(compiled, lower(make()), args)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-3 if dtype == "f32" else 1e-10)
        assert np.asarray(g).dtype == np.asarray(w).dtype


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_factorisations(dtype):
    """Vectors up to their sign."""

    def make():
        p = Program()
        a = p.array("a", None, None, dtype=dtype)
        w = p.array("w", None, None, dtype=dtype, layout="S")
        x = p.array("x", None, dtype=dtype, layout="S")
        b = p.b
        made = [b.eigh(a, lower=lower) for lower in (True, False)] + [b.svd(w), b.qr(w)]
        made = [b.mul(y, y) for y in made]
        for k in range(8):
            low, transposed, unit = k % 2 == 1, k // 2 % 2 == 1, k > 3
            kinds = {"lower": low, "transposed": transposed, "unit": unit}
            made += [b.solve_triangular(a, y, **kinds) for y in (x, a)]
        s = b.singular_values(w, checked=True)
        made += [b.pinv(w, 1e-6), b.lstsq(w, x, 1e-6), b.lstsq(w, w, 1e-6)]
        return p.returns(*made, s, b.coincide(s, s), b.lu(a), b.lu_pivots(a))

    numbers = np.random.default_rng(0)
    a = numbers.normal(size=(3, 3)) + 2 * np.eye(3)
    args = [a, numbers.normal(size=(6, 2))[::2], numbers.normal(size=6)[::2]]
    args = [v.astype(np_dtype(dtype)) for v in args]
    want = outcome(python.build, make(), args)
    got = outcome(compiled, lower(make()), args)
    # what cancels to zero is off by some roundings of the largest element
    eps = np.finfo(np_dtype(dtype)).eps
    for g, w in zip(got, want, strict=True):
        rtol, atol = (1e-3 if dtype == "f32" else 1e-10), 20 * eps * np.max(np.abs(w))
        np.testing.assert_allclose(g, w, rtol=rtol, atol=atol)
        assert np.asarray(g).dtype == np.asarray(w).dtype


def test_what_is_printed(capfd):
    def make():
        p = Program()
        x, n = p.array("x", None), p.scalar("n", INT)
        p.b.show(n, p.b.load(x, 0), message="n={}: {{{}}}\n")
        p.b.show(message="done\n")
        return p.returns(n)

    for backend in (python.build, compiled):
        backend(lower(make()))(np.array([0.5]), 3)
        assert capfd.readouterr().out == "n=3: {0.5}\ndone\n"


# ---- errors ----
def raising():
    def place(p, x):
        return p.b.load(x, p.b.index(-4, x.type.dims[0], axis=0))

    def shapes(p, x):
        y = p.array("y", None)
        return p.b.add(x, y)

    def singular(p, x):
        return p.b.inv(p.b.zeros(2, 2, dtype="f64"))

    def negative(p, x):
        return p.b.zeros(p.b.sub(2, x.type.dims[0]), dtype="f64")

    def told(p, x):
        p.b.fail(x.type.dims[0], 1.5, kind="KeyError", message="no {} of {}")
        return x

    def step(p, x):
        return p.b.trips(0, 5, p.b.sub(x.type.dims[0], 3))

    def maximum(p, x):
        none = p.b.view(x, 0, p.b.sub(x.type.dims[0], 3), 1, spec=("s",))
        return p.b.max(none, axes=(0,))

    def many(p, x):
        return p.b.indices(p.b.iota(5), x.type.dims[0], axis=0)

    return [place, shapes, singular, negative, told, step, maximum, many]


@pytest.mark.parametrize("fault", raising(), ids=lambda f: f.__name__)
def test_errors_are_numpys(fault):
    def make():
        p = Program()
        x = p.array("x", None)
        return p.returns(fault(p, x))

    args = [np.arange(3.0), np.arange(4.0)][: len(make().params)]
    want = outcome(python.build, make(), args)
    assert isinstance(want, tuple)
    assert agree(make, args, compiled, fuse)


# ---- text ----
def test_the_text_is_plain_python():
    p = Program()
    x = p.array("x", None)
    y = p.b.mul(p.b.exp(x), -2.0, name="y")
    text = text_of(fuse(p.returns(y))).text
    assert text.endswith(
        "def f(x):\n"
        "    n = x.shape[0]\n"
        "    y = np.empty((n,), np.float64)\n"
        "    for i in range(n):\n"
        "        x1 = x[i]\n"
        "        t = np.exp(x1)\n"
        "        y1 = t * (-2.0)\n"
        "        y[i] = y1\n"
        "    return (y,)\n"
    )


def test_expm1_of_complex_numbers_does_not_cancel():
    z = np.array([1e-10 + 1e-12j, 1e-300j, -2e-9 - 3e-5j, 1.0 + 3.0j, -800.0 + 1.0j])
    p = Program()
    made = compiled(lower(p.returns(p.b.expm1(p.array("x", None, dtype="c128")))))
    np.testing.assert_allclose(made.run(z)[0], np.expm1(z), rtol=1e-15)
