"""A child of a fork compiles, whatever other threads compiled when the process forked."""

import os
import subprocess
import sys

PROGRAM = """
import os, signal, sys, threading, time
import srcgrad as flow
from srcgrad.backends.cpu.emit import driver, numba_internals

entered, original = threading.Event(), driver.made

def slow(*args):
    with numba_internals.lock:
        entered.set()
        time.sleep(1.0)
        return original(*args)

def cube(x):
    return x**3

def power(x):
    return x**4

driver.made = slow
thread = threading.Thread(target=lambda: flow.compile(cube)(2.0))
thread.start()
entered.wait(60)
if os.fork() == 0:
    driver.made = original
    signal.alarm(60)
    os._exit(0 if flow.compile(power)(2.0) == 16.0 and flow.compile(cube)(2.0) == 8.0 else 3)
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_fork_waits_for_what_another_thread_compiles(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(tmp_path / "program.py")], env=environment,
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
