"""Readings of clocks in compiled code: dropped ones are harmless, the others are refused."""

import datetime
import logging
import os
import threading
import time
import uuid
import warnings
from time import perf_counter

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError

LOG = logging.getLogger(__name__)
STARTED = []
ENDING = "_%s_%d"
FORM = "{:>10}{k}"


class Lens:
    def __init__(self, width):
        self.width = width
        self.date = "made " + datetime.datetime.now().strftime("%Y-%m-%d")

    def spread(self, x):
        begun = perf_counter()
        y = x**2 * self.width
        self.took = 1000.0 * (perf_counter() - begun)
        LOG.debug("took %s", self.took)
        return y


class Timed:
    def __enter__(self):
        self.begun = time.time()

    def __exit__(self, *raised):
        self.took = round(abs(-(self.begun - time.time())) / 60.0, 1)


def attributes_and_logs(x):
    return Lens(2.0).spread(x)


def on_a_captured_stack(x):
    STARTED.append(time.perf_counter_ns())
    y = np.sin(x)
    took = time.perf_counter_ns() - STARTED.pop()
    return y if took is not None else x


def in_loops(x):
    spent = 0.0
    while x < 5.0:
        begun = time.monotonic()
        with Timed():
            x = x * 1.5 + 0.1
        spent = spent + (time.monotonic() - begun)
    return x


def dates(x):
    begun = datetime.datetime.today()
    y = x**3
    minutes = (datetime.datetime.now() - begun).total_seconds() / 60.0
    return y if minutes is not None and begun.isoformat() is not None else x


PROGRAMS = attributes_and_logs, on_a_captured_stack, in_loops, dates


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_reading_that_is_dropped_changes_nothing(f, target):
    transformed = flow.value_and_grad(f, target=target)
    for x in (0.7, 1.9):
        value, slope = transformed(x)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)
        assert flow.compile(f, target=target)(x) == pytest.approx(f(x), rel=1e-13)
    assert not STARTED


class Holder:
    pass


HELD = Holder()
HELD.at = 0.0


def at_a_captured_instance(x):
    HELD.at = time.time()
    return x


def at_an_argument(x, held):
    held["at"] = time.time()
    return x


READ = {
    "returned": lambda x: {"at": time.time(), "y": x},
    "a sum": lambda x: sum([time.time(), x]),
    "compared": lambda x: x if time.time() > 5.0 else 2.0 * x,
    "equal": lambda x: x * (time.time() == 1.0),
    "a truth": lambda x: x if time.time() else 2.0 * x,
    "a seed": lambda x: x * np.random.default_rng(int(time.time())).normal(),
    "a float": lambda x: x * float(time.time()),
    "an index": lambda x: x * [1.0, 2.0][time.time_ns()],
    "a text": lambda x: x * len(f"{time.time():.2f}"),
    "a key": lambda x: x * len({time.time(): x}),
    "a member": lambda x: x if time.time() in [1.0, 2.0] else 2.0 * x,
    "a class": lambda x: x if isinstance(time.time(), float) else 2.0 * x,
    "a type": lambda x: x if type(time.time()) is float else 2.0 * x,
    "of NumPy": lambda x: x * np.sqrt(time.time()),
    "an array": lambda x: np.array([time.time(), x]),
    "with an array": lambda x: np.sum(time.time() * np.ones(3)) * x,
    "the year": lambda x: x * datetime.datetime.now().year,
    "the largest": lambda x: x * max(time.time(), 3.0),
    "printed": lambda x: print(time.time()) or x,
    "of an inner function": lambda x: flow.grad(lambda y: y * time.time())(x),
}


@pytest.mark.parametrize("name", READ)
def test_a_reading_that_anything_depends_on_is_refused(name):
    with pytest.raises(UnsupportedError):
        flow.value_and_grad(READ[name], target="python")(0.7)


@pytest.mark.parametrize("f", [at_a_captured_instance, at_an_argument], ids=lambda f: f.__name__)
def test_a_reading_is_not_written_outside(f):
    given = ({"at": 0.0},) if f is at_an_argument else ()
    with pytest.raises(UnsupportedError):
        flow.compile(f, target="python")(0.7, *given)
    assert HELD.at == 0.0 and given in ((), ({"at": 0.0},))


class Named:
    def __init__(self, width, name=None):
        self.width = width
        self.uid = uuid.uuid4()
        self.name = name or f"{type(self).__name__}-{self.uid!s:>40}-{os.getpid():06d}"
        self.short = "n" + str(uuid.uuid1())[:8].upper() + ENDING % (self.uid.hex[-4:], os.getpid())
        self.number = self.uid.int % 10**8 + threading.get_ident()
        self.part = str(self.uid).split("-")[0]
        self.log = [
            f"made at {time.time():.2f}",
            FORM.format(time.perf_counter(), k=""),
            repr(self.uid),
        ]
        LOG.debug(f"made {self.name}")

    def spread(self, x):
        if x < 0.0:
            raise ValueError(f"x is {x} at {self.name}")
        return x**2 * self.width


def named(x):
    parts = [Named(2.0), Named(3.0)]
    y = sum(p.spread(x) for p in parts)
    return y if parts[0].name is not None and parts[1].short is not None else x


def named_in_loops(x):
    k = 0
    while x < 5.0:
        x = Named(1.5).spread(x) + 0.3
        k += 1
    return x + k


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [named, named_in_loops], ids=lambda f: f.__name__)
def test_an_identifier_that_is_dropped_changes_nothing(f, target):
    transformed = flow.value_and_grad(f, target=target)
    for x in (0.7, 1.9):
        value, slope = transformed(x)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)
    if f is named:
        with pytest.raises(ValueError, match=r"\.\.\."):
            transformed(-1.0)


IDENTIFIED = {
    "returned": lambda x: {"id": uuid.uuid4(), "y": x},
    "a text": lambda x: {"id": f"node {os.getpid()}", "y": x},
    "compared": lambda x: x if uuid.uuid4().hex < "8" else 2.0 * x,
    "a key": lambda x: x * len({str(uuid.uuid4()): 1.0}),
    "a number": lambda x: x * (uuid.uuid4().int % 2),
    "a float": lambda x: x * float(os.getpid()),
    "a seed": lambda x: x * np.random.default_rng(os.getpid()).normal(),
    "a length": lambda x: x * len(f"{os.getpid()}"),
    "a hash": lambda x: x * hash(uuid.uuid4()),
    "a class": lambda x: x if isinstance(uuid.uuid4(), uuid.UUID) else 2.0 * x,
    "printed": lambda x: print(f"node {uuid.uuid4()}") or x,
    "a warning": lambda x: warnings.warn(f"node {uuid.uuid4()}", stacklevel=1) or x,
    "logged": lambda x: LOG.error(f"node {uuid.uuid4()}") or x,
    "joined": lambda x: x * len("-".join(["a", f"{os.getpid()}"])),
    "starts": lambda x: x if f"{os.getpid()}".startswith("1") else 2.0 * x,
}


@pytest.mark.parametrize("name", IDENTIFIED)
def test_an_identifier_that_anything_depends_on_is_refused(name, capsys):
    with pytest.raises(UnsupportedError):
        flow.value_and_grad(IDENTIFIED[name], target="python")(0.7)
    assert not capsys.readouterr().out
