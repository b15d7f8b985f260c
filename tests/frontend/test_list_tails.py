"""Captured lists that get longer by each call: one program, unless their items are read."""

import copy

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.list_tails import METHODS, OPERATORS, Tail
from tests.frontend.test_changed_captures import on_each_target

X = np.array([0.3, 0.7, 1.1])


class Model:
    def __init__(self):
        self.h = [1.0]


def only_appended(m, x):
    m.h.append(x[0] * x[1])
    m.h += [x[2], 3.0]
    m.h.extend(v * 2.0 for v in x)
    return x[0]


def new_items_are_read(m, x):
    m.h.append(x[0])
    m.h[-1] = m.h[-1] * x[1]
    alias = m.h
    alias.append(x[2])
    return m.h[-2] * alias[-1]


def structures(m, x):
    m.h.append({"a": x[0], "b": [x[1], "text", None]})
    m.h[-1]["b"].append(x)
    return m.h[-1]["b"][0] * m.h[-1]["a"]


def length_and_last_item(m, x):
    change = x[0] * x[1] - m.h[-1]
    m.h.append(change)
    return change * len(m.h) + m.h[-2] * (2.0 if m.h else 3.0)


def on_some_paths(m, x):
    if x[0] > 1.0:
        m.h.append(x[0])
        if x[1] > 2.0:
            m.h.append("text")
    elif x[0] > 0.5:
        return x[2]
    m.h.append(x[1])
    return m.h[-1] * len(m.h)


def other_items_on_other_paths(m, x):
    if x[0] > 1.0:
        m.h.append(x[0])
        return m.h[-1] * x[1]
    m.h.append(x[2])
    m.h.append(x)
    return m.h[-2] * x[1]


def some_items_of_a_loop(m, x):
    for v in x:
        if v > 1.0:
            m.h.append(v * x[0])
    return x[1] * len(m.h)


FREE = only_appended, on_some_paths, new_items_are_read, structures, length_and_last_item


def total(m, x):
    m.h.append(x[0])
    return sum(m.h) * x[1]


def first(m, x):
    m.h.append(x[0])
    return m.h[0] * x[1]


def sliced(m, x):
    m.h.append(x[0])
    return len(m.h[1:]) * x[1]


def contains(m, x):
    m.h.append(2.0)
    return x[1] * (1.0 in m.h)


def compared(m, x):
    m.h.append(1.0)
    return x[1] * ([1.0, 1.0] == m.h) + x[0] * (m.h != [1.0])  # noqa: SIM300 (of both sides)


def joined(m, x):
    m.h.append(x[0])
    return x[1] * len([0.0] + m.h) * len(m.h + [0.0])  # noqa: RUF005 (the operators are tested)


def unpacked(m, x):
    m.h.append(x[0])
    a, *b = m.h
    return a * x[1] * len([*m.h]) + len(b)


def window(m, x):
    m.h.append(x[0])
    if len(m.h) > 3:
        m.h.pop(0)
    return m.h[0] * len(m.h) * x[1]


def as_an_array(m, x):
    m.h.append(x[0])
    return np.mean(m.h) * x[1] + np.array(m.h)[-1]


def iterated(m, x):
    m.h.append(x[0])
    y = x[1]
    for k, v in enumerate(m.h):
        y = y * v if k == 0 else y
    return y + len(list(zip(m.h, m.h, strict=True))) + max(m.h)


def copied(m, x):
    m.h.append(x[0])
    kept = m.h.copy()
    kept.append(1.0)
    m.kept = m.h
    return kept[0] * x[1] * m.h.count(1.0)


def given_to_a_name(m, x):
    m.h.append(x[0])
    m.kept = (m.h, 1.0)
    return m.kept[0][-1] * x[1]


READING = (
    total, first, sliced, contains, compared, joined, unpacked, window, as_an_array, iterated,
    copied, other_items_on_other_paths, some_items_of_a_loop,
)  # fmt: skip


