"""Captured sets, queues and dicts that a function changes, by keys that are known and others."""

import copy
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.test_changed_captures import on_each_target

X = np.array([0.3, 0.7, 1.1])


class Model:
    def __init__(self):
        self.seen, self.names = {1, 5}, {"a"}
        self.window, self.queue = deque([1.0, 2.0], maxlen=3), deque([np.float64(0.5)])
        self.counts, self.letters = Counter({1: 2, 4: 1}), Counter("aab")
        self.order, self.by_number = OrderedDict(a=1.0, z=2.0), {1: 1.0, 3: 0.25}
        self.sums, self.groups = defaultdict(float), defaultdict(list, a=[1.0])
        self.waiting = deque([0.5])
        self.objects = deque([[1.0], np.ones(3)])


def members(m, x, n):
    m.seen.add(n)
    m.seen.add(7)
    m.seen.discard(1)
    m.seen |= {2, 9}
    m.names.add("b")
    m.names.discard("a")
    return x[0] * len(m.seen) + x[1] * (n in m.seen) + x[2] * ("b" in m.names)


def members_of_a_loop(m, x, n):
    y = x[0]
    for k in range(n):
        if k not in m.seen:
            m.seen.add(k)
            y = y * x[1]
        else:
            m.seen.remove(k)
    return y + sum(sorted(m.seen))


def windows(m, x, n):
    m.window.append(x[0])
    m.queue.appendleft(x[1] * m.window[0])
    m.queue.extend([x[2], x[0]])
    m.queue.rotate(1)
    m.window[-1] = m.window[-1] * 2.0
    return sum(m.window) * m.queue[-1] + len(m.queue) + np.mean(m.window)


def windows_of_a_loop(m, x, n):
    y = x[0]
    for _ in range(n):
        m.window.append(float(y))
        m.waiting.append(float(y * x[1]))
        y = y + np.mean(m.window) * x[2]
    while len(m.waiting) > 2:
        y = y + m.waiting.popleft()
    return y


def objects_of_a_queue(m, x, n):
    m.objects[0].append(x[0])
    m.objects[1][0] = x[1]
    m.objects.appendleft(m.objects.pop())
    m.objects.rotate(1)
    m.objects.append([x[2]])
    m.objects.pop().append(1.0)
    return m.objects[0][-1] * m.objects[1][0]


def counted(m, x, n):
    m.counts[2] += 1
    m.counts.update([1, 2])
    m.letters.update("ab")
    m.letters["n"] += 2
    return x[0] * m.counts[1] + x[1] * m.letters["zz"] + x[2] * sum(m.counts.values())


def counted_in_a_loop(m, x, n):
    for k in range(n):
        m.counts[k * k] += 1
    return x[0] * m.counts[1] + x[1] * len(m.counts) + x[2] * m.counts.total()


def numbered(m, x, n):
    m.by_number[n] = x[0]
    m.by_number[1] = m.by_number[1] * x[1]
    return sum(m.by_number.values()) * len(m.by_number) + m.by_number.get(17, 0.5)


def numbered_in_a_loop(m, x, n):
    y = x[2]
    for k in range(n):
        m.by_number[k] = float(x[0] * k)
        m.sums[k % 2] += float(x[1])
        y = y + m.by_number.get(k - 1, 1.0) * x[1]
    m.by_number.pop(1, None)
    return y + m.sums[0] + len(m.by_number)


def ordered(m, x, n):
    m.order["n"] = x[0]
    m.order.move_to_end("a")
    m.order.popitem(last=False)
    return sum(m.order.values())


def made_on_the_way(m, x, n):
    m.groups["a"].append(x[0])
    m.groups["new"].append(x[1])
    m.sums["s"] += x[2]
    return m.groups["a"][-1] * len(m.groups) + m.sums["s"]


PROGRAMS = (
    members, members_of_a_loop, windows, windows_of_a_loop, objects_of_a_queue, counted,
    counted_in_a_loop, numbered, numbered_in_a_loop, ordered, made_on_the_way,
)  # fmt: skip
of_each_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


def state(m):
    return {n: shown(v) for n, v in vars(m).items()}


def shown(v):
    """A container with its class and those of its items, and rounded numbers."""
    if isinstance(v, set):
        return v
    if isinstance(v, dict):
        factory = getattr(v, "default_factory", None)
        return type(v), factory, [(type(k), k, shown(x)) for k, x in v.items()]
    if isinstance(v, list | deque):
        return type(v), getattr(v, "maxlen", None), [shown(x) for x in v]
    if isinstance(v, np.ndarray):
        return np.round(v, 10).tolist()
    return type(v), float(f"{v:.10g}") if isinstance(v, float) else v


