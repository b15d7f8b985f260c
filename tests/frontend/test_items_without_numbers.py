"""Lists and dicts of the run whose items hold nothing that differs: only their number is known."""

import collections

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees

X = np.array([1.0, -2.0, 3.0, 2.0])
ROWS = collections.defaultdict(list)


class Mark:
    """Without attributes."""


def tuples(x):
    rows = [(), ()]
    for v in x:
        if v > 0.0:
            rows.append(())
    return rows, len(rows)


def dicts(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append({})
    return rows


def dicts_and_others(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append({})
    for v in x:
        if v > 1.0:
            rows.append({"a": v})
    return rows


def instances(x):
    return len([Mark() for v in x if v > 0.0]), len([[] for v in x if v < 0.0])


def nones(x):
    rows, table = [], {}
    for v in x:
        if v > 0.0:
            rows.append(None)
            table[int(v)] = None
    return rows, rows[0] is None, table


def nones_and_numbers(x):
    rows = []
    for v in x:
        if v > 0.0:
            rows.append(None)
    for v in x:
        if v > 1.0:
            rows.append(v)
    return rows


def texts_that_come_later(x):
    rows = [("a", 1) for v in x if v > 0.0]
    for v in x:
        if v > 1.0:
            rows.append(("b", 1))
    return rows, list(zip(*rows, strict=True)), rows[1:], sorted(rows), ("a", 1) in rows


def known_pairs(x):
    rows = [(1, None) for v in x if v > 0.0]
    return rows, rows * 2, rows[::-1], [a for a, _ in rows], list(zip(*rows, strict=True))


def queue(x):
    waiting, n = collections.deque(), 0
    for v in x:
        if v > 0.0:
            waiting.append(())
    while waiting:
        waiting.popleft()
        n += 1
    return n


PROGRAMS = [
    tuples, dicts, dicts_and_others, instances, nones, nones_and_numbers, texts_that_come_later,
    known_pairs, queue,
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_they_are_counted(f, target):
    compiled = flow.compile(f, target=target)
    for x in (X, np.concatenate([X, X + 0.5])):
        assert compiled(x) == f(x)


def test_beside_what_is_differentiated():
    def f(x):
        rows = []
        for v in x:
            if v > 0.0:
                rows.append(())
        return len(rows) * np.sum(x * x)

    np.testing.assert_array_equal(flow.grad(f, target="python")(X), 6.0 * X)


def test_objects_are_distinct():
    made = flow.compile(dicts, target="python")(X)
    assert len({id(v) for v in made}) == 3


def test_lists_in_a_captured_dict_by_keys_of_the_run_are_refused():
    def f(x):
        for v in x:
            ROWS[int(v) % 2].append(v)
        return len(ROWS)

    with pytest.raises(flow.errors.UnsupportedError, match="a list that grows"):
        flow.compile(f, target="python")(X)
    assert not ROWS
    agrees(lambda x: {k: sum(v) for k, v in enumerate([[x], [x, x]])}, 2.0)
