"""Methods in compiled code: a tensor's on tensors, NumPy's on arrays, else refused."""

import numpy as np
import pytest

import srcgrad as flow
import srcgrad.nn.functional as F

compiled = flow.compile(target="python")
VALUES = np.arange(6.0).reshape(2, 3) ** 1.5 + 1.0
PLACES = flow.tensor([[0, 2], [1, 0]])

# what both have, with two meanings
DIFFERENT = {
    "std": lambda x: x.std(),
    "std_dim": lambda x: x.std(0),
    "std_biased": lambda x: x.std(unbiased=False),
    "var": lambda x: x.var(1),
    "var_correction": lambda x: x.var(0, correction=2),
    "var_whole": lambda x: x.var(False),
    "transpose": lambda x: x.transpose(0, 1),
    "repeat": lambda x: x.repeat(2),
    "repeat_dims": lambda x: x.repeat(2, 1),
    "max": lambda x: x.max(),
    "max_dim": lambda x: x.max(0)[0] + x.min(dim=0).values,
    "sort": lambda x: x.sort(1, descending=True)[0] * x.argsort(dim=1),
    "size": lambda x: x * x.size(0) + x.size()[1],
    "of_a_stack": lambda x: flow.stack([x, x * x], dim=0).std(),
    "of_a_join": lambda x: flow.cat([x, x * x], dim=0).repeat(2),
    "of_products": lambda x: x.cumprod(0).std() + flow.cumsum(x, 0).var(),
    "of_taken": lambda x: x.gather(1, PLACES).std(),
    "of_a_choice": lambda x: flow.where(x > 2.0, x, x * x).std(),
    "of_a_norm": lambda x: F.layer_norm(x, (3,)).std() + F.softmax(x, 1).var(),
}
SHARED = {
    "sum": lambda x: x.sum(dim=0, keepdim=True),
    "mean": lambda x: x.mean(1),
    "cumsum": lambda x: x.cumsum(0),
    "argmax": lambda x: x * x.argmax(dim=1, keepdim=True) + x.argmin(0),
    "argsort": lambda x: x * x.argsort(1, True),
    "truths": lambda x: x * (x > 2.0).all(dim=0) + x * (x > 2.0).any(),
    "cumprod": lambda x: x.cumprod(dim=1),
    "rounded": lambda x: x * x.round() + x.clip(min=2.0) + x.clamp(max=3.0),
    "taken": lambda x: x.take(PLACES) * x.diagonal()[0] + x.dot(x) if x.ndim == 1 else x,
    "conj": lambda x: x.conj() * x.ravel()[1] + x.swapaxes(0, 1).T * x.squeeze(),
    "numel": lambda x: x * x.numel() + x.dim(),
    "flatten": lambda x: x.flatten(),
    "exp": lambda x: (x * 0.1).exp(),
    "made": lambda x: x * flow.ones(3).std() + flow.zeros(2).var(),
    "isinstance": lambda x: x * (2.0 if isinstance(x, flow.Tensor) else 3.0),
    "type": lambda x: x * (2.0 if type(x) is flow.Tensor else 3.0),
    "hasattr": lambda x: x * (2.0 if hasattr(x, "backward") else 3.0),
}


def tensor(requires_grad=False):
    return flow.tensor(VALUES, requires_grad=requires_grad)


@pytest.mark.parametrize("name", [*DIFFERENT, *SHARED])
def test_on_tensors_as_without_compilation(name):
    f = {**DIFFERENT, **SHARED}[name]
    x, y = tensor(True), tensor(True)
    got, want = compiled(f)(x), f(y)
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), 1e-12)
    got.sum().backward()
    want.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), 1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.std(),
        lambda x: x.var(1),
        lambda x: x.transpose(0, 1),
        lambda x: x.repeat(2),
        lambda x: x.max(0),
        lambda x: x * (2.0 if isinstance(x, np.ndarray) else 3.0),
    ],
)
def test_on_arrays_numpys_own(f):
    g = compiled(f)
    g(tensor()) if f(VALUES).shape != (3,) else None  # what was built for tensors is not taken
    np.testing.assert_allclose(g(VALUES), f(VALUES), 1e-12)


def test_numpys_keywords_are_numpys():
    f = compiled(
        lambda x: x.std(axis=0, ddof=1) + x.max(axis=0, keepdims=True) + x.transpose()[0, 0]
    )
    np.testing.assert_allclose(f(tensor()).numpy(), f(VALUES), 1e-12)


@pytest.mark.parametrize(
    "f",
    [lambda x: x.take([1, 1]), lambda x: x.take((0, 5)) * x.take(2), lambda x: x[0].dot([1, 2, 3])],
)
def test_lists_and_numbers_for_tensors_are_numpys(f):
    np.testing.assert_allclose(compiled(f)(tensor()).numpy(), f(VALUES), 1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.index_add(0, [0], x),
        lambda x: x.index_fill(0, [0], 1.0),
        lambda x: flow.take(x, [1, 1]),
        lambda x: x.index_put(([1, 0],), x),
    ],
)
def test_lists_for_tensors_are_refused(f):
    with pytest.raises(TypeError, match="expected a Tensor, not"):
        f(tensor())
    with pytest.raises(TypeError, match="expected a Tensor, not a list"):
        compiled(f)(tensor())


