"""The reference backend with the trips of marked loops in an order of the test's: finds races."""

import random

import numpy as np

import srcgrad as flow
from srcgrad.backends import python
from tests.fuzz import generate
from tests.fuzz.inputs import point
from tests.fuzz.source import copied, loaded


def reverse(trips):
    return reversed(list(trips))


def shuffled(trips):
    trips = list(trips)
    random.Random(0).shuffle(trips)
    return iter(trips)


def in_halves(trips):
    """As two threads would: one trip of the first half, one of the second."""
    trips = list(trips)
    half = len(trips) // 2
    pairs = zip(trips[:half], trips[half:], strict=False)
    return iter([*(t for pair in pairs for t in pair), *trips[2 * half :]])


ORDERS = (iter, reverse, shuffled, in_halves)


class Orders:
    def __init__(self, monkeypatch):
        self.order, self.ran = iter, 0
        plain = python.namespace
        monkeypatch.setattr(
            python, "namespace", lambda *given: {**plain(*given), "independent": self.trips}
        )

    def trips(self, trips):
        trips = list(trips)
        self.ran += len(trips) > 1
        return self.order(trips)


def bits(value):
    if isinstance(value, tuple | list):
        return [bits(v) for v in value]
    if isinstance(value, dict):
        return {k: bits(v) for k, v in value.items()}
    return np.asarray(value).tobytes() if isinstance(value, np.ndarray | float) else repr(value)


def same_in_every_order(orders, call):
    """`call` makes its functions anew each time."""
    found = []
    for order in ORDERS:
        orders.order = order
        with np.errstate(all="ignore"):
            found.append(bits(call()))
    assert all(each == found[0] for each in found)


def random_programs_agree(orders, seeds, compiled):
    """Random programs and their gradients, by functions that `compiled` makes, in every order."""
    used = 0
    for seed in seeds:
        drawn = generate(seed)
        with loaded(drawn.source(), f"{compiled.__module__} {seed}") as names:
            fn, at = names["f"], point(drawn)

            def call(fn=fn, at=at):
                args = copied(at.args)
                value = compiled(fn)(*args)
                if isinstance(value, tuple) or not at.positions:
                    return value, args
                grad = flow.grad(compiled(fn), grad_position=at.positions)
                return value, args, grad(*copied(at.args))

            try:
                call()
            except (flow.errors.SrcgradError, ArithmeticError, ValueError, IndexError):
                continue
            same_in_every_order(orders, call)
            used += 1
    assert used >= 15 and orders.ran >= 100
