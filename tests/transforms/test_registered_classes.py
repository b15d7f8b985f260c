"""Instances of classes that `flow.tree.register` lets be structures."""

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError


class Layer:
    """Weights, a scale, a count, and what it does with them."""

    def __init__(self, w, scale, count, kind="linear"):
        self.w, self.scale, self.count, self.kind = w, scale, count, kind
        self.twice = 2 * w

    def __call__(self, x):
        y = self.scale * (self.w * x)
        return np.tanh(y) if self.kind == "tanh" else y

    @property
    def size(self):
        return np.sum(self.w * self.w)


flow.tree.register(
    Layer, lambda v: ((v.w, v.scale, v.count), v.kind), lambda kind, parts: made(kind, parts)
)


def made(kind, parts):
    layer = object.__new__(Layer)
    layer.w, layer.scale, layer.count = parts
    layer.kind = kind
    return layer


class Model:
    """Registered classes in a registered class."""

    def __init__(self, layers, bias=None):
        self.layers, self.bias = layers, bias


flow.tree.register(Model, lambda m: ((m.layers, m.bias), None), lambda _, parts: Model(*parts))


@dataclass(frozen=True)
class Base:
    """A dataclass as it is known without registration."""

    a: float
    b: float


@dataclass(frozen=True)
class Derived(Base):
    """A registered class derived from it: `b` is no child."""

    b: float = 0.0


def derived(b, parts):
    value = object.__new__(Derived)
    object.__setattr__(value, "a", parts[0])
    object.__setattr__(value, "b", b)
    return value


flow.tree.register(Derived, lambda v: ((v.a,), v.b), derived)

W = np.array([0.3, -0.7, 0.2])
X = np.array([1.0, 2.0, 3.0])


def layer(kind="linear", w=W):
    return Layer(w.copy(), 0.5, 3, kind)


def compiled(f):
    return flow.compile(f, target="python")


@compiled
def loss(m, x):
    return np.sum(m(x)) + m.size


@compiled
def moved(m, x):
    return Layer(m.w + x, m.scale * 2.0, m.count + 1, m.kind + "!")


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

    with pytest.raises(UnsupportedError, match="only known at run time"):
        compiled(f)(Model([1.0], 1.0), 1.0)
    with pytest.raises(UnsupportedError, match="with other attributes on one path"):
        compiled(lambda m, x: (m if x > 0 else layer()).scale)(layer(), 1.0)


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


# ---- what is refused ----
def kind(flatten, unflatten):
    """A class with these two functions, which holds one value and a name."""

    class Thing:
        """It is registered."""

        def __init__(self, x, name=None):
            self.x, self.name = x, name

    HELD[0] = Thing
    flow.tree.register(Thing, flatten, unflatten)
    return Thing


HELD = [object]


def first(static, parts):
    return HELD[0](parts[0], static)


def line_of(function):
    return f"{__file__}:{function.__code__.co_firstlineno}"


def no_pair(v):
    return v.x


def three(v):
    return v.x, v.name, None


def bare_child(v):
    return v.x, v.name


def unhashable(v):
    return (v.x,), {"name": v.name}


def new_arrays(v):
    return (v.x + 0.0,), v.name


def named_child(v):
    return (v.x, [v.name]), None


def in_turn(v):
    v.turn = not getattr(v, "turn", False)
    return ((v.x,) if v.turn else (v.x, v.x)), v.name


REFUSED = [
    (no_pair, "no pair"),
    (three, "3 values"),
    (bare_child, "neither a tuple nor a list"),
    (unhashable, "not hashable (a dict)"),
    (new_arrays, "new arrays each time"),
    (named_child, "child 1 of Thing is a string in it"),
    (in_turn, "in two ways"),
]


def plain(v):
    return (v.x,), v.name


@pytest.mark.parametrize(("flatten", "text"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("captured", [False, True])
def test_what_flatten_does_wrong(flatten, text, captured):
    value = kind(flatten, first)(X.copy(), "name")
    if captured:
        f, args = compiled(lambda x: np.sum(value.x * x)), (X,)
    else:
        f, args = compiled(lambda v: np.sum(v.x)), (value,)
    with pytest.raises(ArgumentTypeError) as caught:
        f(*args)
    assert text in str(caught.value) and line_of(flatten) in str(caught.value)
    assert "Thing" in str(caught.value) and caught.value.way_out


def converts(name, parts):
    thing = object.__new__(HELD[0])
    thing.x, thing.name = np.array(parts[0], float), name
    return thing


def raises(name, parts):
    if parts[0] is None:
        raise ValueError("no x")
    return HELD[0](parts[0], name)


def another_class(name, parts):
    return parts


def forgets(name, parts):
    return HELD[0](parts[0])


@pytest.mark.parametrize(
    ("unflatten", "text"),
    [
        (converts, "converts or copies its children"),
        (another_class, "returns tuple"),
        (forgets, "another static part"),
    ],
)
def test_what_unflatten_does_wrong(unflatten, text):
    thing = kind(plain, unflatten)
    with pytest.raises(ArgumentTypeError) as caught:
        compiled(lambda v: np.sum(v.x))(thing(X, "name"))
    assert text in str(caught.value) and line_of(unflatten) in str(caught.value)
    assert "object.__new__(Thing)" in str(caught.value)


def test_an_unflatten_that_wants_no_none():
    thing = kind(plain, raises)
    f = flow.grad(compiled(lambda c: np.sum(c["v"].x) * c["y"]))
    with pytest.raises(ArgumentTypeError, match="fails: ValueError: no x"):
        f({"v": thing(3), "y": 2.0})  # the gradient by an integer is None


def test_the_way_out_of_an_unflatten_that_converts():
    class Thing:
        """It converts, in its constructor alone."""

        def __init__(self, x):
            self.x = np.array(x, float)

    def unflatten(_, parts):
        made = object.__new__(Thing)
        (made.x,) = parts
        return made

    flow.tree.register(Thing, lambda v: ((v.x,), None), unflatten)
    g = flow.grad(compiled(lambda v: np.sum(v.x * v.x)))(Thing([1, 2]))
    np.testing.assert_array_equal(g.x, [2.0, 4.0])


def test_a_static_part_that_is_computed():
    thing = kind(plain, first)

    def f(x):
        return thing(x, x * 2.0)

    with pytest.raises(ArgumentTypeError, match="in the static part, which") as e:
        compiled(f)(3.0)
    assert line_of(plain) in str(e.value) and "make it a child" in str(e.value)


def test_what_cannot_be_registered():
    def register(cls):
        flow.tree.register(cls, plain, lambda static, parts: None)

    class Numbers(list):
        """A list."""

    for cls in (Layer, Derived):
        with pytest.raises(ArgumentValueError, match=f"{cls.__name__} is registered already"):
            register(cls)
    for cls in (Numbers, tuple, dict, float, np.ndarray, flow.Tensor, flow.Parameter, object, str):
        with pytest.raises(ArgumentTypeError, match="srcgrad knows what its instances are"):
            register(cls)
    with pytest.raises(ArgumentTypeError, match="takes a class"):
        register(layer())
    with pytest.raises(ArgumentTypeError, match="unflatten of Loose is no function"):
        flow.tree.register(type("Loose", (), {}), plain, None)
