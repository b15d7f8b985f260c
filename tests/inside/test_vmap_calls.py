"""`vmap`: transforms of it and it of them, what calls it, stores and state."""

import pickle

import cloudpickle
import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import For
from srcgrad.passes.pipeline import lowering, run

RNG = np.random.default_rng(8)
W, X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))


def python(f):
    return flow.compile(f, target="python")


def loss(w, x, y):
    return np.sum((np.tanh(w @ x) - y) ** 2)


def square(x):
    return np.sin(x) * x


def summed(w, x, y):
    return np.sum([loss(w, x[k], y[k]) for k in range(5)])


def batch_of(f, *axes):
    return python(flow.vmap(f, *axes))


TRANSFORMS = {
    "grad": (lambda f: flow.grad(f), (W, X, Y)),
    "second": (lambda f: flow.grad(lambda w, x, y: np.sum(flow.grad(f)(w, x, y) ** 2)), (W, X, Y)),
    "value_and_grad": (lambda f: flow.value_and_grad(f, (0, 1)), (W, X, Y)),
    "jacrev": (lambda f: flow.jacrev(f, 1), (W, X, Y)),
    "jacfwd": (lambda f: flow.jacfwd(f, 2), (W, X, Y)),
    "hessian": (lambda f: flow.hessian(lambda w, x, y: np.sum(f(w, x, y))), (W, X, Y)),
    "checkpoint": (lambda f: flow.grad(outside(flow.checkpoint(f))), (W, X, Y)),
    "jvp": (lambda f: lambda w, x, y: flow.jvp(f, (w, x, y), (w, None, y))[1], (W, X, Y)),
    "vjp": (lambda f: lambda w, x, y: flow.vjp(f, w, x, y)[1](np.ones(5)), (W, X, Y)),
}  # fmt: skip


def outside(f):
    return lambda w, x, y: np.sum(f(w, x, y))


