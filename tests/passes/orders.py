"""The reference backend with the trips of marked loops in an order of the test's: finds races."""

import random

import numpy as np

from srcgrad.backends import python


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
