"""Instances of classes that derive from ndarray: as plain Python has them, and returned as such."""

import copy

import numpy as np
import pytest

import srcgrad as flow

X = np.array([1.0, 2.0, 3.0])


class Named(np.ndarray):
    def __new__(cls, x, name=None):
        made = np.asarray(x).view(cls)
        made.name = name
        return made

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.name = getattr(obj, "name", None)


class Plain(np.ndarray):
    pass


class First(np.ndarray):
    __array_priority__ = 10.0


class Point(np.ndarray):
    """Operators that call ndarray's own, an `__init__`, and an attribute of a result."""

    def __new__(cls, *parts):
        return np.array(parts, dtype=float).view(cls)

    def __init__(self, *parts):
        self.tag = len(parts)

    def __add__(self, other):
        made = super().__add__(other)
        made.tag = 7
        return made

    def __radd__(self, other):
        return self.__add__(other)

    def sum(self, *args, **kwargs):
        return super().sum(*args, **kwargs) * 2


class Counting(np.ndarray):
    def __array_finalize__(self, obj):
        self.steps = getattr(obj, "steps", 0) + 1


def results(x):
    v = Named(x, "n")
    return v * 2.0 + 1.0, [v, v[:2], v.T, v.copy(), v.reshape(3, 1), x], v[0], v.name


def operators(x):
    p = Point(x[0], x[1])
    q = p + 1.0
    return q, 1.0 + p, p, q[0], p.sum(), type(q) is Point, isinstance(q, np.ndarray), (q + p).tag


def memory(x):
    v = x.view(Plain)
    v[0] = 9.0
    v.extra = x[1]
    w = v.view(np.ndarray)
    v *= 2.0
    v += x
    return v, v + 1.0, w, v.real is v, v is v, [*v], v.tolist(), v.view() is v, x


class Tenfold(np.ndarray):
    """Ndarray's own methods called by the name of the class."""

    def __getitem__(self, key):
        return np.ndarray.__getitem__(self, key) * 10.0

    def __add__(self, other):
        return np.ndarray.__add__(self, other) * 3.0


def items_anew(x):
    v = x.view(Tenfold)
    return v[0], v[1:], v + 1.0, np.add(v, 1.0), v.sum(), np.sum(v), [v[k] for k in range(len(v))]


def steps(x):
    v = x.view(Counting)
    return v.steps, (v + 1.0).steps, v.sum().steps, np.sin(v)[1:].steps, v.T.copy(), v


def functions(x):
    v, m = x.view(Plain), np.outer(x, x).view(Plain)
    return (
        np.cross(v, v), np.stack([v, v]), np.linalg.norm(v), np.where(v > 1.0, v, 0.0), v @ v,
        v.dot(v), (v > 1.0).any(), np.dot(m, v), np.dot(v, np.outer(x, x)), np.dot(x, m), v.max(),
        np.dot(np.outer(x, x), v), np.minimum(x, v), np.add([1.0, 2.0, 3.0], v), v[v > 1.0],
        m[:, 1], float(v[0]), v.astype(np.float32), np.asanyarray(v) is v, v.mean(0), m.sum(axis=0),
    )  # fmt: skip


def operands(x):
    v = Named(x, "q")
    return (
        copy.copy(v), copy.deepcopy(v), x + v, 2 * v, np.float64(2.0) * v, np.add([1, 2, 3], v), -v,
        abs(v), v // 2, v % 2, divmod(v, 2.0), 2.0**v, v @ np.outer(x, x), v == x, x < v, v**2,
    )  # fmt: skip


def priorities(x):
    v, w = x.view(Plain), x.view(First)
    return (
        v + w,
        w + v,
        v * x,
        np.dot(x, w),
        np.dot(v, np.outer(x, x).view(First)),
        np.maximum(v, w),
    )


def in_place(x):
    v = x.view(Plain)
    x += v
    x[1:] = v[:2]
    np.add(v, 1.0, out=v)
    a, b, c = v
    x[v > 3.0] = 0.5
    return x, v, a + b * c, sum(v), max(v), np.sqrt(x, out=v) is v


def of_branches_and_loops(x):
    v = Named(x, "b")
    v = v * 2.0 if x[0] > 0.0 else v + 1.0
    for _ in range(3):
        v = v + x
    return v


PROGRAMS = (
    results, operators, memory, items_anew, steps, functions, operands, priorities, in_place,
    of_branches_and_loops,
)  # fmt: skip


def same(a, b):
    assert type(a) is type(b), (a, b)
    if isinstance(a, tuple | list):
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, np.ndarray):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
        assert a.dtype == b.dtype
        assert getattr(a, "__dict__", None) == getattr(b, "__dict__", None)
    else:
        assert a == b


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_plain_python(program, target):
    compiled = flow.compile(program, target=target)
    for scale in (1.0, -0.5):  # the second call is that of a known signature
        mine, theirs = X * scale, X * scale
        with np.errstate(invalid="ignore"):
            same(compiled(mine), program(theirs))
        same(mine, theirs)


def test_returned_instances_share_the_arguments_memory():
    x = X.copy()
    v = flow.compile(lambda x: Named(x, "n"), target="python")(x)
    assert np.shares_memory(v, x)
    v[0] = 5.0
    assert x[0] == 5.0


def test_a_transform_gives_the_array_of_an_instance():
    loss = lambda x: np.sum(Named(x, "n") ** 2)
    value, gradient = flow.value_and_grad(loss, target="python")(X)
    assert type(value) is np.float64
    np.testing.assert_allclose(gradient, 2.0 * X)
    jacobian = flow.jacobian(flow.compile(lambda x: Named(x, "n") * 2.0, target="python"))(X)
    assert type(jacobian) is np.ndarray
    np.testing.assert_allclose(jacobian, 2.0 * np.eye(3))
    batch = flow.vmap(flow.compile(lambda x: x.view(Plain) * 2.0, target="python"))
    assert type(batch(np.stack([X, X]))) is np.ndarray


def test_inside_a_compiled_function_it_stays_an_instance():
    inner = flow.compile(lambda x: Named(x, "abc"), target="python")
    outer = flow.compile(lambda x: inner(x) * len(inner(x).name), target="python")
    same(outer(X), Named(X, "abc") * 3)
    slope = lambda x: flow.grad(lambda y: np.sum(Named(y, "n") ** 3))(x)
    np.testing.assert_allclose(flow.compile(slope, target="python")(X), 3.0 * X**2)


def test_a_method_that_a_class_gets_is_followed():
    class Changing(np.ndarray):
        pass

    compiled = flow.compile(lambda x: x.view(Changing) + 1.0, target="python")
    same(compiled(X), X.view(Changing) + 1.0)
    Changing.__add__ = lambda self, other: np.subtract(self, other)
    same(compiled(X), X.view(Changing) + 1.0)
    Changing.__array_finalize__ = lambda self, obj: setattr(self, "tag", 3)
    same(compiled(X), X.view(Changing) + 1.0)
    Changing.__array__ = lambda self, dtype=None, copy=None: np.ones(3)
    with pytest.raises(flow.UnsupportedError, match="defines __array__"):
        compiled(X)
