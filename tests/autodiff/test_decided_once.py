"""A decision is made once: the reverse sweep uses the outcomes of the forward sweep.

Floats that the reverse sweep recomputes are perturbed here (`nudged.py`), since compiled code may
round them differently. `python -m tests.fuzz.nudged_programs` tries more programs.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.autodiff.decisions import rounds
from srcgrad.backends import python
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.walk import walk
from srcgrad.passes import LOWERING, run
from srcgrad.primitives import scans
from tests.autodiff.nudged import nudged
from tests.cases import Case, sample
from tests.fuzz.nudged_programs import DECISIONS, NEAR, apart, ask
from tests.tools import faults
from tests.tools.modes import Modes
from tests.tools.structures import flatten
from tests.tools.turns import share

pytestmark = pytest.mark.usefixtures("quiet")


# ---- programs that choose among values which are computed again ----
def largest(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - np.sum(np.max(g * P, axis=1)) * 0.01 * P
    return np.sum(E)


def smallest(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - np.min(g * P) * 0.01 * P
    return np.sum(E)


def span(E, g):
    for _ in range(3):
        P = E * (g - 1)
        E = E - np.sum(np.ptp(g * P, axis=0)) * 0.01 * P
    return np.sum(E)


def largest_number(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - np.sum(np.nanmax(g * P, axis=0)) * 0.01 * P
    return np.sum(E)


def infinity_norm(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - np.sum(np.linalg.norm(g * P, np.inf, axis=1)) * 0.01 * P
    return np.sum(E)


def softmax(E, g):
    for _ in range(2):
        z = g * (E * (g - 1))
        e = np.exp(z - z.max(axis=1, keepdims=True))
        E = E + 0.1 * e / e.sum(axis=1, keepdims=True)
    return np.sum(E * E)


def running(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - 0.01 * np.maximum.accumulate(g * P, axis=1) * P
    return np.sum(E)


def signs(E, g):
    for _ in range(2):
        P = E * (g - 1) - 2.0
        E = E - 0.01 * np.sign(g * P) * np.abs(P * g) * np.maximum(g * P, P * P)
    return np.sum(E)


def elements(E, g):
    total = 0.0
    for row in E:
        best = -10.0
        for e in row:
            v = e * (g - 1) * g
            if v > best:
                best = v
        total += best * best
    return total


def places(E, g):
    for _ in range(2):
        P = g * (E * (g - 1))
        order = np.argsort(P, axis=1)
        E = E + 0.1 * np.take_along_axis(P, order, axis=1) + 0.01 * np.median(P)
    return np.sum(E * E * E)


def whole(E, g):
    for _ in range(2):
        P = 10.0 * (g * (E * (g - 1)))
        E = E + 0.01 * np.mod(P, 0.7) * np.floor(P) + 0.01 * P.astype(int) * P
    return np.sum(E * E)


@flow.custom_vjp
def top(x):
    return np.max(x)


# the rule decides once more where the largest is, of what it has kept
top.defvjp(lambda x: (np.max(x), (x, np.max(x))), lambda kept, g: (g * (kept[0] == kept[1]),))


def by_a_rule(E, g):
    for _ in range(2):
        P = E * (g - 1)
        E = E - top(g * P) * 0.01 * P
    return np.sum(E)


PROGRAMS = (
    largest, smallest, span, largest_number, infinity_norm, softmax, running, signs, elements,
    places, whole, by_a_rule,
)  # fmt: skip


def point(seed, shape=(5, 4)):
    return 3.0 + 0.1 * np.random.default_rng(seed).standard_normal(shape), 5 / 3


def gradient(fn, args, target="python"):
    return flatten(flow.grad(flow.compile(fn, target=target), grad_position=(0, 1))(*args))


@pytest.mark.parametrize("fn", PROGRAMS)
def test_rounding_otherwise_moves_no_gradient(fn):
    want = gradient(fn, point(0))
    with nudged() as names:
        got = gradient(fn, point(0))
    assert names and apart(want, got) <= NEAR


@pytest.mark.parametrize("fn", PROGRAMS)
def test_rounding_otherwise_moves_no_second_derivative(fn):
    def slope(E, g):
        return np.sum(flow.grad(flow.compile(fn, target="python"))(E, g) ** 2)

    want = gradient(slope, point(0))
    with nudged() as names:
        got = gradient(slope, point(0))
    assert names and apart(want, got) <= NEAR


@pytest.mark.parametrize("fn", [largest, smallest, softmax])
def test_decisions_that_are_taken_twice_are_found(fn):
    want = gradient(fn, point(0))
    with nudged(), faults.inject("decided-once"), np.errstate(all="ignore"):
        assert apart(want, gradient(fn, point(0))) > NEAR


@pytest.mark.parametrize("fn", [largest, span])
def test_compiled_code_that_regroups_products(fn):
    compiled = flow.grad(flow.compile(fn, target="cpu"), grad_position=(0, 1))
    plain = flow.grad(flow.compile(fn, target="python"), grad_position=(0, 1))
    for seed in range(20):
        args = point(seed, (16, 16))
        assert apart(flatten(plain(*args)), flatten(compiled(*args))) <= 1e-11


@pytest.mark.parametrize("fn", [np.mod, np.fmod])
def test_how_often_a_divisor_is_taken_away_is_told_by_the_result(fn):
    def rest(a, b):
        return fn(a, b)

    def rest_of_each(a, b):
        return np.sum(fn(a, b))

    assert fn(1.0, 0.1) > 0.09  # nine times, although 1.0 / 0.1 is ten
    gradient = flow.grad(flow.compile(rest, target="python"), grad_position=1)
    assert abs(gradient(1.0, 0.1) + 9.0) < 1e-12
    of_arrays = flow.grad(flow.compile(rest_of_each, target="python"), grad_position=1)
    got = of_arrays(np.array([1.0, -1.0]), np.array([0.1, 0.1]))
    assert np.allclose(got, [-9.0, 10.0 if fn is np.mod else 9.0])


# ---- random programs; every case: tests/checks/recomputed.py ----
@pytest.mark.parametrize("first", [0, 20])
def test_random_programs(first):
    answers = [ask(seed) for seed in share(range(first, first + 20))]
    assert not [a for a in answers if a.kind in ("moved", "conditioned")]
    assert sum(bool(a.again) for a in answers) >= 0.4 * len(answers)


def test_random_programs_that_decide():
    answers = [ask(seed, DECISIONS) for seed in share(range(60))]
    assert {a.kind for a in answers} == {"steady"}
    assert sum(bool(a.again) for a in answers) >= 0.4 * len(answers)


def test_random_programs_find_decisions_that_are_taken_twice():
    kinds = (ask(seed, DECISIONS, without="decided-once").kind for seed in range(15))
    assert "moved" in kinds


# ---- what passes do with floats after differentiation ----
# what an operation on an array has become in a loop that is lowered from it
WRITTEN = {
    scans.product: ("mul",), scans.running_product: ("mul",), scans.recurrence: ("mul",),
    scans.softmax: ("exp", "div"), scans.softmax_bar: ("absorb", "absorb"),
    scans.log_softmax: ("exp", "log"), scans.log_softmax_bar: ("exp", "absorb"),
}  # fmt: skip


def rounding(function: Function) -> Counter[str]:
    """How often each operation that rounds is written; sums are put together anew by loops."""
    defs = [s for s in walk(function.body) if isinstance(s, Def) and s.var is not None]
    every = Counter(s.op.name for s in defs if s.op.elementwise and rounds(s.op, s.var.type))
    every.update(name for s in defs for name in WRITTEN.get(s.op, ()))
    return every - Counter(dict.fromkeys(("add", "sub"), len(defs)))


@pytest.mark.parametrize("case", share(sample(60)), ids=lambda c: c.id)
def test_no_pass_computes_a_float_twice(case: Case, monkeypatch: pytest.MonkeyPatch):
    seen = []
    # strips write the body again, for the trips that are left over; what is gathered is only added
    # to memory, where each element is stored once; partials are multiplied by each other instead
    # of by the adjoint, and each result has still one product
    again = ("strip_mining", "gather_additions", "preaccumulate")
    once = tuple(p for p in LOWERING if p.name not in again)

    def build(f: Function) -> Any:
        seen.append(rounding(run(f, once)) - rounding(f))
        return plain(f)

    plain = python.build
    monkeypatch.setattr(python, "build", build)
    Modes(case).value_and_grad(case.arguments())
    assert seen and not any(seen)


# ---- programs on tensors: what their reverse sweep is given, and what it computes again ----
def chosen(x, g):
    p = x * (g - 1.0)
    return np.sum(np.max(g * p, axis=0) * np.abs(p - 2.0)) + np.sum(np.maximum(p * p, g * p))


def on_tensors(fn, args):
    x, g = (flow.tensor(a, requires_grad=True) for a in args)
    flow.compile(fn, target="python")(x, g).backward()
    return np.append(np.ravel(x.grad.numpy()), g.grad.numpy())


@pytest.mark.parametrize("fn", [chosen, *PROGRAMS])
def test_programs_on_tensors(fn):
    want = on_tensors(fn, point(0))
    with nudged():
        got = on_tensors(fn, point(0))
    assert apart(want, got) <= NEAR


def test_a_sweep_apart_computes_again_what_nothing_is_decided_of():
    with nudged() as names:
        on_tensors(chosen, point(0))
    assert names


def limited(q):
    q = q.copy()
    for _ in range(3):
        a, b = q[1:-1] - q[:-2], q[2:] - q[1:-1]
        q[1:-1] += 0.1 * np.sign(a) * np.minimum(np.abs(a), np.abs(b))
    return np.sum(q)


@pytest.mark.parametrize("values", ["generic", "with zeros and NaN"])
def test_a_sign_is_saved_once_and_in_half_the_memory(values):
    """The rule of `abs` reads the sign of the program; single precision holds it exactly."""
    q = np.array([0.1, 0.5, 0.45, -0.7, 2.0, 1.1, 0.3, -0.2])
    if values != "generic":
        q[-1] = np.nan
    ir = str(flow.grad(limited).ir("adjoint", q))
    made = [line for line in ir.splitlines() if "= tape(" in line and "sign" in line]
    assert len(made) == 2 and all("f32" in line for line in made), ir
    for target in ("python", "cpu"):
        found = flow.grad(flow.compile(limited, target=target))(q)
        if values == "generic":
            want = [(limited(q + e) - limited(q - e)) / 2e-6 for e in 1e-6 * np.eye(len(q))]
            np.testing.assert_allclose(found, want, atol=1e-7)
        else:
            assert np.isnan(found).any()
