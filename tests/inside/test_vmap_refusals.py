"""`vmap`: empty batches, wrong calls, and results that depend on more than an item."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ReturnTypeError, UnsupportedError

RNG = np.random.default_rng(8)
W, X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))


def python(f):
    return flow.compile(f, target="python")


def batch_of(f, *axes):
    return python(flow.vmap(f, *axes))


def test_empty_batches():
    none = np.zeros((0, 3))
    assert batch_of(lambda x: (x[1:], np.sum(x), 2))(none)[0].shape == (0, 2)
    assert batch_of(lambda x: x[:, None] * x, 0, 2)(none).shape == (3, 3, 0)
    assert flow.grad(batch_of(lambda x: x * x))(none).shape == (0, 3)
    parts = batch_of(lambda x: (x[::2], x[: len(x) // 2], x[-5:], np.arange(2 * len(x)), x[1::-1]))
    assert [v.shape[1] for v in parts(none)] == [2, 1, 3, 6, 2]
    assert batch_of(lambda x: np.zeros(max(len(x) - 5, 0)))(none).shape == (0, 0)
    for f, axes in ((lambda x: x[x > 0.0], 0), (lambda x: 2.0, None)):
        with pytest.raises(ValueError, match="empty batch"):
            batch_of(f, 0, axes)(none)


def test_an_item_that_raises():
    def checked(x):
        if len(x) < 5:
            raise KeyError("too short")
        return np.zeros(len(x) - 5)

    with pytest.raises(KeyError, match="too short"):
        batch_of(checked)(X)


WRONG = [
    ((X, Y.T), {}, ValueError, "axis 0 of x has size 5, axis 0 of y has size 3"),
    ((X, Y), {"in_axes": (0, 1)}, ValueError, "axis 0 of x has size 5, axis 1 of y has size 3"),
    ((X, 2.0), {}, ValueError, "'y' along axis 0, which implies that its rank"),
    ((X, X), {"in_axes": (0, -3)}, ValueError, "should be at least 3, but is only 2"),
    ((X, "a"), {}, ValueError, "'y' along axis 0, but it is a string"),
    ((X, X), {"in_axes": (0,)}, ValueError, "len(in_axes)=1, len(args)=2"),
    ((X, X), {"in_axes": None}, ValueError, "at least one non-None value in in_axes"),
    ((X, X), {"in_axes": (0, (0, 1))}, ValueError, "in_axes of 'y' must be a tree prefix"),
    ((X, X), {"out_axes": 2}, ValueError, "out_axes is 2, but a result of rank 1"),
    ((X, X), {"out_axes": (0, 1)}, ValueError, "out_axes must be a tree prefix"),
    ((X, X), {"out_axes": None}, ValueError, "mapped output but out_axes is None"),
    ((X, X), {"in_axes": "a"}, TypeError, "in_axes must be an int, None, or a tuple of entries"),
    ((X, X), {"in_axes": (0, "a")}, TypeError, "(nested) container with those types as leaves"),
    ((X, X), {"out_axes": "a"}, TypeError, "vmap out_axes must be an int, None"),
    ((X,), {}, TypeError, "missing 1 required positional argument: 'y'"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "axes", "error", "text"), WRONG, ids=[w[3][:30] for w in WRONG])
def test_wrong_calls(args, axes, error, text):
    def product(x, y):
        return x * y

    for call in (
        lambda: python(flow.vmap(product, **axes))(*args),
        lambda: python(lambda *given: flow.vmap(product, **axes)(*given))(*args),
    ):
        with pytest.raises(error) as caught:
            call()
        assert text in str(caught.value)


def test_outputs_that_depend_on_the_item():
    """Through memory and branches too; what does not depend on it is returned."""

    def stored(x, y):
        out = np.zeros(2)
        out[:] = x
        return out

    def branch(x, y):
        return 1.0 if x > 0 else 2.0

    def loop(x, y):
        s = 0.0
        while s < x:
            s += 1.0
        return s

    def added(x, y):
        y[0] = y[0] + x
        return y

    def through_a_view(x, y):
        part = y[1:]
        y[1] = x
        return part

    for f in (stored, branch, loop, added, through_a_view):
        with pytest.raises(ValueError, match="mapped output"):
            batch_of(f, (0, None), None)(np.ones(3), np.ones(2))

    def shared(x, y):
        s = 0.0
        while s < y:
            s += 1.0
        return x, s

    x, s = batch_of(shared, (0, None), (0, None))(np.arange(3.0), 1.5)
    assert (s, list(x)) == (2.0, [0.0, 1.0, 2.0])


def test_results_of_different_lengths():
    with pytest.raises(ValueError, match="different lengths, 1 and 3 along axis 1"):
        batch_of(lambda x: x[x > 1.0])(np.array([[0.0, 0.0, 3.0], [4.0, 5.0, 6.0]]))


def test_refusals_name_the_users_line():
    with pytest.raises(UnsupportedError, match="in unknown\n"):

        def unknown(x):
            return x.nothing()

        batch_of(unknown)(X)
    with pytest.raises(ReturnTypeError, match="returns a string"):
        batch_of(lambda x: "a")(X)
    with pytest.raises(UnsupportedError, match="known only at run time"):
        batch_of(lambda x, n: np.split(x, n))(X, np.full(5, 2))


def test_items_with_results_of_other_kinds():
    """The first item is computed before the others, for its lengths."""

    def remembered(xs):
        state = [None]

        def last(x):
            found, state[0] = state[0], x
            return x[x > 0.0], found

        return flow.vmap(last)(xs)

    def counted(xs):
        state = [0]

        def add(x):
            found, state[0] = state[0], state[0] + x[0]
            return x[x > 0.0], found

        return flow.vmap(add)(xs)

    with pytest.raises(UnsupportedError, match="results of different structures"):
        python(remembered)(np.ones((3, 2)))
    with pytest.raises(UnsupportedError, match="results of different dtypes or ranks"):
        python(counted)(np.ones((3, 2)))


def passed_by_name(xs):
    s = 1.0

    def item(x):
        nonlocal s
        r = s
        s = x[0]
        return r

    return flow.vmap(item, 0, None)(xs)


def passed_in_a_list(xs):
    st = [0.0]

    def item(x):
        r = st[0]
        st[0] = x[0]
        return r

    return flow.vmap(item, 0, None)(xs)


def counted_in_an_argument(xs):
    def item(x, c):
        c[0] += 1.0
        return c[0] * 1.0

    return flow.vmap(item, (0, None), None)(xs, np.zeros(1))


def of_what_is_shared(xs):
    w = np.sum(xs[0])
    return flow.vmap(lambda x: (np.array([w, 2.0 * w]), 3), 0, (None, None))(xs)


@pytest.mark.parametrize("f", [passed_by_name, passed_in_a_list, counted_in_an_argument])
def test_what_items_pass_on_has_an_axis(f):
    with pytest.raises(ValueError, match="out_axes is None"):
        python(f)(X)


def test_what_is_shared_needs_none():
    made, three = python(of_what_is_shared)(X)
    w = np.sum(X[0])
    np.testing.assert_allclose(made, [w, 2 * w])
    assert three == 3
