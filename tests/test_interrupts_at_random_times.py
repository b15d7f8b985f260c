"""Signals at random times, in first compiles and in running loops, break nothing.

The only tests of signals that are timed; they are `full`.
"""

import os
import random
import signal
import threading
import time

import numpy as np
import pytest

import srcgrad as flow
from tests.backends.test_interrupted_loops import rows
from tests.test_interrupts import X, check, fresh, in_a_process


def _parts(out):
    return out if isinstance(out, tuple) else (out,)


def recurrence(x, n):
    for k in range(n):
        x = x + 1.0 / (x * x + k)
    return x


def recurrence_of_arrays(x, n):
    for _ in range(n):
        x = np.tanh(x * 0.5 + 0.1)
    return np.sum(x), x


def halved_by_another(v):
    return flow.compile(lambda u: u * 0.5, target="python")(v)  # is built within what is held


halved = flow.opaque(halved_by_another, lambda v: v)


def recurrence_of_calls(x, n):
    for _ in range(n):
        x = halved(x) + 1.0
    return np.sum(x), x


FOREVER = 3 * 10**9


def kinds(seed):
    """What is interrupted: it is called with trips that take a moment, or for ever."""
    many, first = np.linspace(0.1, 0.9, 128), flow.compile(recurrence_of_arrays)
    total = flow.compile(lambda x, n: recurrence_of_arrays(x, n)[0])
    swept, along = flow.grad(total), np.ones(len(X))
    return {
        "numbers": (flow.compile(recurrence), 0.7, FOREVER),
        "arrays": (first, X, FOREVER),
        "calls of Python": (flow.compile(recurrence_of_calls), X, FOREVER),
        "tangents": (lambda x, n: flow.jvp(total, (x, n), (along, None)), X, FOREVER),
        "a forward and a reverse sweep": (swept, X, 3_000_000),
        "threads": (flow.compile(rows, parallel=True), many, FOREVER // 64),
        "a gradient's threads": (flow.grad(rows, parallel=True), many, 60_000),
    }


def at_random_times(times, seed):
    """Run as a program: prints the longest time between a signal and what it raises."""
    draw, running = random.Random(seed), kinds(seed)
    wanted = {name: f(x, 30) for name, (f, x, _) in running.items()}
    names, came = [*running, "a first call"], 0
    longest = dict.fromkeys(names, 0.0)
    for number in range(1, times + 1):
        name = names[number % len(names)]
        sent = []

        def send(sent=sent):
            time.sleep(draw.uniform(0.0, 0.5))
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        f = flow.value_and_grad(fresh(number)) if name not in running else None
        thread = threading.Thread(target=send)
        try:
            thread.start()
            if f is None:
                run, x, trips = running[name]
                while True:
                    run(x, trips)
            f(X, 3)
            thread.join()
        except KeyboardInterrupt:
            came += 1
            longest[name] = max(longest[name], time.perf_counter() - sent[0])
        thread.join()
        check(f or flow.value_and_grad(fresh(number)), number)
        for name in running:
            again = running[name][0](running[name][1], 30)
            for a, b in zip(_parts(again), _parts(wanted[name]), strict=True):
                assert np.array_equal(a, b), name
    assert came == times, (came, times)
    print(longest)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
def test_signals_at_random_times(seed):
    in_a_process(f"at_random_times(100, {seed})", __name__)
