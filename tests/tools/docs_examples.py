"""The functions whose programs are printed in the pages of docs and in the README."""
# ruff: noqa: B007 (programs as users write them)

import numpy as np


def power(x, n):
    y = 1.0
    for i in range(n):
        y = y * x
    return y


def energy(x):
    y = np.sin(x)
    return np.sum(y * x)


def relax(u, w):
    for i in range(1, len(u)):
        u[i] = w * u[i] * u[i - 1]
    return u[len(u) - 1]


def settle(x):
    y = x
    while y > 0.001:
        y = y * np.sin(y)
    return y


def spread(x, a, b, steps):
    for _ in range(steps):
        x = x - np.max(x * a * b) * x
    return np.sum(x)


def shared(x, flag):
    a = np.sin(x)
    b = np.cos(x)
    if flag > 0.0:
        c = a
    else:
        c = b
    c[0] = c[0] * c[1]
    return np.sum(a * b)


def alternate(u, v, steps):
    for _ in range(steps):
        v[0] = u[0] * u[1]
        u, v = v, u
    return u[0]
