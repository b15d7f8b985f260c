"""`SRCGRAD_MEMORY_LIMIT`: a large tape is refused before it is allocated, with the way out."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import memory_limit
from srcgrad.errors import OutOfMemoryError

TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])
U, STEPS = np.linspace(0.0, 1.0, 10_000), 1000  # 80 MB of states


@pytest.fixture
def limit(monkeypatch):
    return lambda text: monkeypatch.setenv(memory_limit.VARIABLE, text)


def decay(part, u, n):
    for _ in part(range(n)):
        u = u - 1e-4 * u * u
    return np.sum(u)


def slope(part, target):
    return flow.grad(flow.compile(lambda u, n: decay(part, u, n), target=target))


@TARGETS
def test_what_is_said(limit, target):
    limit("70MB")
    with pytest.raises(OutOfMemoryError) as e:
        slope(lambda r: r, target)(U, STEPS)
    error = e.value
    assert error.reason.startswith(
        "Unable to allocate 76.3 MiB for an array with shape (10000000,)"
    )
    assert (
        "tapes would take 76.3 MiB, more than the 66.8 MiB that SRCGRAD_MEMORY_LIMIT"
        in error.reason
    )
    assert error.reason.endswith("the reverse sweep saves 'u'")
    assert error.location.text.strip() == "for _ in part(range(n)):"
    assert "flow.checkpointed(range(n), memory=" in error.way_out


@TARGETS
def test_the_way_out(limit, target):
    want = slope(lambda r: r, target)(U, 50)
    limit("1MB")  # what takes less than 64 MiB is always allowed
    got = slope(lambda r: flow.checkpointed(r, memory="1MB"), target)(U, 50)
    np.testing.assert_allclose(got, want, rtol=1e-13)


@TARGETS
def test_by_default_half_of_what_is_free(monkeypatch, target):
    monkeypatch.delenv(memory_limit.VARIABLE, raising=False)
    monkeypatch.setattr(memory_limit, "_free", lambda: 140 * 10**6)
    with pytest.raises(OutOfMemoryError, match="more than half of the free memory"):
        slope(lambda r: r, target)(U, STEPS)
    monkeypatch.setattr(memory_limit, "_free", lambda: 170 * 10**6)
    slope(lambda r: r, target)(U, STEPS)
    monkeypatch.setattr(memory_limit, "_free", lambda: 0)  # a system that does not tell
    slope(lambda r: r, target)(U, STEPS)


def test_tapes_count_together(limit):
    def two(u, v, n):
        for _ in range(n):
            u, v = u - 1e-4 * v * v, v - 1e-4 * u * u
        return np.sum(u + v)

    limit("70MB")
    g = flow.grad(flow.compile(two))
    assert np.isfinite(g(U, U, STEPS // 4)).all()  # 40 MB
    with pytest.raises(
        OutOfMemoryError, match=r"Unable to allocate 45.8 MiB .* would take 91.6 MiB"
    ):
        g(U, U, STEPS * 6 // 10)
    assert np.isfinite(g(U, U, STEPS // 4)).all()


def test_a_tape_that_grows(limit):
    def shrunk(x, least):
        while x > least:
            x = x * (1.0 - 1e-7 * x)
        return x

    limit("70MB")
    with pytest.raises(OutOfMemoryError, match="the reverse sweep saves 'x'"):
        flow.grad(flow.compile(shrunk))(1.0, 0.3)


def test_the_variable(monkeypatch):
    monkeypatch.setattr(memory_limit, "_free", lambda: 10)
    for text, taken, allowed in [
        ("100MB", 99 * 10**6, True), ("100MB", 101 * 10**6, False), ("134217728", 1 << 27, True),
        ("134217728", (1 << 27) + 1, False), ("off", 1 << 60, True), ("0", 1 << 60, True),
        ("", 1 << 27, False),
    ]:  # fmt: skip
        monkeypatch.setenv(memory_limit.VARIABLE, text)
        assert (memory_limit.above_limit(taken) == "") == allowed, text
    monkeypatch.setenv(memory_limit.VARIABLE, "much")
    with pytest.warns(RuntimeWarning, match="SRCGRAD_MEMORY_LIMIT: 'much' is no size of memory"):
        assert memory_limit.above_limit(1 << 27)


def test_what_is_free_is_found():
    assert memory_limit._free() > 1 << 20
