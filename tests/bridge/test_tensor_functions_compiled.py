"""Each function of tensors in compiled code: as on the tape, with its gradient, or refused."""

import numpy as np
import pytest

import srcgrad as flow
from tests.eager import test_gradients as basic
from tests.eager import test_more_gradients as more

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
REFUSED = (
    "corrcoef", "take_along_dim", "meshgrid",
    "diagonal", "cartesian_prod", "sum_to_size", "power",
    "negative", "nan_to_num",
)  # fmt: skip


@pytest.mark.parametrize("name", [n for n in CALLS if n not in REFUSED])
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


def test_history_is_not_dropped_silently():
    f = flow.compile(lambda x: flow.tensor([x[0], x[1]]).sum(), target="python")
    with pytest.raises(flow.UnsupportedError, match="whose history it would drop"):
        f(flow.tensor([1.0, 2.0], requires_grad=True))
