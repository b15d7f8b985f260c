"""`gradcheck` and `check_jvp_vjp` pass what is right, and say where and how much is wrong."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import GradientError, check_grads, check_jvp_vjp, gradcheck
from srcgrad.testing.gradcheck import _elements
from tests.tools import faults


@dataclass
class Model:
    weight: np.ndarray
    bias: float
    steps: int


def run(m, x):
    for _ in range(m.steps):
        x = np.tanh(m.weight * x + m.bias)
    return x


def overwritten(x, k):
    a = x.copy()
    for i in range(1, len(a)):
        a[i] = k * a[i] * a[i - 1]
    return np.sum(a), a[::-1]


def doubled():
    """A function that nothing has been compiled of yet, so that a fault gets into its code."""

    def doubled(x, k):
        a = x.copy()
        for i in range(1, len(a)):
            a[i] = k * a[i] * a[i - 1]
        return np.sum(a)

    return doubled


def scaled(x):
    return np.sum(np.abs(x) * 2.0)


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("order", [1, 2])
def test_right_gradients_pass(order: int):
    x, model = X.copy(), Model(X * 2.0, 0.1, 3)
    gradcheck(run, (model, x), order=order, target="python")
    gradcheck(overwritten, (x, 0.8), order=order, target="python")
    gradcheck(flow.compile(overwritten, target="python"), (x, 0.8), (1, 0), order=order)
    assert x.tolist() == X.tolist() and model.weight.tolist() == (X * 2.0).tolist()


def test_the_default_backend():
    gradcheck(overwritten, (X, 0.8))
    check_jvp_vjp(overwritten, (X, 0.8))


@pytest.mark.parametrize("seed", range(3))
def test_single_precision(seed):
    """Values that are equal by rounding are not taken for a slope that is certain."""
    gradcheck(overwritten, (X.astype(np.float32), 0.8), target="python", seed=seed)
    for n in (2, 5, 40):
        x = np.linspace(0.2, 1.1, n).astype(np.float32)
        gradcheck(flat, (x,), target="python", seed=seed)
        check_grads(flat, (x,), target="python", seed=seed, tolerance=3e-3)


def flat(x):
    return np.sum(np.exp(x)) * 100.0 + 1e-3 * x[1] * x[0]


def test_a_wrong_gradient_is_named():
    with faults.inject("zero-after-store"), pytest.raises(GradientError) as caught:
        gradcheck(doubled(), (X, 0.8), target="python")
    text = str(caught.value)
    assert text.startswith("2 of 4 derivatives of doubled() disagree:")
    assert "  x[1]: reverse mode " in text and "  x[0]" not in text
    forward = text.split("forward mode ")[1].split(",")[0]
    assert text.split("differences ")[1].startswith(forward[:8])


def test_a_wrong_gradient_in_a_structure_is_named():
    def stored(m, x):
        a = m.weight.copy()
        a[0] = a[0] * x[1]
        a[0] = a[0] * a[1]
        return np.sum(a)

    with (
        faults.inject("zero-after-store"),
        pytest.raises(GradientError, match=r"m\.weight\[0\]: reverse"),
    ):
        gradcheck(stored, (Model(X * 2.0, 0.1, 3), X), target="python")


def test_wrong_second_derivatives_are_named():
    def f(x):
        a = x.copy()
        for i in range(1, len(a)):
            a[i] = a[i] * a[i - 1]
        return a[2]

    with faults.inject("flip-direction"):
        gradcheck(f, (X,), target="python")
        with pytest.raises(GradientError, match=r"x \(second order\)\[\d\]: "):
            gradcheck(f, (X,), order=2, target="python")


def test_a_kink_is_told():
    with pytest.raises(GradientError, match=r"x\[1\].* a kink: 1 to the left, 3 to the right"):
        gradcheck(lambda x: np.sum(np.maximum(3.0 * x, x - 1e-13)), (np.zeros(3),), target="python")
    gradcheck(scaled, (X,), target="python")


def test_complex_arguments_have_two_parts():
    z = np.array([1.0 + 2.0j, -0.5 + 0.3j])
    gradcheck(lambda z: np.sum(np.abs(z) ** 3), (z,), order=2, target="python")
    gradcheck(lambda z: z * z, (z,), target="python")
    gradcheck(lambda z: z * z, (z.astype(np.complex64),), tolerance=1e-2, target="python")

    # the gradient is dL/dRe + i dL/dIm
    found = list(_elements(z, 2.0 * np.conj(z), "z", 64, np.random.default_rng(0)))
    assert [(name, one) for name, one, _ in found] == [
        ("z[0].real", 2.0), ("z[0].imag", -4.0), ("z[1].real", -1.0), ("z[1].imag", -0.6),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="for real arguments"):
        gradcheck(lambda z: np.sum(z.real), (z,), step="complex", target="python")


def test_complex_step():
    gradcheck(run, (Model(X * 2.0, 0.1, 3), X), tolerance=1e-13, step="complex", target="python")
    with pytest.raises(GradientError, match=r"x\[0\]"):  # abs is not analytic
        gradcheck(scaled, (X,), step="complex", target="python")


def test_a_choice_of_many_elements():
    calls = []

    def f(x):
        return np.sum(np.sin(x))

    def counted(x):
        calls.append(None)
        return f(x)

    gradcheck(flow.compile(f, target="python"), (np.ones(1000),), elements=3)
    assert not calls


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"order": 3}, "order must be 1 or 2, not 3"),
        ({"step": "forward"}, 'step must be "central" or "complex"'),
        ({"args": (3,)}, "no argument has a float"),
    ],
)
def test_arguments_are_checked(arguments: dict, match: str):
    with pytest.raises(flow.errors.ArgumentValueError, match=match):
        gradcheck(scaled, **{"args": (X,), "target": "python", **arguments})


def test_the_dot_product_notices():
    check_jvp_vjp(run, (Model(X * 2.0, 0.1, 3), X), target="python")
    check_jvp_vjp(overwritten, (X, 0.8), target="python")
    with (
        faults.inject("zero-after-store"),
        pytest.raises(GradientError, match="by forward mode and"),
    ):
        check_jvp_vjp(doubled(), (X, 0.8), target="python")


def test_the_sum_of_no_items_is_an_integer_in_python():
    def total(x, n):
        items = []
        for i in range(n):
            items.append(x[i] * x[i])
        return sum(items), x[0]

    for n in (0, 2):
        gradcheck(total, (X, n), target="python")


@pytest.mark.parametrize("x", [np.ones(2), flow.tensor([1.0, 2.0])])
def test_functions_of_tensors_have_another(x):
    with pytest.raises(TypeError, match=r"flow\.autograd\.gradcheck"):
        gradcheck(lambda x: flow.exp(x).sum(), (x,), target="python")
    assert flow.autograd.gradcheck(
        flow.exp, flow.tensor([1.0], dtype=flow.float64, requires_grad=True)
    )
