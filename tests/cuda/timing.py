"""Times on a GPU: medians by events on the stream, after a warm-up."""

import statistics
import sys
from collections.abc import Callable
from typing import Any

import srcgrad as flow
from srcgrad.backends.cuda.machine import machine


def require_gpu() -> None:
    """End the script, with the reason, where there is no GPU."""
    if machine().problem:
        sys.exit(f"{machine().problem}\n{machine().way_out}")
    print(f"{flow.cuda.get_device_name()}, driver of CUDA {machine().driver}")


def milliseconds(call: Callable[[], Any], repetitions: int = 20) -> float:
    """The median time between two events around a call."""
    import cupy

    for _ in range(3):
        call()
    cupy.cuda.runtime.deviceSynchronize()
    times = []
    for _ in range(repetitions):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        # other libraries have streams of their own: all of them are waited for
        cupy.cuda.runtime.deviceSynchronize()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop))
    return statistics.median(times)
