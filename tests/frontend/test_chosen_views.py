"""Keys, values and items of dicts, and what stands after a star, where paths choose which."""

from collections import OrderedDict

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.as_python import TARGETS

FAILED = {"x": 1.0, "y": 7.0}


def total(*values):
    s = 0.0
    for k, v in enumerate(values):
        s = s + (k + 1) * v
    return s


def measured(a):
    if a > 0.0:
        return {"x": a * a, "y": 2.0 * a}
    return FAILED


def values_of_a_call(a):
    return total(*measured(a).values()) + a


def values_under_a_name(a):
    v = measured(a).values()
    return total(*v) + len(v) * a


def in_displays(a):
    listed = [a, *measured(a).values()]
    first, *rest = (a, *measured(a).values(), 3.0)
    return total(*listed) * first + total(*rest)


def items_of_other_keys(a):
    v = {"x": a, "y": 2.0}.items() if a > 0.0 else OrderedDict(z=2.0 * a, y=1.0).items()
    s = 0.0
    for k, w in v:
        s = s + (3.0 if k == "x" else 2.0) * w
    return s


def values_or_keys(a):
    r = {"x": a, "y": 2.0, "z": 1.0}
    v = r.values() if a > 0.0 else r.keys()
    return len(v) * a


def of_one_place(a):
    if a > 0.0:
        r = {"x": a, "y": a * a}
        v = r.values()
    else:
        r = {"x": 3.0 * a, "y": 2.0}
        v = r.values()
    return sum(v) + r["x"]


def carried_by_a_loop(a):
    s, v = 0.0, {"x": a}.values()
    for _ in range(int(abs(a) + 1.25)):
        s = s + sum(v)
        v = {"x": s * a}.values()
    return s + sum(v)


def a_list_or_a_tuple(a):
    def pair():
        if a > 0.0:
            return [a, 2.0]
        return (1.0, a)

    return total(*pair()) + sum([1.0, *pair()])


def arrays(a):
    r = {"x": np.array([a, 2.0]), "y": np.array([a])}
    if a > 0.0:
        r = {"x": np.array([a * a, a, 3.0]), "y": np.array([2.0])}
    v = r.values()
    return sum(np.sum(w) for w in v)


PROGRAMS = [
    values_of_a_call, values_under_a_name, in_displays, items_of_other_keys, values_or_keys,
    of_one_place, carried_by_a_loop, a_list_or_a_tuple, arrays,
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_chosen_views(f, target: str):
    compiled = flow.value_and_grad(f, target=target)
    for a in (2.0, -1.5, 3.0):
        value, slope = compiled(a)
        h = 1e-6
        assert value == pytest.approx(f(a), rel=1e-12)
        assert slope == pytest.approx((f(a + h) - f(a - h)) / (2 * h), rel=1e-6, abs=1e-7)
        assert flow.jvp(f, (a,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_chosen_view_shows_what_is_captured_then(target: str):
    f = flow.compile(values_of_a_call, target=target)
    before = f(-1.0)
    assert before == values_of_a_call(-1.0)
    FAILED["y"] = 11.0
    try:
        assert f(-1.0) == values_of_a_call(-1.0) != before
    finally:
        FAILED["y"] = 7.0


def test_as_many_items_after_a_star_as_the_path_tells_are_refused():
    def f(a):
        def some():
            return (a,) if a > 0.0 else (a, 2.0)

        return total(*some())

    with pytest.raises(UnsupportedError, match="must have one kind here: it is a tuple") as e:
        flow.grad(f, target="python")(1.0)
    assert "total(*some())" in str(e.value)


def test_a_change_of_a_dict_whose_view_is_chosen_is_seen_or_refused():
    def f(a):
        r = {"x": a, "y": 2.0}
        v = r.values() if a > 0.0 else {"x": 2.0 * a, "y": 1.0}.values()
        r["x"] = 5.0 * a
        return total(*v)

    with pytest.raises(UnsupportedError, match="which of several containers"):
        flow.compile(f, target="python")(2.0)
