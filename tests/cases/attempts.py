"""`try`: handlers taken at run time or for certain, `else`, `finally`, exits and nesting."""

import contextlib
import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tests.cases.registry import case, mat, vec


@case(vec(5), 1.5, 3)
@case(vec(3), 1.5, 3)
def index_or_first(x, y, k):
    try:
        z = x[k] * y
    except IndexError:
        z = x[0] * 2.0 * y * y
    return z


@case(vec(9))
@case(vec(3))
def until_the_end(x):
    s = 1.0
    for k in range(6):
        try:
            s += x[k] * k * s
        except IndexError:
            s += 10.0 * x[0]
            break
    return s


def sum_of_squares(x, n, limit):
    total = 0.0
    for i in range(n):
        if x[i] > limit:
            raise ValueError(f"{x[i]} is too large")
        total += x[i] ** 2
    return total


@case(vec(4), 3, 99.0, wrt=(0,))
@case(vec(4), 6, 99.0, wrt=(0,))
@case(np.array([0.3, 0.2, 7.0, 0.1]), 6, 5.0, wrt=(0,))
def two_kinds_and_else(x, n, limit):
    scale = 1.0
    try:
        v = sum_of_squares(x, n, limit)
        w = v * 2.0
    except ValueError:
        return x[0] * 3.0 + x[1] ** 2
    except (IndexError, KeyError):
        w = x[1] ** 3
    else:
        w = w * x[2]
    finally:
        scale = 2.0
    return w * scale


@case(np.array([0.5, -2.0, 3.0, -4.0]))
def domain_in_a_loop(x):
    s, bad = 0.0, 0
    for v in x:
        try:
            s += math.sqrt(v) * v
        except ValueError:
            bad += 1
            s -= v * v * bad
        finally:
            s = s * 1.5
    return s


@case(np.array([0.5, -2.0, 3.0, -4.0]))
def stored_last(x):
    y = np.empty_like(x)
    for i in range(len(x)):
        try:
            y[i] = math.log(x[i])
        except ValueError:
            y[i] = x[i] ** 2
    return np.sum(y * y)


@case(vec(4), 3)
@case(vec(4), 7)
def made_in_the_body(x, n):
    try:
        y = np.zeros_like(x)
        for i in range(n):
            y[i] = x[i] ** 2
        z = y * x
    except IndexError:
        z = x * 5.0
    return np.sum(z * z)


@case(vec(3), 1)
@case(vec(3), 4)
def appended(x, n):
    out = [x[0]]
    try:
        out.append(x[n] * 2.0)
    except IndexError:
        out.append(x[1] * x[1])
    return out[0] + out[1] * out[0]


@case(vec(4), 2)
@case(vec(4), 6)
def found_before_it_fails(x, n):
    a = x[0]
    try:
        a = a * x[1]
        b = x[n] * a
        a = b * b
    except IndexError:
        a = a * 10.0
    return a * x[2]


