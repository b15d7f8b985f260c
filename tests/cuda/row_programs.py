"""Programs whose trips are rows: reductions, numbers and maps of what an outer loop gives each."""

import numpy as np

import srcgrad as flow
from tests.cuda.device_programs import Program


def softmax(x):
    n, m = x.shape
    y = np.empty((n, m))
    for i in range(n):
        top = np.max(x[i])
        s = 0.0
        for j in range(m):
            y[i, j] = np.exp(x[i, j] - top)
            s += y[i, j]
        for j in range(m):
            y[i, j] /= s
    return np.sum(y * y)


def cross_entropy(x, labels):
    loss = 0.0
    for i in flow.prange(len(x)):
        shifted = x[i] - np.max(x[i])
        loss += np.log(np.sum(np.exp(shifted))) - shifted[labels[i]]
    return loss / len(x)


def layer_norm(x, scale, bias):
    n, m = x.shape
    y = np.empty((n, m))
    for i in range(n):
        mean = 0.0
        for j in range(m):
            mean += x[i, j]
        mean /= m
        variance = 0.0
        for j in range(m):
            variance += (x[i, j] - mean) ** 2
        r = 1.0 / np.sqrt(variance / m + 1e-5)
        for j in range(m):
            y[i, j] = (x[i, j] - mean) * r * scale[j] + bias[j]
    return np.sum(y**3)


def attention(q, k, v):
    """A row of scores for each query, which its trip makes for itself."""
    n, d = q.shape
    out = np.zeros((n, d))
    for i in flow.prange(n):
        scores = np.empty(len(k))
        for j in range(len(k)):
            s = 0.0
            for c in range(d):
                s += q[i, c] * k[j, c]
            scores[j] = s / np.sqrt(d)
        top = np.max(scores)
        weights = np.exp(scores - top)
        total = np.sum(weights)
        for c in range(d):
            s = 0.0
            for j in range(len(k)):
                s += weights[j] * v[j, c]
            out[i, c] = s / total
    return np.sum(out * out)


def triangle(x):
    """Loops that are longer from row to row."""
    n = len(x)
    y = np.zeros((n, n))
    for i in range(n):
        s = 1.0
        for j in range(i + 1):
            s += x[i, j] ** 2
        for j in range(i + 1):
            y[i, j] = x[i, j] / s
    return np.sum(y * y)


def ranges(x):
    """The distance of the least from the largest, the product, and whether any is large."""
    y = np.zeros((len(x), 3))
    for i in flow.prange(len(x)):
        low, high = np.min(x[i]), np.max(x[i])
        y[i, 0] = high - low
        y[i, 1] = np.prod(1.0 + 0.01 * x[i])
        if np.any(x[i] > 2.0):
            y[i, 2] = high * low
    return np.sum(y)


def relaxed(x):
    """Time steps of each row, in arrays of its own: each reads what the one before has stored."""
    n, m = x.shape
    y = np.zeros((n, m))
    for i in flow.prange(n):
        a, b = np.zeros(m), np.zeros(m)
        for j in range(m):
            a[j] = x[i, j]
        for _ in range(3):
            for j in range(1, m - 1):
                b[j] = a[j] + 0.1 * (a[j - 1] - 2.0 * a[j] + a[j + 1])
            for j in range(1, m - 1):
                a[j] = b[j] * b[j]
        for j in range(m):
            y[i, j] = a[m - 1 - j]
    return y


def stored(x):
    """Single elements, which one thread stores and all of them read."""
    n, m = x.shape
    y, seen = np.zeros((n, m)), np.zeros((n, 2))
    for i in flow.prange(n):
        short = np.zeros(2)
        for j in range(m):
            short[0] += x[i, j]
        seen[i, 0] = short[0]
        short[1] = short[0] * 0.5 + seen[i, 0]
        seen[i, 1] += short[1]
        seen[i, 0] = short[1] + seen[i, 1]
        for j in range(m):
            y[i, j] = x[i, j] * short[1] + seen[i, 0]
    return np.sum(y * y) + np.sum(seen)


def until(x):
    """A while loop in each row, that ends by what the row's threads have computed."""
    n, m = x.shape
    steps = np.zeros(n)
    y = np.zeros((n, m))
    for i in flow.prange(n):
        for j in range(m):
            y[i, j] = x[i, j]
        s = 2.0
        while s > 1.0:
            s = 0.0
            for j in range(m):
                y[i, j] *= 0.5
                s += y[i, j] ** 2
            steps[i] += 1.0
    return y, steps


def counted(x, places):
    """Additions of a row's threads to few elements of the row, and of all rows to one array."""
    n, m = x.shape
    counts, total = np.zeros((n, 4)), np.zeros(4)
    for i in flow.prange(n):
        s = 1.0
        for j in range(m):
            s += x[i, j] ** 2
        for j in range(m):
            counts[i, places[j]] += x[i, j] * s
            total[places[j]] += x[i, j] / s
    return np.sum(counts**2) + np.sum(total**3)


def tallied(x, places, w):
    """Additions of a row's threads that read an element before what they add to it."""
    n, m = x.shape
    counts = np.zeros((n, 4))
    for i in flow.prange(n):
        s = 1.0
        for j in range(m):
            s += x[i, j] ** 2
        for j in range(m):
            counts[i, places[j]] = counts[i, places[j]] + w[j] / s
    return np.sum(counts**2)


def spectra(z):
    """Sums of complex numbers."""
    n, m = z.shape
    y = np.zeros((n, m), z.dtype)
    for i in range(n):
        s = 0j
        for j in range(m):
            s += z[i, j] * z[i, j]
        for j in range(m):
            y[i, j] = z[i, j] * s
    return np.sum(np.abs(y) ** 2)


def normalised(x, places, limit):
    """Checks in the loops of a row, and of what they have made."""
    n, m = x.shape
    y = np.zeros((n, m))
    for i in flow.prange(n):
        s = 0.0
        for j in range(m):
            s += x[i, places[i, j]] ** 2
        if s > limit:
            raise ValueError(f"row {i} has {s}")
        for j in range(m):
            if x[i, j] < -50.0:
                raise ValueError(f"{x[i, j]} at {i}, {j}")
            y[i, j] = x[i, j] / np.sqrt(s)
    return np.sum(y**3)


def best(x):
    """The place of the largest element and the element: no operation combines such pairs."""
    n, m = x.shape
    y = np.zeros(n)
    for i in flow.prange(n):
        place, top = 0, x[i, 0]
        for j in range(1, m):
            if x[i, j] > top:
                place, top = j, x[i, j]
        for j in range(m):
            y[i] += x[i, j] * top
        y[i] += x[i, place]
    return np.sum(y * y)


_r = np.random.default_rng(1)
_x, _places = _r.normal(size=(4, 40)), _r.integers(0, 40, (4, 40))
ROWS = [
    Program(softmax, (_x,)),
    Program(cross_entropy, (_x, _places[0, :4])),
    Program(triangle, (_r.normal(size=(70, 70)),)),
    Program(ranges, (_x,)),
    Program(stored, (_x,)),
    Program(spectra, (_x + 1j * _x[::-1],)),
    Program(normalised, (_x, _places, 1e3)),
]
# of which several trips add to one element, some of them in reverse only
ADDING = [
    Program(layer_norm, (_x, _x[0], _x[1])),
    Program(attention, (_x, _r.normal(size=(35, 40)), _r.normal(size=(35, 40)))),
    Program(counted, (_x, _places[0] % 4)),
    Program(tallied, (_x, _places[1] % 4, _x[2])),
]
