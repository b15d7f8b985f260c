"""Instances of classes that `flow.tree.register` lets be structures."""

import copy
import pickle

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from tests.transforms.registered import (
    Base,
    Derived,
    Layer,
    Model,
    W,
    X,
    compiled,
    layer,
    loss,
    moved,
)


# ---- arguments, results, derivatives ----
def test_the_gradient_is_an_instance():
    value, g = flow.value_and_grad(loss)(layer(), X)
    assert value == pytest.approx(np.sum(0.5 * W * X) + np.sum(W * W))
    assert type(g) is Layer and (g.count, g.kind) == (None, "linear")
    np.testing.assert_allclose(g.w, 0.5 * X + 2 * W)
    assert g.scale == pytest.approx(np.sum(W * X))


def test_a_result_is_an_instance():
    out = moved(layer(), X)
    assert type(out) is Layer and not hasattr(out, "twice")  # as `made` makes it
    np.testing.assert_array_equal(out.w, W + X)
    assert (out.scale, out.count, out.kind) == (1.0, 4, "linear!")


def test_forward_and_reverse_agree():
    m = layer("tanh")
    dot = Layer(np.ones(3), 2.0, None, "tanh")
    value, along = flow.jvp(loss, (m, X), (dot, None))
    g = flow.grad(loss)(m, X)
    assert value == pytest.approx(loss(m, X))
    assert along == pytest.approx(np.sum(g.w) + 2.0 * g.scale)
    out, out_dot = flow.jvp(moved, (m, X), (dot, np.zeros(3)))
    assert type(out) is type(out_dot) is Layer and out_dot.scale == 4.0 and out_dot.count is None


