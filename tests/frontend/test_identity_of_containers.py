"""`is` of containers: decided where no call can change it, refused where a caller decides."""

from dataclasses import dataclass

import pytest

import srcgrad as flow

KEPT, SAME, OTHER = [1.0], (2.0,), [1.0]


@dataclass
class Point:
    a: float


def two(a, b):
    return 2.0 if a is b else 3.0


def nested(a):
    return two(a[0], a[1])


def with_a_captured_one(a):
    return two(a, KEPT)


def in_a_loop(a):
    first, n = a[0], 0
    for v in a:
        if v is first:
            n += 1
    return n


def of_instances(a, b):
    return 2.0 if a in [b] else 3.0


ONE, POINT = [1.0], Point(1.0)
GIVEN = [
    (two, (ONE, ONE)),
    (two, ([1.0], [1.0])),
    (two, ({"a": 1.0}, {"a": 1.0})),
    (two, (POINT, POINT)),
    (two, (SAME, (2.0,))),
    (nested, ([ONE, ONE],)),
    (nested, ([[1.0], [2.0]],)),
    (with_a_captured_one, (KEPT,)),
    (with_a_captured_one, ([1.0],)),
    (in_a_loop, ([ONE, ONE],)),
]


@pytest.mark.parametrize(("f", "args"), GIVEN)
def test_what_a_caller_decides_is_refused(f, args):
    with pytest.raises(flow.UnsupportedError, match="whether two objects are one"):
        flow.compile(f, target="python")(*args)


def known(x, a, b):
    alias, copy = a, list(a)
    point, empty = Point(x), []
    same = [alias is a, KEPT is KEPT, point is point, a is a]
    others = [copy is a, KEPT is OTHER, empty is b, point is Point(x), a is None, a is x]
    return x * sum(same) + sum(others) * 10.0


def test_what_every_call_has_alike():
    assert flow.compile(known, target="python")(0.5, [1.0], [2.0]) == known(0.5, [1.0], [2.0])
    assert flow.grad(flow.compile(known, target="python"))(0.5, [1.0], [2.0]) == 4.0


def test_instances_of_plain_classes():
    class Plain:
        def __init__(self, a):
            self.a = a

    first = Plain(1.0)
    for f in (two, of_instances):
        compiled = flow.compile(f, target="python")
        for args in ((first, first), (first, Plain(1.0)), (first, first)):
            assert compiled(*args) == f(*args)
