"""Every case through every mode: value, reverse, forward, second order; dtypes, layouts, passes.

The tests of a case stand together (`conftest.py`), and what one has built serves the next.
"""

from typing import Any

import numpy as np
import pytest

from tests.cases import CASES, Case, sample
from tests.conftest import forget
from tests.modes import Modes
from tests.oracles import (
    check_dot,
    check_form,
    check_gradient,
    check_hessian_product,
    check_same,
    check_unchanged,
    random_like,
)
from tests.structures import cast, copied, flatten, float_leaves, restrided, unflatten

pytestmark = [pytest.mark.usefixtures("quiet"), pytest.mark.together]
STEPS = (2, -1, -2)
EPS32 = float(np.finfo(np.float32).eps)
SAMPLE = 60  # cases that are compiled for the cpu in the default run: 0.3 to 1 s each


def over(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda c: c.id)


def with_arrays(cases: list[Case]) -> list[Case]:
    return [c for c in cases if any(isinstance(v, np.ndarray) for v in float_leaves(c.args))]


def close(got: Any, want: Any, tolerance: float, what: str):
    """Numbers agree relative to the largest, and the forms are the same."""
    a, b = flatten(got), flatten(want)
    assert a.shape == b.shape, f"{what}: {a.size} numbers, expected {b.size}"
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=0.0)
    good = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * (scale + 1e-3))
    assert np.all(good), f"{what}: got {a[~good]}, want {b[~good]}"


@over(CASES)
def test_value(case: Case):
    """The compiled function computes and overwrites what the plain one does."""
    case.reset()
    want_args = case.arguments()
    want = case.fn(*want_args)
    args = case.arguments()
    got = Modes(case).value(args)
    close(got, want, 1e-12, "value")
    check_form(got, want)
    close(args, want_args, 1e-12, "arguments after the call")


@over(CASES)
def test_gradient(case: Case):
    """Reverse mode against differences or the convention; nothing of the caller's changes."""
    modes, args = Modes(case), case.arguments()
    value, grads = modes.value_and_grad(args)
    check_unchanged(args, case.args)
    check_form(grads, [case.args[i] for i in case.wrt])
    close(value, case.plain(*case.args), 1e-12, "value beside the gradient")
    if case.expected is not None:
        close(grads, case.expected, 1e-12, "gradient against the convention")
    if case.differences:
        check_gradient(case.plain, case.args, case.wrt, grads)
    check_same(modes.value_and_grad(args), (value, grads))


@over([c for c in CASES if c.dot])
def test_forward_against_reverse(case: Case):
    """<v, J u> = <J' v, u>, and a vjp function gives the same answer twice."""
    modes, args = Modes(case), case.arguments()
    tangents = random_like(tuple(case.args[i] for i in case.wrt), 1)
    cotangent = random_like(case.plain(*case.args), 2)
    out, out_dot = modes.jvp(args, tangents)
    first, second = modes.vjp(args, cotangent, times=2)
    check_unchanged(args, case.args)
    check_same(first, second, "vjp function called twice")
    close(out, case.plain(*case.args), 1e-12, "value beside the tangent")
    # float32 cases round at 6e-8; the identity is exact otherwise.
    narrow = any(np.asarray(v).dtype == np.float32 for v in float_leaves(case.args))
    check_dot(out_dot, cotangent, first, tangents, 1e-5 if narrow else 1e-10)


@over([c for c in CASES if c.second_order and c.differences and not c.instance])
def test_second_order(case: Case):
    check_second_order(case)


@pytest.mark.full
@over([c for c in CASES if c.second_order and c.differences and c.instance])
def test_second_order_at_other_arguments(case: Case):
    """Other shapes and values of the functions above."""
    check_second_order(case)


def check_second_order(case: Case):
    modes, args = Modes(case), case.arguments()
    direction = random_like(tuple(case.args[i] for i in case.wrt), 3)
    reverse = modes.reverse_over_reverse(args, direction)
    forward = modes.forward_over_reverse(args, direction)
    check_unchanged(args, case.args)
    along = flatten(direction)
    check_hessian_product(reverse, forward, modes.gradient, case.args, case.wrt, along)


@over([c for c in with_arrays(CASES) if c.float32])
def test_float32(case: Case):
    """float32 in, float32 out, and as near to float64 at the same point as rounding allows.

    Each of the N roundings on the way moves the result by eps/2 of a value that is at most the
    largest gradient L, times how far later operations amplify it. N is below 1000 in the cases,
    amplifications are below 2 but where the problem itself is ill-conditioned; that is measured: D
    is how far the gradient moves when the inputs move by eps. Hence 1000 eps (L + 1e-3) + 100 D.
    """
    single = cast(case.args, np.float32)
    double = cast(single, np.float64)
    value, grads = Modes(case).value_and_grad(copied(single))
    check_form(grads, [single[i] for i in case.wrt])
    check_form(value, case.plain(*single))
    close(value, case.plain(*single), 1e-4, "float32 value against NumPy's")
    gradient = Modes(case).gradient
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


