"""A warning names the line whose derivative is not determined, where it is not and nowhere else."""

import inspect
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator

APART = np.diag([1.0, 2.0, 4.0]) + 0.1
TIED = np.eye(3)
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def vectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(v[0] * w)


def singular_vectors(a):
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum(u[0] * s)


def complex_vectors(a):
    w, v = np.linalg.eig(a)
    return np.sum((v[0] * w).real)


def step(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.where(w > 1.0, w, 0.0)) @ v.T)


UNDETERMINED = [(vectors, TIED), (singular_vectors, TIED), (complex_vectors, TIED + 0j),
                (step, np.diag([1.0, np.nextafter(1.0, 2.0), 3.0]))]  # fmt: skip


def exponential(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T)


def powers(a):
    return np.sum(np.linalg.eigvalsh(a) ** 3)


def nuclear(a):
    return np.sum(np.linalg.svd(a, compute_uv=False))


def line_of(f, text):
    lines, first = inspect.getsourcelines(f)
    return first + next(k for k, line in enumerate(lines) if text in line)


def warned(call, *args):
    """The result, and file and line of each RuntimeWarning."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        out = call(*args)
    return out, [(w.filename, w.lineno) for w in found if w.category is RuntimeWarning]


@TARGETS
@pytest.mark.parametrize(("f", "a"), UNDETERMINED)
def test_the_line_is_named(f, a, target):
    here = [(__file__, line_of(f, "return" if f is step else "np.linalg"))]
    for transform in (flow.grad, flow.value_and_grad):
        call = transform(flow.compile(f, target=target))
        for _ in range(2):
            out, lines = warned(call, a)
            assert np.isnan(out if transform is flow.grad else out[1]).any()
            assert lines == here
        assert warned(call, a * 0.0 + APART)[1] == []


def test_forward_mode_and_jacobians_warn_too():
    f = flow.compile(vectors, target="python")
    t = np.arange(9.0).reshape(3, 3)
    assert warned(flow.jvp, f, (TIED,), (t,))[1] == [(__file__, line_of(vectors, "eigh"))]
    assert warned(flow.jvp, f, (APART,), (t,))[1] == []
    assert warned(flow.jacrev(f), TIED)[1] == [(__file__, line_of(vectors, "eigh"))]


@TARGETS
@pytest.mark.parametrize("f", [exponential, powers, nuclear])
@pytest.mark.parametrize("a", [APART, TIED])
def test_what_is_determined_does_not_warn(f, a, target):
    out, lines = warned(flow.grad(flow.compile(f, target=target)), a)
    assert np.isfinite(out).all()
    assert lines == []


def in_stack(a):
    total = 0.0
    for k in range(a.shape[0]):
        w, v = np.linalg.eigh(a[k])
        total += np.sum(v[0] * w)
    return total


@TARGETS
@pytest.mark.parametrize("options", [{}, {"parallel": True}])
def test_one_matrix_of_many(target, options):
    """The trips stay independent: they only add to the counts."""
    call = flow.grad(flow.compile(in_stack, target=target, **options))
    assert warned(call, np.stack([APART, APART + 1.0]))[1] == []
    out, lines = warned(call, np.stack([APART, TIED, TIED]))
    assert lines == [(__file__, line_of(in_stack, "eigh"))]
    assert np.isfinite(out[0]).all() and np.isnan(out[1]).any()


def test_kernels_count_too():
    with using(Simulator()):
        call = flow.grad(flow.compile(vectors, target="cuda"))
        assert warned(call, TIED)[1] == [(__file__, line_of(vectors, "eigh"))]
        assert warned(call, APART)[1] == []


@TARGETS
def test_it_is_said_once_for_each_line_and_may_be_an_error(target):
    def again(a):
        w, v = np.linalg.eigh(a)
        return v[0] @ w

    call = flow.grad(flow.compile(again, target=target))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        call(TIED)
        call(TIED)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="NaN in the elements"):
            call(TIED)
    assert np.isfinite(call(APART)).all()
