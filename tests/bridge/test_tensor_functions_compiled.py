"""Each function of tensors in compiled code: as on the tape, with its gradient, or refused."""

import numpy as np
import pytest

import srcgrad as flow
from tests.eager import test_gradients as basic
from tests.eager import test_more_gradients as more
from tests.tools.turns import share

ON = (
    (more.A, (more.ELEMENTWISE, more.ACTIVATIONS, more.STATISTICS, more.SELECTIONS, more.LOSSES)),
    (more.T, (more.ARRANGEMENTS, more.CONTRACTIONS)),
    (more.S, (more.LINEAR_ALGEBRA,)),
)  # fmt: skip
LISTED = {
    "reductions": (basic.REDUCTIONS, basic.A), "composed": (basic.COMPOSED, basic.A),
    "shapes": (basic.SHAPES, basic.A), "numbers": (basic.NUMBERS, basic.P),
}  # fmt: skip
CALLS = {name: (f, x) for x, tables in ON for table in tables for name, f in table.items()}
CALLS |= {name: (getattr(flow, name), basic.A) for name in basic.UNARY}
CALLS |= {f"{n}{k}": (f, x) for n, (fs, x) in LISTED.items() for k, f in enumerate(fs)}
REFUSED = ("sum_to_size",)


@pytest.mark.parametrize("name", share([n for n in CALLS if n not in REFUSED]))
def test_as_on_the_tape(name):
    f, a = CALLS[name]
    x, y = (flow.tensor(np.asarray(a, np.float64), requires_grad=True) for _ in range(2))
    got, want = flow.compile(lambda t: f(t), target="python")(x), f(y)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), 1e-10, 1e-12)
    if got.requires_grad:  # what is constant has no gradient there, and a zero one on the tape
        got.sum().backward()
        want.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), 1e-9, 1e-11)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_at_the_line_of_the_user(name):
    f, a = CALLS[name]
    with pytest.raises(flow.UnsupportedError) as refused:
        flow.compile(lambda t: f(t), target="python")(flow.tensor(np.asarray(a, np.float64)))
    assert "srcgrad/eager" not in str(refused.value).replace("\\", "/")


WHOLE = flow.tensor([-3, 2, 5])
SINGLE, DOUBLE = flow.tensor([1.5, -2.5, 0.5]), flow.tensor([2.0, 1.0, 3.0], dtype=flow.float64)


@pytest.mark.parametrize("name", ["add", "mul", "div", "maximum", "atan2", "lt"])
@pytest.mark.parametrize("x", [WHOLE, SINGLE])
@pytest.mark.parametrize("y", [WHOLE, DOUBLE, 2, 0.5])
def test_dtypes_are_those_of_tensors(name, x, y):
    f = getattr(flow, name)
    got, want = flow.compile(lambda t: f(t, y), target="python")(x), f(x, y)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want.numpy(), 1e-6)


@pytest.mark.parametrize("x", [WHOLE, SINGLE, DOUBLE])
@pytest.mark.parametrize("y", [WHOLE, DOUBLE, 2, 0.5, True])
@pytest.mark.parametrize("z", [WHOLE.sum(), 0.0, 3])
def test_choices_have_the_dtypes_of_tensors(x, y, z):
    for f in (lambda t: flow.where(t > 1, t, y), lambda t: flow.where(t > 1, y, z)):
        got, want = flow.compile(f, target="python")(x), f(x)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want.numpy())


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "amax", "argmax"])
@pytest.mark.parametrize("dtype", [flow.int32, flow.int64, flow.bool, flow.float32])
def test_reductions_have_the_dtypes_of_tensors(name, dtype):
    def f(t):
        return getattr(t, name)(0)

    x = flow.tensor([[1, 2, 3], [3, 0, 1]]).to(dtype)
    got, want = flow.compile(f, target="python")(x), f(x)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.numpy(), want.numpy())


def test_integers_become_the_default_dtype_of_the_call():
    f = flow.compile(lambda x: flow.exp(x), target="python")
    assert f(WHOLE).dtype is flow.float32
    flow.set_default_dtype(flow.float64)
    try:
        assert f(WHOLE).dtype is flow.float64
    finally:
        flow.set_default_dtype(flow.float32)


def test_history_is_not_dropped_silently():
    f = flow.compile(lambda x: flow.tensor([x[0], x[1]]).sum(), target="python")
    with pytest.raises(flow.UnsupportedError, match="whose history it would drop"):
        f(flow.tensor([1.0, 2.0], requires_grad=True))
