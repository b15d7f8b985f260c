"""Changes of captured lists, dicts and dataclasses: of instances, modules and functions around."""

import copy
from collections import OrderedDict, defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 0.7, 1.1])


@dataclass
class Step:
    number: int = 0
    value: object = None


class Model:
    shared = []  # noqa: RUF012 (one list of all instances is what is tested)

    def __init__(self):
        self.history, self.counts, self.cache = [1.0, 2.0], {"n": 0}, {}
        self.alias = self.history
        self.rows = [[1.0], self.history]
        self.buffers = {"x": np.zeros(3)}
        self.step, self.last_step = Step(), None
        self.groups, self.order = defaultdict(list), OrderedDict(a=1.0)

    def add(self, v):
        self.history.append(v)
        self.counts["n"] += 1
        Model.shared.append(v)
        return v * v * self.counts["n"]


def appended(m, x):
    m.history.append(x[0] * x[1])
    m.history.extend([x[2], 3.0])
    m.history += (x[1],)
    return m.alias[-2] * m.alias[-1] * m.history[2] + len(m.alias)


def stored_items(m, x):
    m.history[0] = m.history[0] + x[0]
    m.alias[-1] *= x[1]
    m.history[1:] = [x[2], m.history[0]]
    return m.alias[0] * m.alias[1] + m.alias[2]


def taken_out(m, x):
    first = m.history.pop(0)
    m.history.insert(0, x[0])
    m.history.append(x[2] * first)
    m.history.remove(m.history[0])
    m.history.reverse()
    return m.history[0] * x[1]


def cleared(m, x):
    m.history.clear()
    m.history.append(x[0])
    m.history.append(None)
    m.history.append(("text", x[1]))
    return m.alias[0] * m.alias[2][1]


def lists_in_a_list(m, x):
    m.rows[0].append(x[0])
    m.rows[1].append(x[1])
    m.rows.append([x[2]])
    m.rows[2].append(5.0)
    return m.history[-1] * m.rows[0][-1] * m.rows[-1][0]


def by_a_helper(m, x):
    return m.add(x[0]) + m.add(x[1]) * m.history[-2]


def counted_in_a_loop(m, x):
    for k in range(100):
        if x[0] * 9.0 > k:
            m.counts["n"] += 1
        m.history[0] = m.history[0] + x[1]
    return m.counts["n"] * x[2] + m.history[0]


def memo(m, x):
    for n in (2, 3, 2):
        if n not in m.cache:
            m.cache[n] = x * n
    return np.sum(m.cache[2] * m.cache[3])


def keys_of_all_kinds(m, x):
    m.counts.update(a=x[0], b=2.0)
    m.counts.setdefault("c", []).append(x[1])
    m.counts[1, "k"] = x[2]
    m.counts.pop("b")
    del m.counts["a"]
    return m.counts["c"][0] * m.counts[1, "k"]


def keys_on_one_path(m, x):
    if x[0] > 0.1:
        m.cache["k"] = x[0] * x[1]
    if x[0] > 5.0:
        m.cache["j"] = x[1]
    return m.cache["k"] * x[2] if "k" in m.cache else x[0]


def items_on_one_path(m, x):
    if x[0] > 0.1:
        m.history[0] = x[1] * m.history[0]
    else:
        m.history[1] = x[2] * m.history[1]
    return m.alias[0] * m.alias[1] * x[2]


def on_one_known_path(m, x):
    if len(m.history) < 4:
        m.history.append(x[0])
    return m.history[-1] * x[1]


def arrays_in_place_and_replaced(m, x):
    m.buffers["x"][:] = x * x
    m.buffers["y"] = m.buffers["x"] * 2.0
    return np.sum(m.buffers["x"] * m.buffers["y"])


def dataclass_fields(m, x):
    m.step.number += 1
    m.step.value = x * m.step.number
    return np.sum(m.step.value * x)


