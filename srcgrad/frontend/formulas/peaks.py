"""Where a signal has peaks, as NumPy programs: places, which have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.signal import _peak_finding_utils  # type: ignore[attr-defined]  (a C module)

from srcgrad.frontend.formulas.registry import stands_for


@stands_for(_peak_finding_utils._local_maxima_1d)
def local_maxima(x: Any) -> Any:
    """The middle, the first and the last place of each stretch that is higher than what is beside.

    >>> [v.tolist() for v in local_maxima(np.array([0.0, 1.0, 1.0, 1.0, 0.0, 2.0]))]
    [[2], [1], [3]]
    """
    n = x.shape[0]
    places = np.arange(n)
    after = np.minimum(places + 1, n - 1)
    last = np.where(x != x[after], places, n - 1)
    last = np.minimum.accumulate(last[::-1])[::-1]
    rises = x[np.maximum(places - 1, 0)] < x
    falls = x[np.minimum(last + 1, n - 1)] < x
    first = np.nonzero(rises & falls)[0]
    return (first + last[first]) // 2, first, last[first]


@stands_for(_peak_finding_utils._select_by_peak_distance)
def apart(peaks: Any, priority: Any, distance: Any) -> Any:
    """Which peaks stay where each, the highest first, displaces those that are closer.

    >>> apart(np.array([1, 3, 8]), np.array([1.0, 2.0, 1.0]), 3.0).tolist()
    [False, True, True]
    """
    n = peaks.shape[0]
    keep = np.ones(n, dtype=np.bool_)
    order, reach = np.argsort(priority), np.ceil(distance)
    for i in range(n - 1, -1, -1):
        j = order[i]
        if keep[j]:
            k = j - 1
            while k >= 0 and peaks[j] - peaks[k] < reach:
                keep[k] = False
                k -= 1
            k = j + 1
            while k < n and peaks[k] - peaks[j] < reach:
                keep[k] = False
                k += 1
    return keep


@stands_for(_peak_finding_utils._peak_prominences)
def prominences(x: Any, peaks: Any, wlen: Any) -> Any:
    """How far each peak stands above the higher of the lowest places to its left and right.

    >>> [v.tolist() for v in prominences(np.array([0.0, 2.0, 1.0, 3.0, 0.5]), np.array([1, 3]), -1)]
    [[1.0, 2.5], [0, 0], [2, 4]]
    """
    n = peaks.shape[0]
    left, right = np.zeros(n, np.intp), np.zeros(n, np.intp)
    for k in range(n):
        peak = peaks[k]
        first, last = 0, x.shape[0] - 1
        if wlen >= 2:
            first, last = max(peak - wlen // 2, first), min(peak + wlen // 2, last)
        left[k] = right[k] = peak
        i = peak
        while i >= first and x[i] <= x[peak]:
            if x[i] < x[left[k]]:
                left[k] = i
            i -= 1
        i = peak
        while i <= last and x[i] <= x[peak]:
            if x[i] < x[right[k]]:
                right[k] = i
            i += 1
    return x[peaks] - np.maximum(x[left], x[right]), left, right
