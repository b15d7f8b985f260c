"""Classes that derive from list, tuple, float and int: vectors, points, angles, counts."""

import copy
import functools
import math
import operator

import numpy as np

from tests.cases.registry import case, vec


class Vector(list):
    """Operators of its own, a property, and those of list where it has none."""

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other, strict=True))

    def __mul__(self, scale):
        return Vector([a * scale for a in self])

    __rmul__ = __mul__

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))

    @property
    def norm(self):
        return math.sqrt(self.dot(self))


class Named(list):
    """Attributes, and changes of its own."""

    def __init__(self, name, *items):
        super().__init__(items)
        self.name, self.count = name, len(items)

    def append(self, item):
        super().append(2.0 * item)
        self.count += 1


class Doubled(list):
    def __iter__(self):
        return (2.0 * v for v in list.__iter__(self))

    def __len__(self):
        return 7


class FromOne(list):
    def __getitem__(self, k):
        return list.__getitem__(self, k - 1)

    def __eq__(self, other):
        return True


class Point(tuple):
    def __new__(cls, x, y):
        return super().__new__(cls, (x, y))

    @property
    def x(self):
        return self[0]

    def __add__(self, other):
        return Point(self.x + other[0], self[1] + other[1])

    def __radd__(self, other):
        return self if other == 0 else Point(other[0] + self.x, other[1] + self[1])


class Named3(Point):
    """Derived twice, with an attribute."""

    def __new__(cls, x, y, name="p"):
        made = super().__new__(cls, x, y)
        made.name = name
        return made


class Angle(float):
    def __new__(cls, value, unit="rad"):
        made = super().__new__(cls, value if unit == "rad" else math.radians(value))
        made.unit = unit
        return made

    @property
    def sine(self):
        return math.sin(self)

    def __add__(self, other):
        return Angle(float(self) + other)


class Plain(float):
    pass


class Count(int):
    def half(self):
        return self / 2


@case(vec(3))
def vectors(x):
    v, w = Vector(x), Vector([x[1], 2.0, x[0] * x[2]])
    u = (v + w) * 3.0 + 0.5 * v
    u[1] *= x[2]
    u.append(x[0])
    u += [x[1]]
    last = u.pop()
    a, *rest = u
    return u.norm + v.dot(w) * last + a * sum(rest) + max(u) * len(u) + sum(reversed(u))


@case(vec(3))
def list_with_attributes(x):
    v = Named("a", x[0], x[1])
    w = v
    w.append(x[2])
    w.extend([x[0], 1.0])
    return sum(v) * v.count * len(v) + len(v.name) * v[1]


@case(vec(3))
def copies_of_lists(x):
    v = Vector(x)
    v.rows = Vector([Vector([x[0]])])
    flat, deep = copy.copy(v), copy.deepcopy(v)
    flat.append(x[1])
    flat.rows[0].append(x[2])
    deep.rows[0][0] = 3.0
    plain = v.copy()
    plain[0] = 5.0
    return flat.norm + sum(v) * len(v.rows[0]) + deep.rows[0].norm * plain[0] + sum(deep)


@case(vec(3))
def list_with_an_iterator_and_a_length_of_its_own(x):
    v = Doubled(x)
    return sum(v) * x[0] + len(v) + max(list(v)) + v[1] + (1.0 if Doubled() else 0.0)


@case(vec(3))
def list_with_items_and_equality_of_its_own(x):
    v = FromOne(x)
    same = (v == 3) + 2 * (v != FromOne(x)) + 4 * ([x[0]] == v)
    return v[1] * v[2] + sum(v) * same + sum(v * 2) + (v + 2 * [x[0]])[3] + v.index(x[2])


@case(vec(3))
def lists_of_a_class_as_arrays(x):
    v, p = Vector(x), Point(x[1], x[0])
    a = x.copy()
    a[:2] = p
    a += v
    total = np.sum(np.array(v) * a) + np.dot(v, x) + np.linalg.norm(p) + a.dot(v)
    return total + np.sum(x / v) + np.sum(np.stack([p, v[:2]])) + np.concatenate([v, p])[4]


@case(vec(3))
def list_of_a_class_that_grows(x):
    v, points = Vector(), []
    for k in range(len(x)):
        v.append(x[k] * k)
        points.append(Point(x[k], k * x[0]))
    total = functools.reduce(operator.add, (Point(x[0], 1.0), points[-1]))
    for p in points:
        total = total + p
    return v.norm + np.mean(v) * v[-1] + sum(v) + total.x * total[1]


@case(vec(3))
@case(np.array([2.0, 1.0, 0.5]))
def instances_that_paths_make(x):
    if x[0] > x[1]:
        v, p = Vector([x[0], x[1]]), Point(x[2], 1.0)
    else:
        v, p = Vector([x[1] * x[1], x[2]]), Point(*Named3(x[0], x[1]))
    angle = Angle(x[0]) if x[2] > 0.4 else Angle(x[1] * 30.0, "deg")
    for k in range(3):
        angle = angle + x[k]
        if angle > 1.0:
            v = Vector([v[0] * 0.5, v[1] + angle])
    return v.norm + p[0] * p[1] + angle.sine


@case(vec(3))
def points(x):
    p, q = Point(x[0], x[1]), Named3(x[2], x[0], name="abc")
    r = p + q + (1.0, x[1])
    a, b = r
    many = [p, q, r]
    best, least = max(many), min(many, key=lambda each: each[1])
    same = (p == (x[0], x[1])) + 2 * (p < q) + 4 * isinstance(q, tuple) + 8 * (type(r) is Point)
    return a * b + best.x + least[1] + sum(many).x * same + len(q.name) + sum(p * 2) + p.count(x[0])


@case(vec(3))
def angles(x):
    a, b, n = Angle(x[0]), Angle(x[1] * 100.0, "deg"), Plain(x[2])
    total = a.sine + b * 2 + math.cos(b) + (a + n).sine + (n + a) + len(b.unit)
    total += n * n - 3.0 / n + n**2 + 2.0**n - (-n) + abs(Plain(-x[1])) + n // 2.0 + n % 0.3
    total += np.sin(n) + np.sum(x * n) + np.hypot(n, a) + max(a, b) + divmod(n, 0.2)[1]
    return (
        total
        + (n > 0.1)
        + (2 if Plain(0.0) else 3)
        + round(Plain(2.6))
        + float(f"{Plain(2.5):.1f}")
    )


@case(vec(3))
def counts(x):
    n, y = Count(2), x.copy()
    y[n] = Plain(x[0] * x[1])
    total = n.half() * x[0] + n * x[1] + x[n] + [1.0, x[0], x[1]][n] + (n & 3) + -n
    for k in range(n):
        total += x[k] * k
    return total + np.sum(np.zeros(n) + x[:n]) + np.sum(y)
