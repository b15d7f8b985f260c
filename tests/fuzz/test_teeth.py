"""Switch off a rule of reverse mode and the fuzzer notices: for each, the program that shows it.

The seeds are where a program that catches it is drawn first; `docs/decisions/fuzzing.md` has the
table. A generator that is changed draws other programs, and the seeds have to be found again:
`python -m tests.fuzz --without RULE --shrink 0`.
"""

import numpy as np
import pytest

from srcgrad.autodiff.reverse import vjp
from srcgrad.backends.python import build
from srcgrad.primitives import REGISTRY
from tests.autodiff.build import function, while_
from tests.fuzz import Check, Settings
from tests.fuzz.runner import FAILURES, run_one
from tests.tools import faults

# rule -> (order of derivatives, seed)
CAUGHT = {
    "two-points": (1, 25),
    "rewind-accumulation": (1, 1),
    "zero-after-store": (1, 0),
    "reload-intact": (1, 25),
    "loop-stores": (1, 33),
    "own-buffers": (1, 62),
    "alias-classes": (1, 0),
    "copy-shadow": (1, 0),
    "which-buffer": (1, 10),
    "inverse-permutation": (1, 30),
    "tape-base": (1, 9),
    "flip-direction": (2, 3),
    "one-memory": (1, 4),
    "save-when-reread": (1, 0),
}
# The frontend writes every test that stores to anything so that the loop carries its outcome: no
# program in Python leaves this rule anything to do.
NOT_FROM_PYTHON = {"plain-tests"}
# Only a value that is rounded otherwise tells: `tests/autodiff/test_decided_once.py`.
NUDGED = {"decided-once"}


def test_every_rule_is_accounted_for():
    assert CAUGHT.keys() | NOT_FROM_PYTHON | NUDGED == faults.FAULTS.keys()


@pytest.mark.parametrize("rule", CAUGHT)
def test_a_missing_rule_is_caught(rule):
    order, seed = CAUGHT[rule]
    settings = Settings(check=Check(order=order))
    assert run_one(seed, settings).outcome.kind == "ok"
    assert run_one(seed, Settings(check=settings.check, without=rule)).outcome.kind in FAILURES


def storing_test(b, x, w):
    """while (x[0] := x[0] * w) > 0.2: s *= sin(x[0])"""
    a = b.copy(x)

    def test(s):
        b.store(a, 0, b.mul(b.load(a, 0), w))
        return b.gt(b.load(a, 0), 0.2)

    (s,) = while_(b, (w,), test, lambda s: b.mul(s, b.sin(b.load(a, 0))))
    return b.add(s, b.load(a, 0))


def gradient_by_w(f, x, w):
    return build(vjp(f, (1,), REGISTRY))(x, w, 1.0)[-1]


def test_a_loop_whose_test_stores():
    f = function(storing_test, "x:f64[1]", "w:f64")
    x, w, h = np.array([0.9, 0.4]), 0.7, 1e-5
    run = lambda w: build(f)(x, w)[0]
    want = (run(w + h) - run(w - h)) / (2 * h)
    assert abs(gradient_by_w(f, x, w) - want) < 1e-8
    with faults.inject("plain-tests"):
        assert not abs(gradient_by_w(f, x, w) - want) < 1e-3
