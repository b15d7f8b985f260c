"""The garbage collector around imports and builds: what it sees, and what it leaves the caller."""

import gc

import pytest

from srcgrad import collector

pytestmark = pytest.mark.early


class Node:
    def __init__(self) -> None:
        self.me = self


def nodes() -> int:
    return sum(type(x) is Node for x in gc.get_objects())


@pytest.fixture(autouse=True)
def collecting(monkeypatch):
    monkeypatch.setattr(collector, "_moved", 0)  # whatever was built before
    monkeypatch.setattr(collector, "_freezes", False)
    rarely = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python has them
    gc.unfreeze()
    gc.collect()
    yield
    gc.enable()
    gc.set_threshold(*rarely)
    gc.freeze()  # as `conftest.py` has left it


def test_no_collection_inside_and_none_is_due_after():
    young = []  # how many objects each pass finds that are not old

    def seen(phase, info):
        if phase == "start":
            young.append(len(gc.get_objects(generation=0)))

    gc.callbacks.append(seen)
    try:
        with collector.gc_paused():
            made = [Node() for _ in range(100_000)]
            assert not young
        assert gc.isenabled() and gc.get_count()[0] < 1000
        assert not young
    finally:
        gc.callbacks.pop()
    assert len(made) == 100_000


def test_what_is_dropped_is_found_by_a_full_pass():
    with collector.gc_paused():
        for _ in range(2 * collector.FREEZE_THRESHOLD):
            Node()
    assert gc.collect() >= 2 * collector.FREEZE_THRESHOLD


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    with collector.gc_paused():
        pass
    assert not gc.isenabled()


def test_what_the_caller_froze_stays_frozen():
    kept = [Node() for _ in range(100)]
    gc.freeze()  # of what is frozen elsewhere in the process some may be freed meanwhile
    with collector.gc_paused():
        kept.extend(Node() for _ in range(collector.FREEZE_THRESHOLD))
    seen = {id(o) for o in gc.get_objects() if isinstance(o, Node)}
    assert not any(id(o) in seen for o in kept[:100])


def test_frozen_objects_are_counted_once(monkeypatch):
    counted = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(1) or collector.FEW)
    for _ in range(3):
        with collector.gc_paused():
            made = [Node() for _ in range(collector.FREEZE_THRESHOLD)]
    assert len(made) == collector.FREEZE_THRESHOLD and len(counted) == 1


def test_what_builds_drop_is_found_sooner_or_later():
    before = nodes()
    for _ in range(100):
        with collector.gc_paused():
            for _ in range(collector.FREEZE_THRESHOLD):
                Node()
    assert nodes() - before <= collector.MOST + collector.FREEZE_THRESHOLD


def test_a_short_wait_leaves_python_its_count():
    gc.collect()
    with collector.gc_paused():
        made = [Node() for _ in range(100)]
    assert gc.get_count()[0] >= len(made)
