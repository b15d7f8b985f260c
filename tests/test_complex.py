"""The convention for complex numbers: what a gradient, an adjoint and a tangent of them are."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import check_grads

Z = np.array([0.3 - 0.8j, -1.1 + 0.4j, 0.9 + 0.2j])
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def holomorphic(z):
    return z * np.exp(z) / (z + 3.0)


def slope(z):
    """The complex derivative of `holomorphic`."""
    return np.exp(z) * (1.0 + z - z / (z + 3.0)) / (z + 3.0)


@TARGETS
def test_a_gradient_is_by_the_real_part_plus_i_times_by_the_imaginary_part(target):
    def loss(z):
        return np.sum(3.0 * z.real + 5.0 * z.imag)

    g = flow.grad(flow.compile(loss, target=target))(Z)
    assert g.dtype == np.complex128
    np.testing.assert_array_equal(g, np.full(3, 3.0 + 5.0j))


@TARGETS
def test_the_gradient_of_the_squared_size_is_twice_the_number(target):
    def loss(z):
        return np.sum(np.abs(z) ** 2)

    np.testing.assert_allclose(flow.grad(flow.compile(loss, target=target))(Z), 2.0 * Z, rtol=1e-14)


def test_one_step_along_the_gradient_descends_and_many_arrive():
    goal = np.array([1.0 + 2.0j, -0.5j, 0.3 + 0j])
    a = np.array([[2.0 + 1j, 0.5, 0.1j], [0.2j, 1.5, -0.3], [0.1, 0.4 - 0.2j, 1.0 + 1j]])

    def loss(z):
        return np.sum(np.abs(a @ z - goal) ** 2)

    step = flow.value_and_grad(flow.compile(loss, target="python"))
    z, losses = Z.copy(), []
    for _ in range(400):
        value, g = step(z)
        losses.append(value)
        z = z - 0.05 * g
    assert all(later < before for before, later in itertools.pairwise(losses[:60]))
    np.testing.assert_allclose(z, np.linalg.solve(a, goal), atol=1e-6)


@TARGETS
def test_an_adjoint_is_multiplied_by_the_conjugate_of_a_complex_derivative(target):
    out, pull = flow.vjp(flow.compile(holomorphic, target=target), Z)
    g = np.array([1.0 + 2.0j, -0.4j, 0.7 + 0j])
    np.testing.assert_allclose(out, holomorphic(Z), rtol=1e-13)
    np.testing.assert_allclose(pull(g)[0], np.conj(slope(Z)) * g, rtol=1e-12)


@TARGETS
def test_a_tangent_is_multiplied_by_the_complex_derivative(target):
    t = np.array([1.0 + 2.0j, -0.4j, 0.7 + 0j])
    out, dot = flow.jvp(flow.compile(holomorphic, target=target), (Z,), (t,))
    np.testing.assert_allclose(out, holomorphic(Z), rtol=1e-13)
    np.testing.assert_allclose(dot, slope(Z) * t, rtol=1e-12)


def test_conjugation_conjugates_adjoints_and_tangents():
    def f(z):
        return np.conj(z) * 2j

    compiled = flow.compile(f, target="python")
    t = np.array([1.0 + 2.0j, -0.4j, 0.7 + 0j])
    np.testing.assert_allclose(flow.jvp(compiled, (Z,), (t,))[1], 2j * np.conj(t))
    np.testing.assert_allclose(flow.vjp(compiled, Z)[1](t)[0], np.conj(-2j * t))


@pytest.mark.parametrize("kind", [complex, np.complex128, np.complex64])
def test_gradients_of_numbers_are_of_their_kind(kind):
    def f(z):
        return (z * z).real

    g = flow.grad(flow.compile(f, target="python"))(kind(1.5 - 0.5j))
    assert type(g) is kind and g == 3.0 + 1.0j


def test_a_real_argument_next_to_complex_numbers_has_a_real_gradient():
    def f(x, z):
        return np.sum((x * z).imag)

    gx, gz = flow.grad(flow.compile(f, target="python"), (0, 1))(np.array([1.0, 2.0, 3.0]), Z)
    assert gx.dtype == np.float64 and gz.dtype == np.complex128
    np.testing.assert_allclose(gx, Z.imag)
    np.testing.assert_allclose(gz, 1j * np.array([1.0, 2.0, 3.0]))


def test_a_real_result_of_complex_arguments_takes_a_real_adjoint():
    def f(z):
        return np.abs(z)

    _, pull = flow.vjp(flow.compile(f, target="python"), Z)
    np.testing.assert_allclose(pull(np.array([1.0, 2.0, -1.0]))[0], Z / np.abs(Z) * [1, 2, -1])


def test_gradients_with_respect_to_complex_values_inside_other_transforms():
    def loss(z):
        return np.sum(np.abs(z**2) ** 2)

    @flow.compile(target="python")
    def step(z):
        return z - 0.1 * flow.grad(loss)(z)

    np.testing.assert_allclose(step(Z), Z - 0.4 * np.abs(Z) ** 2 * Z, rtol=1e-13)


def test_an_adjoint_that_is_an_argument():
    sens = np.array([1.0 + 2.0j, -0.4j, 0.7 + 0j])
    given = flow.grad(flow.compile(holomorphic, target="python"), sens_param=True)(Z, sens)
    np.testing.assert_allclose(given, np.conj(slope(Z)) * sens, rtol=1e-12)


def test_gradients_are_pytorchs():
    torch = pytest.importorskip("torch")

    def loss(z):
        w = np.exp(z) * np.conj(z) / (2.0 + z)
        return np.sum(np.abs(w) ** 3 + w.imag * np.cos(z).real) + np.abs(np.sqrt(z) ** 1.5).sum()

    z = torch.tensor(Z, requires_grad=True)
    w = torch.exp(z) * torch.conj(z) / (2.0 + z)
    theirs = torch.sum(torch.abs(w) ** 3 + w.imag * torch.cos(z).real)
    theirs = theirs + torch.abs(torch.sqrt(z) ** 1.5).sum()
    theirs.backward()
    ours = flow.grad(flow.compile(loss, target="python"))(Z)
    np.testing.assert_allclose(ours, z.grad.numpy(), rtol=1e-12)


def test_check_grads_takes_complex_arguments():
    check_grads(lambda z: np.sum((z**3).imag), (Z,), target="python")


def test_check_grads_sees_a_wrong_gradient_of_complex_numbers():
    def wrong(z):
        return np.sum((z * flow.stop_gradient(z)).imag)

    with pytest.raises(AssertionError, match="direction"):
        check_grads(wrong, (Z,), target="python")


def test_values_and_dtypes_are_numpys():
    z64 = Z.astype(np.complex64)
    x32 = np.array([0.5, 1.5, 2.5], np.float32)
    for f in (
        lambda z, x: z * x,
        lambda z, x: z + 1j,
        lambda z, x: x + 1j,
        lambda z, x: x * 2.0 + z,
        lambda z, x: np.abs(z),
        lambda z, x: z.real * 2,
        lambda z, x: z**2,
        lambda z, x: np.exp(z) + np.sqrt(z),
        lambda z, x: np.angle(z),
        lambda z, x: z == z,
        lambda z, x: np.array([z[0], x[0], 1.0]),
        lambda z, x: np.vdot(z, z),
        lambda z, x: np.var(z),
        lambda z, x: z / np.float64(2.0),
        lambda z, x: np.where(x > 1, z, 0),
    ):
        want, got = f(z64, x32), flow.compile(f, target="python")(z64, x32)
        assert np.asarray(got).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)


@TARGETS
def test_single_precision(target):
    """Gradients are complex64, within its rounding of those of complex128."""

    def loss(z, x):
        y = np.exp(z) / z + np.conj(z) * (1 + 2j) * x
        y[0] += z[1] ** 3
        return np.sum(np.abs(y) ** 2) + np.sum(np.fft.irfft(np.sqrt(z) * 2.0))

    x = np.array([0.5, 1.5, 2.5])
    want = flow.grad(flow.compile(loss, target="python"), (0, 1))(Z, x)
    compiled = flow.compile(loss, target=target)
    z, x = Z.astype(np.complex64), x.astype(np.float32)
    assert compiled(z, x).dtype == np.float32
    got = flow.grad(compiled, (0, 1))(z, x)
    assert got[0].dtype == np.complex64 and got[1].dtype == np.float32
    np.testing.assert_allclose(got[0], want[0], rtol=1e-4)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-4)


@TARGETS
def test_special_values(target):
    """Division by zero, infinities and NaN are NumPy's."""

    def f(z, w):
        return z / w, np.abs(z), np.isnan(z), np.isfinite(z), np.isinf(z), z == w

    z = np.array([1.0 + 2.0j, complex(np.inf, 1.0), complex(np.nan, 0.0), 0.0j])
    w = np.array([0.0j, 2.0 + 0j, 1.0 + 0j, 3.0 + 4.0j])
    with np.errstate(all="ignore"):
        want = f(z, w)
        got = flow.compile(f, target=target)(z, w)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_allclose(np.abs(a), np.abs(b))