@on_each_target
@of_each_program
def test_containers_after_calls(f, target):
    m, plain = Model(), Model()
    held = {**vars(m)}
    objects = list(m.objects)
    compiled = flow.compile(lambda x, n: f(m, x, n), target=target)
    for k, n in enumerate((3, 1, 0, 2)):
        assert compiled(X + 0.2 * k, n) == pytest.approx(f(plain, X + 0.2 * k, n))
        assert state(m) == state(plain)
        for each in (m, plain):
            each.seen.add(20 + k)
            each.window.append(0.5)
            each.counts[9] += 1
            each.by_number[30 + k] = 2.0
    assert all(held[n] is v for n, v in vars(m).items())
    assert all(any(v is w for w in objects) for v in m.objects)
    before = state(m)
    g = flow.grad(compiled)(X, 3)
    assert state(m) == before

    def at(x):
        return f(copy.deepcopy(m), x, 3)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-7)


def test_a_guard_makes_no_key():
    """Whether a program is for a call is looked at without making what a defaultdict lacks."""
    m = Model()

    def f(x):
        return m.groups["a"][0] * x + len(m.groups["b"])

    m.groups["b"].append(2.0)
    compiled = flow.compile(f, target="python")
    assert compiled(3.0) == 4.0
    del m.groups["b"]
    assert flow.grad(compiled)(3.0) == 1.0 and list(m.groups) == ["a"]
    assert compiled(3.0) == 3.0 and list(m.groups) == ["a", "b"]


def one_of_two(m, x):
    out = [x[0]]
    if x[0] > 0.1:
        out = [x[1]]
        m.kept = out
    return x[0], out


def the_captured_one(m, x):
    out = [x[0]]
    if x[0] > 0.1:
        out = m.objects[0]
    m.kept = {"out": out}
    return x[0]


def in_a_list_of_the_run(m, x):
    out = []
    for v in x:
        row = [v]
        out.append(row)
    m.kept = row
    return out


def one_row_of_all_trips(m, x):
    row = [x[0]]
    m.kept = []
    for v in x:
        if v > 0.5:
            m.kept.append(row)
    return x[0]


def one_row_in_two_places(m, x):
    m.kept = []
    for v in x:
        row = [v]
        m.kept.append(row)
        m.kept.append(row)
    return x[0]


def one_dict_in_a_list_of_several_kinds(m, x):
    kept, m.kept = {"a": x[0]}, [[x[0]]]
    for v in x:
        m.kept.append(kept)
        if v > 0.5:
            m.kept.append(1.0)
    return x[0]


TWICE = (
    one_dict_in_a_list_of_several_kinds,
    one_of_two,
    the_captured_one,
    in_a_list_of_the_run,
    one_row_of_all_trips,
    one_row_in_two_places,
)


@pytest.mark.parametrize("f", TWICE)
def test_containers_that_would_be_two(f):
    m = Model()
    m.kept = None
    with pytest.raises(flow.UnsupportedError, match="they would be two after the call"):
        flow.compile(lambda x: f(m, x), target="python")(X)

    def way_out(x):
        out = [x[0]]
        if x[0] > 0.1:
            out = [x[1]]
            m.kept = list(out)
        return x[0], out

    assert flow.compile(way_out, target="python")(X) == (0.3, [0.7]) and m.kept == [0.7]


def the_same(m, x):
    out, row = {"a": x[0]}, [x[1]]
    m.kept = [out, row]
    m.objects.append(row)
    m.by_number[5] = out
    return out, row, m.kept, m.window, [row]


def test_one_of_several_lists_is_the_one():
    m = Model()

    def f(x):
        if x[0] > 0.5:
            m.window = [x[1]]
        return x[0], m.window

    compiled = flow.compile(f, target="python")
    for k in (0.0, 0.4):
        assert compiled(X + k)[1] is m.window
    assert m.window == [1.1]


def test_one_container_in_several_places():
    m = Model()
    m.kept = None
    out, row, kept, window, (again,) = flow.compile(lambda x: the_same(m, x), target="python")(X)
    assert kept is m.kept and window is m.window and again is row is m.objects[-1] is kept[1]
    assert out is kept[0] is m.by_number[5] and out == {"a": 0.3} and row == [0.7]
    value, g = flow.value_and_grad(lambda x: the_same(m, x)[0]["a"])(X)
    assert value == 0.3 and g.tolist() == [1.0, 0.0, 0.0] and m.kept is kept


class Attributes:
    """Its attributes are the items of a dict."""

    def __init__(self):
        self._items = {"w": 2.0}

    def __getattr__(self, name):
        try:
            return self._items[name]
        except KeyError:
            raise AttributeError(name) from None

    def scaled(self, x):
        return self.w * x


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_attributes_that_a_changed_dict_has(target):
    held = Attributes()

    def f(w, x):
        held._items["w"] = w
        held._items["k"] = w * x
        return held.scaled(x) + held.k

    assert flow.grad(f, (0, 1), target=target)(3.0, 5.0) == (10.0, 6.0)
    assert held._items == {"w": 2.0}
    assert flow.compile(f, target=target)(3.0, 5.0) == 30.0
    assert held._items == {"w": 3.0, "k": 15.0}
