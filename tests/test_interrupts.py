"""Signals that come while code is built wait, are answered at whole points, and break nothing.

Points are counted, not timed: the n-th of them sends the signal.
"""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import interrupts
from srcgrad.backends.cpu import polling

pytestmark = pytest.mark.usefixtures("interruptible")


@pytest.fixture
def came(monkeypatch):
    """A handler of the user's that raises nothing: the signals that it was called with."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    yield seen
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_a_signal_waits_for_the_end_and_the_handler_is_put_back(came):
    mine = signal.getsignal(signal.SIGINT)
    with interrupts.held():
        interrupt()
        assert came == []
        with interrupts.held():
            interrupt()
        assert came == []
    assert came == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is mine
    interrupt()
    assert came == [signal.SIGINT] * 2


def test_a_signal_is_answered_where_it_may_be(came):
    with interrupts.held():
        interrupt()
        interrupts.answer()
        assert came == [signal.SIGINT]
        interrupts.answer()
    assert came == [signal.SIGINT]


def test_what_the_handler_raises_leaves_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.held():
        interrupt()
        done.append(1)
        interrupts.answer()
        done.append(2)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt), interrupts.held():
        interrupt()
        done.append(3)
    assert done == [1, 3]


def test_an_interrupt_is_not_lost_where_the_block_fails():
    with pytest.raises(KeyboardInterrupt) as caught, interrupts.held():
        interrupt()
        raise ValueError
    assert isinstance(caught.value.__context__, ValueError)


def test_the_users_code_is_interrupted_at_once(came):
    with interrupts.held():
        interrupt()
        interrupts.released(lambda: (came.append("run"), interrupt(), came.append("on")))
        interrupt()
        assert came == [signal.SIGINT, "run", signal.SIGINT, "on"]
    assert came == [signal.SIGINT, "run", signal.SIGINT, "on", signal.SIGINT]


def test_what_is_held_waits_after_the_users_code_whatever_that_did(came):
    """It has held something itself, has set a handler, or was left in its first or last step."""

    def build():
        with interrupts.held():
            interrupt()
            assert came == []
        assert came == [signal.SIGINT]

    with interrupts.held():
        interrupts.released(build)
        interrupt()
        assert came == [signal.SIGINT]
    assert came == [signal.SIGINT] * 2
    other = lambda *_: came.append("other")
    with interrupts.held():
        interrupts.released(lambda: signal.signal(signal.SIGINT, other))
        interrupt()
        assert came == [signal.SIGINT] * 2
    assert came == [signal.SIGINT] * 2 + ["other"]
    assert signal.getsignal(signal.SIGINT) is other


def at_each_step(run):
    """Call a function, and interrupt it wherever Python may run a handler, once each time."""
    for at in range(1, 200):
        steps: list[bool] = []

        def step(frame, event, _, steps=steps, at=at):
            steps.append(event in ("call", "c_return"))  # a function begins, or one of C ends
            if steps[-1] and sum(steps) == at:
                interrupt()

        run(lambda step=step: sys.setprofile(step), seen := [])
        yield seen
        assert not interrupts._waiting and not interrupts._within
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if sum(steps) < at:
            break
    assert 5 < at < 199


def test_the_users_code_is_left_at_any_step():
    def run(profiled, seen):
        try:
            with interrupts.held():
                try:
                    profiled()
                    interrupts.released(lambda: None)
                except KeyboardInterrupt as error:
                    seen.append(error)  # what an interrupted function holds lives on with it
                finally:
                    sys.setprofile(None)
                interrupt()
                seen.append("held")
        except KeyboardInterrupt:
            seen.append("over")

    for seen in at_each_step(run):
        assert seen[-2:] == ["held", "over"]


def test_what_is_held_is_left_at_any_step():
    def run(profiled, seen):
        try:
            profiled()
            with interrupts.held():
                seen.append("held")
        except KeyboardInterrupt as error:
            seen.append(error)
        finally:
            sys.setprofile(None)

    counts = [len(seen) for seen in at_each_step(run)]
    assert counts[-1] == 1 and set(counts) == {1, 2}


def test_a_handler_that_is_set_inside_stays():
    other = lambda number, frame: None
    before = signal.getsignal(signal.SIGINT)
    try:
        with interrupts.held():
            signal.signal(signal.SIGINT, other)
        assert signal.getsignal(signal.SIGINT) is other
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_what_python_does_not_handle_is_left_alone(handler):
    before = signal.signal(signal.SIGTERM, handler)
    try:
        with interrupts.held():
            assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_take_no_part(came):
    found = []

    def elsewhere():
        with interrupts.held():
            interrupts.answer()
            interrupts.released(lambda: found.append(signal.getsignal(signal.SIGINT)))

    mine = signal.getsignal(signal.SIGINT)
    with interrupts.held():
        interrupt()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert came == []
    assert came == [signal.SIGINT]
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found[1] is mine


# ---- a first call that is interrupted at its n-th point ----
SOURCE = """
def program(x, n):
    s, w = {}, np.tanh(x)
    for k in range(n):
        w = w * np.sin(x) + k
        if w[0] > 3.0:
            s += np.sum(w @ np.outer(w, x))
    return s + np.max(w) * np.sum(np.sort(w)[: n])
