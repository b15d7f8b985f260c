"""Positions, nesting of results, outputs and error texts of grad, value_and_grad, vjp and jvp.

Nesting and texts are MindSpore's. The kinds of arguments that may be given are in
`transforms/test_kinds.py`, the kinds of functions in `transforms/test_functions.py`.
"""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.tree import leaves


def compiled(f):
    return flow.compile(f, target="python")


@compiled
def product(x, y):
    return x * x * y


@compiled
def with_aux(x, y):
    return x * x * y, x + y, 7.0 * x


def is_number(got, want):
    assert type(got) is float and got == pytest.approx(want)


X, Y, DX, DY, V = 3.0, 2.0, 12.0, 9.0, 18.0


# ---- nesting ----
@pytest.mark.parametrize(
    ("position", "gradient"),
    [(0, DX), ((0,), DX), (1, DY), ((1,), DY), ((0, 1), (DX, DY)), ((1, 0), (DY, DX))],
)
def test_nesting(position, gradient):
    aux = (X + Y, 7.0 * X)
    assert flow.grad(product, position)(X, Y) == gradient
    assert flow.value_and_grad(product, position)(X, Y) == (V, gradient)
    assert flow.grad(with_aux, position, has_aux=True)(X, Y) == (gradient, aux)
    assert flow.value_and_grad(with_aux, position, has_aux=True)(X, Y) == ((V, *aux), gradient)


def test_one_aux_output_is_a_tuple_of_one():
    @compiled
    def f(x):
        return x * x, x + 1.0

    assert flow.grad(f, has_aux=True)(X) == (6.0, (4.0,))


def test_the_default_position_is_the_first():
    assert flow.grad(product)(X, Y) == DX
    assert flow.value_and_grad(product)(X, Y) == (V, DX)


# ---- outputs ----
def test_a_result_that_is_not_scalar_is_summed():
    @compiled
    def f(x):
        return x * x

    value, gradient = flow.value_and_grad(f)(np.array([1.0, 2.0]))
    assert value.tolist() == [1.0, 4.0]
    assert gradient.tolist() == [2.0, 4.0]


def test_several_outputs_are_summed():
    @compiled
    def f(x):
        return x * x, {"b": np.array([1.0, 2.0]) * x}, 3

    value, gradient = flow.value_and_grad(f)(X)
    assert value[0] == 9.0 and value[1]["b"].tolist() == [3.0, 6.0] and value[2] == 3
    is_number(gradient, 2 * X + 3.0)


def test_aux_outputs_do_not_count_in_the_first_derivative_but_do_in_the_second():
    first = flow.grad(with_aux, has_aux=True)
    assert flow.grad(first, has_aux=True)(X, Y) == (2 * Y, ((X + Y, 7.0 * X),))
    # both outputs of `first` count: d/dx (2xy + x + y + 7x)
    is_number(flow.grad(first)(X, Y), 2 * Y + 8.0)


def test_an_unused_argument_has_zeros():
    @compiled
    def f(x, y):
        return np.sum(x)

    got = flow.grad(f, 1)(np.ones(2), np.ones((2, 3), np.float32))
    assert got.dtype == np.float32 and got.shape == (2, 3) and not got.any()


def test_the_same_array_at_two_positions_gets_a_gradient_each():
    @compiled
    def f(x, y):
        return np.sum(x * x * y)

    x = np.array([1.0, 2.0])
    dx, dy = flow.grad(f, (0, 1))(x, x)
    assert dx.tolist() == [2.0, 8.0] and dy.tolist() == [1.0, 4.0]


def test_the_callers_arrays_stay_as_they_were():
    @compiled
    def f(x):
        x *= 2.0
        x[0] = x[1]
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    value, gradient = flow.value_and_grad(f)(x)
    assert value == 32.0 and gradient.tolist() == [0.0, 32.0] and x.tolist() == [1.0, 2.0]
    assert f(x) == 32.0 and x.tolist() == [4.0, 4.0], "a plain call stores, as NumPy does"


# ---- errors ----
def function(x, y):
    return x * y


@pytest.mark.parametrize("transform", [flow.grad, flow.value_and_grad])
@pytest.mark.parametrize(
    ("position", "error", "text"),
    [
        (None, ValueError, "`grad_position` and `weight` can not be None at the same time."),
        (-1, ValueError, "grad_position must be >= 0."),
        ((0, -1), ValueError, "The element in grad_position must be >= 0."),
        ((1, 1), ValueError, "There are duplicate positions in `grad_position`, please check it"),
        ("x", TypeError, "For 'F.grad', the 'grad_position' must be int or tuple."),
        ([0], TypeError, "For 'F.grad', the 'grad_position' must be int or tuple."),
        ((0, "x"), TypeError, "For 'F.grad', the element in 'grad_position' must be int."),
    ],
)
def test_positions_are_checked_at_construction(transform, position, error, text):
    with pytest.raises(error) as caught:
        transform(function, position)
    assert isinstance(caught.value, flow.SrcgradError) and caught.value.reason == text
    assert caught.value.way_out == ("write a tuple: (0, 1)" if "int or tuple" in text else "")


