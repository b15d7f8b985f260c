"""Readings of clocks: kept, computed with and dropped; no result, test or text may depend on one.

A program that is compiled once has no moment at which it reads a clock.
"""

from __future__ import annotations

import datetime
import time
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import stands_for, unsupported

REASON = "a reading of the clock is not known in compiled code"
OUTSIDE = "call it outside and pass the result"


def read_clock(of: Any = "") -> Any:
    """Refuses what would need a reading."""
    return unsupported(REASON, OUTSIDE)


class Reading:
    """The value of a clock, or of what is computed of values of clocks; `cls` is its class.

    >>> elapsed = 1000 * (Reading(float) - Reading(float))
    >>> elapsed.cls
    <class 'float'>
    """

    def __init__(self, cls: Any):
        self.cls = cls

    def __add__(self, other: Any) -> Any:
        return _computed(self, other)

    def __radd__(self, other: Any) -> Any:
        return _computed(self, other)

    def __sub__(self, other: Any) -> Any:
        both = isinstance(other, (Reading, datetime.datetime))
        if self.cls is datetime.datetime and both and _class_of(other) is datetime.datetime:
            return Reading(datetime.timedelta)
        return _computed(self, other)

    def __rsub__(self, other: Any) -> Any:
        if self.cls is datetime.datetime:
            return Reading(datetime.timedelta)
        return _computed(self, other)

    def __mul__(self, other: Any) -> Any:
        return _computed(self, other)

    def __rmul__(self, other: Any) -> Any:
        return _computed(self, other)

    def __truediv__(self, other: Any) -> Any:
        return _computed(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _computed(self, other)

    def __neg__(self) -> Any:
        return _computed(self, 0)

    def __abs__(self) -> Any:
        return _computed(self, 0)

    def __round__(self, digits: Any = None) -> Any:
        return _computed(self, 0)

    def strftime(self, format: Any) -> Any:
        return Reading(str) if self.cls is datetime.datetime else read_clock()

    def isoformat(self, sep: Any = "T", timespec: Any = "auto") -> Any:
        return Reading(str) if self.cls is datetime.datetime else read_clock()

    def timestamp(self) -> Any:
        return Reading(float) if self.cls is datetime.datetime else read_clock()

    def total_seconds(self) -> Any:
        return Reading(float) if self.cls is datetime.timedelta else read_clock()

    def __getattr__(self, name: str) -> Any:
        return read_clock(name)

    def __bool__(self) -> Any:
        return read_clock()

    def __float__(self) -> Any:
        return read_clock()

    def __int__(self) -> Any:
        return read_clock()

    def __index__(self) -> Any:
        return read_clock()

    def __len__(self) -> Any:
        return read_clock()

    def __iter__(self) -> Any:
        return read_clock()

    def __getitem__(self, k: Any) -> Any:
        return read_clock()

    def __contains__(self, item: Any) -> Any:
        return read_clock()

    def __str__(self) -> Any:
        return read_clock()

    def __repr__(self) -> Any:
        return read_clock()

    def __format__(self, spec: Any) -> Any:
        return read_clock()

    def __hash__(self) -> Any:
        return read_clock()

    def __eq__(self, other: object) -> Any:
        return read_clock()

    def __ne__(self, other: object) -> Any:
        return read_clock()

    def __lt__(self, other: Any) -> Any:
        return read_clock()

    def __le__(self, other: Any) -> Any:
        return read_clock()

    def __gt__(self, other: Any) -> Any:
        return read_clock()

    def __ge__(self, other: Any) -> Any:
        return read_clock()


Reading.__name__ = "reading of the clock"  # in errors


def _class_of(v: Any) -> Any:
    return v.cls if isinstance(v, Reading) else type(v)


def _computed(reading: Reading, other: Any) -> Any:
    """The reading that an operator gives; other objects than single values are refused."""
    if not isinstance(other, (Reading, str, datetime.timedelta)) and np.ndim(other) > 0:
        return read_clock()
    return Reading(reading.cls)


@stands_for(time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time)
def seconds() -> Any:
    """A reading of a clock in seconds."""
    return Reading(float)


@stands_for(
    time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns,
    time.thread_time_ns,
)  # fmt: skip
def nanoseconds() -> Any:
    """A reading of a clock in nanoseconds."""
    return Reading(int)


@stands_for(datetime.datetime.now)
def now(tz: Any = None) -> Any:
    """The date and time of a zone."""
    return Reading(datetime.datetime)


@stands_for(datetime.datetime.today)
def today() -> Any:
    """The local date and time."""
    return Reading(datetime.datetime)