@pytest.mark.parametrize("method", ["flatten", "ravel"])
def test_one_dim_is_a_view_where_memory_allows(method):
    def f(x):
        y = x * 1.0
        getattr(y, method)()[0] = 100.0
        return y.sum()

    assert compiled(f)(tensor()).item() == f(tensor()).item() > 100.0


def test_refused_on_tensors():
    with pytest.raises(flow.UnsupportedError, match=r"sum_to_size\(\) is not supported"):
        compiled(lambda x: x.sum_to_size(1, 3))(tensor())


def test_what_functions_of_tensors_make_of_arrays_are_tensors():
    f = compiled(lambda x: flow.stack([x, 2.0 * x]).std() + flow.tanh(x).var())
    want = np.stack([VALUES, 2.0 * VALUES]).std(ddof=1) + np.tanh(VALUES).var(ddof=1)
    np.testing.assert_allclose(f(VALUES), want, 1e-12)


def test_arrays_have_no_tensors_methods():
    f = compiled(lambda x: x.exp())
    np.testing.assert_allclose(f(tensor()).numpy(), np.exp(VALUES))
    with pytest.raises(flow.UnsupportedError, match="has no attribute 'exp'"):
        f(VALUES)


def test_one_of_each():
    def f(x, a):
        return x.std() + a.std()

    want = VALUES.std(ddof=1) + VALUES.std()
    np.testing.assert_allclose(compiled(f)(tensor(), VALUES).item(), want, 1e-12)
    np.testing.assert_allclose(compiled(f)(VALUES, tensor()).item(), want, 1e-12)


def carried(x):
    s, h = 0.0, np.zeros(3)
    for i in range(9):
        s = s + h.std()
        h = h + x[i % 2]
    return s


def mixed(x):
    h = np.zeros(3)
    for i in range(2):
        h = h + x[i]  # a tensor from here on
        h = h / h.std()
    return h.sum()


def test_what_a_loop_carries_may_be_either():
    with pytest.raises(flow.UnsupportedError, match="may be a tensor or an array"):
        compiled(carried)(tensor())
    np.testing.assert_allclose(compiled(carried)(VALUES), carried(VALUES), 1e-12)
    want = mixed(tensor()).item()
    np.testing.assert_allclose(compiled(mixed)(tensor()).item(), want, 1e-12)
    np.testing.assert_allclose(compiled(mixed)(VALUES), mixed(VALUES), 1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.asarray(x).std(),
        lambda x: np.array(x).var(),
        lambda x: np.where(x > 2.0, x, 0.0).std(),
        lambda x: (x if x[0, 0] > 1.5 else np.zeros((2, 3))).std(),
    ],
)
def test_what_numpy_makes_of_a_tensor_may_be_an_array(f):
    """Without compilation it is one."""
    with pytest.raises(flow.UnsupportedError, match="may be a tensor or an array"):
        compiled(f)(tensor())
    np.testing.assert_allclose(compiled(f)(VALUES), f(VALUES), 1e-12)


W = flow.tensor(VALUES)


def test_captured_tensors_and_what_comes_before_them():
    def f(a, trips):
        s = 0.0
        for _ in range(trips):
            b = a * 1.0
            s = s + b.std()
            a = a + W
        return s

    with pytest.raises(flow.UnsupportedError, match="may be a tensor or an array"):
        compiled(lambda a: f(a, 9))(VALUES)
    want = VALUES.std() + (VALUES + VALUES).std(ddof=1)  # few trips are unrolled: each is known
    np.testing.assert_allclose(compiled(lambda a: f(a, 2))(VALUES).item(), want, 1e-12)
    np.testing.assert_allclose(compiled(lambda a: a.std() + W.std())(VALUES).item(),
                               VALUES.std() + VALUES.std(ddof=1), 1e-12)  # fmt: skip


def spread(x):
    return x.std()


def test_inside_a_nested_transform():
    f = compiled(lambda x: flow.grad(spread)(x).sum() + x.std())
    x = tensor()
    want = flow.grad(spread)(x).sum().item() + VALUES.std(ddof=1)
    np.testing.assert_allclose(f(x).item(), want, 1e-10)
    a = compiled(lambda x: (flow.grad(spread)(x) * x).sum())(VALUES)
    np.testing.assert_allclose(a, VALUES.std(), 1e-12)  # Euler: homogeneous of degree 1
    t = compiled(lambda x: (flow.grad(spread)(x) * x).sum())(x)
    np.testing.assert_allclose(t.item(), VALUES.std(ddof=1), 1e-12)


def test_gradients_of_functions_of_tensors():
    _, g = flow.value_and_grad(compiled(spread))(tensor())
    y = tensor(True)
    y.std().backward()
    np.testing.assert_allclose(g.numpy(), y.grad.numpy(), 1e-12)