def in_a_loop(w, x, y):
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = loss(w, x[k], y[k])
    return out


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_a_batch(name):
    transform, args = TRANSFORMS[name]
    got = transform(batch_of(loss, (None, 0, 0)))(*args)
    want = transform(python(in_a_loop))(*args)
    for g, w in zip(flow.tree.leaves(got), flow.tree.leaves(want), strict=True):
        np.testing.assert_allclose(g, w, 1e-11, 1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_gradients_of_samples(target):
    of_samples = flow.vmap(flow.grad(flow.compile(loss, target=target)), (None, 0, 0))
    want = np.stack([flow.grad(python(loss))(W, X[k], Y[k]) for k in range(5)])
    np.testing.assert_allclose(of_samples(W, X, Y), want, 1e-12)
    of_tensor = of_samples(flow.tensor(W, requires_grad=True), flow.tensor(X), flow.tensor(Y))
    assert of_tensor.requires_grad
    np.testing.assert_allclose(of_tensor.detach().numpy(), want, 1e-12)


ITEMS = {
    "value_and_grad": flow.value_and_grad(square),
    "jacrev": flow.jacrev(square),
    "jacfwd": flow.jacfwd(square),
    "hessian": flow.hessian(lambda x: np.sum(x**3)),
    "checkpoint": flow.checkpoint(square),
    "jvp": lambda x: flow.jvp(square, (x,), (x * x,))[1],
    "vmap": flow.vmap(square),
    "twice": flow.vmap(flow.vmap(square)),
}


@pytest.mark.parametrize("name", ITEMS)
def test_batches_of_transforms(name):
    f, x = ITEMS[name], X[:, None] if name == "twice" else X
    got = batch_of(f)(x)
    want = [f(v) for v in x]
    columns = zip(*map(flow.tree.leaves, want), strict=True)
    for g, w in zip(flow.tree.leaves(got), columns, strict=True):
        np.testing.assert_allclose(g, np.stack(w), 1e-12)
    if not isinstance(got, tuple):
        grad = flow.grad(batch_of(f))(x)
        np.testing.assert_allclose(grad, np.stack([flow.grad(f)(v) for v in x]), 1e-11)


def test_inside_compiled_code():
    def total(w, x, y):
        grads = flow.vmap(flow.grad(loss), (None, 0, 0))(w, x, y)
        scaled = flow.vmap(lambda g, c: c * np.sum(g * g), in_axes=(0, 0))(grads, x[:, 0])
        return np.sum(scaled)

    def by_hand(w, x, y):
        s = 0.0
        for k in range(len(x)):
            s = s + x[k, 0] * np.sum(flow.grad(loss)(w, x[k], y[k]) ** 2)
        return s

    for f in (lambda g: g, lambda g: flow.grad(g, (0, 1, 2))):
        got, want = f(python(total))(W, X, Y), f(python(by_hand))(W, X, Y)
        for g, w in zip(flow.tree.leaves(got), flow.tree.leaves(want), strict=True):
            np.testing.assert_allclose(g, w, 1e-11)


class Line:
    def __init__(self, slope, start, name):
        self.slope, self.start, self.name = slope, start, name


def test_registered_classes():
    flow.tree.register(
        Line, lambda v: ((v.slope, v.start), v.name), lambda name, parts: Line(*parts, name)
    )

    def moved(line, x):
        return Line(line.slope * x, line.start + np.sum(x), "moved")

    lines, shared = Line(X, np.arange(5.0), "many"), Line(X[0], 2.0, "one")
    out = batch_of(moved)(lines, X)
    np.testing.assert_allclose(out.slope, X * X)
    np.testing.assert_allclose(out.start, np.arange(5.0) + X.sum(axis=1))
    assert out.name == "moved"
    slopes = flow.grad(batch_of(lambda v, x: np.sum(v.slope * x) * v.start))(lines, X).slope
    np.testing.assert_allclose(slopes, X * np.arange(5.0)[:, None])
    np.testing.assert_allclose(batch_of(moved, (None, 0))(shared, X).slope, X[0] * X)


def test_cells():
    net = flow.nn.Dense(4, 3)
    x = flow.tensor(X.astype(np.float32))

    def of_sample(x):
        return (net(x) ** 2).sum()

    def of_all(x):
        return (net(x) ** 2).sum()

    weights = net.trainable_params()
    np.testing.assert_allclose(flow.vmap(net)(x).asnumpy(), net(x).asnumpy(), 1e-5, 1e-6)
    by_sample = flow.vmap(flow.grad(of_sample, None, weights))(x)
    of_batch = flow.grad(flow.vmap(of_sample), None, weights)(x)
    for each, whole, want in zip(
        by_sample, of_batch, flow.grad(of_all, None, weights)(x), strict=True
    ):
        np.testing.assert_allclose(each.asnumpy().sum(axis=0), want.asnumpy(), 1e-4, 1e-5)
        np.testing.assert_allclose(whole.asnumpy(), want.asnumpy(), 1e-4, 1e-5)
    assert flow.ops.vmap is flow.vmap


# ---- stores and state ----
def test_stores_reach_the_callers_array():
    def halved(x, w):
        x[0] = 0.5 * x[0]
        w[0] = w[0] + x[0]
        return np.sum(x) * w[0]

    for axis, x in ((0, X.copy()), (1, X.T.copy())):
        mine, w = x.copy(), np.ones(2)
        items = x if axis == 0 else x.T
        want_w = np.ones(2)
        want = [halved(v, want_w) for v in items]
        np.testing.assert_allclose(batch_of(halved, (axis, None))(mine, w), want)
        np.testing.assert_allclose(mine, x)
        np.testing.assert_allclose(w, want_w)


def test_a_gradient_leaves_the_callers_array():
    def halved(x):
        x[0] = 0.5 * x[0]
        return np.sum(x * x)

    x = X.copy()
    got = flow.grad(batch_of(halved))(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(got, np.concatenate((0.5 * X[:, :1], 2.0 * X[:, 1:]), 1))


def test_one_array_as_both_arguments():
    def moved(x, y):
        x[:] = x + y[0]
        return np.sum(x)

    both, want = X.copy(), X.copy()
    sums = [moved(v, u) for v, u in zip(want, want, strict=True)]
    np.testing.assert_allclose(batch_of(moved)(both, both), sums)
    np.testing.assert_allclose(both, want)


def test_results_own_their_memory():
    x = X.copy()
    out = batch_of(lambda v: v)(x)
    out[:] = 0.0
    np.testing.assert_array_equal(x, X)


def test_state_of_a_closure():
    def running(x):
        seen = [0.0]

        def add(v):
            seen[0] = seen[0] + v
            return v * seen[0]

        return flow.vmap(add)(x), seen[0]

    got, last = python(running)(np.arange(4.0))
    np.testing.assert_array_equal(got, [0.0, 1.0, 6.0, 18.0])
    assert last == 6.0


def test_a_container_that_items_share():
    def counted(x, d):
        d["n"] = d["n"] + 1
        return x * d["n"]

    d = {"n": 0}
    np.testing.assert_array_equal(batch_of(counted, (0, None))(np.ones(3), d), [1.0, 2.0, 3.0])
    assert d == {"n": 3}


def test_captured_arrays_are_read_at_each_call():
    scale = np.ones(4)
    fn = batch_of(lambda x: x * scale)
    np.testing.assert_array_equal(fn(X), X)
    scale[:] = 2.0
    np.testing.assert_array_equal(fn(X), 2.0 * X)


# ---- other ways to call it ----
def test_what_the_compiler_refuses_is_computed_item_by_item():
    def caught(x, d):
        try:
            return x.nothing()
        except AttributeError:
            return {"a": x * d, "b": None}

    fn = flow.vmap(caught, in_axes=(1, None), out_axes=-1)
    x = flow.tensor(X, requires_grad=True)
    out = fn(x, 2.0)
    assert out["b"] is None
    out["a"].sum().backward()
    np.testing.assert_array_equal(out["a"].detach().numpy(), 2.0 * X)
    np.testing.assert_array_equal(x.grad.numpy(), np.full((5, 4), 2.0))


@flow.vmap
def decorated(x):
    return 3.0 * x


def test_pickles():
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(decorated))(X), 3.0 * X)
    of_loss = pickle.loads(pickle.dumps(batch_of(loss, (None, 0, 0))))
    np.testing.assert_allclose(of_loss(W, X, Y), in_a_loop(W, X, Y))
    sent = cloudpickle.loads(cloudpickle.dumps(batch_of(lambda x: W @ x)))
    np.testing.assert_allclose(sent(X), X @ W.T)