@on_each_target
@pytest.mark.parametrize("f", [*FREE, *READING, given_to_a_name], ids=lambda f: f.__name__)
def test_lists_after_calls(f, target):
    m, plain = Model(), Model()
    compiled = flow.compile(lambda x: f(m, x), target=target)
    mine = m.h
    for k in range(5):
        x = X + 0.4 * k
        assert compiled(x) == pytest.approx(f(plain, x))
        assert repr(m.h) == repr(plain.h) and m.h is mine
    g = flow.grad(compiled)(X)
    assert repr(m.h) == repr(plain.h)

    def at(x):
        return f(copy.deepcopy(m), x)

    steps = 1e-6 * np.eye(3)
    differences = [(at(X + s) - at(X - s)) / 2e-6 for s in steps]
    assert g == pytest.approx(differences, rel=1e-6, abs=1e-7)


def itself(m, x):
    m.h.append(x[0])
    return m.h


def in_containers(m, x):
    kept = m.h
    kept += [x[0]]
    return x[1] * x[2], {"kept": [kept], "model": (m.h, kept[-1])}


RETURNED = (itself, in_containers)


@on_each_target
@pytest.mark.parametrize("f", RETURNED, ids=lambda f: f.__name__)
def test_lists_that_are_returned_have_all_items(f, target):
    m, plain = Model(), Model()
    compiled = flow.compile(lambda x: f(m, x), target=target)
    for k in range(3):
        x = X + 0.4 * k
        assert compiled(x) == f(plain, x)
        assert m.h == plain.h


def test_other_results_and_directions_have_all_items():
    m, plain = Model(), Model()
    compiled = flow.compile(lambda x: in_containers(m, x), target="python")
    (_, others), g = flow.value_and_grad(compiled, has_aux=True)(X)
    assert others == in_containers(copy.deepcopy(plain), X)[1]
    assert g == pytest.approx([0.0, X[2], X[1]])
    value, dots = flow.jvp(compiled, (X,), (np.ones(3),))
    assert value[1] == others
    assert dots[1] == {"kept": [[0.0, 1.0]], "model": ([0.0, 1.0], 1.0)}
    assert m.h == plain.h


@pytest.mark.parametrize("f", FREE, ids=lambda f: f.__name__)
def test_one_program_for_all_lengths(f):
    m = Model()
    compiled = flow.compile(lambda x: f(m, x), target="python")
    compiled(X)
    compiled(X)  # a length that changes becomes an input
    built = [e for each in compiled._entries.values() for e in each]
    for _ in range(5):
        compiled(X)
    assert built == [e for each in compiled._entries.values() for e in each]


def test_a_list_that_gets_shorter():
    m = Model()
    compiled = flow.compile(lambda x: length_and_last_item(m, x), target="python")
    compiled(X)
    m.h.clear()
    with pytest.raises(IndexError):
        compiled(X)
    assert m.h == []
    m.h.append(2.0)
    compiled(X)
    assert len(m.h) == 2


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_items_on_one_path_that_are_read(target):
    m = Model()

    def f(x):
        if x[0] > 0.5:
            m.h.append(x[0])
        return m.h[-1] * x[1]

    def container(x):
        if x[0] > 0.5:
            m.h.append([x[0]])
        return x[1]

    for k in (0.0, 0.4):
        assert flow.compile(f, target=target)(X + k) == pytest.approx((0.7 + k) * (1.0, 0.7)[k > 0])
        assert flow.compile(container, target=target)(X + k) == 0.7 + k
    assert m.h == [1.0, 0.7, [0.7]]


def test_a_list_that_is_returned_has_all_items():
    m = Model()

    def f(x):
        m.h.append(x[0])
        return x[0] * x[1], m.h, [m.h]

    (_, h, (inner,)), _g = flow.value_and_grad(f, has_aux=True)(X)
    assert h == inner == [1.0, 0.3] and m.h == [1.0]
    _, h, (inner,) = flow.compile(f, target="python")(X)
    assert h is inner is m.h and m.h == [1.0, 0.3]


def test_everything_else_of_a_list_reads_it():
    """All that Python's lists have is known here: a new method or operator would read less."""
    adding = {"append", "extend", "__iadd__", "__getitem__", "__setitem__", "__init__"}
    of_objects = {"__new__", "__getattribute__", "__sizeof__", "__class_getitem__"}
    own = {name for name, v in vars(list).items() if callable(v) or name == "__class_getitem__"}
    assert own - adding - of_objects - {*OPERATORS, *METHODS} == set()
    assert all(name in vars(Tail) for name in (*OPERATORS, *METHODS, "__getitem__", "__setitem__"))
