"""Memory of compiled functions that is large lies in large pages, where the kernel makes them."""

import pathlib
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu.emit.allocation import LARGE, allocation

SETTING = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
MAPS = pathlib.Path("/proc/self/smaps")


def advised(address: int) -> bool:
    """Whether the mapping that holds an address was advised to use large pages."""
    inside = False
    for line in MAPS.read_text(encoding="ascii", errors="replace").splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            first, _, stop = words[0].partition("-")
            inside = int(first, 16) <= address < int(stop, 16)
        elif inside and words[0] == "VmFlags:":
            return "hg" in words
    raise AssertionError("the address lies in no mapping")


def outer(x, y):
    return x[:, None] * y


@pytest.mark.skipif(
    not (SETTING.exists() and MAPS.exists()), reason="the kernel has no transparent large pages"
)
def test_large_results_lie_in_large_pages():
    x = np.linspace(0.0, 1.0, 1100)
    made = flow.compile(outer, target="cpu")(x, x)
    assert made.nbytes > LARGE
    np.testing.assert_array_equal(made, np.outer(x, x))
    assert advised(made.ctypes.data + made.nbytes // 2)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="madvise is Linux's here")
def test_only_large_memory_is_advised():
    before, advises, after = allocation(guarded=False).partition("call i32 @madvise")
    assert advises and "@madvise" not in after
    assert f"icmp ugt i64 %size, {LARGE - 1}" in before


def test_guarded_memory_is_not_advised():
    assert "madvise" not in allocation(guarded=True)
