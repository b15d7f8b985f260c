"""Gradients of the array API's functions: on the tape and compiled, against differences."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import array_api as xp

X = np.array([[3.0, 1.1, 2.0], [2.2, 5.0, 0.5]])
PROGRAMS = {
    "add": lambda x: xp.add(xp.multiply(xp.sin(x), x), 1.0),
    "atan2": lambda x: xp.atan2(x, xp.square(x)) + xp.hypot(x, 2.0) + xp.logaddexp(x, xp.exp(-x)),
    "pow": lambda x: xp.pow(x, 2) + xp.pow(2.0, x) + xp.divide(1.0, x) + xp.subtract(x, x[0]),
    "clip": lambda x: xp.clip(x, 1.5, 4.0) ** 2,
    "maximum": lambda x: xp.maximum(x, 1.7) * xp.minimum(x, xp.asarray(2.5, dtype=xp.float64)),
    "where": lambda x: xp.where(xp.greater(x, 1.5), x * x, 0.0),
    "sum": lambda x: xp.sum(x * x, axis=1) * xp.mean(x, axis=1) * xp.sum(x, axis=()) [:, 0],
    "prod": lambda x: xp.prod(x, axis=0) + xp.max(x, axis=0) - xp.min(x, axis=0),
    "var": lambda x: xp.var(x, axis=1) * xp.std(x, axis=1, correction=1.0),
    "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=1, include_initial=True) ** 2,
    "cumulative_prod": lambda x: xp.cumulative_prod(x, axis=0),
    "diff": lambda x: xp.diff(x, axis=1, prepend=x[:, :1] * 2.0) ** 2,
    "sort": lambda x: xp.sort(x, axis=1, descending=True) * xp.asarray([1.0, 2.0, 4.0]),
    "take": lambda x: xp.take(x, xp.asarray([0, 2, 2]), axis=1) ** 2,
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)[:, 0] ** 2,
    "unique_values": lambda x: xp.unique_values(x) ** 2,
    "concat": lambda x: xp.concat([x, x * 2.0], axis=1)[:, 1:] ** 2,
    "concat of all": lambda x: xp.concat([x, x[0]], axis=None) ** 2,
    "stack": lambda x: xp.stack(xp.unstack(x, axis=1)) ** 3,
    "expand_dims": lambda x: xp.squeeze(xp.expand_dims(x, (0, -1)), (0, 3)) ** 2,
    "repeat": lambda x: xp.repeat(x, 2, axis=1) * xp.tile(x, (1, 2)),
    "roll": lambda x: xp.roll(x, 1, axis=1) * xp.flip(x),
    "tril": lambda x: xp.tril(x) * xp.triu(x, k=-1),
    "moveaxis": lambda x: xp.matmul(xp.moveaxis(x, 0, 1), x),
    "reshape": lambda x: xp.reshape(x, (3, 2)) @ xp.permute_dims(x[:, :2], (1, 0)),
    "broadcast_to": lambda x: xp.broadcast_to(x[0], (2, 3)) * xp.broadcast_arrays(x, x[1])[1],
    "meshgrid": lambda x: xp.meshgrid(x[0], x[1])[0] * xp.meshgrid(x[0], x[1])[1],
    "vecdot": lambda x: xp.vecdot(x, x * x),
    "tensordot": lambda x: xp.tensordot(x, xp.matrix_transpose(x), axes=1),
    "outer": lambda x: xp.linalg.outer(x[0], x[1]) ** 2,
    "trace": lambda x: xp.linalg.trace(x, offset=1) * xp.linalg.diagonal(x),
    "inv": lambda x: xp.linalg.inv(xp.matmul(x, xp.matrix_transpose(x)) + xp.eye(2)),
    "solve": lambda x: xp.linalg.solve(xp.matmul(x, x.mT), x[:, 0]),
    "det": lambda x: xp.linalg.det(x[:, :2]) + xp.linalg.slogdet(x[:, 1:])[1],
    "cholesky": lambda x: xp.linalg.cholesky(xp.matmul(x, x.mT), upper=True),
    "eigh": lambda x: xp.linalg.eigh(xp.matmul(x, x.mT)).eigenvalues ** 2,
    "svd": lambda x: xp.linalg.svdvals(x) ** 3,
    "pinv": lambda x: xp.linalg.pinv(x),
    "norms": lambda x: xp.linalg.vector_norm(x, ord=3) * xp.linalg.matrix_norm(x),
    "cross": lambda x: xp.linalg.cross(x[0], x[1]) ** 2,
    "matrix_power": lambda x: xp.linalg.matrix_power(xp.matmul(x, x.mT), 2),
    "searchsorted": lambda x: x * xp.astype(xp.searchsorted(xp.asarray([1.3, 2.7]), x), xp.float64),
}  # fmt: skip


def loss(program):
    def f(x):
        y = program(x)
        return xp.sum(y * xp.cos(y))

    return f


@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_tape_compiled_and_by_differences(name):
    f = loss(PROGRAMS[name])
    x = flow.tensor(X, requires_grad=True)
    f(x).backward()
    found = x.grad.numpy()
    h = 1e-6
    differences = np.zeros_like(X)
    for k in np.ndindex(*X.shape):
        step = np.zeros_like(X)
        step[k] = h
        ends = [float(f(flow.tensor(X + s * step))) for s in (1.0, -1.0)]
        differences[k] = (ends[0] - ends[1]) / (2.0 * h)
    assert np.allclose(found, differences, rtol=1e-6, atol=1e-6 * (1.0 + abs(found).max()))
    compiled = flow.grad(flow.compile(f, target="python"))(flow.tensor(X))
    assert np.allclose(compiled.numpy(), found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["fft", "rfft", "ifft", "fftn", "hfft"])
def test_transforms_are_differentiated_in_compiled_code(name):
    def f(x):
        y = getattr(xp.fft, name)(x)
        return xp.sum(xp.real(y) ** 3)

    found = flow.grad(flow.compile(f, target="python"))(flow.tensor(X)).numpy()
    h = 1e-6
    for k in [(0, 0), (1, 2)]:
        step = np.zeros_like(X)
        step[k] = h
        ends = [float(f(flow.tensor(X + s * step))) for s in (1.0, -1.0)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-5)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_program_for_any_library_takes_arrays_and_tensors(target):
    def f(x):
        xp = x.__array_namespace__()
        return xp.sum(xp.exp(-x) * xp.sort(x))

    on_arrays = flow.grad(flow.compile(f, target=target))(X[0])
    on_tensors = flow.grad(flow.compile(f, target=target))(flow.tensor(X[0]))
    x = flow.tensor(X[0], requires_grad=True)
    f(x).backward()
    assert np.allclose(on_arrays, x.grad.numpy(), rtol=1e-12)
    assert np.allclose(on_tensors.numpy(), x.grad.numpy(), rtol=1e-12)
