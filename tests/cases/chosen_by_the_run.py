"""Functions, objects, texts, members of an Enum that the run chooses; attributes of one path."""

import dataclasses
import heapq
import math
from dataclasses import dataclass, field
from enum import Enum, IntFlag
from functools import partial
from types import MappingProxyType

import numpy as np

from tests.cases.registry import case

X = np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])
KEYS = np.array([0, 2, 1, 2, 0, 1])
RATES = MappingProxyType({"a": 2.0, "b": 3.0})


@case(X)
def function_of_a_choice(x):
    f = (lambda v: v * v) if x[0] > 0.2 else (lambda v: np.sin(v))
    if x[1] > 0.2:
        scale = np.sum(x * 3.0)

        def g(v):
            return v * scale
    else:
        scale = 2.0

        def g(v):
            return v + scale

    return np.sum(f(x)) * g(x[2])


@case(X)
def function_that_a_loop_binds(x):
    f, total = (lambda v: v), 0.0
    for v in x:
        if v > 0.5:
            f = lambda w: w * w * x[0]
        total += f(v)
    return total


@case(X, KEYS, wrt=(0,))
def functions_by_number(x, keys):
    functions, total = [np.sin, lambda v: v * v, math.exp], 0.0
    table = dict(enumerate(functions))
    for i in range(len(x)):
        total += functions[keys[i]](x[i]) * table[int(keys[-1 - i])](x[0])
    powers = []
    for k in range(3):
        powers.append(lambda v, k=k: v ** (k + 1))
    return total + powers[int(np.argmax(x)) % 3](x[1])


class Shape:
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2

    def length(self):
        return self.a * 4.0


class Round(Shape):
    def area(self):
        return 3.0 * self.a**2


class Flat(Shape):
    pass


@case(X, KEYS, wrt=(0,))
def objects_by_number(x, keys):
    shapes = [Round(x[0]), Shape(x[1]), Flat(x[2])]
    total = 0.0
    for i in range(len(x)):
        total += shapes[keys[i]].area() * x[i]
        shapes[keys[i]].a += x[i]
    one = Round(x[3]) if x[4] > 0.5 else Flat(x[5])
    return total + sum(s.area() for s in shapes) + one.area() * one.length()


@case(X, KEYS, wrt=(0,))
def containers_by_number(x, keys):
    rows, arrays = [[x[0], 1.0], [x[1]], [x[2], 2.0, 3.0]], [x.copy(), x * 2.0, x[:3] * 3.0]
    texts, total = ["sin", "square", "itself"], 0.0
    for i in range(len(x)):
        rows[keys[i]][0] += x[i]
        arrays[keys[i]][1] += x[i]
        name = texts[keys[i]]
        if name == "sin":
            total += math.sin(x[i])
        elif name == "square":
            total += x[i] ** 2
        else:
            total += x[i] * len(name)
    chosen = rows[keys[2]]
    chosen[0] *= 2.0
    return total + sum(sum(r) for r in rows) + sum(np.sum(a * a) for a in arrays)


@case(X)
def run_over_one_or_the_other(x):
    total = 0.0
    for v in x if x[0] > 0.2 else (0.5, x[0]):
        total += v * v
    for v in (x[0], x[1], 2.0) if x[1] > 5.0 else x[2:]:
        if v > 1.5:
            break
        total *= v
    return total


@case(X, 1, wrt=(0,))
@case(X, 2, wrt=(0,))
@case(X, 3, wrt=(0,))
def points_by_their_number(x, n):
    if n == 1:
        rows = [[0.0, 2.0]]
    elif n == 2:
        rows = [[-0.577, 1.0], [0.577, 1.0]]
    else:
        rows = [[-0.77, 0.55], [0.0, 0.88], [0.77, 0.55]]
    return sum(w * np.exp(p * x[0]) for p, w in rows) * x[1]


class Total:
    start = 1.0

    def push(self, v):
        if not hasattr(self, "total"):
            self.total = 0.0
        self.total = self.total + v
        self.last = v
        if v > 1.0:
            self.start = v * self.start


@case(X)
def attributes_set_on_the_way(x):
    t = Total()
    for v in x:
        t.push(v * v)
    other = Total()
    if x[0] > 0.2:
        other.rate = x[1]
    if x[1] > 5.0:
        other.limit = x[2]
    rates = getattr(other, "rate", 1.0) * getattr(other, "limit", x[3])
    return t.total * t.last * t.start + rates + hasattr(other, "rate") * other.rate


class Kind(Enum):
    LINEAR = 1
    SQUARE = "q"
    SINE = 3

    def of(self, v):
        return v if self is Kind.LINEAR else v * v

    @property
    def sign(self):
        return 1.0 if self is Kind.LINEAR else -1.0


class Parts(IntFlag):
    A = 1
    B = 2


