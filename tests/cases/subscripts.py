"""Objects that are subscripted, np.r_ and its kin, and the getters of operator."""

import operator

import numpy as np

from tests.cases.registry import case, mat, vec


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


@case(mat(4, 3), 2)
def ranges_as_indices(x, k):
    y = x[range(k)] * x[range(3, 1, -1), range(2)].reshape(2, 1)
    x[range(len(x)), 0] *= 2.0
    x[range(0), 1] += 7.0
    return np.sum(y * y) + np.sum(x[range(1, 4)] ** 3)


@case(0.7)
@case(0.15)
@case(np.array(0.7))
def places_of_a_number_by_tests(x):
    x = np.asarray(x)
    out = np.ones_like(x)
    out[x > 0.2] = np.log(x[x > 0.2]) ** 2
    out[x > 0.1] += x * 3.0
    out[x > 9.0] *= 4.0
    return out * x


@case(vec(3), 0.5)
@case(vec(3), -0.5)
def places_of_an_array_by_tests(x, k):
    y = x * 2.0
    y[k > 0.0] = x[::-1]
    y[k > 9.0] = 0.0
    y[np.array(k < 0.0)] *= k
    chosen = x[k > 0.0]
    return np.sum(y * y) + np.sum(chosen**3) + len(chosen)