# ---- constants in compiled code ----
@pytest.mark.parametrize(
    "value", [complex(np.nan, 1.0), complex(1.0, -np.inf), complex(-0.0, -0.0), complex(2.0, -0.0)]
)
def test_complex_constants_keep_every_bit(value):
    @flow.compile
    def chosen(z):
        w = np.where(z.real > 0.0, z, value)
        return w.real, w.imag

    for got, want in zip(chosen(Z - 10.0), chosen.function(Z - 10.0), strict=True):
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


# ---- tensors ----
def test_complex_tensors_require_no_grad():
    with pytest.raises(RuntimeError, match="floating point"):
        flow.tensor(Z, requires_grad=True)


def test_complex_results_of_compiled_functions_are_not_recorded():
    @flow.compile(target="python")
    def spectrum(x):
        return np.fft.rfft(x)

    x = flow.tensor([1.0, 2.0, 4.0])
    np.testing.assert_allclose(spectrum(x).numpy(), np.fft.rfft([1.0, 2.0, 4.0]), rtol=1e-6)
    x.requires_grad = True
    with pytest.raises(flow.UnsupportedError, match="no gradient on the tape"):
        spectrum(x)


def test_complex_numbers_inside_a_compiled_function_on_tensors():
    @flow.compile(target="python")
    def power(x):
        return np.sum(np.abs(np.fft.rfft(x)) ** 2)

    x = flow.tensor([1.0, 2.0, 4.0], requires_grad=True)
    power(x).backward()
    want = flow.grad(power)(np.array([1.0, 2.0, 4.0]))
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-6)


def stored_zeros(x):
    y = np.zeros(len(x), np.complex64)
    for i in range(len(x)):
        y[i] = np.complex64(0)
    y[0] = x[0]
    return np.sum(np.abs(y) ** 2)


@pytest.mark.filterwarnings("error")
def test_constants_of_single_precision_are_complex_to_all_passes():
    x = np.array([2.0, 1.0, 1.0], np.float32)
    value, gradient = flow.value_and_grad(flow.compile(stored_zeros, target="cpu"))(x)
    assert value == 4.0
    np.testing.assert_array_equal(gradient, [4.0, 0.0, 0.0])
