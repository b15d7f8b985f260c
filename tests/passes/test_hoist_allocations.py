"""Buffers of a trip are allocated before the loop; what outlives its trip is not."""

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes import LOWERING, without
from srcgrad.passes import run as run_passes
from srcgrad.passes.hoist_allocations import hoist_allocations
from srcgrad.primitives import REGISTRY


def made(function):
    """How many allocations stand outside and inside loops."""
    top = [s for s in function.body if isinstance(s, Def) and s.op.name in ("empty", "zeros")]
    every = [
        s for s in walk(function.body) if isinstance(s, Def) and s.op.name in ("empty", "zeros")
    ]
    return len(top), len(every) - len(top)


def run(text, *args):
    """The text's returns before and after; the function after."""
    before = python.build(parse(text, REGISTRY))(*[np.copy(a) for a in args])
    after = hoist_allocations(parse(text, REGISTRY))
    got = python.build(after)(*[np.copy(a) for a in args])
    assert all(np.array_equal(g, w) for g, w in zip(got, before, strict=True))
    return after


NEST = """
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    s: f64 = 0.0
    for i in range(0, k):
        r: f64 = s
        for j in range(0, k):
            t: {type} = {kind}
            {use}
            v: f64 = load(t, {at})
            u: f64 = add(r, v)
            r = u
        s = r
    return (s,)
"""


def nest(kind, dims="n"):
    type_ = f"f64[{dims}]"
    use = "add_at(t, 0, 1.5)" if kind == "zeros" else "store(t, 0, 1.5)"
    return NEST.format(type=type_, kind=f"{kind}({dims}, dtype='f64')", use=use, at=0)


@pytest.mark.parametrize("kind", ["zeros", "empty"])
def test_out_of_a_nest(kind):
    assert made(run(nest(kind), np.ones(3), 4)) == (1, 0)


def test_zeros_are_filled_in_each_trip():
    after = run(nest("zeros"), np.ones(3), 4)
    inner = [s for s in walk(after.body) if isinstance(s, For)]
    assert len(inner) == 3


def test_a_length_of_the_outer_loop_stays_in_it():
    after = run(nest("zeros", "i").replace("range(0, k)", "range(1, k)", 1), np.ones(3), 4)
    assert made(after) == (0, 1)
    outer = next(s for s in after.body if isinstance(s, For))
    assert any(isinstance(s, Def) and s.op.name == "empty" for s in outer.body)


KEPT = {
    "carried": """
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    y: f64[n] = x
    for i in range(0, k):
        t: f64[n] = empty(n, dtype='f64')
        v: f64 = load(y, 0)
        w: f64 = add(v, 1.0)
        store(t, 0, w)
        y = t
    r: f64 = load(y, 0)
    return (r,)
""",
    "referenced": """
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    refs: reftape[f64, 1] = reftape(dtype='f64', ndim=1)
    for i in range(0, k):
        t: f64[n] = zeros(n, dtype='f64')
        v: f64 = cast(i, dtype='f64')
        store(t, 0, v)
        ref_put(refs, i, t)
    y: f64.strided[n] = ref_get(refs, 1, n)
    r: f64 = load(y, 0)
    return (r,)
""",
    "of a negative length": """
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    s: f64 = 0.0
    m: int = sub(k, 5)
    for i in range(0, m):
        t: f64[m] = zeros(m, dtype='f64')
        v: f64 = load(t, 0)
        u: f64 = add(s, v)
        s = u
    return (s,)
""",
}


@pytest.mark.parametrize("name", ["carried", "referenced"])
def test_what_outlives_its_trip_stays(name):
    assert made(run(KEPT[name], np.ones(3), 4)) == (0, 1)


def test_what_might_fail_stays():
    assert made(run(KEPT["of a negative length"], np.ones(3), 4)) == (0, 1)


def test_it_can_be_switched_off():
    with without("hoist_allocations"):
        assert made(run_passes(parse(nest("zeros"), REGISTRY), passes=LOWERING)) == (0, 1)