@case(np.array([[2.0, 1.0], [1.0, 3.0]]))
@case(np.array([[1.0, 2.0], [2.0, 1.0]]))
def with_jitter(k):
    jitter = 0.0
    for _ in range(6):
        try:
            factor = np.linalg.cholesky(k + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            jitter = 0.75 if jitter == 0.0 else jitter * 2.0
    else:
        raise ValueError("no factor")
    return np.sum(np.log(np.diag(factor))) + factor[1, 0] ** 2


@case(mat(3, 3) + 2.0 * np.eye(3), vec(3))
@case(np.ones((3, 3)), vec(3), differences=False)
def solved_if_it_can_be(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = b * np.trace(a)
    return np.sum(x * x)


@case(np.array([[2.0, 0.3], [0.3, 1.0]]), vec(2))
@case(np.array([[1.0, 2.0], [2.0, 1.0]]), vec(2))
def solved_if_positive_definite(a, b):
    try:
        x = linalg.solve(0.5 * (a + a.T), b, assume_a="pos", check_finite=False)
    except np.linalg.LinAlgError:
        x = b**2 * a[0, 1]
    return np.sum(x * x)


@case(np.array([[2.0, 0.3], [0.3, 1.0]]), vec(2))
@case(np.array([[1.0, 2.0], [2.0, 0.0]]), vec(2), differences=False)
def solved_by_a_triangle(a, b):
    try:
        x = linalg.solve_triangular(a, b, lower=True)
    except linalg.LinAlgError:
        x = b * np.trace(a)
    return np.sum(x * x) + np.sum(linalg.solve_triangular(a, b, unit_diagonal=True))


class Refusal(Exception):
    pass


class Sharp(Refusal):
    pass


@case(1.7, 1)
@case(1.7, 2)
@case(1.7, 3)
@case(1.7, 4)
def classes_of_ones_own(x, k):
    try:
        if k == 1:
            raise Refusal("one")
        if k == 2:
            raise Sharp
        if k == 3:
            raise KeyError("three")
        y = x
    except Sharp:
        y = x * 2.0
    except Refusal:
        y = x * x * 3.0
    except (KeyError, IndexError):
        y = x**3
    else:
        y = y * 7.0
    return y * x


@case(2.0, 3.0)
@case(2.0, -1.0)
def passed_on(x, y):
    try:
        try:
            z = math.log(y) * x
        except ValueError:
            z = x * x
            raise
    except ValueError as e:
        try:
            raise RuntimeError("no logarithm") from e
        except RuntimeError:
            return x * 4.0
    return z


@dataclass
class Point:
    a: float
    b: float


@case(2.0, 3.0)
@case(2.0, -3.0)
def attribute_of_an_object(a, b):
    p = Point(a, b)
    try:
        p.a = math.sqrt(p.b) * p.a
    except ValueError:
        p.b = -p.b * 2.0
    return p.a * p.b


@case(1.3, 10)
def tried_again(x, n):
    tries, s = 0, 1.0
    while True:
        try:
            tries += 1
            if tries < n:
                raise RuntimeError("again")
            s = s * x
            break
        except RuntimeError:
            s = s * 1.1 * x
    return s * tries


@case(vec(4), 2)
@case(vec(4), 5)
def leaves_a_loop_of_a_helper(x, n):
    def furthest():
        k, s = 0, 0.0
        while k < n:
            if k > 3:
                raise StopIteration
            s += x[k] ** 2
            k += 1
        return s * k

    try:
        return furthest() * x[1]
    except StopIteration:
        return x[0] * x[3]


@case(vec(3))
@case(0.8)
def number_or_vector(x):
    try:
        n = len(x)
    except TypeError:
        n, x = 1, [x]
    s = 0.0
    for k in range(n):
        s += x[k] ** 2 * (k + 1)
    return s


@case({"a": 2.0, "b": 3.0})
@case({"a": 2.0})
def key_or_default(d):
    try:
        b = d["b"]
    except KeyError:
        b = d["a"] ** 3
    return b * d["a"]


@case(vec(3), vec(3))
@case(vec(3), vec(2))
def shapes_that_do_not_fit(x, y):
    try:
        z = x * y
    except ValueError:
        z = x * y[0]
    return np.sum(z * z)


@case(1.5, vec(3), 7, expected=(3.0, np.zeros(3)), second_order=False)
def infinite_factor_before_an_error(w, x, k):
    """What decides computes the product too; its adjoint is zero where the handler runs."""
    try:
        y = w * math.inf + x[k]
    except IndexError:
        y = w * 3.0
    return y


@case(vec(4), 0)
@case(vec(4), 3)
def length_that_grows_in_a_try(x, n):
    s = 0.0
    for i in range(n):
        try:
            s = s + x[: i + 2]
        except ValueError:
            s = 1.0
    return np.sum(s * s) + x[0]


@case(vec(4), 0, 4)
@case(vec(4), 2, 4)
@case(vec(4), 1, 0)
def bound_under_another_name(x, start, n):
    total = x[0]
    try:
        now, k = 0.0, start
        for i in range(n):
            now += x[k] * x[i]
            k += 1
        total = now
    except IndexError:
        total = -total * x[1]
    return total


@case(vec(5))
def suppressed(x):
    total = 0.0
    with contextlib.suppress(IndexError, ZeroDivisionError):
        total = total + x[1]
        total = total + x[9]
    return total * x[0]
