"""Sets that are run over: those of one member; the order of several is refused."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees


def only_member(x):
    left = set()
    for v in (40, 20, 40):
        left.add(v)
    left.discard(20)
    return list(left), np.array(list(left)) * x, [v * x for v in left], tuple(frozenset(left))


def bonds(x):
    """Neighbours of atoms by atom, and those outside of a group."""
    near: dict = {}
    for a, b in ((0, 1), (1, 4), (2, 3)):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    cut = []
    for atom in (0, 1):
        for other in near[atom] - {0, 1}:
            cut.append((atom, other, other * x))
    return cut


def one_member(x):
    total = 0.0
    for v in {40} & {40, 41}:
        total += v * x
    for name in {"a", "b"} - {"b"}:
        total += len(name) * x
    return total


def items_taken(x):
    s = frozenset((3,))
    return list(enumerate(s)), list(zip(s, (x,), strict=True)), next(iter(s)), max(s) * x


@pytest.mark.parametrize("f", [only_member, bonds, one_member, items_taken])
def test_sets_of_one_member_are_run_over(f):
    agrees(f, 1.5)


def members_of_the_run(x):
    return np.array(list(frozenset([int(x * 10), int(x * 2)]))) * x


def known(x):
    return [v * x for v in {9, 1, 4}]


def texts(x):
    return [len(v) * x for v in {"a", "bc"}]


@pytest.mark.parametrize("f", [members_of_the_run, known, texts])
def test_the_order_of_several_members_is_refused(f):
    with pytest.raises(flow.UnsupportedError, match="the order of a set is not defined"):
        flow.compile(f, target="python")(1.5)


def test_a_set_that_grows_while_a_loop_runs_over_it():
    def grows(x):
        s = {4}
        for v in s:
            s.add(v + 1)
        return len(s) * x

    with pytest.raises(flow.UnsupportedError, match="changes its length while a loop runs"):
        flow.compile(grows, target="python")(1.5)
