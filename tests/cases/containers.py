"""Arguments and results that are tuples, lists, dicts, dataclasses, named tuples."""

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.cases.registry import case, mat, vec

Point = namedtuple("Point", "x y")


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@dataclass
class Body:
    position: np.ndarray
    mass: float
    name: str = "body"
    charges: int = 2

    def energy(self) -> Any:
        return 0.5 * self.mass * np.sum(self.position**2)


@dataclass(frozen=True)
class System:
    first: Body
    second: Body
    pull: float = 0.7

    def __post_init__(self):
        # A gradient is rebuilt without this check: it may be zero.
        assert self.pull != 0.0


@dataclass
class Counter:
    values: list[float] = field(default_factory=list)


@case((0.4, vec(3)), tags=("p40",))
@case((0.4, vec(3), 5), tags=("p40",))
def tuple_argument(p):
    return p[0] * np.sum(p[1] ** 2) + len(p)


@case([0.4, 1.2, 0.9], tags=("p40",))
def list_argument(values):
    s = 0.0
    for v in values:
        s = s * v + v
    values[0] = s
    return s + values[0] * values[1]


@case({"w": mat(2, 3), "b": vec(2), "steps": 3}, vec(3), tags=("p40",))
def dict_argument(p, x):
    h = p["w"] @ x + p["b"]
    for _ in range(p["steps"]):
        h = np.tanh(h) + p["b"]
    return np.sum(h)


@case({"outer": {"a": 0.3, "b": (1.2, vec(2))}}, tags=("p40",))
def nested_dict(p):
    inner = p["outer"]
    a, v = inner["a"], inner["b"][1]
    return a * inner["b"][0] + np.sum(v) * a


@case(Point(0.4, 1.3), tags=("p40",))
@case(Point(vec(3), 2.0), tags=("p40",))
def named_tuple_argument(p):
    return np.sum(p.x * p.y + p[0] ** 2)


@case([Layer(mat(3, 2), vec(3)), Layer(mat(1, 3, 2), vec(1, 3))], vec(2), tags=("p40",))
def list_of_layers(layers, x):
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return np.sum(x)


@case(Body(vec(3), 1.4), tags=("p40",))
def dataclass_argument(body):
    return body.energy() + body.mass * body.position[0] * body.charges


@case(System(Body(vec(2), 1.4), Body(vec(2, 1), 0.6)), 3, tags=("p40",))
def nested_dataclass(system, n):
    distance = system.first.position - system.second.position
    s = system.pull / np.sum(distance**2 + 0.3)
    for _ in range(n):
        s = np.sin(s) + system.first.mass * system.second.energy()
    return s


@case(Body(vec(3), 1.4), 3, tags=("p40",))
def dataclass_mutated(body, n):
    for _ in range(n):
        body.position += 0.1 * body.mass * np.sin(body.position)
        body.mass = body.mass * 0.9
    return body.energy()


@case(vec(3), 2.0, tags=("p40",))
def containers_made_inside(x, a):
    body = Body(x * a, a)
    p = Point(x=x[0], y=body.mass)
    state = {"e": body.energy(), "p": p}
    state["e"] = state["e"] * 2.0
    state["q"] = p.y
    moved = p._replace(x=p.x * 2.0)
    return state["e"] * state["p"].x + moved.x * state["q"]


@case(vec(3), 0.7, tags=("p40",))
def tuple_result(x, a):
    return np.sum(x * a), x * x, a**3


@case(vec(3), 0.7, tags=("p40",))
def dict_result(x, a):
    return {"sum": np.sum(x) * a, "parts": (x * a, [a]), "count": len(x)}


@case(vec(3), 0.7, tags=("p40",))
def named_tuple_result(x, a):
    return Point(x * a, Layer(x, x * x))


@case(Body(vec(2), 0.7), tags=("p40",))
def dataclass_result(body):
    return Body(body.position * body.mass, body.mass**2, name="result")


@case((vec(2), vec(2, 1)), 4, tags=("p40",))
def tuple_carried_by_loop(state, n):
    for _ in range(n):
        q, p = state
        p = p - 0.1 * np.sin(q)
        state = (q + 0.1 * p, p)
    return np.sum(state[0] ** 2 + state[1] ** 2)


@case({"a": 1.1, "b": vec(3)}, tags=("p40",))
def iterated_dict(p):
    s = 1.0
    for key, value in p.items():
        s = s + np.sum(value * value) * (2 if key == "a" else 3)
    for value in p.values():
        s = s * np.mean(value)
    return s + len(p)


@case(Counter([0.5, 1.5]), tags=("p40",))
def list_in_dataclass(c):
    return sum(v * v for v in c.values) * c.values[0]


@dataclass
class Sum:
    """Adding to it in place is not what adding makes."""

    total: float
    parts: int = 0

    def __add__(self, value):
        return Sum(self.total + value, self.parts + 1)

    def __iadd__(self, value):
        self.total += 10.0 * value
        self.parts += 1
        return self


@case(vec(3))
def operators_in_place(x):
    a = Sum(x[0])
    b = a
    a += x[1]
    c = a + x[2]
    c += x[0]
    return b.total * a.parts + c.total**2


@case(vec(4))
def lists_and_numbers_of_numpy(x):
    """A number of NumPy's makes an array of a list; Python's repeats it."""
    squares = []
    for v in x:
        squares.append(v * v)
    s = np.sum(squares - x[0]) + np.sum([x[1], 2.0] / x[2]) + np.sum(np.float32(2) ** [1, 2])
    s = s * np.sum([1, 2, 3] - np.float64(1)) + np.sum((x[0], x[1]) * np.int64(2))
    return s + np.sum(x[:3] * ([1, 2, 3] - np.int64(1)))


@case(vec(3))
def items_sorted_by_known_names(x):
    """The names differ, so what the run tells is not compared."""
    parts = {"mass": x[0], "area": x[1:], "depth": x[2] ** 2}
    total = 0.0
    for k, (name, v) in enumerate(sorted(parts.items(), reverse=True)):
        total = total + (k + 1) * np.sum(v) * len(name)
    rows = sorted([["b", 1, x[1]], ["a", 2, x[0]], ["a", 1, x[2]]])
    pairs = sorted([(x[1], "b"), (x[2], "a")], key=lambda pair: (pair[1], pair[0]))
    return total + rows[0][2] * rows[1][2] ** 2 + pairs[0][0] * x[0]
