"""The names of second derivatives against compositions of `grad`, `jvp` and the Jacobians.

Forward over reverse and reverse over reverse, element by element, on a table of functions and
structures, in two precisions, of arrays and of tensors.
"""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.tree import mapped, matched, paths
from tests.tools import turns
from tests.tools.turns import share
from tests.transforms.derivatives_table import ROWS

NEAR = {"float64": 1e-10, "float32": 2e-4}
KINDS = [(d, k) for d in NEAR for k in ("arrays", "tensors")]
WAYS = [(r, *kind) for kind in KINDS for r in ROWS]
ONE_OF_FOUR = [WAYS[k + len(ROWS) * (k % 4)] for k in range(len(ROWS))]  # a way for each row


def test_the_table_is_broad():
    assert len(ROWS) >= 60 and len({r.id for r in ROWS}) == len(ROWS)


def in_precision(value, dtype, kind):
    """Arguments with arrays of this dtype, or with tensors for them."""

    def leaf(v):
        if not isinstance(v, np.ndarray | np.float64):
            return v
        a = v.astype(dtype)
        return flow.tensor(a) if kind == "tensors" and isinstance(a, np.ndarray) else a

    return mapped(value, leaf)


def plain(value):
    return mapped(value, lambda v: v.numpy() if isinstance(v, flow.Tensor) else v)


def same(got, want, near, kinds=True):
    """Structures, shapes, dtypes, and each element; None in the same places."""
    got, want = plain(got), plain(want)

    def refuse(path, a, b):
        raise AssertionError(f"{a!r} is no {b!r} at {path}")

    for path, w, g in matched(want, got, refuse):
        assert (g is None) == (w is None), path
        if w is not None:
            assert np.shape(g) == np.shape(w), path
            if kinds:
                assert np.asarray(g).dtype == np.asarray(w).dtype, path
            size = np.max(np.abs(w), initial=1.0)
            assert_allclose(g, w, rtol=near, atol=near * size, err_msg=str(path))


def directions(value):
    """A direction with the structure of a value."""
    rng = np.random.default_rng(7)

    def leaf(v):
        shape = tuple(v.shape) if hasattr(v, "shape") else ()
        d = rng.uniform(-1.0, 1.0, shape)
        if isinstance(v, flow.Tensor):
            return flow.tensor(d.astype(v.numpy().dtype))
        if isinstance(v, np.ndarray | np.generic):
            return np.asarray(d, v.dtype)[()] if not shape else d.astype(v.dtype)
        return None if isinstance(v, int) else float(d)

    return mapped(value, leaf)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("row", "dtype", "kind"),
    WAYS if turns.everything else share(ONE_OF_FOUR),
    ids=lambda v: getattr(v, "id", None) or str(v),
)
def test_against_compositions(row, dtype, kind):
    check(row, dtype, kind, "python")


CPU = ("stencil", "network", "of_dict", "two_by_both", "cholesky", "while_newton")


@pytest.mark.parametrize("row", [r for r in ROWS if r.id in share(CPU)], ids=lambda r: r.id)
def test_on_the_cpu(row):
    check(row, "float64", "arrays", "cpu")


def check(row, dtype, kind, target):
    f, at = flow.compile(row.function, target=target), row.positions
    args = in_precision(row.args, dtype, kind)
    before = plain(in_precision(row.args, dtype, "arrays"))
    near, on = NEAR[dtype], partial(_called, args)
    value, gradient = on(flow.value_and_grad(f, at))
    hessian = on(flow.jacrev(flow.grad(f, at), at))  # reverse over reverse
    alone = not isinstance(at, tuple)
    chosen = args[at] if alone else tuple(args[k] for k in at)
    v = directions(chosen)
    one = len({a.dtype for _, x in floats(args) if (a := np.asarray(x)).dtype.kind == "f"}) == 1
    # a block has the dtype of its gradient in one mode, and that of the argument in the other
    same(on(flow.value_grad_hess(f, at)), (value, gradient, hessian), near, kinds=one)
    same(on(flow.hessian(f, at)), hessian, near, kinds=one)
    same(on(flow.jacobian(f, at)), on(flow.jacrev(f, at)), near, kinds=one)
    same(on(flow.value_and_jac(f, at)), (value, gradient), near, kinds=one)
    same(on(flow.elementwise_grad(f, at)), gradient, near)
    given = dict(zip((at,) if alone else at, (v,) if alone else v, strict=True))
    tangents = tuple(given.get(k) for k in range(len(args)))
    along = flow.jvp(flow.grad(f, at), args, tangents)[1]
    for product in (flow.hvp(f, at), flow.vhp(f, at)):
        same(_with_direction(product, args, v), along, near)
    same(along, by_hessian(gradient, hessian, v), near)
    diagonal = on(flow.hessian_diag(f, at))
    same(diagonal, diagonal_of(gradient, hessian), near)
    total = sum(np.sum(d) for _, d in paths(plain(diagonal)) if d is not None)
    assert_allclose(plain(on(flow.laplacian(f, at))), total, rtol=near, atol=10 * near)
    same(plain(args), before, 0.0)


def _called(args, f):
    return f(*args)


def _with_direction(product, args, v):
    """A product, its direction passed by name, as it may follow *args."""
    names = [n for n in product._signature.parameters]
    p = product._signature.parameters["v"]
    if p.kind is p.KEYWORD_ONLY:
        return product(*args, v=v)
    at = names.index("v")
    return product(*args[:at], v, *args[at:])


# ---- Hessians as matrices ----
def floats(value):
    return [(p, v) for p, v in paths(plain(value), ()) if v is not None]


def flat(value):
    """The elements of a structure as a vector."""
    return np.concatenate([np.ravel(v) for _, v in floats(value)] or [np.zeros(0)])


def matrix(gradient, hessian):
    """The Hessian as a matrix: blocks by the gradient's parts, then by the argument's."""
    sizes = [np.size(g) for _, g in floats(gradient)]
    blocks = iter([b for _, b in floats(hessian)])
    rows = [[np.reshape(next(blocks), (m, n)) for n in sizes] for m in sizes]
    assert next(blocks, None) is None
    return np.block(rows)


def unflattened(gradient, vector):
    """A vector in the structure of a gradient."""
    parts = iter(np.split(vector, np.cumsum([np.size(g) for _, g in floats(gradient)])[:-1]))

    def leaf(g):
        if g is None:
            return None
        made = np.reshape(next(parts), np.shape(g)).astype(np.asarray(g).dtype)
        return made if isinstance(g, np.ndarray) else made[()]

    return mapped(plain(gradient), leaf)


def by_hessian(gradient, hessian, v):
    return unflattened(gradient, matrix(gradient, hessian) @ flat(v))


def diagonal_of(gradient, hessian):
    return unflattened(gradient, np.diag(matrix(gradient, hessian)))
