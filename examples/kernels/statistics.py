"""Moments, mixtures, filters and clusters of data."""

import math

import numpy as np

from examples.kernels.table import Kernel, definite, positive, signed


def correlation(data):
    """The matrix of correlations; columns that hardly vary are left as they are (PolyBench)."""
    n, m = data.shape
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(n) * stddev
    corr = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return corr


def covariance(data):
    """The matrix of covariances, a row and a column at a time (PolyBench)."""
    n, m = data.shape
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (n - 1.0)
    return cov


def log_sum_exp(x):
    """log(sum(exp(x))) without overflow."""
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top))) + top


def gmm_objective(alphas, means, icf, x, gamma, m):
    """A Gaussian mixture's log likelihood with a Wishart prior (ADBench, Srajer et al. 2018).

    `icf` (k, d (d + 1) / 2) holds each inverse covariance's factor: the logarithms of its diagonal,
    then its strict lower triangle column by column.
    """
    n, d = x.shape
    k = alphas.shape[0]
    log_dets = np.sum(icf[:, :d], axis=1)
    main = 0.0
    lower = np.zeros((k, d, d))
    for ik in range(k):
        at = d
        for i in range(d):
            lower[ik, i, i] = np.exp(icf[ik, i])
            lower[ik, i + 1 :, i] = icf[ik, at : at + d - i - 1]
            at += d - i - 1
    terms = np.empty(k)
    for ix in range(n):
        for ik in range(k):
            terms[ik] = (
                alphas[ik] + log_dets[ik] - 0.5 * np.sum((lower[ik] @ (x[ix] - means[ik])) ** 2)
            )
        main += log_sum_exp(terms)
    prior = 0.0
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * np.log(np.pi)
    for j in range(1, d + 1):
        log_gamma += math.lgamma(0.5 * (freedom + 1 - j))
    for ik in range(k):
        squares = np.sum(lower[ik] ** 2)
        prior += 0.5 * gamma**2 * squares - m * log_dets[ik]
    constant = freedom * d * (np.log(gamma) - 0.5 * np.log(2)) - log_gamma
    return -n * d * 0.5 * np.log(2 * np.pi) + main - n * log_sum_exp(alphas) + prior - k * constant


def hmm_forward(start, transition, emission, symbols):
    """The likelihood of symbols, scaled at every step (Rabiner 1989, V.A)."""
    alpha = start * emission[:, symbols[0]]
    log_likelihood = 0.0
    for symbol in symbols[1:]:
        scale = alpha.sum()
        log_likelihood += np.log(scale)
        alpha /= scale
        alpha = (alpha @ transition) * emission[:, symbol]
    return log_likelihood + np.log(alpha.sum())


def kalman_filter(observed, f, h, q, r, mean, cov):
    """States filtered from observations and their log likelihood (Kalman 1960)."""
    steps, d = observed.shape
    identity = np.eye(len(mean))
    filtered = np.empty((steps, len(mean)))
    log_likelihood = 0.0
    for t in range(steps):
        mean = f @ mean
        cov = f @ cov @ f.T + q
        innovation = observed[t] - h @ mean
        s = h @ cov @ h.T + r
        gain = np.linalg.solve(s, h @ cov).T
        mean = mean + gain @ innovation
        cov = (identity - gain @ h) @ cov
        cov = (cov + cov.T) / 2
        _, log_det = np.linalg.slogdet(s)
        distance = innovation @ np.linalg.solve(s, innovation)
        log_likelihood -= 0.5 * (distance + log_det + d * np.log(2 * np.pi))
        filtered[t] = mean
    return log_likelihood, filtered


def kmeans(x, centroids, steps):
    """Lloyd's iteration; returns the centroids and the sum of squared distances (Lloyd 1982)."""
    for _ in range(steps):
        distances = np.sum((x[:, np.newaxis, :] - centroids[np.newaxis, :, :]) ** 2, axis=2)
        labels = np.argmin(distances, axis=1)
        for k in range(len(centroids)):
            members = labels == k
            if members.any():
                centroids[k] = x[members].mean(axis=0)
    distances = np.sum((x[:, None] - centroids) ** 2, axis=-1)
    return centroids, distances.min(axis=1).sum()


def logistic_regression(w, x, labels, rate, epochs):
    """Batch gradient descent in place, as in a first course; returns the last loss."""
    n = len(labels)
    loss = 0.0
    for _ in range(epochs):
        p = 1 / (1 + np.exp(-(x @ w)))
        w -= rate / n * x.T @ (p - labels)
        loss = -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))
    return loss


def matern_regression(x, y, targets, length, noise):
    """A Gaussian process's log likelihood and its mean at `targets` (Rasmussen & Williams, 2.1)."""
    r = np.sqrt(3.0) * np.abs(x[:, None] - x[None, :]) / length
    cov = (1.0 + r) * np.exp(-r)
    cov[np.diag_indices(len(x))] += noise**2
    low = np.linalg.cholesky(cov)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    likelihood = -0.5 * y @ alpha - np.log(np.diag(low)).sum() - len(x) / 2 * np.log(2 * np.pi)
    r = np.sqrt(3.0) * np.abs(np.subtract.outer(targets, x)) / length
    return likelihood, ((1.0 + r) * np.exp(-r)) @ alpha


def mixture(n, k, d):
    factors = 0.3 * signed(k, d * (d + 1) // 2, seed=2)
    return signed(k), signed(k, d, seed=1), factors, signed(n, d, seed=3), 0.9, 1


def hidden(states, symbols, length):
    transition = positive(states, states, seed=1)
    emission = positive(states, symbols, seed=2)
    return (
        positive(states) / states,
        transition / transition.sum(axis=1, keepdims=True),
        emission / emission.sum(axis=1, keepdims=True),
        np.random.default_rng(3).integers(0, symbols, length),
    )


def tracking(steps, n, d):
    move = np.eye(n) + 0.1 * signed(n, n, seed=1)
    seen = signed(d, n, seed=2)
    return (
        signed(steps, d),
        move,
        seen,
        definite(n, 3),
        definite(d, 4),
        signed(n, seed=5),
        np.eye(n),
    )


def clouds(n, k, d):
    rng = np.random.default_rng(0)
    middles = 4.0 * rng.standard_normal((k, d))
    return np.concatenate([m + rng.standard_normal((n // k, d)) for m in middles]), middles + 0.3


KERNELS = [
    Kernel(correlation, lambda n, m: (signed(n, m),), (5, 3), (280, 240)),
    Kernel(covariance, lambda n, m: (signed(n, m),), (5, 3), (280, 240)),
    Kernel(gmm_objective, mixture, (4, 2, 3), (1000, 10, 8), wrt=(0, 1, 2)),
    Kernel(hmm_forward, hidden, (3, 4, 5), (50, 20, 1000)),
    Kernel(kalman_filter, tracking, (3, 3, 2), (300, 8, 4)),
    Kernel(kmeans, lambda n, k, d, t: (*clouds(n, k, d), t), (8, 2, 2, 2), (2000, 8, 4, 5)),
    Kernel(
        logistic_regression,
        lambda n, d, t: (signed(d), signed(n, d, seed=1), np.arange(n) % 2.0, 0.5, t),
        (6, 3, 3),
        (2000, 30, 50),
        wrt=(0, 1, 3),
    ),
    Kernel(
        matern_regression,
        lambda n, m: (np.linspace(0, 3, n), signed(n), np.linspace(0.1, 2.9, m), 0.8, 0.3),
        (5, 3),
        (200, 100),
        wrt=(1, 3, 4),
    ),
]
