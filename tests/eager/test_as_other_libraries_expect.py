"""What other libraries ask of tensors: conversions, shallow copies, matplotlib, foreign tensors."""

import copy
import math

import matplotlib as mpl
import numpy as np
import pytest

import srcgrad as flow

MANY = [flow.ones(2), flow.ones(2, 3), flow.ones(0), flow.arange(4)]


@pytest.mark.parametrize("t", MANY, ids=lambda t: str(tuple(t.shape)))
@pytest.mark.parametrize("convert", [float, int, complex, math.isfinite, math.floor])
def test_several_elements_are_no_number(t, convert):
    """PyTorch's ValueError, which libraries catch."""
    if convert is math.floor and hasattr(t, "__floor__"):
        return
    with pytest.raises(ValueError, match="only one element tensors can be converted"):
        convert(t)
    with pytest.raises(RuntimeError, match=f"a Tensor with {t.numel()} elements cannot be"):
        t.item()


def test_one_element_is_a_number():
    t = flow.tensor([[2.5]])
    assert (float(t), int(t), complex(t), math.isfinite(t)) == (2.5, 2, 2.5, True)


@pytest.fixture
def plt():
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_matplotlib_draws_tensors(plt):
    x, y = flow.arange(4), flow.rand(4, 2)
    lines = plt.plot(x, y)
    assert len(lines) == 2
    np.testing.assert_array_equal(lines[1].get_ydata(), y.numpy()[:, 1])
    assert len(plt.plot(y)) == 2
    drawn = plt.scatter(x, y[:, 0]).get_offsets()
    np.testing.assert_allclose(drawn[:, 1], y.numpy()[:, 0])
    plt.hist(y[:, 0])
    plt.bar(x, y[:, 0])
    plt.errorbar(x, y[:, 0], yerr=y[:, 1])
    plt.fill_between(x, y[:, 0])
    np.testing.assert_array_equal(plt.imshow(y).get_array(), y.numpy())


# ---- copies ----
def test_a_shallow_copy_of_a_result_is_a_view_with_its_history():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    z = copy.copy(y)
    assert z is not y and z.data_ptr() == y.data_ptr() and z.tolist() == y.tolist()
    (z * 3.0).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_a_store_to_a_shallow_copy_is_one_to_what_it_is_of():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2.0
    z = copy.copy(y)
    z.mul_(3.0)
    assert y.tolist() == [6.0, 12.0]
    (y.sum() + z.sum()).backward()
    assert x.grad.tolist() == [12.0, 12.0]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_shapes_of_copies(shape):
    x = flow.ones(*shape, requires_grad=True)
    for t in (x * 2.0, (x * 2.0).transpose(0, 1) if len(shape) > 1 else x * 2.0, x):
        with flow.no_grad():  # which makes no copy lose its history
            c = copy.copy(t)
        assert c.shape == t.shape and c.tolist() == t.tolist() and c.requires_grad
        assert c.is_leaf == t.is_leaf


# ---- tensors of other libraries ----
class Tensor:
    """PyTorch's, as far as operators see it: on the CPU its interface raises."""

    __module__ = "torch"

    def __init__(self, a):
        self.a = a

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("Can't get __cuda_array_interface__ on non-CUDA tensor type")

    def __mul__(self, other):
        return NotImplemented

    __rmul__ = __radd__ = __rpow__ = __mul__

    def detach(self):
        return self

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize(
    "operate", [lambda a, b: a * b, lambda a, b: b * a, lambda a, b: a**b, lambda a, b: a + b]
)
def test_an_operand_of_pytorch(operate, requires_grad):
    x, theirs = flow.ones(3, requires_grad=requires_grad), Tensor(np.arange(3.0))
    with pytest.raises(TypeError) as e:
        operate(x, theirs)
    assert e.value.way_out == "make one of it: flow.from_dlpack(x.detach())"
    assert operate(x, flow.from_dlpack(theirs.detach())).shape == (3,)


def test_an_operand_of_no_library():
    with pytest.raises(TypeError, match="unsupported operand"):
        flow.ones(3) * object()
