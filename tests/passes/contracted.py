"""Loops that are products of matrices, and how the tests of contractions compare them."""

import numpy as np

import srcgrad as flow
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, without
from srcgrad.primitives import arrays
from srcgrad.transforms.specs import Primal
from tests.passes.with_and_without import anew
from tests.tools.products import small_products

rng = np.random.default_rng(0)
A, B = rng.normal(size=(4, 3)), rng.normal(size=(3, 5))


def elements(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
    return y


def added(a, b):
    return np.sum(np.sin(elements(a, b)))


def stored(y, a, b):
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def products(f, *args):
    """The number of products of matrices in a program, before it is differentiated."""
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    program = Primal(f).program(dict(zip(names, args, strict=True)), Requirements())
    return sum(isinstance(s, Def) and s.op is arrays.matmul for s in walk(program.function.body))


def both(f, count, target):
    """A function and its gradients by all `count` arguments, not compiled before."""
    value, gradients = (flow.compile(anew(f), target=target) for _ in range(2))
    return value, flow.grad(gradients, tuple(range(count)))


def outcome(value, gradients, args):
    """The value, the gradients and the arguments afterwards, or what is raised."""
    args = [np.copy(a, order="K") if isinstance(a, np.ndarray) else a for a in args]
    try:
        found = value(*args)
    except Exception as error:
        return type(error).__mro__[-4:-2], str(error).splitlines()[0], [np.copy(a) for a in args]
    return found, gradients(*args), [np.copy(a) for a in args]


def same(f, *args, target="python"):
    """Checks that a program with products does what it does without, and returns the outcome."""
    return same_for_each(f, [args], target)[0]


def same_for_each(f, calls, target):
    """Checks it for the arguments of several calls, of functions that are compiled once."""
    with small_products(), checking():
        made = both(f, len(calls[0]), target)
        new = [outcome(*made, args) for args in calls]
    with without("contractions"):
        made = both(f, len(calls[0]), target)
        old = [outcome(*made, args) for args in calls]
    for one, other in zip(new, old, strict=True):
        agree(one, other)
    return new


def agree(new, old):
    if isinstance(old[1], str):
        assert new[:2] == old[:2]
    else:
        for a, b in zip((new[0], *new[1]), (old[0], *old[1]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    for a, b in zip(new[2], old[2], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)
