"""The gradient in float32, and on arrays with gaps and negative strides."""

from typing import Any

import numpy as np

from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import EPS32, close, with_arrays
from tests.tools.modes import Modes
from tests.tools.oracles import check_form, check_unchanged
from tests.tools.structures import cast, copied, flatten, restrided, unflatten

STEPS = (2, -1, -2)


@check(of=lambda c: c.float32 and with_arrays(c), always=never, rotates=True)
def float32(record: Record):
    """float32 in, float32 out, and as near to float64 at the same point as rounding allows.

    Each of the N roundings on the way moves the result by eps/2 of a value that is at most the
    largest gradient L, times how far later operations amplify it. N is below 1000 in the cases,
    amplifications are below 2 but where the problem itself is ill-conditioned; that is measured: D
    is how far the gradient moves when the inputs move by eps. Hence 1000 eps (L + 1e-3) + 100 D.
    """
    case = record.case
    single = cast(case.args, np.float32)
    double = cast(single, np.float64)
    value, grads = Modes(case).value_and_grad(copied(single))
    check_form(grads, [single[i] for i in case.wrt])
    check_form(value, case.plain(*single))
    close(value, case.plain(*single), 1e-4, "float32 value against NumPy's")
    gradient = record.reference.gradient
    want = flatten(gradient(*copied(double)))
    moved = flatten(gradient(*(nudged(a) for a in double)))
    largest = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    allowed = 1000 * EPS32 * (largest + 1e-3) + 100 * np.abs(moved - want)
    got = flatten(grads)
    if case.differences:
        assert np.all(np.abs(got - want) <= allowed), f"got {got}, want {want} within {allowed}"
    else:  # at a kink a nudge is another branch
        close(got, want, 1000 * EPS32, "float32 gradient")


def nudged(value: Any) -> Any:
    """Every number moved by one float32 rounding, alternating up and down."""
    numbers = flatten(value)
    signs = 1.0 - 2.0 * (np.arange(numbers.size) % 2)
    return unflatten(numbers * (1.0 + EPS32 * signs), value)


@check(of=lambda c: c.strided and with_arrays(c), always=never, rotates=True)
def strided(record: Record):
    """Arrays with gaps and negative strides give the same gradients and stay as they are."""
    case, modes = record.case, Modes(record.case)
    for step in STEPS:
        args = restrided(case.args, step)
        value, grads = modes.value_and_grad(args)
        check_unchanged(args, case.args)
        close(value, record.value, 1e-12, f"value for a step of {step}")
        close(grads, record.grads, 1e-11, f"gradient for a step of {step}")
