"""Readings of clocks, and identifiers: kept and dropped; no result, test or text depends on one.

A program that is compiled once has no moment at which it reads a clock, and no process that it
runs in. A text that is made of a reading is one.
"""

from __future__ import annotations

import datetime
import os
import threading
import time
import uuid
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import stands_for, unsupported

OUTSIDE = "call it outside and pass the result"


class Reading:
    """The value of a clock, or of what is computed of values of clocks; `cls` is its class.

    >>> elapsed = 1000 * (Reading(float) - Reading(float))
    >>> elapsed.cls
    <class 'float'>
    """

    unknown = "a reading of the clock is not known in compiled code"

    def __init__(self, cls: Any):
        self.cls = cls

    def of_class(self, cls: Any) -> Any:
        """Another one that depends on this one."""
        return Reading(cls)

    def refused(self, of: Any = "") -> Any:
        """Refuses what would need its value."""
        return unsupported(self.unknown, OUTSIDE)

    def __add__(self, other: Any) -> Any:
        return _computed(self, other)

    def __radd__(self, other: Any) -> Any:
        return _computed(self, other)

    def __sub__(self, other: Any) -> Any:
        both = isinstance(other, (Reading, datetime.datetime))
        if self.cls is datetime.datetime and both and _class_of(other) is datetime.datetime:
            return self.of_class(datetime.timedelta)
        return _computed(self, other)

    def __rsub__(self, other: Any) -> Any:
        if self.cls is datetime.datetime:
            return self.of_class(datetime.timedelta)
        return _computed(self, other)

    def __mul__(self, other: Any) -> Any:
        return _computed(self, other)

    def __rmul__(self, other: Any) -> Any:
        return _computed(self, other)

    def __truediv__(self, other: Any) -> Any:
        return _computed(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _computed(self, other)

    def __floordiv__(self, other: Any) -> Any:
        return _computed(self, other)

    def __mod__(self, other: Any) -> Any:
        return _computed(self, other)

    def __neg__(self) -> Any:
        return _computed(self, 0)

    def __abs__(self) -> Any:
        return _computed(self, 0)

    def __round__(self, digits: Any = None) -> Any:
        return _computed(self, 0)

    def strftime(self, format: Any) -> Any:
        return self.of_class(str) if self.cls is datetime.datetime else self.refused()

    def isoformat(self, sep: Any = "T", timespec: Any = "auto") -> Any:
        return self.of_class(str) if self.cls is datetime.datetime else self.refused()

    def timestamp(self) -> Any:
        return self.of_class(float) if self.cls is datetime.datetime else self.refused()

    def total_seconds(self) -> Any:
        return self.of_class(float) if self.cls is datetime.timedelta else self.refused()

    # ---- texts of readings ----
    def _text(self, *args: Any) -> Any:
        return self.of_class(str) if self.cls is str else self.refused()

    upper = lower = strip = replace = zfill = ljust = rjust = removeprefix = _text

    def split(self, sep: Any = None, maxsplit: Any = -1) -> Any:
        return self.of_class(list) if self.cls is str else self.refused()

    def __getitem__(self, k: Any) -> Any:
        return self.of_class(str) if self.cls in (str, list) else self.refused()

    def __getattr__(self, name: str) -> Any:
        return self.refused(name)

    def __bool__(self) -> Any:
        return self.refused()

    def __float__(self) -> Any:
        return self.refused()

    def __int__(self) -> Any:
        return self.refused()

    def __index__(self) -> Any:
        return self.refused()

    def __len__(self) -> Any:
        return self.refused()

    def __iter__(self) -> Any:
        return self.refused()

    def __contains__(self, item: Any) -> Any:
        return self.refused()

    def __str__(self) -> Any:
        return self.refused()

    def __repr__(self) -> Any:
        return self.refused()

    def __format__(self, spec: Any) -> Any:
        return self.refused()

    def __hash__(self) -> Any:
        return self.refused()

    def __eq__(self, other: object) -> Any:
        return self.refused()

    def __ne__(self, other: object) -> Any:
        return self.refused()

    def __lt__(self, other: Any) -> Any:
        return self.refused()

    def __le__(self, other: Any) -> Any:
        return self.refused()

    def __gt__(self, other: Any) -> Any:
        return self.refused()

    def __ge__(self, other: Any) -> Any:
        return self.refused()


Reading.__name__ = "reading of the clock"  # in errors


class Identifier(Reading):
    """A name of an object, a process or a thread, as `uuid.uuid4()` and `os.getpid()` give it.

    >>> name = Identifier(uuid.UUID).hex[:8]
    >>> name.cls
    <class 'str'>
    """

    unknown = "an identifier of this run is not known in compiled code"

    def of_class(self, cls: Any) -> Any:
        return Identifier(cls)

    @property
    def hex(self) -> Any:
        return self.of_class(str) if self.cls is uuid.UUID else self.refused()

    @property
    def int(self) -> Any:
        return self.of_class(int) if self.cls is uuid.UUID else self.refused()


Identifier.__name__ = "identifier of this run"


def _class_of(v: Any) -> Any:
    return v.cls if isinstance(v, Reading) else type(v)


def _computed(reading: Reading, other: Any) -> Any:
    """The reading that an operator gives; other objects than single values are refused."""
    if not isinstance(other, (Reading, str, datetime.timedelta)) and np.ndim(other) > 0:
        return reading.refused()
    return reading.of_class(reading.cls)


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


@stands_for(uuid.uuid1)
def by_host(*given: Any, **named: Any) -> Any:
    """An identifier by the host and the time."""
    return Identifier(uuid.UUID)


@stands_for(uuid.uuid4)
def at_random() -> Any:
    """An identifier at random."""
    return Identifier(uuid.UUID)


@stands_for(os.getpid, os.getppid, threading.get_ident, threading.get_native_id)
def number() -> Any:
    """The number of a process or a thread."""
    return Identifier(int)
