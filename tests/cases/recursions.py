"""Functions that call themselves as often as data decide: loops over a stack in compiled code."""

from dataclasses import dataclass

import numpy as np

from tests.cases.registry import case, vec

LEFT = np.array([1, 3, 5, -1, -1, -1, -1])
RIGHT = np.array([2, 4, 6, -1, -1, -1, -1])


def simpson(f, a, b, tolerance, whole):
    m = 0.5 * (a + b)
    left = (m - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + m)) + f(m))
    right = (b - m) / 6.0 * (f(m) + 4.0 * f(0.5 * (m + b)) + f(b))
    if abs(left + right - whole) < 15.0 * tolerance:
        return left + right + (left + right - whole) / 15.0
    first = simpson(f, a, m, tolerance / 2.0, left)
    return first + simpson(f, m, b, tolerance / 2.0, right)


@case(1.3, float32=False)
def adaptive_quadrature(w):
    return simpson(lambda t: np.exp(-w * t) * np.sin(5.0 * w * t), 0.0, 2.0, 1e-4, 0.3)


@case(vec(3), float32=False)
def quadratures_in_a_loop(x):
    total = 0.0
    for k in range(len(x)):
        total += simpson(lambda t, k=k: np.exp(-x[k] * t), 0.0, 1.0, 1e-5, x[k])
    return total


def walk(node, v, left, right):
    if left[node] < 0:
        return v[node]
    return np.tanh(v[node] * walk(left[node], v, left, right) + walk(right[node], v, left, right))


@case(vec(7), LEFT, RIGHT)
def tree_of_indices(v, left, right):
    return walk(0, v, left, right)


def descend(i, x, first, child):
    s = np.sin(x[i])
    for k in range(first[i], first[i + 1]):
        s += x[child[k]] * descend(child[k], x, first, child)
    return s


@case(vec(6), np.array([0, 2, 3, 5, 5, 5, 5]), np.array([1, 2, 3, 4, 5]))
def tree_of_children(x, first, child):
    return descend(0, x, first, child)


@case(vec(7))
def tree_by_a_function_inside(x):
    total = 0.0

    def visit(i, w):
        nonlocal total
        total += w * x[i] * x[i]
        if 2 * i + 1 < len(x):
            visit(2 * i + 1, w * 0.5)
        if 2 * i + 2 < len(x):
            visit(2 * i + 2, w * x[i])

    visit(0, 1.0)
    return total


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@case(np.array([0.7, 6.4]), differences=False)
def fibonacci_of_data(x):
    return x[0] * x[0] * fibonacci(int(np.floor(x[1])))


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case(np.array([0.7, 2.4]), differences=False)
def ackermann_of_data(x):
    return x[0] * x[0] * ackermann(int(np.floor(x[1])), 2)


class Quadrature:
    def __init__(self, tolerance):
        self.tolerance = tolerance

    def area(self, f, a, b):
        m = 0.5 * (a + b)
        one = (b - a) * f(m)
        two = 0.5 * (b - a) * (f(0.5 * (a + m)) + f(0.5 * (m + b)))
        if abs(one - two) < self.tolerance:
            return two
        return self.area(f, a, m) + self.area(f, m, b)


@case(1.3, float32=False)
def recursive_method(w):
    return Quadrature(1e-3).area(lambda t: np.exp(-w * t), 0.0, 2.0)


def subsets(x, k, s):
    if k == len(x):
        return np.exp(s)
    return subsets(x, k + 1, s) + subsets(x, k + 1, s + x[k])


@case(vec(4))
def sums_of_subsets(x):
    return np.log(subsets(x, 0, 0.0))


def found(i, x, v):
    if i >= len(x):
        return None
    if x[i] > v:
        return x[i] * x[0]
    r = found(2 * i + 1, x, v)
    if r is not None:
        return r
    return found(2 * i + 2, x, v)


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]), 0.9)
@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]), 1.9)
def a_value_or_none(x, v):
    r = found(0, x, v)
    return x[1] if r is None else r * v


@dataclass
class Box:
    low: float
    high: float


