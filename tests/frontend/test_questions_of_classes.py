"""Questions about the class of a value, in all their spellings: answered as plain Python does."""

import collections.abc
import functools
import numbers
import typing

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 0.7])
QUESTIONS = (
    "type(x).__name__ == 'ndarray'",
    "x.__class__ is np.ndarray",
    "type(x) is np.ndarray",
    "type(x[0]) is np.float64",
    "type(x[0]).__name__ == 'float64'",
    "x[0].__class__ is np.float64",
    "type(s) is float",
    "type(s).__name__ == 'float'",
    "s.__class__ is float",
    "s.__class__.__name__ == 'float'",
    "type(n) is int",
    "isinstance(n, int)",
    "isinstance(s, typing.Callable)",
    "isinstance(abs, typing.Callable)",
    "isinstance(x, typing.Sequence) or isinstance((s, n), typing.Sequence)",
    "isinstance({'a': s}, (typing.Dict, typing.Callable))",
    "isinstance(n, typing.Union[float, None])",
    "isinstance(s, typing.Optional[float])",
    "n.__class__ is int",
    "type(n).__name__ == 'int'",
    "type((1,2)).__name__ == 'tuple'",
    "(1,2).__class__ is tuple",
    "type(len(x)) is int",
    "isinstance(x.shape, tuple)",
    "type(x.shape) is tuple",
    "type(x).__module__ == 'numpy'",
    "type(x) == np.ndarray",
    "type(x) in (np.ndarray, list)",
    "type(x) != list",
    "type(x) is type(x*2)",
    "type(s) is type(2.0)",
    "type(x[0]*2.0) is np.float64",
    "type(float(x[0])) is float",
    "type(x[0].item()) is float",
    "type(np.int32(3).item()) is int",
    "isinstance(np.sqrt(2.0).item(), np.float64)",
    "(x.astype(np.float32) * np.sqrt(2.0).item()).dtype == np.float32",
    "isinstance(slice(1), slice)",
    "type(slice(1, n)) is slice",
    "type(frozenset({1})) is frozenset",
    "type(frozenset({1}) | {n}) is set",
    "isinstance(s, (int, float))",
    "isinstance(s, float)",
    "isinstance(x[0], float)",
    "isinstance(True, int)",
    "type(x > 0) is np.ndarray",
    "type(x[0] > 0) is np.bool_",
    "type(s > 0) is bool",
    "isinstance(s > 0, bool)",
    "x.dtype == float",
    "x.dtype is np.dtype('float64')",
    "x.dtype.name == 'float64'",
    "np.ndim(s) == 0",
    "np.isscalar(s)",
    "np.isscalar(x[0])",
    "hasattr(x, '__len__')",
    "hasattr(s, '__len__')",
    "hasattr(x[0], '__len__')",
    "hasattr(x, '__iter__')",
    "hasattr(s, 'shape')",
    "hasattr(x[0], 'shape')",
    "isinstance(x, (list, tuple, np.ndarray))",
    "issubclass(type(x), np.ndarray)",
    "issubclass(type(s), float)",
    "callable(x)",
    "callable(np.sin)",
    "getattr(x, 'ndim', 0) == 1",
    "getattr(s, 'ndim', 0) == 0",
    "isinstance(x, collections.abc.Sequence)",
    "isinstance(x, collections.abc.Iterable)",
    "isinstance(x, collections.abc.Sized)",
    "isinstance(s, numbers.Real)",
    "isinstance(n, numbers.Integral)",
    "isinstance(s, numbers.Integral)",
    "isinstance(x[0], numbers.Number)",
    "np.issubdtype(type(s), np.floating)",
    "np.issubdtype(x.dtype, np.integer)",
    "isinstance(n, (int, np.integer))",
    "type(None) is type(None)",
    "isinstance(None, type(None))",
    "type(lambda t: t).__name__ == 'function'",
    "type([1]) is list",
    "type({}) is dict",
    "hasattr(x, 'nosuch')",
    "isinstance(x, np.generic)",
    "isinstance(x[0], np.generic)",
    "type(x[:1]).__name__ in ('ndarray', 'list')",
    "x.__class__.__name__ == 'ndarray'",
    "str(type(x)) == \"<class 'numpy.ndarray'>\"",
    "repr(type(s)) == \"<class 'float'>\"",
    "type(x).__qualname__ == 'ndarray'",
    "type(x).__mro__[0] is np.ndarray",
    "isinstance(x, np.ndarray) and x.ndim",
    "np.iterable(s)",
    "hasattr(x.sum(), 'shape')",
    "type(x.sum()) is np.float64",
    "isinstance(x.mean(), float)",
    "type(np.sum(x)) == float",
    "s.__class__ == x[0].__class__",
    "isinstance(1.0, type(s))",
    "isinstance(x, type(x*1))",
    "type(s)(3) == 3.0",
    "type(n)(s) == 2",
    "hasattr(s, '__call__')",
    "hasattr(s, '__name__')",
    "hasattr(x, '__name__')",
    "hasattr(x, '__call__')",
    "hasattr(x[0], 'mro')",
    "hasattr(lambda t: t, '__call__')",
    "hasattr(lambda t: t, '__name__')",
    "hasattr(lambda t: t, '__code__')",
    "hasattr(lambda t: t, 'name')",
    "hasattr(lambda t: t, '__wrapped__')",
    "hasattr(functools.wraps(np.sin)(lambda t: t), '__wrapped__')",
    "hasattr(functools.partial(max, s), '__call__')",
    "hasattr(range(n), 'start')",
    "hasattr(slice(n), 'stop')",
    "hasattr([s] * n, 'key')",
    "hasattr([s * k for k in range(n)], '__name__')",
    "hasattr((t for t in x), '__next__')",
    "hasattr(zip(x, x), '__len__')",
    "hasattr(f'{s}', 'template')",
    "hasattr(Plain(s), '__call__')",
    "hasattr(Plain(s), '__name__')",
    "hasattr(Plain(s), '__module__')",
    "hasattr(Called(s), '__call__')",
    "hasattr(HELD, '__call__')",
    "callable(Plain(s))",
    "callable(Called(s))",
    "callable(HELD)",
    "callable(Called(s).__call__)",
    "callable(functools.partial(max, s))",
    "callable(functools.cache(lambda t: t))",
    "callable(s)",
    "callable(lambda t: t)",
    "callable([s])",
)


class Plain:
    def __init__(self, a):
        self.a, self.double = a, 2.0 * a


class Called(Plain):
    def __call__(self, t):
        return self.a * t


HELD = Called(2.0)


def deleted(x):
    made = Plain(x)
    y = np.sum(made.double)
    del made.double
    made.more, left, right = 3.0, 1.0, 2.0
    del (left, right)
    return y * hasattr(made, "more") + 7.0 * hasattr(made, "double")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer(question):
    text = f"def f(x, s, n):\n    return np.sum(x) * (2.0 if {question} else 3.0)\n"
    modules = {"collections": collections, "functools": functools, "typing": typing}
    classes = {"Plain": Plain, "Called": Called, "HELD": HELD}
    scope = {"np": np, "numbers": numbers, **modules, **classes}
    exec(text, scope)
    plain = scope["f"]
    assert flow.compile(plain, source=text, target="python")(X, 2.5, 3) == plain(X, 2.5, 3)


def test_an_attribute_that_was_deleted():
    compiled = flow.compile(deleted, target="python")
    assert compiled(X) == deleted(X)
    assert flow.grad(compiled)(X) == pytest.approx([2.0, 2.0])
