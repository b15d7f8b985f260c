"""Library calls on whole arrays that Numba compiles: search.

Without Numba these are plain functions.
"""

from __future__ import annotations

from srcgrad.backends.cpu.kernels import compiled


# ---- search: NaN is larger than anything ----
@compiled
def search_left(a, v):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) >> 1
        below = (a[middle] < v) | ((v != v) & (a[middle] == a[middle]))
        low, high = (middle + 1, high) if below else (low, middle)
    return low


@compiled
def search_right(a, v):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) >> 1
        above = (v < a[middle]) | ((a[middle] != a[middle]) & (v == v))
        low, high = (low, middle) if above else (middle + 1, high)
    return low
