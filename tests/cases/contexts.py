"""`with`: context managers of the user's own, whose code runs before and after the body."""

import contextlib
import warnings
from contextlib import contextmanager

import numpy as np

from tests.cases.registry import case

FEW = np.array([0.7, 1.3, 0.4, 2.1, 1.6])


@contextmanager
def scaled(x, by=2.0):
    yield x * by


@contextmanager
def restored(x, k):
    """Puts an element back."""
    kept = x[k]
    try:
        yield kept
    finally:
        del kept


@contextmanager
def halved(x):
    x *= 0.5
    yield
    x *= 2.0


class Recorder:
    def __init__(self, scale=1.0):
        self.scale, self.kept, self.open = scale, [], False

    def __enter__(self):
        self.open = True
        return self

    def __exit__(self, kind, error, trace):
        self.open = False
        self.scale = self.scale * 3.0

    def add(self, v):
        self.kept.append(v * self.scale)

    @contextmanager
    def paused(self):
        before, self.scale = self.scale, 0.5
        yield self
        self.scale = before


@case(FEW)
def body_between_two_halves(x):
    with scaled(x, by=3.0) as y, halved(x):
        total = np.sum(x * y)
    return total + x.sum()


@case(FEW, 1.5, wrt=(0,))
@case(FEW, 9.0, wrt=(0,))
def leaving_the_body(x, limit):
    total = 0.0
    for k in range(len(x)):
        with restored(x, k) as v:
            if v > limit:
                return v * total
            if v < 0.5:
                continue
            total += v * v
    return total


@case(FEW)
def an_instance(x):
    with Recorder(2.0) as r:
        for v in x:
            r.add(v * v)
    with r.paused() as same:
        same.add(x[0])
    return sum(r.kept) * r.scale + (1.0 if r.open else x[1])


@case(FEW, 3)
def that_may_raise(x, k):
    with Recorder() as r:
        r.add(x[k])
    return r.kept[0] * r.scale


@case(FEW)
def of_the_standard_library(x):
    with contextlib.nullcontext(x * x) as y, np.errstate(all="ignore"):
        total = y.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        total = total + x[1]
    return total * x[0]


@case(FEW)
def around_a_loop(x):
    with scaled(x) as y:
        total = 0.0
        for v in y:
            if v > 3.0:
                break
            with scaled(v, 0.5) as w:
                total += w * w
    return total