def test_batches_made_anew_are_built_once(builds):
    for k in range(4):
        flow.vmap(python(lambda x: x * float(k)))(X)  # noqa: B023  (called here)
    assert len(builds) == 2  # a number that changes becomes an input
    for _ in range(12):  # other functions of one signature
        flow.vmap(python(square))(X)
    assert len(builds) == 3


@pytest.fixture
def builds(monkeypatch):
    made = []
    build = flow.Compiled._built
    monkeypatch.setattr(flow.Compiled, "_built", lambda *a: made.append(a[0]) or build(*a))
    return made


SPLIT = {
    "gradients of samples": lambda: (flow.vmap(flow.grad(loss), (None, 0, 0)), (W, X, Y)),
    "buffers": lambda: (flow.vmap(lambda x: np.cumsum(np.sin(x))), (X,)),
    "other axes": lambda: (flow.vmap(lambda x: x + np.sum(x), 1, 1), (X,)),
    "a while": lambda: (flow.vmap(halved), (X[:, 0] + 3.0,)),
}


def halved(x):
    while x > 0.5:
        x = 0.5 * x
    return x


@pytest.mark.parametrize("name", SPLIT)
def test_loops_are_split_among_cores(name):
    fn, args = SPLIT[name]()
    fn = python(fn)
    fn(*args)
    (entry,) = [e for found in fn._entries.values() for e in found]
    lowered = run(entry.whole.function, lowering(in_chunks=True))
    loops = [s.independent for s in lowered.body if isinstance(s, For)]
    assert loops and all(loops)
