"""Where memory is missing: the line, how much, what is saved there, and the way out."""

import pickle

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import OutOfMemoryError

pytestmark = pytest.mark.usefixtures("quiet")
MANY = 10**15  # doubles: more than any machine has addresses for


def rebound(x, n):
    for _ in range(n):
        x = x * x
    return x


def intermediate(x, n):
    s = x
    for _ in range(n):
        s = np.sin(s) * x
    return s


def named(x, n):
    s = x
    for _ in range(n):
        y = np.exp(s)
        s = y * 0.1 + x
    return s


def own_array(x, n):
    y = np.zeros((n, n))
    y[0, 0] = x
    return y[0, 0] * x


def rows(x, n):
    for _ in range(n):
        x = x * np.sin(x)
    return np.sum(x)


ROWS = [
    (rebound, (0.5, MANY), "7.11 PiB", "'x'", "for _ in range(n):"),
    (intermediate, (0.5, MANY), "7.11 PiB", "an intermediate value", "s = np.sin(s) * x"),
    (named, (0.5, MANY), "7.11 PiB", "'y'", "y = np.exp(s)"),
    (rows, (np.ones(1000), MANY // 1000), "7.11 PiB", "an intermediate value", "x = x * np.sin(x)"),
    (own_array, (0.5, 10**8), "71.1 PiB", "", "y = np.zeros((n, n))"),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args", "size", "saved", "line"), ROWS)
def test_what_is_said(f, args, size, saved, line, target):
    with pytest.raises(MemoryError) as e:
        flow.grad(flow.compile(f, target=target))(*args)
    error = e.value
    assert isinstance(error, OutOfMemoryError)
    assert f"Unable to allocate {size} for an array with shape" in error.reason
    assert error.location.text.strip() == line
    if saved:
        assert error.reason.endswith(f"the reverse sweep saves {saved}")
        assert error.way_out.startswith("a loop over flow.checkpointed(range(n), memory=")
    else:
        assert "reverse" not in error.reason and not error.way_out
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_tape_that_grows(monkeypatch):
    def loss(x):
        while x < 1e6:
            x = x * x * 1.5
        return x

    from srcgrad.primitives import tapes

    def none(self, size):
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr(tapes.GrowingArray, "reserve", none)
    with pytest.raises(MemoryError) as e:
        flow.grad(flow.compile(loss, target="python"))(2.0)
    assert "the reverse sweep saves" in e.value.reason and e.value.location is not None


def chunk(s, x):
    for _ in range(100):
        s = np.sin(s) * x
    return s


kept = flow.checkpoint(chunk)


def in_chunks(x, n):
    s = x
    for _ in range(n // 100):
        s = kept(s, x)
    return s


def test_the_way_out_works():
    by = [flow.grad(flow.compile(f, target="python"))(0.9, 2000) for f in (intermediate, in_chunks)]
    assert by[0] == pytest.approx(by[1], rel=1e-12)
    with pytest.raises(MemoryError):
        flow.grad(flow.compile(intermediate, target="python"))(0.9, MANY)
    whole, parts = (tape_sizes(f) for f in (intermediate, in_chunks))
    assert max(whole) == 2000 and max(parts) <= 100


def tape_sizes(f) -> list[int]:
    """How many numbers each tape of a gradient is made for."""
    from srcgrad.primitives import tapes

    sizes = []
    init = tapes.GrowingArray.__init__

    def noted(self, capacity, *rest):
        sizes.append(int(capacity))
        init(self, capacity, *rest)

    tapes.GrowingArray.__init__ = noted
    try:
        flow.grad(flow.compile(f, target="python"))(0.9, 2000)
    finally:
        tapes.GrowingArray.__init__ = init
    return sizes
