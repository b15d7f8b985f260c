"""Flags, axes, orders and modes that are arguments, defaults, parts of containers or captured."""

from dataclasses import dataclass

import numpy as np

from tests.cases.registry import case, mat, vec

KEEP = False
ORDER = np.inf


@dataclass
class Options:
    keep: bool
    axis: int
    ddof: float


@case(mat(3, 2), True, 0)
@case(mat(3, 2), False, 1)
@case(mat(3, 2), 1, -1)
def flags_and_axes(x, keep, axis):
    top = np.max(x * x, axis=axis, keepdims=keep)
    return np.sum(top * np.mean(x, axis, keepdims=keep)) + np.sum(np.ptp(x, axis, keepdims=keep))


@case(mat(3, 2))
@case(mat(3, 2), True)
def flag_by_default(x, keep=False):
    return np.sum(x**2, axis=0, keepdims=keep) * x.prod(1, keepdims=not keep).sum()


@case(mat(2, 3))
@case(mat(2, 3), {"keepdims": True, "axis": 0})
def flags_of_a_dict(x, options={"keepdims": False, "axis": 1}):  # noqa: B006 (such a default is tested)
    return np.sum(np.std(x, **options) * np.linalg.norm(x, **options))


@case(mat(2, 3), Options(True, 0, 1.0))
@case(mat(2, 3), Options(False, 1, 0.0))
def flags_of_a_record(x, o):
    return np.var(x, axis=o.axis, ddof=o.ddof, keepdims=o.keep) * x[0, 0]


@case(mat(2, 3))
def flags_that_are_captured(x):
    return np.sum(x * x, axis=0, keepdims=KEEP)


@case(mat(3, 4), True, False)
@case(mat(3, 4), False, True)
def covariances(x, rows, bias):
    c = np.cov(x, rowvar=rows, bias=bias)
    return np.sum(c * c) + np.corrcoef(x, rowvar=rows)[0, 1]


@case(vec(3), True)
@case(vec(3), False)
def points_and_powers(x, flag):
    line = np.linspace(x[0], x[1], 5, endpoint=flag)
    first, second = np.meshgrid(x, line, sparse=flag)
    return np.sum(first * second) + np.vander(x, increasing=flag)[:, 0] @ x + np.roll(x, flag) @ x


@case(mat(3, 2), np.inf)
@case(mat(3, 2), -np.inf)
@case(mat(3, 2), 0.0, wrt=(0,))
@case(mat(3, 2), 1.0)
@case(mat(3, 2), 2.0)
@case(mat(3, 2), 3.5)
@case(mat(3, 2), 2)
def norm_of_an_order(x, p):
    return np.sum(np.linalg.norm(x, p, axis=1) * x[:, 0])


@case(mat(3, 3), 2)
@case(mat(3, 3), -1)
def norm_of_a_matrix(x, p):
    of_rows = np.linalg.norm(x, ORDER)
    return of_rows * np.linalg.norm(x, p) + np.linalg.cond(x + 3.0 * np.eye(3), p)


@case(vec(3), 0)
@case(vec(3), 2)
def truth_of_what_is_counted(x, n):
    trips, twice = range(n), lambda v: 2.0 * v
    y = x * 3.0 if trips else x
    return np.sum(twice(y) if twice else y) * (x[0] if n not in (2, 2.0, "fro", None) else x[1])
