"""How compiled loops look for signals: who sets the flag that they read, and what they call then.

Emitted code runs without the GIL (`emit/polls.py`). While it runs a thread sets a flag every 50 ms:
whoever reads it, in the main thread, calls `srcgrad_poll`, which takes the GIL and has Python run
the handlers of signals; where one raises, the code leaves with the exception that is set. Other
threads handle no signals: their flag is never set. The helpers of a parallel loop read one that is
set when the thread that started them leaves. Where others hold the GIL, it is requested less
often the longer that takes. The thread ends when nobody has read the flag for a second; the flag
is set then, and the next who reads it starts another.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from functools import cache

from srcgrad import interrupts
from srcgrad.backends import cache as files
from srcgrad.backends.cpu.emit.polls import BEGIN, SYMBOL
from srcgrad.backends.cpu.environment import environment

PERIOD = 50_000  # us between two looks of Python's
IDLE = 20  # periods that the thread waits for somebody who reads
SHARE = 500_000  # ns: for each that the GIL was waited for, one period passes
LONGEST = 14  # periods

_flag, _never, _ticking, _always = (ctypes.c_uint8(k) for k in (1, 0, 0, 0))
_skipped = ctypes.c_int64(0)
_main = ctypes.c_int64(0)
_pause = ctypes.c_void_p()  # a lock that nobody gives

POSIX = """
declare i32 @clock_gettime(i32, ptr)

define internal i64 @now() nounwind {
  %t = alloca [2 x i64], align 8
  %code = call i32 @clock_gettime(i32 CLOCK, ptr %t)
  %p = getelementptr i64, ptr %t, i64 1
  %s = load i64, ptr %t
  %ns = load i64, ptr %p
  %whole = mul i64 %s, 1000000000
  %out = add i64 %whole, %ns
  ret i64 %out
}
"""
WINDOWS = """
declare i64 @GetTickCount64()

define internal i64 @now() nounwind {
  %ms = call i64 @GetTickCount64()
  %out = mul i64 %ms, 1000000
  ret i64 %out
}
"""
POLL = """
@srcgrad_flag = external global i8
@srcgrad_never = external global i8
@srcgrad_ticking = external global i8
@srcgrad_skipped = external global i64
@srcgrad_always = external global i8
@srcgrad_main = external global i64
@srcgrad_look = external global ptr
@srcgrad_pause = external global ptr
declare IDENT @srcgrad_ident()
declare i32 @srcgrad_gil_take()
declare void @srcgrad_gil_give(i32)
declare ptr @srcgrad_call(ptr)
declare void @srcgrad_drop(ptr)
declare i64 @srcgrad_thread_start(ptr, ptr)
declare i32 @srcgrad_lock_wait(ptr, i64, i32)

define ptr @srcgrad_poll_begin() nounwind {
  %ident = call IDENT @srcgrad_ident()
  %mine = WIDENED
  %main = load i64, ptr @srcgrad_main
  %able = icmp eq i64 %mine, %main
  %flag = select i1 %able, ptr @srcgrad_flag, ptr @srcgrad_never
  ret ptr %flag
}

define internal void @tick(ptr %none) nounwind {
  br label %again
again:
  %idle = phi i64 [ 0, %0 ], [ %longer, %waited ]
  store atomic i8 1, ptr @srcgrad_flag monotonic, align 1
  %lock = load ptr, ptr @srcgrad_pause
  %given = call i32 @srcgrad_lock_wait(ptr %lock, i64 PERIOD, i32 0)
  br label %waited
waited:
  %flag = load atomic i8, ptr @srcgrad_flag monotonic, align 1
  %unseen = icmp ne i8 %flag, 0
  %more = add i64 %idle, 1
  %longer = select i1 %unseen, i64 %more, i64 0
  %over = icmp sgt i64 %longer, IDLE
  br i1 %over, label %end, label %again
end:
  store atomic i8 0, ptr @srcgrad_ticking monotonic, align 1
  store atomic i8 1, ptr @srcgrad_flag release, align 1
  ret void
}

