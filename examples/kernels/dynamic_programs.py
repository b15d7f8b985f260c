"""Dynamic programs on tables: shortest paths, alignments, decodings, foldings."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def floyd_warshall(path):
    """Lengths of shortest paths between all pairs, in place (Floyd 1962)."""
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def nussinov(pair):
    """The best folding without crossings, `pair[i, j]` for joining i and j (Nussinov 1978)."""
    n = pair.shape[0]
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = np.maximum(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair[i, j])
            else:
                table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


def viterbi(start, transition, emission, symbols):
    """The most probable hidden states of symbols, and the logarithm of their probability."""
    steps = len(symbols)
    delta = np.log(start) + np.log(emission[:, symbols[0]])
    back = np.zeros((steps, len(start)), dtype=int)
    for t in range(1, steps):
        scores = delta[:, np.newaxis] + np.log(transition)
        back[t] = scores.argmax(axis=0)
        delta = scores.max(axis=0) + np.log(emission[:, symbols[t]])
    states = np.zeros(steps, dtype=int)
    states[-1] = delta.argmax()
    for t in range(steps - 1, 0, -1):
        states[t - 1] = back[t, states[t]]
    return delta[states[-1]], states


def soft_dtw(x, y, gamma):
    """Dynamic time warping with a smooth minimum (Cuturi & Blondel 2017)."""
    m, n = len(x), len(y)
    r = np.full((m + 1, n + 1), np.inf)
    r[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            z = -np.array([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]]) / gamma
            top = z.max()
            soft = -gamma * (top + np.log(np.sum(np.exp(z - top))))
            r[i, j] = np.sum((x[i - 1] - y[j - 1]) ** 2) + soft
    return r[m, n]


def smith_waterman(score, gap):
    """The best local alignment, `score[i, j]` for a match (Smith & Waterman 1981)."""
    m, n = score.shape
    h = np.zeros((m + 1, n + 1))
    best = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            h[i, j] = max(
                0, h[i - 1, j - 1] + score[i - 1, j - 1], h[i - 1, j] - gap, h[i, j - 1] - gap
            )
            best = max(best, h[i, j])
    return best


def knapsack(values, weights, capacity):
    """The greatest value of things whose weights fit, one row overwritten from its end."""
    best = np.zeros(capacity + 1)
    for value, weight in zip(values, weights):
        for c in range(capacity, weight - 1, -1):
            if best[c - weight] + value > best[c]:
                best[c] = best[c - weight] + value
    return best[-1]


def value_iteration(rewards, transition, discount, tolerance):
    """Bellman's equation iterated to a tolerance; returns the values of all states."""
    v = np.zeros(rewards.shape[0])
    while True:
        q = rewards + discount * np.einsum("asn,n->sa", transition, v)
        v_new = q.max(axis=1)
        if np.max(np.abs(v_new - v)) < tolerance:
            break
        v = v_new
    return v_new


def chain(states, symbols, steps):
    draws = np.random.default_rng(3).integers(0, symbols, steps)
    return (
        positive(states),
        positive(states, states, seed=1),
        positive(states, symbols, seed=2),
        draws,
    )


def decisions(states, actions):
    moves = positive(actions, states, states, seed=1)
    return signed(states, actions), moves / moves.sum(axis=2, keepdims=True), 0.6, 1e-3


KERNELS = [
    Kernel(floyd_warshall, lambda n: (positive(n, n),), (4,), (200,), (0,)),
    Kernel(nussinov, lambda n: (positive(n, n),), (5,), (150,)),
    Kernel(viterbi, chain, (3, 4, 4), (50, 20, 500), wrt=(0, 1, 2)),
    Kernel(
        soft_dtw,
        lambda m, n, d, g: (signed(m, d), signed(n, d, seed=1), 1.0 / g),
        (3, 4, 2, 2),
        (200, 220, 3, 2),
    ),
    Kernel(smith_waterman, lambda m, n: (signed(m, n), 0.4), (4, 5), (300, 320)),
    Kernel(
        knapsack,
        lambda n, c: (positive(n), 1 + np.arange(n) * 7 % 5, c),
        (4, 6),
        (200, 2000),
    ),
    Kernel(value_iteration, decisions, (3, 2), (150, 5), wrt=(0, 1, 2)),
]
