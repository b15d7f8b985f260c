"""Lists that grow by items in which texts and other known values stand beside numbers."""

import enum
from dataclasses import dataclass

import numpy as np

from tests.cases.registry import case

X = np.array([0.3, 1.2, 0.7, 1.3, 2.5, 0.1])


class Kind(enum.Enum):
    RISE = 1
    FALL = 2


@dataclass
class Step:
    name: str
    size: float


@case(X)
@case(X * 3.0)
@case(np.full(3, 0.1))
def tagged_arrays(x):
    found = []
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            found.append(("big", x[i], x * 2))
        elif x[i] > 0.5:
            found.append(("mid", x[i], x))
    weights = {"big": 2.0, "mid": 3.0}
    return x[0] + sum([weights[kind] * v * a[0] for kind, v, a in found])


@case(X)
def a_stack_of_operations(x):
    program = []
    for v in x:
        program.append(("mul", v))
        if v > 0.5:
            kind = "add" if v > 1.0 else "sub"
            program.append((kind, v * v))
    total = 1.0
    while program:
        kind, v = program.pop()
        if kind == "mul":
            total = total * v
        elif kind == "add":
            total = total + v
        else:
            total = total - v
    return total


@case(X)
def events_of_a_long_loop(x):
    events = []
    for i in range(200):
        v = x[i % 6] * i
        if v > 20.0:
            events.append(("x", v))
        elif v > 3.0:
            events.append(("y", v))
        elif v > 2.0:
            events.append(("z", -v))
    total = 0.0
    for name, v in events[::-1]:
        if name == "x":
            total = total * 0.9 + v
        elif name == "y":
            total = total + v * v * 0.1
        else:
            total = total - v
    return total


@case(X)
def members_functions_and_none(x):
    kinds, calls, maybe = [], [], []
    for v in x:
        if v > 0.5:
            kinds.append((Kind.RISE if v > 1.0 else Kind.FALL, v))
        if v > 1.0:
            calls.append((np.sin, v))
            maybe.append((None, v))
        elif v > 0.2:
            calls.append((np.exp, v))
            maybe.append(("there", v * 2.0))
    rising = sum([v for kind, v in kinds if kind is Kind.RISE]) * len(kinds)
    return rising + sum([f(v) for f, v in calls]) + sum([v * v for n, v in maybe if n is None])


@case(X)
def records_with_names(x):
    steps, dicts = [], []
    for v in x:
        if v > 1.0:
            steps.append(Step("fast", v))
            dicts.append({"name": "fast", "pair": ("in", v)})
        elif v > 0.2:
            steps.append(Step("slow", v * 2.0))
            dicts.append({"name": "slow", "pair": ("out", v * 2.0)})
    total = sum([s.size**2 if s.name == "fast" else s.size for s in steps])
    for d in dicts:
        where, size = d["pair"]
        total += size if d["name"] == "fast" and where == "in" else size * size
    return total


@case(X)
def items_moved_and_replaced(x):
    items = [("start", x[0])]
    for v in x:
        if v > 1.0:
            items.append(("f", v))
    items.append(("end", x[1]))
    items.insert(1, ("t", x[2]))
    items.extend([("f", x[3])])
    items[2] = ("s", x[4] ** 2)
    del items[3]
    name, first = items.pop(0)
    items.sort(key=lambda item: item[1])
    ordered = sorted(items, key=lambda item: -item[1])
    names, values = zip(*ordered, strict=True)
    best = max(items, key=lambda item: item[1])
    total = first * len(name) + best[1] * (2.0 if best[0] == "s" else 3.0)
    for k, (n, v) in enumerate(zip(names, values, strict=True)):
        total += v * k * (1.0 if n in ("f", "t") else 3.0)
    return total * len([1 for n, _ in items if n == "f"])


@case(X)
def texts_alone(x):
    kinds = ["none"]
    for v in x:
        if v > 1.0:
            kinds.append("big" if v > 2.0 else "small")
        if kinds[-1] == "big":
            kinds.pop(0)
    names = [k for k in kinds if k != "none"]
    total = sum([v if k == "small" else v * v for k, v in zip(names, x, strict=False)])
    return total * len(kinds) + x[0] * kinds.count("small") * (2.0 if "big" in kinds else 1.0)


# ---- in an order that the run tells ----
def in_order_of(first, second):
    """The pairs of texts and arrays of two dicts, both in the order of the numbers of the first."""
    names, one = zip(*sorted(first.items(), key=lambda item: item[1][0]), strict=True)
    _, two = zip(*sorted(second.items(), key=lambda item: names.index(item[0])), strict=True)
    return np.array(one), np.array(two)


@case(X[:2], X[2:4])
@case(X[1:3], X[3:5])
@case(X[4:], X[:2])
def points_in_order(x, y):
    one, two = in_order_of({"a": x, "b": y, "c": x * y}, {"c": y, "b": x * 2.0, "a": x + y})
    return np.sum(one**2 * two * np.arange(1.0, 7.0).reshape(3, 2))


@case(X[:3])
@case(X[2:5])
def marked_numbers_in_order(x):
    total = 0.0
    pairs = [("b", x[0], "up"), ("a", x[1], "down"), ("c", x[2], "up")]
    for n, (name, v, way) in enumerate(sorted(pairs, key=lambda p: -p[1])):
        total = total + v * (n + 1) * (2.0 if name == "a" else 3.0) + (v**3 if way == "up" else v)
    return total


@case(X[:3])
@case(X[2:5])
def functions_in_order(x):
    steps = sorted([(x[0], np.sin), (x[1], np.cos), (x[2], np.exp)], key=lambda s: s[0])
    return steps[0][1](x[1]) + 2.0 * steps[1][1](x[0]) + 3.0 * steps[2][1](x[1] * x[2])


@case(X[:3])
@case(X[2:5])
def names_in_order(x):
    held = {"a": x[0], "b": x[1], "c": x[2]}
    names = sorted(held, key=lambda name: held[name], reverse=True)
    first, second, _ = names
    return held[first] * held[second] ** 2 + names.index("b") * x[0]
