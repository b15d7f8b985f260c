"""Times of a program: by the reference backend, of a call, and of the code that the target runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from srcgrad.backends.backend import backend_of
from srcgrad.backends.clocked import Timing, timing
from srcgrad.backends.gpu_arrays import is_on_device
from srcgrad.backends.marked import NestTimes, call_time, nest_times
from srcgrad.errors import DeviceError, Location
from srcgrad.ir.nodes import Def, For, Function
from srcgrad.ir.walk import walk
from srcgrad.primitives import callbacks, draws, messages
from srcgrad.records import record
from srcgrad.transforms.saved_tapes import Sizes

MOST_SECONDS = 10.0  # of the runs with a clock, together
MOST_OF_CALLS = 2.0
ON_DEVICE = "arguments are on a device"


@record(frozen=True)
class Times:
    """Times that were measured, None for those that were not."""

    program: Timing | None = None  # by the reference backend
    call: float | None = None  # seconds, as the target runs it
    code: NestTimes | None = None  # of the statements of the lowered program
    reason: str = ""  # why the program has none
    reason_of_code: str = ""


def measured(
    function: Function, lowered: Function, run: Callable[..., Any], options: Any,
    inputs: Sequence[Any], sizes: Sizes,
) -> Times:  # fmt: skip
    """The times of a function and of its lowered form; `run` is the entry's, `sizes` the latter's.

    Every run is on copies of the inputs.
    """
    if any(map(is_on_device, inputs)):
        return Times(reason=ON_DEVICE, reason_of_code=ON_DEVICE)
    copies = partial(_copies, inputs)
    once = _is_seen(function)
    program = timing(function, copies, MOST_SECONDS, *([1] if once else []))
    reason = "" if program else f"one run with a clock takes more than {MOST_SECONDS:g} s"
    if once:
        return Times(program, None, None, reason, "what prints or calls back is run only once")
    try:
        call = call_time(run, copies, MOST_OF_CALLS)
    except DeviceError as error:
        return Times(program, None, None, reason, str(error).splitlines()[0])
    code = None
    if options.target == "cpu":
        own = {s.loc for s in walk(function.body) if isinstance(s, For)}
        trips = partial(_trips, sizes, own)
        backend = backend_of("cpu")
        code = nest_times(lowered, backend, options, copies, trips, call, MOST_OF_CALLS)
    elif options.target in ("python", "loops"):
        ran = program
        if program is not None and lowered is not function:
            ran = timing(lowered, copies, MOST_SECONDS)
        code = None if ran is None else NestTimes(ran.seconds, ran.runs)
    return Times(program, call, code, reason)


def _is_seen(function: Function) -> bool:
    """Whether somebody else sees each run: it prints, or calls a function back."""
    seen = (*messages.WRITTEN, callbacks.call_back, draws.draw)
    return any(isinstance(s, Def) and s.op in seen for s in walk(function.body))


def _copies(inputs: Sequence[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in inputs]


def _trips(sizes: Sizes, own: set[Location | None], s: For) -> int | None:
    """The trips of a loop of the user's, if they are known before it runs."""
    start, stop = sizes.value(s.start), sizes.value(s.stop)
    if s.loc not in own or start is None or stop is None:
        return None
    return max(stop - start, 0)