def box(i, x):
    if i >= len(x):
        return Box(0.0, 1.0)
    one = box(2 * i + 1, x)
    other = box(2 * i + 2, x)
    return Box(one.low * other.high + x[i], one.high * x[i] + other.low)


@case(vec(5))
def objects_of_activations(x):
    b = box(0, x)
    return b.low * b.high


def with_ancestors(i, x, path):
    path.append(x[i])
    s = sum(path) * x[i]
    if 2 * i + 1 < len(x):
        s += with_ancestors(2 * i + 1, x, path)
    if 2 * i + 2 < len(x):
        s += with_ancestors(2 * i + 2, x, path)
    path.pop()
    return s


@case(vec(6))
def list_that_all_calls_change(x):
    return with_ancestors(0, x, [])


def accumulated(i, x, out):
    if i >= len(x):
        return 1.0
    out[i] += x[i] * accumulated(2 * i + 1, x, out)
    out[i] *= accumulated(2 * i + 2, x, out)
    return out[i]


@case(vec(6))
def elements_in_place(x):
    return accumulated(0, x, np.ones(len(x)))


def searched(i, x):
    for c in (2 * i + 1, 2 * i + 2):
        if c >= len(x):
            break
        if x[c] < 0.0:
            continue
        v = searched(c, x)
        if v > 1.2:
            return v * x[i]
    else:
        return x[i] + 0.1
    return x[i] * x[i]


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95, 0.26, 0.58]))
@case(np.array([0.31, -0.72, 1.33, -0.44, 0.95, 0.26, 0.58]))
def loops_left_early(x):
    return searched(0, x)


def weighed(i, x, arity=2, w=1.0):
    if i >= len(x):
        return 0.0
    return w * x[i] * x[i] + sum(weighed(arity * i + k + 1, x, w=w * x[0]) for k in range(arity))


@case(vec(7))
def sums_of_generators(x):
    return weighed(0, x)


def is_large(i, x):
    return x[i] > 1.1 or (
        2 * i + 2 < len(x) and any(is_large(c, x) for c in (2 * i + 1, 2 * i + 2))
    )


@case(np.array([0.31, 0.72, 1.13, -0.44, 0.95]))
@case(np.array([0.31, 0.72, 1.03, -0.44, 0.95]))
def logic_with_calls(x):
    return x[0] * x[1] if is_large(0, x) else x[2]


def arranged(k, used, x, s):
    if k == len(x):
        return s
    total = 0.0
    for j, v in enumerate(x):
        if used[j]:
            continue
        used[j] = True
        total += arranged(k + 1, used, x, s * (v + k))
        used[j] = False
    return total


@case(vec(3))
def permutations_by_backtracking(x):
    return arranged(0, np.zeros(len(x), dtype=bool), x, 1.0)


def nearest(low, high, points, q, best):
    if high <= low:
        return best
    m = (low + high) // 2
    best = min(best, (points[m] - q) ** 2)
    one, other = ((low, m), (m + 1, high)) if q < points[m] else ((m + 1, high), (low, m))
    best = nearest(one[0], one[1], points, q, best)
    if (points[m] - q) ** 2 < best:
        best = nearest(other[0], other[1], points, q, best)
    return best


@case(np.array([0.31, 0.72, 1.13, 1.44, 1.95]), 0.64)
def nearest_neighbour(x, q):
    return nearest(0, len(x), x, q, 100.0)


def summed(n, x):
    return x if n <= 0.0 else 0.01 * x * x + summed(n - 1.0, x)


@case(np.array([0.7, 60.5]), differences=False)
def deeper_than_calls_are_inlined(x):
    return summed(np.floor(x[1]), x[0])


def coefficient(n, m):
    if n == 1 and m == 2:
        return 0.375
    if n == 1 and m > 2:
        return 1.5 * coefficient(1, m - 1)
    return 0.5 * coefficient(n - 1, m)  # without an end for m below 2


def weight(n, m):
    return 1.5 / n if m == 1 and n > 0 else coefficient(n, m)


@case(1.3, 5)
def a_recursion_without_an_end_on_a_path_that_is_not_taken(x, n):
    total = x
    for i in range(1, n):
        total = total * x + weight(i, 1) * weight(i, 3)
    return total
