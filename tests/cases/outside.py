"""What is no NumPy: `numba.prange`, progress bars, copies, limits of floats, private names."""

import copy
import sys
import types
from sys import float_info

import numba
import numpy as np
from scipy import sparse
from tqdm import tqdm, trange

from tests.cases.registry import case, vec


@case(vec(4))
def parallel_range(x):
    s = 0.0
    for i in numba.prange(1, len(x)):
        s += x[i] ** 2 * x[i - 1]
    return s


@case(vec(4))
def progress_bar(x):
    s = 0.0
    for v in tqdm(x, disable=True):
        s += np.sin(v)
    for i in trange(len(x), disable=True):
        s = s * x[i]
    return s


@case(vec(3))
def limits_and_sparse(x):
    scale = sys.float_info.max_exp * float_info.epsilon / sys.float_info[8] + sys.float_info.dig
    return np.sum(x.toarray() if sparse.issparse(x) else x**2) * scale


@case(vec(4))
def copied_arrays(x):
    y, z = copy.deepcopy(x), copy.copy(x)
    y[0] = 3.0
    z[1] = y[0] * x[1]
    weights = copy.copy([x[0], x[1]])
    weights[0] = 2.0
    return np.sum(y * z * x) * weights[0] * copy.deepcopy(x[2])


class Cell:
    def __init__(self, x):
        self.x, self.parts, self.me = x, [x, 2.0], self


@case(vec(3))
def copied_structures(x):
    """Deep copies keep what is one object one, also where it contains itself."""
    given = {"a": x * 1.0, "b": [x * 2.0, (x[0], "t")], "n": None, "f": np.sin}
    given["c"] = given["b"]
    deep, shallow = copy.deepcopy(given), copy.copy(given)
    deep["a"][0] = 3.0
    deep["b"][0][1] = 5.0
    shallow["b"] = 1.0
    total = np.sum(given["a"] * deep["a"]) + np.sum(given["b"][0] * deep["c"][0])
    return total * deep["b"][1][0] + shallow["b"] * np.sum(deep["f"](shallow["c"][0]))


@case(vec(3))
def copied_instances(x):
    cell = Cell(x * 1.0)
    deep, shallow = copy.deepcopy(cell), copy.copy(cell)
    deep.me.x[0] = 2.0
    shallow.parts.append(x[1])
    shallow.x = x * 3.0
    total = np.sum(cell.x * deep.parts[0]) * np.sum(shallow.x) + len(cell.parts)
    space = copy.deepcopy(types.SimpleNamespace(a=x * 2.0, b={"k": x[0]}))
    space.a[:2] *= x[1]
    return total + np.sum(space.a) * space.b["k"] + (shallow.me is cell) + (deep.me is deep)


@case(vec(4), 3)
def copied_while_it_grows(x, n):
    best, kept = None, []
    for k in range(n):
        kept.append(x * k)
        if best is None or np.sum(kept[-1]) > 1.0:
            best = copy.deepcopy(kept[-1])
            best[0] = 1.0
    return np.sum(best * kept[-1]) + np.sum(copy.copy(kept)[0] + copy.deepcopy(kept)[1])


class Spring:
    """Private names are the class's own."""

    def __init__(self, stiffness):
        self.__stiffness = stiffness

    def __energy(self, x):
        return 0.5 * self.__stiffness * np.sum(x * x)

    def total(self, x):
        def __twice(v):
            return 2.0 * v * self.__stiffness

        return __twice(self.__energy(x))


SPRING = Spring(3.0)


@case(vec(3))
def private_names(x):
    return SPRING.total(x) * x[0]


@case(vec(4), False)
def bools_as_integers(x, first):
    parts = [x[0], x[1]]
    return np.sum(x[not first :] ** 2) * parts[not first]
