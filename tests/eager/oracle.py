"""Gradients by central differences, for tensors of float64."""

import numpy as np

import srcgrad as flow


def tensors(arrays):
    return [flow.tensor(np.asarray(a, np.float64), requires_grad=True) for a in arrays]


def weights(shape):
    return np.cos(np.arange(int(np.prod(shape))) + 0.5).reshape(shape)


def weighted(f, arrays):
    with flow.no_grad():
        y = f(*tensors(arrays)).numpy()
    return float((y * weights(y.shape)).sum())


def differences(f, arrays, step=1e-6):
    """The gradients of the weighted sum of ``f``'s result, one array per argument."""
    grads = []
    for k, a in enumerate(arrays):
        g = np.zeros_like(a)
        for i in np.ndindex(a.shape):
            values = []
            for sign in (1, -1):
                moved = [b.copy() for b in arrays]
                moved[k][i] += sign * step
                values.append(weighted(f, moved))
            g[i] = (values[0] - values[1]) / (2 * step)
        grads.append(g)
    return grads


def gradients(f, arrays, create_graph=False):
    xs = tensors(arrays)
    y = f(*xs)
    w = flow.tensor(weights(y._a.shape))
    got = flow.autograd.grad(y, xs, w, create_graph=create_graph, allow_unused=True)
    return xs, [flow.zeros_like(x) if g is None else g for g, x in zip(got, xs, strict=True)]


def check(f, *arrays, tolerance=1e-6):
    """Gradients against differences; the recorded pass against the plain one; second order."""
    arrays = [np.asarray(a, np.float64) for a in arrays]
    _, plain = gradients(f, arrays)
    _, recorded = gradients(f, arrays, create_graph=True)
    for got, again, want in zip(plain, recorded, differences(f, arrays), strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got.numpy(), want, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(again.detach().numpy(), got.numpy(), rtol=1e-12, atol=1e-14)

    def first(*xs):
        y = f(*xs)
        w = flow.tensor(weights(y._a.shape))
        with flow.enable_grad():
            ys = [x.detach().requires_grad_() if not x.requires_grad else x for x in xs]
            out = f(*ys)
            got = flow.autograd.grad(out, ys, w, create_graph=True, allow_unused=True)
        parts = [(g * g).sum() for g in got if g is not None and g.requires_grad]
        total = flow.tensor(0.0, dtype=flow.float64)
        for p in parts:
            total = total + p
        return total

    xs = tensors(arrays)
    total = first(*xs)
    if total.requires_grad:
        second = flow.autograd.grad(total, xs, allow_unused=True)
        for got, want in zip(second, differences(first, arrays), strict=True):
            have = np.zeros_like(want) if got is None else got.numpy() * weights(())
            np.testing.assert_allclose(have, want, rtol=2e-5, atol=2e-5)
