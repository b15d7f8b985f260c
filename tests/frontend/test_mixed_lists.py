"""Lists that grow and whose items have several kinds: values and slopes are those of Python."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.sin(np.arange(80.0)) * 2.5 + 0.7  # more items than loops are unrolled for


def number_or_none_in_a_place(x):
    out = []
    for i in range(x.shape[0]):
        out.append((x[i] * 2.0, None if x[i] < 0.0 else i))
    s = 0.0
    for v, k in out:
        if k is not None:
            s = s + v * k
    return s


def number_or_text_in_a_place(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append((x[i], "high"))
        else:
            out.append((x[i], i))
    s = 0.0
    for v, k in out:
        s = s + v * v if k == "high" else s + v * k
    return s


def tuples_of_two_lengths(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append((x[i], i))
        else:
            out.append((x[i],))
    s = 0.0
    for t in out:
        s = s + t[0] * t[1] if len(t) == 2 else s - t[0]
    return s


def tuple_or_array(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append((x[i], i))
        else:
            out.append(x * x[i])
    s = 0.0
    for t in out:
        s = s + t[0] * t[1] if isinstance(t, tuple) else s - np.sum(t)
    return s


def numbers_and_none(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] if x[i] > 1.0 else None)
    good = [v for v in out if v is not None]
    out.insert(0, None)
    out.pop(2)
    del out[0]
    missing = 0
    for v in out[3:9]:
        missing = missing + 1 if v is None else missing
    return np.sum(np.array(good) ** 2) * missing


def three_places_of_two_kinds(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append(("up", x[i], None))
        elif x[i] > 0.0:
            out.append(("mid", x[i], x[i] * 2.0))
        else:
            out.append(("down", None, x[i]))
    s = 0.0
    for name, a, b in out:
        if name == "up":
            s = s + a
        elif name == "mid":
            s = s + a * b
        else:
            s = s - b
    return s


def number_or_array_in_a_place(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append((x[i], i))
        else:
            out.append((x[i], x * 2.0))
    s = 0.0
    for v, p in out:
        s = s + np.sum(v * p)
    return s


def arrays_of_two_dtypes_and_ranks(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            out.append(x[:3] * x[i])
        elif x[i] > 0.0:
            out.append(np.arange(3) + i)
        else:
            out.append(np.outer(x[:2], x[:2]))
    s = 0.0
    for v in out:
        s = s + np.sum(v) * np.ndim(v)
    return s


def dict_with_places_of_two_kinds(x):
    out = []
    for i in range(x.shape[0]):
        kind = "a" if x[i] > 1.5 else None
        out.append({"v": x[i], "kind": kind, "w": None if x[i] < 0.0 else x[i]})
    s = 0.0
    for d in out:
        if d["w"] is not None:
            s = s + d["v"] * d["w"] * (2.0 if d["kind"] is None else 3.0)
    return s


def tuple_or_none_in_a_place(x):
    best, out = None, []
    for i in range(x.shape[0]):
        if x[i] > 1.0 and (best is None or x[i] > best[0]):
            best = (x[i], i)
        out.append((i, best))
    s = 0.0
    for k, b in out:
        if b is not None:
            s = s + b[0] * b[1] * k
    return s


def stack_of_pairs(x):
    stack, s = [(x[4], None)], 0.0
    while stack:
        v, parent = stack.pop()
        s = s + v * (1.0 if parent is None else parent)
        if abs(v) < 20.0:
            stack.append((v * 3.0, v))
    return s


def queue_of_numbers_and_pairs(x):
    queue, s = [], 0.0
    for i in range(x.shape[0]):
        queue.append(x[i] if x[i] > 1.0 else (x[i], i))
    while queue:
        item = queue.pop(0)
        s = s + item[0] * item[1] if isinstance(item, tuple) else s + item * item
    return s


def items_replaced(x):
    out = [None] * 3
    for i in range(x.shape[0]):
        out.append(x[i])
        if x[i] > 1.0:
            out[i % 3] = x[i] * 2.0
    s = out[-1]
    for v in out[:3]:
        if v is not None:
            s = s + v
    return s


def sorted_with_lists_or_none_in_a_place(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            out.append((x[i], [i, x[i]]))
        else:
            out.append((x[i], None))
    out.sort(key=lambda t: t[0])
    s = 0.0
    for k, (v, held) in enumerate(out):
        s = s + held[1] * k if held else s - v * k
    return s


def sorted_by_numbers_and_texts(x):
    out = []
    for i in range(x.shape[0]):
        out.append((round(x[i]), "b" if x[i] > 1.5 else "a", x[i]))
    s = 0.0
    for k, (_, t, v) in enumerate(sorted(out, reverse=True)):
        s = s + v * k * (2.0 if t == "b" else 1.0)
    return s


def searched(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] if x[i] > 1.0 else "no")
    return float("no" in out) * x[0] + out.count("no") * x[1] + out.index("no") * x[2]


def lists_in_a_display(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            out.append(x[i])
    more = [1.0, *out, 2.0 * x[0], *out]
    return np.sum(np.array(more) ** 2)


def a_display_that_changes_what_it_unpacks(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            out.append(x[i])
    more = [*out, out.pop(), *out]
    pair = [*(out, more)]
    out.append(x[1])
    return np.sum(np.array(more) * np.arange(len(more))) + len(pair) * sum(pair[0])


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f, target):
    along, step = np.cos(np.arange(80.0) ** 2), 1e-7
    assert np.isclose(flow.compile(f, target=target)(X), f(X), rtol=1e-12)
    slope = (f(X + step * along) - f(X - step * along)) / (2.0 * step)
    assert np.isclose(flow.grad(f, target=target)(X) @ along, slope, rtol=1e-5)


@pytest.mark.parametrize("f", [numbers_and_none, tuple_or_array, three_places_of_two_kinds])
def test_few_items_are_known_one_by_one(f):
    assert np.isclose(flow.compile(f, target="python")(X[:8]), f(X[:8]), rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_an_operation_on_an_item_of_another_kind_raises(target):
    def f(x):
        out = []
        for i in range(x.shape[0]):
            out.append(x[i] if x[i] > 1.0 else None)
        s = 0.0
        for v in out:
            s = s + v
        return s

    with pytest.raises(TypeError):
        flow.compile(f, target=target)(X)


def test_items_are_not_changed_where_they_are_read():
    def f(x):
        out = []
        for i in range(x.shape[0]):
            out.append([x[i], i] if x[i] > 1.0 else None)
        for v in out:
            if v is not None:
                v[0] = 2.0
        return x[0]

    with pytest.raises(flow.UnsupportedError):
        flow.compile(f, target="python")(X)