define i1 @srcgrad_poll(ptr %flag) nounwind {
  %is = load atomic i8, ptr %flag monotonic, align 1
  %set = icmp ne i8 %is, 0
  br i1 %set, label %whose, label %no
whose:
  %mine = icmp eq ptr %flag, @srcgrad_flag
  br i1 %mine, label %known, label %yes
known:
  %always = load i8, ptr @srcgrad_always
  %each = icmp ne i8 %always, 0
  br i1 %each, label %python, label %clear
clear:
  %old = atomicrmw xchg ptr @srcgrad_flag, i8 0 acq_rel
  %ticking = load atomic i8, ptr @srcgrad_ticking monotonic, align 1
  %ticks = icmp ne i8 %ticking, 0
  br i1 %ticks, label %ticked, label %start
start:
  store atomic i8 1, ptr @srcgrad_ticking monotonic, align 1
  %thread = call i64 @srcgrad_thread_start(ptr @tick, ptr null)
  br label %no
ticked:
  %skipped = load i64, ptr @srcgrad_skipped
  %fewer = sub i64 %skipped, 1
  store i64 %fewer, ptr @srcgrad_skipped
  %skip = icmp sgt i64 %skipped, 0
  br i1 %skip, label %no, label %python
python:
  %now = call i64 @now()
  %gil = call i32 @srcgrad_gil_take()
  %had = call i64 @now()
  %f = load ptr, ptr @srcgrad_look
  %out = call ptr @srcgrad_call(ptr %f)
  %raised = icmp eq ptr %out, null
  br i1 %raised, label %given, label %drop
drop:
  call void @srcgrad_drop(ptr %out)
  br label %given
given:
  call void @srcgrad_gil_give(i32 %gil)
  %took = sub i64 %had, %now
  %rarely = udiv i64 %took, SHARE
  %most = call i64 @llvm.umin.i64(i64 %rarely, i64 LONGEST)
  store i64 %most, ptr @srcgrad_skipped
  br i1 %raised, label %yes, label %no
yes:
  ret i1 1
no:
  ret i1 0
}
declare i64 @llvm.umin.i64(i64, i64)
"""


def text() -> str:
    """The module of `srcgrad_poll`, for this system."""
    windows = sys.platform == "win32"
    clock = WINDOWS if windows else POSIX.replace("CLOCK", "6" if sys.platform == "darwin" else "1")
    ident = "i32" if windows else "i64"
    widened = "zext i32 %ident to i64" if windows else "add i64 %ident, 0"
    made = clock + POLL.replace("IDENT", ident).replace("WIDENED", widened)
    for name, value in (("PERIOD", PERIOD), ("IDLE", IDLE), ("SHARE", SHARE), ("LONGEST", LONGEST)):
        made = made.replace(name, str(value))
    return made


def look() -> None:
    """Called with the GIL: Python has run handlers by now, and this runs those that wait."""
    interrupts.answer()


_look = ctypes.py_object(look)
FUNCTIONS = {
    "srcgrad_ident": "PyThread_get_thread_ident",
    "srcgrad_gil_take": "PyGILState_Ensure",
    "srcgrad_gil_give": "PyGILState_Release",
    "srcgrad_call": "PyObject_CallNoArgs",
    "srcgrad_drop": "Py_DecRef",
    "srcgrad_thread_start": "PyThread_start_new_thread",
    "srcgrad_lock_wait": "PyThread_acquire_lock_timed",
}
WORDS = {
    "flag": _flag, "never": _never, "ticking": _ticking, "always": _always, "skipped": _skipped,
    "main": _main, "look": _look, "pause": _pause,
}  # fmt: skip


@cache
def name_poll() -> None:
    """Load `srcgrad_poll`, before machine code that names it."""
    import llvmlite.binding as llvm

    from srcgrad.backends.cpu import loading

    for symbol, name in FUNCTIONS.items():
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(symbol, address)
    for symbol, place in WORDS.items():
        llvm.add_symbol(f"srcgrad_{symbol}", ctypes.addressof(place))
        loading.for_good(place)
    _begin()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_begin)
    module = text()
    file = f"{files.module_name(module, (*loading.processor(), *environment()))}.o"
    code = files.kept_bytes(file)
    if code is None:
        from srcgrad.backends.cpu.emit import numba_internals as inside

        code = inside.object_code(inside.parsed(module))
        files.keep_bytes(file, code)
    loading.name_functions(code, (SYMBOL, BEGIN))


def _begin() -> None:
    """No thread sets the flag, so it is set."""
    make, take = ctypes.pythonapi.PyThread_allocate_lock, ctypes.pythonapi.PyThread_acquire_lock
    make.restype, take.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)
    _pause.value = make()
    take(_pause, 1)
    _main.value = threading.main_thread().ident or 0
    _flag.value, _ticking.value = 1, 0