def classes_of_dicts(m, x):
    m.groups["a"].append(x[0])
    m.order["b"] = x[1]
    m.order.move_to_end("a")
    return m.groups["a"][0] * m.order["b"]


def names_and_containers(m, x):
    m.pair = (m.history, x[0])
    m.last = m.counts
    m.last["n"] = x[1]
    m.history.append(x[2])
    return m.counts["n"] * m.pair[0][-1]


def caught(m, x):
    try:
        m.history[0] = x[0]
        y = x[7]
    except IndexError:
        y = m.history[0] * x[1]
    return y


PROGRAMS = (
    appended, stored_items, taken_out, cleared, lists_in_a_list, by_a_helper, counted_in_a_loop,
    memo, keys_of_all_kinds, keys_on_one_path, items_on_one_path, on_one_known_path,
    arrays_in_place_and_replaced, dataclass_fields, classes_of_dicts, names_and_containers, caught,
)  # fmt: skip
of_each_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
on_each_target = pytest.mark.parametrize("target", ["python", "cpu"])


@pytest.fixture(autouse=True)
def begun():
    Model.shared.clear()


def numbers(v):
    """A value as text, with rounded numbers."""
    if isinstance(v, dict):
        return {k: numbers(x) for k, x in v.items()}
    if isinstance(v, list | tuple):
        return type(v)(map(numbers, v))
    if isinstance(v, Step):
        return numbers(vars(v))
    if isinstance(v, np.ndarray):
        return numbers(v.tolist())
    return float(f"{v:.12g}") if isinstance(v, float) else v


def state(m):
    return str(numbers(vars(m))), numbers(Model.shared), m.alias is m.history, m.rows[1] is m.alias


@on_each_target
@of_each_program
def test_containers_after_calls(f, target):
    """Those of plain Python, the same objects, after each of three calls."""
    plain, m = [], Model()
    for _ in range(3):
        plain.append((f(m, X.copy()), state(m)))
    Model.shared.clear()
    m = Model()
    held = (m.history, m.counts, m.cache, m.rows, m.rows[0], m.buffers, m.step, m.order)
    compiled = flow.compile(lambda x: f(m, x), target=target)
    for value, after in plain:
        assert compiled(X.copy()) == pytest.approx(value)
        assert state(m) == after
    now = (m.history, m.counts, m.cache, m.rows, m.rows[0], m.buffers, m.step, m.order)
    assert all(a is b for a, b in zip(held, now, strict=True))


@on_each_target
@of_each_program
def test_a_transform_leaves_containers_as_they_were(f, target):
    m = Model()
    before = state(m)
    compiled = flow.compile(lambda x: f(m, x), target=target)
    g = flow.grad(compiled)(X)
    tangent = flow.jvp(compiled, (X,), (np.ones(3),))[1]
    pulled = flow.vjp(compiled, X)[1](1.0)[0]
    assert state(m) == before

    def at(x):
        return f(copy.deepcopy(m), x)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-8)
    assert pulled == pytest.approx(g)
    assert tangent == pytest.approx(np.sum(g))


def test_jacobian_hessian_and_batches():
    m = Model()
    before = state(m)

    def f(x):
        m.counts["n"] = x[0] * x[1]
        m.history.append(x)
        return m.history[-1] * m.counts["n"]

    j = flow.jacobian(f)(X)
    assert j == pytest.approx(np.outer(X, [0.7, 0.3, 0.0]) + 0.21 * np.eye(3))
    h = flow.hessian(lambda x: np.sum(f(x)))(X)
    assert h == pytest.approx(h.T) and h[0, 1] == pytest.approx(np.sum(X) + 0.3 + 0.7)
    each = flow.vmap(flow.grad(lambda x: np.sum(f(x))))(np.stack([X, 2.0 * X]))
    assert each[0] == pytest.approx(np.sum(j, axis=0)) and each[1] == pytest.approx(4.0 * each[0])
    assert state(m) == before
