"""Learning algorithms that run inside the function that is differentiated."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def sinkhorn(a, b, cost, epsilon, steps):
    """The entropic cost of transport between two histograms (Cuturi 2013)."""
    k = np.exp(-cost / epsilon)
    u = np.ones(len(a))
    for _ in range(steps):
        v = b / (k.T @ u)
        u = a / (k @ v)
    plan = u[:, None] * k * v
    return np.sum(plan * cost)


def expectation_maximization(x, means, variances, weights, steps):
    """A one-dimensional mixture fitted in place; its last log likelihood (Dempster et al. 1977)."""
    log_likelihood = -np.inf
    for _ in range(steps):
        density = np.exp(-0.5 * (x[:, None] - means) ** 2 / variances)
        density *= weights / np.sqrt(2 * np.pi * variances)
        total = density.sum(axis=1)
        log_likelihood = np.log(total).sum()
        responsibility = density / total[:, None]
        counts = responsibility.sum(axis=0)
        weights[:] = counts / len(x)
        means[:] = responsibility.T @ x / counts
        variances[:] = (responsibility * (x[:, None] - means) ** 2).sum(axis=0) / counts
    return log_likelihood


def multiplicative_factors(v, w, h, steps):
    """Non-negative factors by multiplicative updates with `out=` (Lee & Seung 2001)."""
    for _ in range(steps):
        np.multiply(h, (w.T @ v) / (w.T @ w @ h), out=h)
        np.multiply(w, (v @ h.T) / (w @ h @ h.T), out=w)
    return np.linalg.norm(v - w @ h)


def cross_entropy_training(w, b, x, labels, rate, decay, epochs, batch):
    """A softmax classifier by stochastic gradients with momentum; its last losses."""
    momentum_w, momentum_b = np.zeros_like(w), np.zeros_like(b)
    losses = []
    for _ in range(epochs):
        for start in range(0, len(x), batch):
            xs, ys = x[start : start + batch], labels[start : start + batch]
            logits = xs @ w + b
            logits -= logits.max(axis=1, keepdims=True)
            p = np.exp(logits)
            p /= p.sum(axis=1, keepdims=True)
            losses.append(-np.mean(np.log(p[np.arange(len(ys)), ys])))
            p[np.arange(len(ys)), ys] -= 1
            p /= len(ys)
            momentum_w = decay * momentum_w + xs.T @ p
            momentum_b = decay * momentum_b + p.sum(axis=0)
            w -= rate * momentum_w
            b -= rate * momentum_b
    return np.array(losses)


def matrix_factorization(p, q, users, items, ratings, rate, penalty, epochs):
    """Ratings explained by factors, one rating after another (Koren et al. 2009)."""
    for _ in range(epochs):
        for user, item, rating in zip(users, items, ratings):
            error = rating - p[user] @ q[item]
            p[user], q[item] = (
                p[user] + rate * (error * q[item] - penalty * p[user]),
                q[item] + rate * (error * p[user] - penalty * q[item]),
            )
    return np.sqrt(np.mean((ratings - np.sum(p[users] * q[items], axis=1)) ** 2))


def newton_logistic(w, x, y, penalty, tolerance):
    """Logistic regression by Newton's method until the step is small."""
    for _ in range(25):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) + penalty * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + penalty * np.eye(len(w))
        step = np.linalg.solve(hessian, gradient)
        w = w - step
        if np.linalg.norm(step) < tolerance:
            break
    return w


def page_rank(links, damping, steps):
    """Ranks of pages; those without links go anywhere (Brin & Page 1998)."""
    n = links.shape[0]
    out = links.sum(axis=1)
    rank = np.ones(n) / n
    for _ in range(steps):
        spread = np.zeros(n)
        for i in range(n):
            if out[i] > 0:
                spread += rank[i] * links[i] / out[i]
            else:
                spread += rank[i] / n
        rank = (1 - damping) / n + damping * spread
    return rank


