"""Structured arrays and records that the tests share."""

import numpy as np

KIND = np.dtype([("x", float), ("k", np.int64), ("v", float, 3)])
FLOATS = np.dtype([("x", float), ("v", float, 3)])
NESTED = np.dtype([("at", [("x", float), ("y", float)]), ("w", float)])
X = np.array([0.3, -0.7, 1.1, 2.0])


def table(n=4, dtype=KIND):
    rng = np.random.default_rng(0)
    made = np.zeros(n, dtype)
    made["x"], made["v"] = rng.normal(size=n), rng.normal(size=(n, 3))
    if "k" in dtype.names:
        made["k"] = np.arange(n)
    return made


TABLE, ITEM, OBJECTS = table(), table()[1], table().view(np.recarray)
