"""Functions in PyTensor's graphs: values and gradients are those of PyTensor's own operations."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

import srcgrad as flow

A = np.array([0.3, 0.7])


def alike(got, want, given):
    for a, b in zip(got, want, strict=True):
        run = pytensor.function([*given], [a, b], on_unused_input="ignore")
        np.testing.assert_allclose(*run(*given.values()), 1e-10)


def test_a_number_to_second_order():
    f, x = flow.to_pytensor(lambda x: np.sum(np.sin(x) * x)), pt.dvector("x")
    got, want = f(x), pt.sum(pt.sin(x) * x)
    first = [pytensor.grad(v, x) for v in (got, want)]
    second = [pytensor.grad(pt.sum(g * g), x) for g in first]
    alike([got, first[0], second[0]], [want, first[1], second[1]], {x: A})


def test_several_results_and_integers():
    f = flow.to_pytensor(
        lambda x, y, n: (x * np.sin(y) * n, np.sum(x)), lambda x, *_: [x, pt.dscalar]
    )
    x, y, n = pt.dvector("x"), pt.dvector("y"), pt.lscalar("n")
    given = {x: A, y: A + 1.0, n: 3}
    u, s = f(x, y, n)
    mine = (pt.sum(x * pt.sin(y) * n), pt.sum(x))
    got = pytensor.grad(pt.sum(u**2) * s, [x, y])
    want = pytensor.grad(pt.sum((x * pt.sin(y) * n) ** 2) * mine[1], [x, y])
    alike(got, want, given)
    alike([pytensor.grad(s * 2.0, x)], [pytensor.grad(mine[1] * 2.0, x)], given)
    with pytest.raises(Exception, match=r"[Uu]ndefined"):
        pytensor.grad(pt.sum(u), n).eval(given)


def test_results_of_another_form_are_refused():
    f, x = flow.to_pytensor(lambda x: x * 2.0), pt.dvector("x")
    with pytest.raises(TypeError, match=r"shape \(2,\), but `result` states"):
        pytensor.function([x], f(x))(A)


def incremented(v):
    """PyTensor adds in place where it believes that nobody else has the memory."""
    return pt.inc_subtensor(v[0], 5.0)


def test_results_have_memory_of_their_own():
    x, held = pt.dvector("x"), np.ones(2)
    same = flow.to_pytensor(lambda x: x, lambda t: t)
    twice = flow.to_pytensor(lambda x: (x * 2.0,) * 2, lambda t: [t, t])
    captured = flow.to_pytensor(lambda x: held, lambda t: t)
    z = pt.exp(x)
    a, b = twice(x)
    run = pytensor.function([x], [incremented(same(z)), z, incremented(a), b, same(x) * 3.0 + 1.0])
    given = np.zeros(2)
    for got, want in zip(run(given), ([6, 1], [1, 1], [5, 0], [0, 0], [1, 1]), strict=True):
        np.testing.assert_array_equal(got, want)
    pytensor.function([x], incremented(captured(x)), on_unused_input="ignore")(given)
    assert held.tolist() == [1.0, 1.0] and given.tolist() == [0.0, 0.0]


def test_stores_to_inputs_are_refused():
    def stores(x):
        x[0] = 5.0
        return np.sum(x)

    x, given = pt.dvector("x"), np.ones(2)
    with pytest.raises(ValueError, match="read-only"):
        pytensor.function([x], flow.to_pytensor(stores)(x))(given)
    assert given.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("f", "result"),
    [
        (lambda x: x * 1j, lambda t: t),
        (lambda x: x * 0.5, pt.lvector),
        (lambda x: x, pt.TensorType("float64", (3,))),
    ],
)
def test_what_the_stated_type_cannot_hold_is_refused(f, result):
    x = pt.dvector("x")
    with pytest.raises(TypeError, match="but `result` states"):
        pytensor.function([x], flow.to_pytensor(f, result)(x))(A)


def test_complex_inputs_are_refused():
    with pytest.raises(flow.UnsupportedError, match="complex numbers"):
        flow.to_pytensor(lambda z: np.sum(np.abs(z)))(pt.zvector())