BY_POSITION = (
    "grad", "value_and_grad", "elementwise_grad", "jacrev", "jacfwd", "jacobian", "value_and_jac",
    "hessian", "value_grad_hess", "hessian_diag", "laplacian",
)  # fmt: skip


@pytest.mark.parametrize("name", BY_POSITION)
@pytest.mark.parametrize("inside", [False, True])
def test_argnums_are_integers_of_any_class_and_grad_positions_ints(name, inside):
    def made(**by):
        transform = getattr(flow, name)
        if inside:
            return compiled(lambda x, y: transform(function, **by)(x, y))
        return transform(compiled(function), **by)

    for one in (np.int64(1), np.uint8(1)):
        assert leaves(made(argnums=one)(X, Y)) == leaves(made(argnums=1)(X, Y))
        with pytest.raises(TypeError, match="'grad_position' must be int or tuple"):
            made(grad_position=one)(X, Y)
    both = (np.int32(1), np.int64(0))
    assert leaves(made(argnums=both)(X, Y)) == leaves(made(argnums=(1, 0))(X, Y))
    with pytest.raises(TypeError, match="the element in 'grad_position' must be int"):
        made(grad_position=both)(X, Y)
    with pytest.raises(TypeError, match=r"must be (an )?int"):
        made(argnums=np.float64(1.0))(X, Y)


@pytest.mark.parametrize("name", BY_POSITION)
def test_positions_inside_that_are_arguments(name):
    transform = getattr(flow, name)
    f = compiled(lambda x, y, k: transform(function, k)(x, y))
    g = compiled(lambda x, y, k: transform(lambda a, b: a * b, argnums=(k,))(x, y))
    for k in (0, 1):
        assert leaves(f(X, Y, k)) == leaves(transform(compiled(function), k)(X, Y))
        assert leaves(g(X, Y, k)) == leaves(transform(compiled(function), (k,))(X, Y))


def test_positions_of_other_functions():
    for name in ("hvp", "vhp"):
        transform = getattr(flow, name)
        want = transform(compiled(function), 1)(X, Y, 1.0)
        assert transform(compiled(function), argnums=np.int64(1))(X, Y, 1.0) == want
    assert flow.custom_vjp(function, np.int64(1)).nondiff_argnums == (1,)


@pytest.mark.parametrize("transform", [flow.grad, flow.value_and_grad])
@pytest.mark.parametrize(
    ("position", "text"),
    [
        (2, "Position index 2 is exceed input size."),
        ((0, 5), "Position index 5 is exceed input size."),
        ((), "grad_position should not be empty when grad by position!"),
    ],
)
def test_positions_are_checked_at_the_call(transform, position, text):
    made = transform(function, position)
    with pytest.raises(RuntimeError) as caught:
        made(X, Y)
    assert str(caught.value).splitlines()[0] == text and isinstance(caught.value, flow.SrcgradError)


def test_has_aux_is_checked():
    text = "For '_Grad', the 'has_aux' should be bool, but got int"
    with pytest.raises(TypeError, match=text):
        flow.grad(function, has_aux=1)
    made = flow.grad(product, has_aux=True)
    with pytest.raises(ValueError, match="When has_aux is True, origin fn requires more than one"):
        made(X, Y)


@pytest.mark.parametrize("transform", [flow.grad, flow.value_and_grad, flow.compile, flow.vjp])
def test_what_cannot_be_called_is_refused(transform):
    with pytest.raises(TypeError, match="The fn should be callable, but got int"):
        transform(3)


@pytest.mark.parametrize("f", [np.bitwise_count, hash, bytes])
def test_what_has_no_source_is_refused(f):
    said = r"(is not supported.*\n.*call it outside)|(is not a Python function.*\n.*wrap it)"
    with pytest.raises(TypeError, match=said):
        flow.grad(f)


def test_results_without_a_gradient_are_refused():
    @compiled
    def f(x):
        return int(x)

    with pytest.raises(TypeError, match=r"f\(\) returns nothing that has a gradient"):
        flow.grad(f)(X)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda f: f(), "missing 2 required positional arguments: 'x' and 'y'"),
        (lambda f: f(X, Y, X), "takes 2 positional arguments but 3 were given"),
        (
            lambda f: f(X, z=Y),
            "missing 1 required positional argument: 'y'|unexpected keyword argument 'z'",
        ),
    ],
)
def test_calls_that_do_not_fit_the_signature(call, text):
    with pytest.raises(TypeError, match=text):
        call(flow.grad(function))
