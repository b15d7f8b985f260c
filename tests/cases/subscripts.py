"""Subscripts of einsum in all forms, diagonals of stacks, np.r_ and its kin, operator's getters."""

import operator

import numpy as np

from tests.cases.registry import case, mat, vec

STACK = vec(24, 3).reshape(2, 3, 4)


@case(mat(3, 4))
def einsum_with_an_ellipsis(x):
    y = np.einsum("...ij,...kj->...ik", STACK, x)
    z = np.einsum("...j->...", y) * np.einsum("i...->...", x)[:3]
    return np.sum(z * np.einsum("...k,k...", x.T, x).sum())


@case(mat(3, 4), vec(24, 5).reshape(2, 3, 4))
def einsum_that_broadcasts_over_an_ellipsis(x, z):
    y = np.einsum("...,...->...", x, z)
    return np.sum(np.einsum("i...j,j...->...i", y, x.T) * x[0, 0])


@case(mat(3, 4))
def einsum_by_lists(x):
    y = np.einsum(x, [0, 1], STACK, [2, 0, 1], [2, 0])
    z = np.einsum(STACK, [Ellipsis, 0, 1], x, [0, 1], [Ellipsis])
    return np.sum(y * y) * np.sum(z) + np.einsum(x, [1, 0])[1, 2]


@case(vec(27).reshape(3, 3, 3))
def einsum_with_repeated_letters(x):
    y = np.einsum("iij->j", x) * np.einsum("iii->i", x)
    return np.sum(y) * np.einsum("iji,jj->", x, x[0]) + np.einsum("iii", x)


@case(1.3, mat(2, 3))
def einsum_of_numbers(a, x):
    return np.sum(np.einsum("ij,->ji", x, a)) * np.einsum(",", a, a)


@case(vec(24).reshape(2, 3, 4))
def diagonals_of_stacks(x):
    y = np.diagonal(x, 1, 1, 2) * np.diagonal(x, -1, axis1=-1, axis2=-2)[:, 0:1]
    return np.sum(y * y) + np.sum(np.trace(x, 1, 2, 0) * x[0, :, 0]) + x.trace()[2]


@case(vec(3), 0.7)
def tensordot_with_a_number(x, a):
    return np.sum(np.tensordot(x, a, 0) * x)


@case(vec(3), mat(2, 3))
def joins_by_subscripts(x, m):
    y = np.r_[x, 1.5, 1:4, m[0], 0.0:1.0:3j]
    z = np.c_[x, m.T, 2:5, x * x]
    return np.sum(y * y) + np.sum(z @ z.T * x) + np.sum(np.r_[m, m] ** 2) * np.c_[m, m][1, 4]


@case(mat(3, 4))
def subscripts_as_values(x):
    rows, one = np.s_[1:, ::2], np.index_exp[2]
    return np.sum(x[rows] ** 2) * np.sum(x[one])


@case(mat(3, 4))
def getters(x):
    parts = {"b": x[0], "a": x[1]}
    last = 0.0
    for _, v in sorted(parts.items(), key=operator.itemgetter(0)):
        last = last * 2.0 + np.sum(v)
    both = operator.itemgetter(2, 0)([x[0, 0], x[1, 0], x[2, 0]])
    turned = operator.attrgetter("T")(x)
    return last * both[0] - both[1] + np.sum(operator.methodcaller("sum", axis=0)(turned) ** 2)