def test_a_pullback_takes_and_gives_instances():
    out, pull = flow.vjp(moved, layer(), X)
    g, dx = pull(Layer(np.array([1.0, 2.0, 3.0]), 5.0, None, out.kind))
    np.testing.assert_array_equal(g.w, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(dx, [1.0, 2.0, 3.0])
    assert g.scale == 10.0
    with pytest.raises(ArgumentValueError, match="structure"):
        pull(3.0)


@pytest.mark.parametrize("jacobian", [flow.jacrev, flow.jacfwd])
def test_jacobians(jacobian):
    j = jacobian(moved)(layer(), X)
    assert type(j) is type(j.w) is Layer
    np.testing.assert_array_equal(j.w.w, np.eye(3))
    assert j.scale.scale == 2.0 and j.count is None and j.w.count is None


def test_has_aux_and_positions():
    @compiled
    def f(x, m):
        return np.sum(m(x)), m

    value, (g, dm) = flow.value_and_grad(f, (0, 1), has_aux=True)(X, layer())
    assert type(value[1]) is type(dm) is Layer
    np.testing.assert_array_equal(g, 0.5 * W)
    np.testing.assert_array_equal(dm.w, 0.5 * X)


def test_nested_instances_and_none():
    @compiled
    def f(m, x):
        for one in m.layers:
            x = one(x)
        return np.sum(x) if m.bias is None else np.sum(x + m.bias)

    m = Model([layer(), layer("tanh")])
    g = flow.grad(f)(m, X)
    assert type(g) is Model and g.bias is None and [type(v) for v in g.layers] == [Layer, Layer]
    h = flow.grad(f)(Model(m.layers, np.zeros(3)), X)
    np.testing.assert_array_equal(h.layers[0].w, g.layers[0].w)
    np.testing.assert_array_equal(h.bias, np.ones(3))
    assert len(flow.grad(f)(Model([layer()]), X).layers) == 1


def test_one_array_twice():
    @compiled
    def f(m):
        return np.sum(m.layers[0].w * m.layers[1].w)

    w = W.copy()
    g = flow.grad(f)(Model((Layer(w, 1.0, 1), Layer(w, 1.0, 1))))
    np.testing.assert_array_equal(g.layers[0].w, W)
    np.testing.assert_array_equal(g.layers[1].w, W)


def test_a_derived_class_comes_apart_as_registered():
    @compiled
    def f(v):
        return v.a * v.a * v.b

    g = flow.grad(f)(Derived(3.0, 2.0))
    assert type(g) is Derived and (g.a, g.b) == (12.0, 2.0)
    assert (flow.grad(f)(Base(3.0, 2.0)).b, flow.grad(f)(Derived(3.0, 5.0)).a) == (9.0, 30.0)


def test_a_class_derived_from_a_registered_one_is_not():
    class Other(Layer):
        """Not registered."""

    with pytest.raises(ArgumentTypeError, match="only floats have gradients"):
        flow.grad(compiled(lambda m: np.sum(m.w)))(Other(W, 1.0, 1))


# ---- static parts ----
def test_another_static_part_is_another_program():
    assert loss(layer("tanh"), X) == pytest.approx(np.sum(np.tanh(0.5 * W * X)) + np.sum(W * W))
    assert loss(layer(), X) == pytest.approx(np.sum(0.5 * W * X) + np.sum(W * W))


def test_static_numbers_are_told_apart_by_class_and_sign():
    class Power:
        """A base and a static exponent."""

        def __init__(self, x, n):
            self.x, self.n = x, n

    flow.tree.register(Power, lambda v: ([v.x], v.n), lambda n, parts: Power(parts[0], n))

    @compiled
    def f(v):
        return v.x * 0 + 7 // v.n if v.n else np.copysign(v.x, v.n)

    for n in (2, 2.5, 2.0, True, 0.0, -0.0, 1.0):
        got, want = f(Power(3, n)), f.function(Power(3, n))
        assert got == want and type(got) is type(want), n


def test_a_static_part_is_computed_from_what_is_known():
    @compiled
    def f(m, n):
        return Layer(m.w, m.scale, n, (m.kind, n))

    assert f(layer(), 4).kind == ("linear", 4)
    assert f(layer(), 5).kind == ("linear", 5)


# ---- captured instances ----
def test_a_captured_instance_is_read_at_each_call():
    m = Model([layer()])

    @compiled
    def f(x):
        return np.sum(m.layers[0](x))

    np.testing.assert_array_equal(flow.grad(f)(X), 0.5 * W)
    m.layers[0].w = -W  # a leaf is replaced
    np.testing.assert_array_equal(flow.grad(f)(X), -0.5 * W)
    m.layers[0].w[:] = 1.0  # and changed in place
    m.layers[0].scale = 2.0
    np.testing.assert_array_equal(flow.grad(f)(X), [2.0, 2.0, 2.0])
    m.layers[0].kind = "tanh"
    assert f(X) == pytest.approx(np.sum(np.tanh(2 * X)))
    m.layers.append(layer())  # another number of children
    m.layers[0] = layer()
    assert f(X) == pytest.approx(np.sum(0.5 * W * X))
    m = Model([Layer(np.zeros(3), 1.0, 1)])
    assert f(X) == 0.0


GLOBAL = layer()


def test_globals_methods_and_callables():
    by_global = compiled(lambda x: np.sum(GLOBAL(x)))
    for call in (by_global, lambda x: np.sum(flow.compile(GLOBAL, target="python")(x))):
        GLOBAL.scale = 0.5
        assert call(X) == pytest.approx(np.sum(0.5 * W * X))
        GLOBAL.scale = 0.75
        assert call(X) == pytest.approx(np.sum(0.75 * W * X))
    one = layer()
    method = flow.compile(one.__call__, target="python")
    np.testing.assert_allclose(method(X), 0.5 * W * X)
    one.w = X
    np.testing.assert_allclose(method(X), 0.5 * X * X)


def test_a_method_that_gives_the_instance_away_reads_it_at_each_call():
    class Held:
        """It returns its own leaves."""

        def __init__(self, a):
            self.a = a

        def parts(self, x):
            return [v * x for v in flow.tree.leaves(self)], self

    flow.tree.register(Held, lambda v: ((v.a,), None), lambda _, parts: Held(*parts))
    held = Held(2.0)
    f = flow.compile(held.parts, target="python")
    assert f(3.0)[0] == [6.0]
    held.a = 5.0
    (product,), again = f(3.0)
    assert (product, again.a) == (15.0, 5.0)


def test_captured_weights_as_children():
    w = flow.Parameter(flow.tensor([1.0, 2.0]), name="w")
    m = Model([w])

    @compiled
    def f(x):
        return (m.layers[0] * x).sum()

    g = flow.grad(f, None, weights=[w])(flow.tensor([3.0, 4.0]))
    np.testing.assert_array_equal(g[0].numpy(), [3.0, 4.0])


# ---- transforms and tree functions in compiled code ----
def test_a_gradient_inside():
    @compiled
    def step(m, x):
        g = flow.grad(loss)(m, x)
        return Layer(m.w - 0.1 * g.w, m.scale, m.count, m.kind)

    g = flow.grad(loss)(layer(), X)
    np.testing.assert_allclose(step(layer(), X).w, W - 0.1 * g.w)


def test_a_gradient_of_an_inner_function():
    @compiled
    def step(m, x):
        def inner(p):
            return np.sum(p(x)) * p.scale

        return flow.value_and_grad(inner)(m)[1]

    g = step(layer("tanh"), X)
    want = flow.grad(compiled(lambda p: np.sum(p(X)) * p.scale))(layer("tanh"))
    assert type(g) is Layer and g.count is None
    np.testing.assert_allclose(g.w, want.w)
    assert g.scale == pytest.approx(want.scale)


def test_a_tangent_inside():
    @compiled
    def f(m, x):
        return flow.jvp(loss, (m, x), (Layer(x, 0.0, None, m.kind), x))[1]

    want = flow.jvp(loss, (layer(), X), (Layer(X, 0.0, None), X))[1]
    assert f(layer(), X) == pytest.approx(want)


def test_map_and_leaves_inside():
    @compiled
    def f(m, x):
        g = flow.grad(loss)(m, x)
        new = flow.tree.map(lambda p, d: p if d is None else p - 0.1 * d, m, g)
        flat, structure = flow.tree.flatten(new)
        return flow.tree.unflatten(structure, [2 * v for v in flat]), len(flow.tree.leaves(m))

    new, count = f(layer(), X)
    g = flow.grad(loss)(layer(), X)
    np.testing.assert_allclose(new.w, 2 * (W - 0.1 * g.w))
    assert count == 3 and new.count == 6


def test_an_instance_that_a_rule_would_see_is_refused():
    @flow.custom_vjp
    def f(m):
        return np.sum(m.w)

    f.defvjp(lambda m: (np.sum(m.w), m), lambda m, g: (g * m.w,))
    with pytest.raises(UnsupportedError, match="registered class Layer"):
        flow.grad(compiled(lambda m: f(m) * 2.0))(layer())


# ---- tensors ----
def test_tensors_as_children():
    m = Layer(flow.tensor(W), 0.5, 3)
    g = flow.grad(compiled(lambda m, x: (m.w * x).sum() * m.scale))(m, flow.tensor(X))
    assert isinstance(g.w, flow.Tensor) and g.count is None
    np.testing.assert_allclose(g.w.numpy(), 0.5 * X)


# ---- outside ----
def test_pickle_and_copies():
    m = layer()
    for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m), copy.copy(m)):
        np.testing.assert_array_equal(again.w, m.w)
        assert again.twice is not None
    assert pickle.loads(pickle.dumps(Derived(1.0, 2.0))) == Derived(1.0, 2.0)


def test_structures():
    flat, structure = flow.tree.flatten({"m": layer(), "k": (1, None)})
    assert flat[1:] == [0.5, 3, 1, None]
    again = flow.tree.unflatten(structure, flat)
    assert again["m"].w is flat[0] and flow.tree.structure(again) == structure
    other = flow.tree.structure({"m": layer("tanh"), "k": (1, None)})
    assert structure != other and len({structure, other}) == 2
    assert repr(structure) == "Structure({'m': Layer['linear'](*, *, *), 'k': (*, *)})"
    with pytest.raises(ArgumentValueError, match="2 leaves for 5 places"):
        flow.tree.unflatten(structure, [1, 2])
    with pytest.raises(ArgumentValueError, match="structures differ"):
        flow.tree.map(lambda a, b: a, layer(), layer("tanh"))


def test_gradients_are_checked_by_differences():
    flow.testing.gradcheck(loss, (layer("tanh"), X))
