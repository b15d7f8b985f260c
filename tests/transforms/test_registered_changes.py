"""Instances of registered classes that compiled code makes, stores to or changes."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.transforms.registered import Layer, Model, W, X, compiled, layer, loss


# ---- changes ----
def test_an_instance_that_is_given_is_not_changed():
    def shortened(m):
        m.layers.append(1.0)
        return m.layers[0]

    def set_attribute(m):
        m.bias = 2.0
        return m.layers[0]

    for f in (shortened, set_attribute):
        m = Model([1.0])
        with pytest.raises(UnsupportedError, match="cannot be changed"):
            compiled(f)(m)
        assert m.layers == [1.0] and m.bias is None


def test_arrays_of_an_instance_are_stored_to():
    @compiled
    def doubled(m):
        m.w *= 2.0
        return m.w[0]

    @compiled
    def stored(m):
        m.w[:] = 2.0 * m.w
        return m.w[0]

    m = layer()
    assert stored(m) == 2 * W[0]
    np.testing.assert_array_equal(m.w, 2 * W)
    g = flow.grad(stored)(m)
    np.testing.assert_array_equal(g.w, [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(m.w, 2 * W)  # a transform works on copies


def test_what_is_made_inside_may_be_changed():
    @compiled
    def f(x):
        m = Layer(x, 1.0, 0)
        for k in range(3):
            m.w = m.w * x
            m.count = m.count + k
        if np.sum(x) > 0:
            m.scale = 2.0
        return m

    out = f(X)
    np.testing.assert_allclose(out.w, X**4)
    assert (out.count, out.scale, f(-X).scale) == (3, 2.0, 1.0)
    g = flow.grad(lambda x: np.sum(f(x).w))(X)
    np.testing.assert_allclose(g, 4 * X**3)


def test_one_of_several_instances_is_not_changed():
    def f(m, x):
        p = m if x > 0 else Model([2.0], 3.0)
        first = p.layers[0]
        p.bias = 2.0
        return first

    with pytest.raises(UnsupportedError, match="registered class that is given or captured"):
        compiled(f)(Model([1.0], 1.0), 1.0)
    assert compiled(lambda m, x: (m if x > 0 else layer()).scale)(layer(), 1.0) == layer().scale


def test_one_of_several_captured_lists_is_not_changed():
    held = [1.0, 2.0]

    def f(x):
        p = held if x > 0 else [3.0, 4.0]
        p[0] = 7.0
        return p[0] * x

    with pytest.raises(UnsupportedError, match="only known at run time"):
        compiled(f)(1.0)


def test_attributes_that_unflatten_does_not_make():
    class Counted:
        """It has a state of its own, and a class attribute of the same name."""

        calls = 0

        def __init__(self, x):
            self.x = x

    flow.tree.register(Counted, lambda v: ((v.x,), None), lambda _, parts: Counted(*parts))

    @compiled
    def f(v):
        return v.x * v.calls

    value = Counted(2.0)
    g = compiled(lambda x: x * value.calls)
    assert f(value) == g(2.0) == 0.0
    value.calls = 3
    for call in (lambda: f(value), lambda: g(2.0)):
        with pytest.raises(UnsupportedError, match="unflatten of Counted does not make 'calls'"):
            call()
    assert f(Counted(2.0)) == 0.0
    with pytest.raises(UnsupportedError, match="does not make 'twice'"):
        compiled(lambda m: np.sum(m.twice))(layer())


def test_a_state_that_unflatten_sets_to_a_constant():
    class Moded:
        """What `flatten` does not return is set by `unflatten`."""

        def __init__(self, x, mode="train"):
            self.x, self.mode, self.rates = x, mode, [1, 2]

    flow.tree.register(Moded, lambda v: ((v.x,), None), lambda _, parts: Moded(*parts))
    f = compiled(lambda v: v.x * v.rates[0] * (2.0 if v.mode == "train" else 1.0))
    value = Moded(3.0)
    assert f(value) == 6.0
    value.mode = "eval"
    with pytest.raises(UnsupportedError, match="does not make 'mode'"):
        f(value)
    value.mode = "train"
    value.rates[0] = 5
    with pytest.raises(UnsupportedError, match="does not make 'rates'"):
        f(value)


def test_training_in_a_loop():
    @compiled
    def trained(m, x, n):
        for _ in range(n):
            g = flow.grad(loss)(m, x)
            m = flow.tree.map(lambda p, d: p if d is None else p - 0.1 * d, m, g)
        return m

    want = layer("tanh")
    for _ in range(5):
        g = flow.grad(loss)(want, X)
        want = flow.tree.map(lambda p, d: p if d is None else p - 0.1 * d, want, g)
    got = trained(layer("tanh"), X, 5)
    np.testing.assert_allclose(got.w, want.w)
    assert got.scale == pytest.approx(want.scale) and (got.count, got.kind) == (3, "tanh")


def test_a_child_that_must_be_known():
    @compiled
    def f(m):
        return np.sum(np.ones(m.count) * m.scale) + np.ones((2,) * m.count).size

    assert [f(Layer(W, 0.5, n)) for n in (1, 3)] == [2.5, 9.5]
    assert flow.grad(f)(Layer(W, 0.5, 3)).scale == 3.0