@over([c for c in with_arrays(CASES) if c.strided])
def test_strided(case: Case):
    """Arrays with gaps and negative strides give the same gradients and stay as they are."""
    contiguous, want = Modes(case).value_and_grad(case.arguments())
    strided = Modes(case)
    for step in STEPS:
        args = restrided(case.args, step)
        value, grads = strided.value_and_grad(args)
        check_unchanged(args, case.args)
        close(value, contiguous, 1e-12, f"value for a step of {step}")
        close(grads, want, 1e-11, f"gradient for a step of {step}")


@pytest.mark.full
@over(CASES)
def test_without_each_pass(case: Case):
    """A pass changes no number."""
    from srcgrad.passes import PIPELINE, without

    value, grads = Modes(case).value_and_grad(case.arguments())
    for each in PIPELINE:
        with without(each.name):
            plain, other = Modes(case).value_and_grad(case.arguments())
        close(plain, value, 1e-12, f"value without {each.name}")
        close(other, grads, 1e-11, f"gradient without {each.name}")


def check_lowered(case: Case, names: list[str]):
    """As loop nests, run by the reference backend: whole, and without each of the passes."""
    from srcgrad.passes import checking, without

    value, grads = Modes(case).value_and_grad(case.arguments())
    for off in ([], *([name] for name in names)):
        with without(*off), checking():
            plain, other = Modes(case, "loops").value_and_grad(case.arguments())
        close(plain, value, 1e-11, f"value as loops without {off}")
        close(other, grads, 1e-10, f"gradient as loops without {off}")


@over(sample(SAMPLE))
def test_lowered(case: Case):
    check_lowered(case, [])


@pytest.mark.full
@over([c for c in CASES if c.cpu])
def test_lowered_without_each_pass(case: Case):
    from srcgrad.passes import LOWERING

    names = dict.fromkeys(p.name for p in LOWERING if p.name != "lower")
    check_lowered(case, list(names))


def check_cpu(case: Case):
    modes, args = Modes(case, "cpu"), case.arguments()
    value, grads = modes.value_and_grad(args)
    check_unchanged(args, case.args)
    check_form(grads, [case.args[i] for i in case.wrt])
    want_value, want = Modes(case).value_and_grad(case.arguments())
    # Sums and products may be regrouped, and the vector functions round to 2 ulp.
    close(value, want_value, 1e-11, "value on the cpu")
    close(grads, want, 1e-10, "gradient on the cpu")


@over(sample(SAMPLE))
def test_cpu(case: Case):
    check_cpu(case)


@pytest.mark.full
@over([c for c in CASES if c.cpu])
def test_cpu_every_case(case: Case):
    check_cpu(case)


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch):
    """The cpu backend with every access checked: decisions/nests_as_llvm.md."""
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    forget()
    yield
    forget()


@pytest.mark.usefixtures("guarded")
@over(sample(SAMPLE))
def test_cpu_guarded(case: Case):
    check_cpu(case)


@pytest.mark.full
@pytest.mark.usefixtures("guarded")
@over([c for c in CASES if c.cpu])
def test_cpu_guarded_every_case(case: Case):
    check_cpu(case)


@pytest.mark.full
@pytest.mark.usefixtures("guarded")
@over([c for c in with_arrays(CASES) if c.cpu and c.strided])
def test_cpu_strided_and_forward(case: Case):
    """The cpu backend with negative strides, and its forward mode, guarded."""
    args = restrided(case.args, -2)
    _, grads = Modes(case, "cpu").value_and_grad(args)
    check_unchanged(args, case.args)
    close(grads, Modes(case).gradient(*case.arguments()), 1e-10, "gradient")
    if case.dot:
        tangents = random_like(tuple(case.args[i] for i in case.wrt), 1)
        _, out_dot = Modes(case, "cpu").jvp(case.arguments(), tangents)
        _, want = Modes(case).jvp(case.arguments(), tangents)
        close(out_dot, want, 1e-10, "tangent")


@pytest.mark.full
@pytest.mark.usefixtures("guarded")
@over([c for c in CASES if c.cpu and c.second_order and c.differences and not c.instance])
def test_cpu_second_order(case: Case):
    """Reverse over reverse and forward over reverse, guarded, as on the reference backend."""
    direction = random_like(tuple(case.args[i] for i in case.wrt), 3)
    for ask in (Modes.reverse_over_reverse, Modes.forward_over_reverse):
        got, want = (ask(Modes(case, t), case.arguments(), direction) for t in ("cpu", "python"))
        close(got, want, 1e-9, ask.__name__)
