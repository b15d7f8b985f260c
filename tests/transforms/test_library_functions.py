"""Transforms of functions of the libraries themselves: `flow.grad(np.sin)`."""

import ast
import functools
import math
import pickle

import numpy as np
import pytest
import scipy.special

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.support.samples import SAMPLES, SPACE, Sample, inputs, made
from tests.tools.structures import copied, same
from tests.tools.turns import share

pytestmark = [
    pytest.mark.usefixtures("quiet"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def on_python(f):
    return flow.compile(f, target="python")


def outcome(run):
    """What a call gives, or the class of what it raises."""
    try:
        return run()
    except Exception as e:
        return type(e).__name__


def called(sample: Sample):
    """The arguments of a sample's call, and a function of them that makes the same call."""
    call = ast.parse(sample.line, mode="eval").body
    if not isinstance(call, ast.Call) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if isinstance(call.func, ast.Call):  # of what the function gives
        return None
    scope = {**SPACE, **inputs()}

    def value(node):
        return eval(compile(ast.Expression(node), "<argument>", "eval"), scope)

    args, kwargs = [value(a) for a in call.args], {k.arg: value(k.value) for k in call.keywords}
    names = [f"a{k}" for k in range(len(args))]
    given = ", ".join([*names, *(f"{n}={n}" for n in kwargs)])
    taken = ", ".join([*names, *kwargs])
    return args, kwargs, made(f"def call({taken}):\n    return {sample.name}({given})\n")


def is_float(v) -> bool:
    return isinstance(v, float) or (isinstance(v, np.ndarray) and v.dtype.kind == "f")


@pytest.mark.parametrize("sample", share(SAMPLES), ids=lambda s: s.line)
def test_a_function_is_what_a_function_that_calls_it_is(sample):
    found = called(sample)
    if found is None:  # what it gives is taken apart
        return
    args, kwargs, around = found
    transforms = [lambda f: f, *([flow.grad] if args and is_float(args[0]) else [])]
    for transform in transforms:

        def run(f, transform=transform):
            return outcome(lambda: transform(on_python(f))(*copied(args), **copied(kwargs)))

        assert same(run(sample.function), run(around))


X, A = np.array([0.3, 0.5]), np.array([[2.0, 0.1], [0.3, 1.0]])
ROWS = [
    (np.sin, (X,), 0, np.cos(X)), (math.sin, (0.3,), 0, math.cos(0.3)), (abs, (-0.3,), 0, -1.0),
    (np.dot, (X, 2 * X), 1, X), (np.add.reduce, (X,), 0, np.ones(2)), (float, (0.3,), 0, 1.0),
    (np.linalg.det, (A,), 0, np.linalg.det(A) * np.linalg.inv(A).T), (np.float64, (0.3,), 0, 1.0),
    (scipy.special.logsumexp, (X,), 0, scipy.special.softmax(X)),
    (np.einsum, ("i,i->", X, 2 * X), 1, 2 * X), (np.where, (X > 0.4, X, 2 * X), 2, [1.0, 0.0]),
    (functools.partial(np.sum, axis=0), (A,), 0, np.ones((2, 2))),
    (np.vectorize(lambda v: v * v), (X,), 0, 2 * X),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "position", "wanted"), ROWS)
def test_gradients(f, args, position, wanted):
    value, g = flow.value_and_grad(on_python(f), position)(*args)
    np.testing.assert_allclose(g, wanted, rtol=1e-12)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)


def test_every_transform():
    assert flow.vjp(on_python(np.dot), X, 2 * X)[1](1.0)[0].tolist() == [0.6, 1.0]
    assert len(flow.vjp(on_python(np.dot), X, X)[1](1.0)) == 2
    out, dot = flow.jvp(on_python(np.multiply), (X, X), (X, None))
    assert out.tolist() == dot.tolist() == (X * X).tolist()
    np.testing.assert_allclose(flow.jacrev(on_python(np.sin))(X), np.diag(np.cos(X)))
    np.testing.assert_allclose(flow.hessian(on_python(np.prod))(X), [[0.0, 1.0], [1.0, 0.0]])
    assert flow.grad(on_python(np.sum))(A, axis=0).tolist() == np.ones((2, 2)).tolist()


def test_inside_a_compiled_function():
    f = on_python(lambda x: flow.grad(np.sin)(x) + flow.value_and_grad(np.sum)(x)[1])
    np.testing.assert_allclose(f(X), np.cos(X) + 1.0)


def test_on_tensors():
    x = flow.tensor([0.3, 0.5])
    for f in (np.sin, flow.sin, flow.nn.functional.sigmoid):
        g = flow.grad(f)(x)
        wanted = x.numpy()
        wanted = np.cos(wanted) if f.__name__ == "sin" else 1 / (2 + 2 * np.cosh(wanted))
        np.testing.assert_allclose(g.numpy(), wanted, rtol=1e-6)


def test_on_the_cpu():
    np.testing.assert_allclose(flow.grad(np.sin)(X), np.cos(X), rtol=1e-15)


def test_names_in_errors():
    with pytest.raises(TypeError, match=r"argument 'x' of sin\(\) is the number 3"):
        flow.grad(np.sin)(3)
    with pytest.raises(TypeError, match=r"sin\(\) takes 1 positional argument but 2 were given"):
        flow.grad(np.sin)(X, X)
    with pytest.raises(ValueError, match="could not be broadcast together") as e:
        flow.grad(on_python(np.add))(X, np.ones(3))
    assert len(str(e.value).splitlines()) == 1  # no line of a text that nobody wrote


def test_they_pickle():
    assert pickle.loads(pickle.dumps(flow.grad(on_python(np.sin))))(0.3) == math.cos(0.3)


def test_two_functions_of_one_signature_are_two():
    gradients = [flow.grad(on_python(f))(0.3) for f in (np.sin, np.cos, np.exp, math.sin)]
    assert gradients == pytest.approx([np.cos(0.3), -np.sin(0.3), np.exp(0.3), np.cos(0.3)])


def test_a_parameter_with_the_name_of_the_function():
    class Named:
        __name__ = "x"

        def __call__(self, x):
            return x * x

    assert flow.grad(on_python(Named()))(3.0) == 6.0


# ---- subscripts of einsum as integers, which belong to the signature ----
SUBSCRIPTS = [((0, 1), (1, 2), (0, 2)), ([0, 1], [1, 2], [2, 0]), ((..., 1), (1, 7), (..., 7))]


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_subscripts_of_einsum_are_arguments(target):
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    value_and_grad = flow.value_and_grad(total_of_einsum, target=target)
    for a, b, c in SUBSCRIPTS:
        value, gradient = value_and_grad(x, a, y, b, c)
        assert value == np.sum(np.einsum(x, a, y, b, c) ** 2)
        np.testing.assert_allclose(gradient, 2.0 * (x @ y) @ y.T)


def total_of_einsum(x, a, y, b, c):
    return np.sum(np.einsum(x, a, y, b, c) ** 2)


@pytest.mark.parametrize("subscripts", [(0, 52), (0, -1), (0, 1.0), (0, None)])
def test_subscripts_that_are_no_letters_are_refused(subscripts):
    x = np.ones((2, 3))
    with pytest.raises((ValueError, TypeError)) as numpys:
        np.einsum(x, subscripts)
    with pytest.raises(UnsupportedError) as ours:
        flow.compile(lambda x: np.einsum(x, subscripts), target="python")(x)
    assert isinstance(ours.value, numpys.type)
