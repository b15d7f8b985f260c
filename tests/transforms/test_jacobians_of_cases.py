"""Jacobians of a case of every theme, of user-defined rules and of functions that print."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.tree import VALUE, paths
from tests.cases import CASES
from tests.tools.memo import shared
from tests.tools.modes import Modes
from tests.tools.oracles import check_unchanged, random_like
from tests.transforms.jacobians import MODES, at, by_rows, held_against

BY_THEME = {c.theme: c for c in CASES if c.second_order}
KEPT = (
    "principal_axes",
    "vector_of_a_loop_made_flat",
    "jacobian_of_a_jacobian",
    "scaled_by_a_list_that_grows",
)
CHOSEN = [*BY_THEME.values(), *(c for c in CASES if c.name in KEPT)]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CHOSEN, ids=lambda c: c.id)
@shared
def test_cases(case, mode):
    """Contracted with random directions, a Jacobian of a case is what vjp and jvp give."""
    modes, args = Modes(case), case.arguments()
    u = random_like(tuple(case.args[k] for k in case.wrt), 1)
    w = random_like(case.plain(*case.args), 2)
    case.reset()
    made = mode(modes.compiled, case.position)(*args)
    check_unchanged(args, case.args)
    dot, back = {}, {}
    for path, seed in floats(w):
        blocks = at(made, path) if len(case.wrt) > 1 else (at(made, path),)
        for k, block in enumerate(blocks):
            for inner, step in floats(u[k]):
                m = np.asarray(at(block, inner))
                assert m.shape == np.shape(seed) + np.shape(step)
                add(dot, path, real_product(m, step, np.iscomplexobj(step), np.ndim(step)))
                g = real_product(np.conj(seed), m, np.iscomplexobj(seed), np.ndim(seed))
                add(back, (k, *inner), g)
    if mode is flow.jacfwd:
        want = dict(floats(modes.jvp(args, u)[1]))
    else:
        dot, (want,) = back, modes.vjp(args, w)
        want = dict(floats(want))
    assert dot.keys() == want.keys()
    for path, v in want.items():
        assert_allclose(dot[path], v, rtol=1e-8, atol=1e-8 * np.max(np.abs(v), initial=1e-3))


def floats(value):
    """The floats of a structure by their paths; of an instance of a class of arrays its array."""
    found = [(p, v) for p, v in paths(value, ()) if np.asarray(v).dtype.kind in "fc"]
    return [(tuple(k for k in p if k != VALUE), v) for p, v in found]


def real_product(a, b, complex_, axes):
    """The sum over the axes that meet; of complex numbers that stand for two the real part."""
    a = np.conj(a) if complex_ and axes == np.ndim(b) else a
    made = np.tensordot(a, b, axes)
    return made.real if complex_ else made


def add(sums, path, value):
    sums[path] = sums.get(path, 0.0) + value


@flow.custom_vjp
def doubled(x):
    return x * x


def _forward(x):
    return x * x, x


def _backward(x, g):
    if g[0] > 0.5:  # which way a rule goes may depend on the adjoint
        return (2.0 * x * g,)
    return (x * g * 2.0,)


doubled.defvjp(_forward, _backward)
called_back = flow.opaque(lambda x: x**2, lambda x: x, vjp=lambda xs, g: (2.0 * xs[0] * g,))


@pytest.mark.parametrize("inner", [doubled, called_back])
def test_rules_that_are_run_for_each_row(inner):
    def f(p):
        return [inner(np.sin(p["x"])) * p["s"], p["s"] * 2.0]

    f = flow.compile(f, target="python")
    args = ({"x": np.array([0.5, 2.0, -1.0]), "s": 1.5},)
    assert "for k in range" in flow.jacrev(f).source("adjoint", *args)
    held_against(by_rows(f, args), flow.jacrev(f)(*args), 0)


@pytest.mark.parametrize("mode", MODES)
def test_they_print_once(mode, capsys):
    def f(x):
        print("first", x[0])
        y = x.copy()
        for k in range(1, len(y)):
            y[k] = y[k] * y[k - 1]
        return y

    mode(flow.compile(f, target="python"))(np.array([2.0, 3.0]))
    assert capsys.readouterr().out == "first 2.0\n"