def tsne_loss(y, p):
    """Divergence of heavy-tailed affinities in the plane (van der Maaten & Hinton 2008)."""
    squares = np.sum(y**2, axis=1)
    num = 1 / (1 + squares[:, None] + squares[None, :] - 2 * y @ y.T)
    np.fill_diagonal(num, 0)
    q = np.maximum(num / num.sum(), 1e-12)
    return np.sum(p * np.log(np.maximum(p, 1e-12) / q))


def nearest_regression(x, y, at, k, width):
    """Means of the k nearest values, weighted by distance."""
    out = np.empty(len(at))
    for i, point in enumerate(at):
        distance = np.linalg.norm(x - point, axis=1)
        nearest = np.argsort(distance)[:k]
        w = np.exp(-((distance[nearest] / width) ** 2))
        out[i] = np.average(y[nearest], weights=w)
    return out


def principal_axes(x, count, steps):
    """Leading eigenvectors of the covariance by powers and deflation."""
    x = x - x.mean(0)
    c = x.T @ x / (len(x) - 1)
    axes = np.empty((count, c.shape[0]))
    values = np.empty(count)
    for k in range(count):
        v = np.ones(c.shape[0])
        for _ in range(steps):
            v = c @ v
            v /= np.sqrt(v.dot(v))
        values[k] = v @ c @ v
        c -= values[k] * np.outer(v, v)
        axes[k, :] = v
    return values, axes


def gru_classifier(params, x):
    """A gated recurrent unit over a sequence, parameters in a dict (Cho et al. 2014)."""
    h = np.zeros(params["uz"].shape[0])
    for xt in x:
        z = 1 / (1 + np.exp(-(params["wz"] @ xt + params["uz"] @ h)))
        r = 1 / (1 + np.exp(-(params["wr"] @ xt + params["ur"] @ h)))
        candidate = np.tanh(params["wh"] @ xt + params["uh"] @ (r * h))
        h = (1 - z) * h + z * candidate
    scores = params["out"] @ h
    return scores - np.log(np.sum(np.exp(scores)))


def conditional_field(unary, pairwise, labels):
    """A chain's log probability: its score less the log partition function (Lafferty 2001)."""
    steps = len(unary)
    score = unary[0, labels[0]]
    for t in range(1, steps):
        score += pairwise[labels[t - 1], labels[t]] + unary[t, labels[t]]
    alpha = unary[0]
    for t in range(1, steps):
        alpha = unary[t] + np.logaddexp.reduce(alpha[:, None] + pairwise, axis=0)
    return score - np.logaddexp.reduce(alpha)


