"""Programs on tensors that mean in PyTorch what NumPy's mean otherwise: values, dtypes, gradients.

Each is run by PyTorch, on the tape, and compiled.
"""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn

torch = pytest.importorskip("torch")
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4)
ROWS, TURNED = np.array([0, 1]), np.array([1, 0])
MASK = np.array([True, False, True])


def programs(T, F):
    """By name: a function of tensors, and its arguments."""

    def put_first_row(x, v):
        y = x * 1.0
        y[1] = v[:1]
        return y * y

    def put_element(x, v):
        y = x * 1.0
        y[0, 1, 2] = v[:1]
        return y * y

    def put_many_ones(x, v, i):
        y = x * 1.0
        y[i, :, 1] = v[None, None, None]
        return y * y

    def put_between(x, v, i):
        y = x * 1.0
        y[0, :, i] = v[:, None]
        y[1, 1:, i] += v[1:, None]
        return y * y

    v = np.array([0.5, -1.5, 2.0])
    return {
        "an int, a slice, an array": (lambda x, i: x[0, :, i], CUBE, ROWS),
        "an int, a new dim, a mask": (lambda x, m: x[-1, None, m], CUBE, MASK),
        "an array, a slice, an int": (lambda x, i: x[i, :, 1], CUBE, ROWS),
        "an int between arrays": (lambda x, i, j: x[i, 0, j], CUBE, ROWS, TURNED),
        "arrays apart": (lambda x, i, j: x[i, :, j], CUBE, ROWS, TURNED),
        "an int after a slice": (lambda x, i: x[:, 0, i], CUBE, ROWS),
        "a slice, an array, ..., an int": (lambda x, i: x[0:1, i, ..., 1], CUBE, ROWS),
        "a row of one dim too many": (put_first_row, CUBE[0, :, :3].copy(), CUBE[0, :, :3].copy()),
        "an element of one dim": (put_element, CUBE, v),
        "leading ones at an array": (put_many_ones, CUBE, v, ROWS),
        "a store at an int and an array": (put_between, CUBE, v, ROWS),
    }


OURS, THEIRS = programs(flow, nn.functional), programs(torch, torch.nn.functional)


def tensors(make, arrays):
    made = [make(a) if isinstance(a, np.ndarray) else a for a in arrays]
    for t, a in zip(made, arrays, strict=True):
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            t.requires_grad_()
    return made


def results(f, make, arrays):
    """The value, and the gradients of a weighted sum of it."""
    inputs = tensors(make, arrays)
    y = f(*inputs)
    if y.requires_grad:
        weights = np.cos(np.arange(y.numel())).reshape(tuple(y.shape))
        (y * make(weights.astype(str(y.dtype).split(".")[1]))).sum().backward()
    leaves = [t for t in inputs if getattr(t, "requires_grad", False)]
    return [y.detach().numpy(), *(t.grad.numpy() for t in leaves)]


@pytest.mark.parametrize("way", ["eager", "compiled"])
@pytest.mark.parametrize("name", OURS)
def test_as_pytorch(name, way):
    (f, *arrays), (theirs, *_) = OURS[name], THEIRS[name]
    ours = flow.compile(f, target="python") if way == "compiled" else f
    want = results(theirs, lambda a: torch.from_numpy(a.copy()), arrays)
    for got, w in zip(results(ours, flow.tensor, arrays), want, strict=True):
        assert (got.dtype, got.shape) == (w.dtype, w.shape)
        np.testing.assert_allclose(got, w, rtol=1e-6, atol=1e-7)
