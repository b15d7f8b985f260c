"""`vmap` against the loop in Python: values and derivatives of functions, structures and axes."""

import numpy as np
import pytest

import srcgrad as flow
from tests.inside.batches import (
    ROWS,
    drawn_like,
    gradients_of_items,
    in_single,
    is_float,
    looped,
    tree_map,
)
from tests.tools.turns import share

NAMES = {row.name: row for row in ROWS}
WITHOUT = {
    "a_number", "integers", "bools", "keywords", "keyword_vectors", "empty_rows", "defaults",
    "other_keyword", "keyword_alone",
}  # fmt: skip
FLOATS = [n for n in NAMES if n not in WITHOUT]  # with floats in arguments by position and results
COMPLEX = {"complex"}


def batch_of(row, target):
    return flow.compile(flow.vmap(row.fn, row.in_axes, row.out_axes), target=target)


def arrays_of(gradients):
    return tree_map(lambda v: v if v is None else np.asarray(v), gradients)


def leaves(v):
    return [x for x in flow.tree.leaves(v) if x is not None]


def close(got, want, tolerance=1e-12):
    assert flow.tree.structure(got) == flow.tree.structure(want)
    for g, w in zip(leaves(got), leaves(want), strict=True):
        assert np.asarray(g).dtype == np.asarray(w).dtype
        np.testing.assert_allclose(g, w, tolerance, tolerance)


def inner(one, other):
    pairs = zip(leaves(one), leaves(other), strict=True)
    return sum(np.sum(np.real(a) * np.real(b) + np.imag(a) * np.imag(b)) for a, b in pairs)


@pytest.mark.parametrize("name", NAMES)
def test_values(name):
    row = NAMES[name]
    fn = batch_of(row, "loops" if name in share(list(NAMES)) else "python")
    close(fn(*row.args, **(row.kwargs or {})), looped(row))


@pytest.mark.parametrize("name", share(FLOATS))
def test_derivatives(name):
    row = NAMES[name]
    fn = batch_of(row, "loops" if name in share(share(FLOATS)) else "python")
    out, pull = flow.vjp(fn, *row.args)
    seeds, along = drawn_like(out, 3), drawn_like(row.args, 4)
    got = pull(seeds)
    close(
        tree_map(lambda v: v if v is None else np.asarray(v), got),
        gradients_of_items(row, seeds),
        1e-10,
    )
    if name not in COMPLEX:
        dots = flow.jvp(fn, row.args, along)[1]
        np.testing.assert_allclose(inner(seeds, dots), inner(got, along), 1e-9)


@pytest.mark.parametrize("name", share(share(FLOATS)))
def test_single_precision(name):
    row = in_single(NAMES[name])
    fn = batch_of(row, "python")
    out, pull = flow.vjp(fn, *row.args)
    want = looped(row)
    close(out, want, 1e-4)
    seeds = drawn_like(want, 3)
    got = arrays_of(pull(seeds))
    close(got, gradients_of_items(row, seeds), 1e-4)


@pytest.mark.parametrize("name", share(share(FLOATS)))
def test_machine_code(name):
    row = NAMES[name]
    out, pull = flow.vjp(batch_of(row, "cpu"), *row.args)
    close(out, looped(row))
    seeds = drawn_like(out, 3)
    got = arrays_of(pull(seeds))
    close(got, gradients_of_items(row, seeds), 1e-10)


def of_tensors(value):
    """Arrays of floats as tensors that require a gradient, and these."""
    made = []

    def tensor(v):
        if not (isinstance(v, np.ndarray) and v.dtype.kind == "f"):
            return v
        made.append(flow.tensor(v, requires_grad=True))
        return made[-1]

    return tree_map(tensor, value), made


@pytest.mark.parametrize("name", share(FLOATS))
def test_tensors(name):
    row = NAMES[name]
    args, made = of_tensors(row.args)
    if name in COMPLEX or not made:
        return
    out = batch_of(row, "python")(*args)
    want = looped(row)
    roots = [t for t in leaves(out) if isinstance(t, flow.Tensor) and t.requires_grad]
    values = [t.detach().numpy() if isinstance(t, flow.Tensor) else t for t in leaves(out)]
    for v, w in zip(values, leaves(want), strict=True):
        np.testing.assert_allclose(v, w, 1e-12)
    flow.autograd.backward(roots, [flow.ones_like(r) for r in roots])
    ones = tree_map(lambda v: np.ones_like(v) if is_float(v) else None, want)
    grads = gradients_of_items(row, ones)
    arrays = tree_map(lambda v, g: g if isinstance(v, np.ndarray) else None, row.args, grads)
    for t, g in zip(made, leaves(arrays), strict=True):
        np.testing.assert_allclose(0.0 if t.grad is None else t.grad.numpy(), g, 1e-10, 1e-12)
