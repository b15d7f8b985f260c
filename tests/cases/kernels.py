"""Whole programs of 20 to 50 lines: solvers, filters and decompositions as textbooks have them."""

import numpy as np

from tests.cases.registry import case, mat, signed, vec

# a symmetric positive definite matrix
SPD = np.array([[4.0, 0.6, 0.3], [0.6, 3.0, 0.5], [0.3, 0.5, 2.0]])


@case(SPD, vec(3))
def solved_by_lu(a, b):
    """Doolittle's decomposition with partial pivoting in place, then both substitutions."""
    lu = a.copy()
    x = b.copy()
    n = len(b)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(lu[i, k]) > abs(lu[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                lu[k, j], lu[pivot, j] = lu[pivot, j], lu[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]
    for i in range(n):
        for j in range(i):
            x[i] -= lu[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= lu[i, j] * x[j]
        x[i] /= lu[i, i]
    return np.sum(x * x) + x[0]


@case(SPD)
def cholesky_log_density(a):
    """The log determinant and a Mahalanobis distance from a decomposition written out."""
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    z = np.zeros(n)
    log_det = 0.0
    for i in range(n):
        s = 1.0 + 0.5 * i
        for j in range(i):
            s -= low[i, j] * z[j]
        z[i] = s / low[i, i]
        log_det += 2.0 * np.log(low[i, i])
    return -0.5 * (z @ z + log_det + n * np.log(2.0 * np.pi))


@case(np.array([0.3, 0.5, 0.1, 0.9, 0.4]), 0.3, 0.5, 0.2)
def kalman_likelihood(observed, drift, process, noise):
    """Position and speed filtered from positions; the innovations' Gaussian log likelihood."""
    dt = 0.4
    state = np.array([0.0, drift])
    cov = np.eye(2)
    move = np.array([[1.0, dt], [0.0, 1.0]])
    shake = process * np.array([[dt**3 / 3.0, dt**2 / 2.0], [dt**2 / 2.0, dt]])
    log_likelihood = 0.0
    for z in observed:
        state = move @ state
        cov = move @ cov @ move.T + shake
        innovation = z - state[0]
        s = cov[0, 0] + noise
        gain = cov[:, 0] / s
        state = state + gain * innovation
        kept = np.eye(2)
        kept[:, 0] -= gain
        cov = kept @ cov
        cov = 0.5 * (cov + cov.T)
        log_likelihood -= 0.5 * (innovation**2 / s + np.log(2.0 * np.pi * s))
        if abs(innovation) > 50.0:
            break
    return log_likelihood


@case(signed(8).reshape(4, 2), signed(12).reshape(4, 3), vec(4), signed(10).reshape(5, 2))
def lstm_sequence(w, r, bias, inputs):
    """A long short-term memory cell over a sequence, one scalar gate after another."""
    units = 3
    h = np.zeros(units)
    c = np.zeros(units)
    out = 0.0
    for t in range(inputs.shape[0]):
        new_h = np.zeros(units)
        for k in range(units):
            gates = np.zeros(4)
            for g in range(4):
                s = bias[g]
                for j in range(inputs.shape[1]):
                    s += w[g, j] * inputs[t, j]
                for j in range(units):
                    s += r[g, j] * h[(j + k) % units]
                gates[g] = s
            forget = 1.0 / (1.0 + np.exp(-gates[0]))
            write = 1.0 / (1.0 + np.exp(-gates[1]))
            read = 1.0 / (1.0 + np.exp(-gates[2]))
            c[k] = forget * c[k] + write * np.tanh(gates[3])
            new_h[k] = read * np.tanh(c[k])
        h = new_h
        out += np.sum(h * h)
    return out + h[0]


@case(vec(3), mat(3, 3), mat(3, 2), np.array([0, 1, 1, 0, 1]), wrt=(0, 1, 2))
def hidden_markov(start, transition, emission, symbols):
    """The forward algorithm in logarithms, shifted by its maximum at every step."""
    n = len(start)
    alpha = np.log(start / np.sum(start)) + np.log(emission[:, symbols[0]])
    rows = transition / np.sum(transition, axis=1, keepdims=True)
    for t in range(1, len(symbols)):
        new = np.empty(n)
        for j in range(n):
            top = -np.inf
            for i in range(n):
                term = alpha[i] + np.log(rows[i, j])
                if term > top:
                    top = term
            total = 0.0
            for i in range(n):
                total += np.exp(alpha[i] + np.log(rows[i, j]) - top)
            new[j] = top + np.log(total) + np.log(emission[j, symbols[t]])
        alpha[:] = new
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


@case(signed(5), signed(4), 0.7)
def soft_time_warping(x, y, gamma):
    """A smooth minimum over alignments, by dynamic programming over a bordered table."""
    m, n = len(x), len(y)
    cost = np.full((m + 1, n + 1), 1e8)
    cost[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            d = (x[i - 1] - y[j - 1]) ** 2
            a = cost[i - 1, j - 1]
            b = cost[i - 1, j]
            c = cost[i, j - 1]
            low = a
            if b < low:
                low = b
            if c < low:
                low = c
            s = 0.0
            for v in (a, b, c):
                s += np.exp(-(v - low) / gamma)
            cost[i, j] = d + low - gamma * np.log(s)
    return cost[m, n]


@case(mat(4, 3))
def gram_schmidt(a):
    """Orthonormal columns and the triangle that makes them, column after column in place."""
    m, n = a.shape
    q = np.zeros((m, n))
    r = np.zeros((n, n))
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(norm)
        for i in range(m):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, n):
            dot = 0.0
            for i in range(m):
                dot += q[i, k] * a[i, j]
            r[k, j] = dot
            for i in range(m):
                a[i, j] -= q[i, k] * r[k, j]
    weight = 1.0
    total = 0.0
    for i in range(n):
        for j in range(i, n):
            total += weight * r[i, j]
            weight *= -0.8
    return total + q[0, 0] * q[m - 1, n - 1]


@case(signed(6), 0.6, 0.2)
def two_sided_recursion(x, decay, mix):
    """A recursive smoother that runs over the signal forwards and then backwards."""
    n = len(x)
    forward = np.zeros(n)
    backward = np.zeros(n)
    x1 = y1 = y2 = 0.0
    for i in range(n):
        y = (1.0 - decay) * (x[i] + mix * x1) + decay * y1 - 0.3 * decay**2 * y2
        forward[i] = y
        x1 = x[i]
        y1, y2 = y, y1
    x1 = x2 = y1 = y2 = 0.0
    for i in reversed(range(n)):
        y = mix * x1 + (1.0 - mix) * decay * x2 + decay * y1 - 0.3 * decay**2 * y2
        backward[i] = y
        x1, x2 = x[i], x1
        y1, y2 = y, y1
    out = forward + backward
    energy = 0.0
    for i in range(n):
        energy += out[i] ** 2 * (1.0 + 0.1 * i)
    return energy