@case(X)
def members_of_an_enum(x):
    weight, total = {Kind.LINEAR: 2.0, Kind.SQUARE: x[0], Kind.SINE: 0.5}, 0.0
    for v in x:
        kind = Kind.LINEAR if v > 1.0 else Kind.SQUARE if v > 0.5 else Kind.SINE
        match kind:
            case Kind.LINEAR:
                total += v
            case Kind.SQUARE:
                total += v * v
            case Kind.SINE:
                total += math.sin(v)
        total += weight[kind] * v * kind.sign * kind.of(v)
    both = Parts.A | Parts.B
    return total * (2.0 if Parts.B in both else 1.0) + both.value * sum(weight[k] for k in Kind)


@case(X)
def texts_of_a_loop(x):
    name, word = "low", ""
    for k in range(3):
        word = word + "abc"[k].upper() + f"{k:02d}"
    for v in x:
        if v > 1.0:
            name = "high"
        elif v < 0.0:
            name = "negative"
    table = {"low": 1.0, "high": x[0], "negative": x[1]}
    line = "a, b ,c"
    names = {k.strip(): x[i] for i, k in enumerate(line.split(","))}
    total = sum(v * ord(k) for k, v in names.items() if k.isalpha())
    return (
        table[name] * len(name) * len(word) + total * word.count("0") + RATES.get("a", 1.0) * x[2]
    )


@dataclass
class Rates:
    a: float = field(default=1.0, metadata={"weight": 2.0})
    b: float = field(default=2.0, metadata={"weight": 3.0})


@case(Rates(0.3, 0.7))
def fields_of_a_dataclass(p):
    total = 0.0
    for f in dataclasses.fields(p):
        total += f.metadata["weight"] * getattr(p, f.name) ** 2 * f.metadata.get("more", 1.5)
    q = dataclasses.replace(p, a=p.a * 2.0)
    known = vars(q)
    q.b = q.b * 3.0
    known["a"] = known["a"] * known["b"]
    return (
        total + q.a * q.b + sum(vars(p).values()) + len(known) + sum(dataclasses.asdict(q).values())
    )


@case(X)
def least_first(x):
    waiting, cost = [(0.0, 0)], {}
    while waiting:
        c, k = heapq.heappop(waiting)
        if k in cost:
            continue
        cost[k] = c
        for j in (k + 1, k + 2):
            if j < 5:
                heapq.heappush(waiting, (c + x[j] ** 2 + 0.1, j))
    return sum(cost.values()) * len(cost)


@case(X)
def heap_of_known_length(x):
    heap = [x[0], x[1], x[2], x[3]]
    heapq.heapify(heap)
    a, b = heapq.heapreplace(heap, x[4]), heapq.heappushpop(heap, x[5])
    ends = sum(heapq.nsmallest(2, heap)) * heapq.nlargest(1, heap)[0]
    return a * 2.0 + b + sum(k * v for k, v in enumerate(heap)) + ends


def scaled(a):
    return lambda v: a * v


def composed(f, g):
    return lambda v: f(g(v))


def power_of(a):
    def power(n):
        return a if n == 0 else a * power(n - 1)

    return power


@case(X)
def closures_made_in_helpers(x):
    f, total = scaled(1.0), 0.0
    g = scaled(x[0] * 2.0) if x[1] > 0.2 else scaled(3.0)
    h, cubed = np.sin, power_of(x[1])
    for v in x:
        total += f(v) * g(v)
        f = scaled(total + v)
        if v > 0.5:
            h = composed(np.tanh, np.sin)
        total += cubed(2) * v
    return total + f(x[0]) * h(x[2])


@case(X)
def defaults_and_partial_functions(x):
    a, total = x[0], 0.0
    f = lambda v, a=a: v * a
    g = partial(np.multiply, 1.0)
    a = x[2]
    if x[1] > 0.2:
        f = lambda v, a=a: v - a
    a = x[4]
    for v in x:
        total += f(g(v))
        if v > 0.5:
            g = partial(np.multiply, v * a)
    return total * f(x[3])


class Solver:
    def __init__(self, h, name):
        self.h, self.steps = h, 0
        self.rule = self.euler if name == "euler" else self.heun
        self.scaled = lambda v: v * self.h

    def euler(self, y):
        self.steps += 1
        return y + self.scaled(np.sin(y))

    def heun(self, y):
        return y + self.h * np.cos(y)


@case(X, "euler", wrt=(0,))
@case(X, "heun", wrt=(0,))
def methods_of_objects_that_hold_them(x, name):
    s, y = Solver(x[0], name), x[1]
    rules = [s.euler, s.heun, np.sin]
    step = s.euler if x[1] > 0.2 else s.heun
    for v in x:
        if v > 0.5:
            s.h = s.h * 1.1
        y = s.rule(y) + rules[int(v > 0.5) + int(v > 1.0)](v)
        last = Solver(v, name)
    return y * (s.steps + 1) * s.scaled(x[2]) + step(y) + last.rule(x[3])
