"""Neural networks in NumPy, with loops over pixels and steps."""

from itertools import pairwise

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    """Softmax along the last axis, shifted by its maximum."""
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def mlp(x, w1, b1, w2, b2, w3, b3):
    """Three dense layers and a softmax."""
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def conv2d(x, weights):
    """Valid convolution (correlation) in channels-last form, pixel by pixel."""
    k = weights.shape[0]
    n = x.shape[0]
    h_out = x.shape[1] - k + 1
    w_out = x.shape[2] - k + 1
    out = np.empty((n, h_out, w_out, weights.shape[3]), dtype=x.dtype)
    for i in range(h_out):
        for j in range(w_out):
            out[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return out


def conv2d_bias(x, weights, bias):
    """A convolution and a bias per channel."""
    return conv2d(x, weights) + bias


def maxpool2d(x):
    """Maxima of squares of two by two."""
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def lenet(x, conv1, bias1, conv2, bias2, w1, b1, w2, b2):
    """Two convolutions with pooling, two dense layers (LeCun et al. 1998, shortened)."""
    x = maxpool2d(relu(conv2d(x, conv1) + bias1))
    x = maxpool2d(relu(conv2d(x, conv2) + bias2))
    x = np.reshape(x, (x.shape[0], -1))
    x = relu(x @ w1 + b1)
    return x @ w2 + b2


def padded_conv(x, weights):
    """Convolution with zeros around, so that the image keeps its size."""
    pad = weights.shape[0] // 2
    padded = np.zeros((x.shape[0], x.shape[1] + 2 * pad, x.shape[2] + 2 * pad, x.shape[3]))
    padded[:, pad : pad + x.shape[1], pad : pad + x.shape[2], :] = x
    return conv2d(padded, weights)


def batchnorm2d(x, eps=1e-5):
    """Each pixel and channel normalised over the batch, without parameters."""
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


def residual_block(x, conv1, conv2, conv3):
    """A bottleneck with a shortcut (He et al. 2016)."""
    y = relu(batchnorm2d(conv2d(x, conv1)))
    y = relu(batchnorm2d(padded_conv(y, conv2)))
    y = batchnorm2d(conv2d(y, conv3))
    return relu(y + x)


def lstm(x, w, u, b, h, c):
    """A long short-term memory over a sequence (Hochreiter & Schmidhuber 1997; forget gate)."""
    steps, units = x.shape[0], h.shape[0]
    outputs = np.zeros((steps, units))
    for t in range(steps):
        gates = w @ x[t] + u @ h + b
        i = sigmoid(gates[:units])
        f = sigmoid(gates[units : 2 * units])
        g = np.tanh(gates[2 * units : 3 * units])
        o = sigmoid(gates[3 * units :])
        c = f * c + i * g
        h = o * np.tanh(c)
        outputs[t] = h
    return outputs, c


def attention(x, wq, wk, wv, heads):
    """Causal self-attention with several heads (Vaswani et al. 2017)."""
    n, d = x.shape
    q, k, v = x @ wq, x @ wk, x @ wv
    size = d // heads
    out = np.zeros_like(x)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        scores = q[:, part] @ k[:, part].T / np.sqrt(size)
        scores[np.triu_indices(n, 1)] = -np.inf
        out[:, part] = softmax(scores) @ v[:, part]
    return out


def adam_descent(w, x, y, rate, steps):
    """Least squares by Adam, all state stepped in place (Kingma & Ba 2015)."""
    m = np.zeros_like(w)
    s = np.zeros_like(w)
    for t in range(1, steps + 1):
        g = 2 * x.T @ (x @ w - y) / len(y)
        m = 0.9 * m + 0.1 * g
        s = 0.999 * s + 0.001 * g**2
        w -= rate * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-8)
    return np.mean((x @ w - y) ** 2)


def dense(*sizes):
    arrays = []
    for k, (n, m) in enumerate(pairwise(sizes)):
        arrays += [signed(n, m, seed=2 * k + 1) / np.sqrt(n), 0.3 * signed(m, seed=2 * k + 2)]
    return arrays


def images(n, size, channels, hidden):
    left = ((size - 2) // 2 - 2) // 2
    flat = left * left * channels
    return (
        signed(n, size, size, 1),
        signed(3, 3, 1, channels, seed=1) / 3,
        0.1 * signed(channels, seed=2),
        signed(3, 3, channels, channels, seed=3) / 3,
        0.1 * signed(channels, seed=4),
        *dense(flat, hidden, 4),
    )


def gated(steps, inputs, units):
    return (
        signed(steps, inputs),
        0.5 * signed(4 * units, inputs, seed=1),
        0.5 * signed(4 * units, units, seed=2),
        0.1 * signed(4 * units, seed=3),
        0.1 * signed(units, seed=4),
        0.1 * signed(units, seed=5),
    )


KERNELS = [
    Kernel(softmax, lambda n, m: (signed(n, m),), (3, 4), (500, 500)),
    Kernel(
        mlp, lambda n, *s: (signed(n, s[0]), *dense(*s)), (3, 4, 5, 3, 2), (64, 200, 150, 100, 10)
    ),
    Kernel(
        conv2d_bias,
        lambda n, s, k, a, b: (signed(n, s, s, a), signed(k, k, a, b, seed=1), signed(b, seed=2)),
        (2, 4, 2, 2, 3),
        (4, 32, 3, 4, 8),
    ),
    Kernel(lenet, images, (2, 10, 2, 3), (8, 28, 6, 32)),
    Kernel(
        residual_block,
        lambda n, s, a, b: (
            signed(n, s, s, a),
            signed(1, 1, a, b, seed=1),
            signed(3, 3, b, b, seed=2),
            signed(1, 1, b, a, seed=3),
        ),
        (3, 2, 2, 2),
        (4, 14, 16, 8),
    ),
    Kernel(lstm, gated, (3, 2, 2), (100, 32, 32)),
    Kernel(
        attention,
        lambda n, d, h: (signed(n, d), *(signed(d, d, seed=k) / d for k in (1, 2, 3)), h),
        (3, 4, 2),
        (100, 64, 4),
    ),
    Kernel(
        adam_descent,
        lambda n, d, t: (signed(d), signed(n, d, seed=1), positive(n), 0.1, t),
        (5, 3, 3),
        (1000, 50, 20),
    ),
]