def connectionist_loss(log_probs, labels, blank):
    """Paths through a lattice of labels and blanks, their probabilities summed (Graves 2006)."""
    steps = log_probs.shape[0]
    extended = np.full(2 * len(labels) + 1, blank)
    extended[1::2] = labels
    n = len(extended)
    alpha = np.full((steps, n), -1e30)
    alpha[0, 0] = log_probs[0, blank]
    alpha[0, 1] = log_probs[0, extended[1]]
    for t in range(1, steps):
        for s in range(n):
            total = alpha[t - 1, s]
            if s > 0:
                total = np.logaddexp(total, alpha[t - 1, s - 1])
            if s > 1 and extended[s] != blank and extended[s] != extended[s - 2]:
                total = np.logaddexp(total, alpha[t - 1, s - 2])
            alpha[t, s] = total + log_probs[t, extended[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


def hinge_descent(w, x, y, penalty, steps):
    """A linear classifier by subgradients of the points inside the margin (Pegasos 2007)."""
    for t in range(1, steps + 1):
        margin = y * (x @ w)
        inside = margin < 1
        rate = 1 / (penalty * t)
        w *= 1 - rate * penalty
        if inside.any():
            w += rate / len(y) * (y[inside, None] * x[inside]).sum(axis=0)
    return np.maximum(0, 1 - y * (x @ w)).mean()


def histograms(n, m):
    a, b = positive(n), positive(m, seed=1)
    cost = np.abs(np.linspace(0, 1, n)[:, None] - np.linspace(0, 1, m)[None, :])
    return a / a.sum(), b / b.sum(), cost


def classes(n, d, k):
    labels = np.random.default_rng(5).integers(0, k, n)
    return 0.1 * signed(d, k), 0.1 * signed(k, seed=1), signed(n, d, seed=2), labels


def ratings(users, items, rank, count):
    rng = np.random.default_rng(4)
    return (
        signed(users, rank),
        signed(items, rank, seed=1),
        rng.integers(0, users, count),
        rng.integers(0, items, count),
        3 * positive(count, seed=2),
    )


def pages(n):
    links = positive(n, n)
    links[1] = 0.0
    return links, 0.85


def gates(n, d, k):
    shapes = {"wz": (n, d), "uz": (n, n), "wr": (n, d), "ur": (n, n), "wh": (n, d), "uh": (n, n)}
    shapes["out"] = (k, n)
    return {name: 0.5 * signed(*s, seed=i) for i, (name, s) in enumerate(shapes.items())}


def speech(steps, symbols, length):
    logits = signed(steps, symbols)
    labels = 1 + np.arange(length) % (symbols - 1)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), labels, 0


def affinities(n):
    p = positive(n, n, seed=1)
    np.fill_diagonal(p, 0)
    return signed(n, 2), (p + p.T) / (p + p.T).sum()


KERNELS = [
    Kernel(sinkhorn, lambda n, m, t: (*histograms(n, m), 0.2, t), (3, 4, 3), (100, 120, 50)),
    Kernel(
        expectation_maximization,
        lambda n, k, t: (signed(n), signed(k, seed=1), positive(k), positive(k, seed=2) / k, t),
        (6, 2, 2),
        (5000, 5, 20),
    ),
    Kernel(
        multiplicative_factors,
        lambda n, m, k, t: (positive(n, m), positive(n, k, seed=1), positive(k, m, seed=2), t),
        (4, 3, 2, 2),
        (150, 160, 10, 20),
    ),
    Kernel(
        cross_entropy_training,
        lambda n, d, k, b: (*classes(n, d, k), 0.5, 0.9, 2, b),
        (5, 2, 3, 2),
        (1000, 20, 5, 50),
        wrt=(0, 1, 2, 4, 5),
    ),
    Kernel(
        matrix_factorization,
        lambda u, i, k, c: (*ratings(u, i, k, c), 0.05, 0.02, 2),
        (3, 4, 2, 5),
        (200, 300, 8, 10000),
        wrt=(0, 1, 4, 5, 6),
    ),
    Kernel(
        newton_logistic,
        lambda n, d: (np.zeros(d), signed(n, d), np.arange(n) % 2.0, 0.3, 1e-2),
        (6, 2),
        (2000, 20),
        wrt=(1, 3),
    ),
    Kernel(page_rank, lambda n, t: (*pages(n), t), (4, 3), (200, 30)),
    Kernel(tsne_loss, affinities, (4,), (300,), wrt=(0,)),
    Kernel(
        nearest_regression,
        lambda n, m, k: (signed(n, 2), signed(n, seed=1), signed(m, 2, seed=2), k, 0.8),
        (6, 3, 3),
        (500, 100, 10),
        wrt=(0, 1, 2, 4),
    ),
    Kernel(principal_axes, lambda n, d, k, t: (signed(n, d), k, t), (5, 3, 2, 4), (500, 60, 3, 30)),
    Kernel(
        gru_classifier,
        lambda n, d, k, t: (gates(n, d, k), signed(t, d)),
        (2, 3, 2, 3),
        (32, 16, 5, 100),
    ),
    Kernel(
        conditional_field,
        lambda t, n: (signed(t, n), signed(n, n, seed=1), np.arange(t) * 2 % n),
        (4, 3),
        (500, 20),
    ),
    Kernel(connectionist_loss, speech, (5, 3, 2), (200, 30, 40)),
    Kernel(
        hinge_descent,
        lambda n, d, t: (signed(d), signed(n, d, seed=1), np.sign(signed(n, seed=2)), 0.3, t),
        (5, 2, 3),
        (2000, 20, 50),
        wrt=(0, 1, 3),
    ),
]