"""
X = np.linspace(0.1, 1.2, 5)


def fresh(number, **options):
    """A program that nothing was built for."""
    scope = {"np": np}
    text = SOURCE.format(float(number))
    exec(compile(text, f"<interrupted {number}>", "exec"), scope)
    return flow.compile(scope["program"], source=text, cache=False, **options)


class Points:
    """A counting `interrupts.answer`: sends the signal at the n-th point."""

    def __init__(self, at, answer=interrupts.answer):
        self.at, self.count, self.answer = at, 0, answer

    def __call__(self):
        self.count += 1
        if self.count == self.at:
            interrupt()
        self.answer()


def counted(number, at, **options):
    """The points of a first call, and whether it was interrupted."""
    f = flow.value_and_grad(fresh(number, **options))
    points = interrupts.answer = Points(at)
    try:
        f(X, 3)
    except KeyboardInterrupt:
        return points.count, f
    finally:
        interrupts.answer = points.answer
    return points.count, None


def check(f, number):
    """What was interrupted works now, and so does another program."""
    scope = {"np": np}
    exec(SOURCE.format(float(number)), scope)
    for x in (X, X * 1.5):
        value, g = f(x, 3)
        assert np.isclose(value, scope["program"](x, 3)), number
        d = np.array([1e-6, 0, 0, 0, 0])
        difference = (scope["program"](x + d, 3) - scope["program"](x - d, 3)) / 2e-6
        assert np.isclose(g[0], difference, rtol=1e-4), number


def points(target, rounds):
    """Run as a program: interrupt a first call at so many of its points, spread over all."""
    polling._always.value = 1  # each look is a point, not those that come 50 ms after another
    counted(-1, 0, target=target)  # what is made once in a process has points too
    total, none = counted(0, 0, target=target)
    assert none is None and total > 300, total
    for k in range(rounds):
        at = 1 + k * (total - 1) // max(rounds - 1, 1)
        count, f = counted(k + 1, at, target=target)
        assert f is not None and at <= count <= at + 2, (at, count)  # the ends of blocks are some
        check(f, k + 1)


@pytest.mark.parametrize(("target", "rounds"), [("python", 12), ("cpu", 6)])
def test_a_first_call_is_interrupted_at_any_of_its_points(target, rounds):
    in_a_process(f"points({target!r}, {rounds})")


def within_numba():
    """Run as a program: signals in the middle of what is Numba's and LLVM's."""
    check(flow.value_and_grad(fresh(9)), 9)  # loads what is imported below
    from srcgrad.backends.cpu import loading
    from srcgrad.backends.cpu.emit import numba_internals

    within = ("optimised", "parsed", "object_code", "address_of")
    places = (
        *((numba_internals, name) for name in within),
        *((loading, name) for name in ("loaded", "entered")),
    )
    for number, (module, name) in enumerate(places, 1):
        whole = getattr(module, name)

        def sending(*args, whole=whole):
            interrupt()
            return whole(*args)

        f = flow.value_and_grad(flow.compile(fresh(number), cache=False))
        setattr(module, name, sending)
        try:
            f(X, 3)
        except KeyboardInterrupt:
            pass
        else:
            assert name == "address_of", name  # a program without helpers
        setattr(module, name, whole)
        check(f, number)


def test_a_signal_in_the_middle_of_numba_waits():
    in_a_process("within_numba()")


def in_a_process(call, module=__name__):
    # in the background of a shell SIGINT is ignored
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    run_python("-c", f"{handled}; from {module} import *; {call}")


def run_python(*arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_tests_are_interrupted_in_the_background_of_a_shell_too():
    """Jobs there are started with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_python(
        "-m", "pytest", f"{__file__}::{test_what_the_handler_raises_leaves_the_block.__name__}"
    )
