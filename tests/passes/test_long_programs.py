"""Each pass on a long program: eight times the statements take about eight times as long."""

import time

import pytest

from srcgrad.ir.nodes import Function
from srcgrad.passes.pipeline import LOWERING, PIPELINE, Pass, run
from tests.passes.pass_programs import program
from tests.tools.turns import share

# an eightfold quadratic part takes 64 times as long; a few times 8 are caches and chance
GROWTH, MOST = 8, 24
PASSES = {p.name: p for p in (*PIPELINE, *LOWERING)}

STORES = """
a{k}: f64 = load(x, {k})
b{k}: f64 = mul(a{k}, v)
store(x, {k}, b{k})
"""
BUFFERS = """
t{k}: f64[n] = zeros(n, dtype='f64')
u{k}: f64[n] = mul(x, {k}.0)
assign(t{k}, u{k})
s{k}: f64 = sum(t{k}, axes=(0,))
store(x, 0, s{k})
"""
BRANCHES = """
c{k}: bool = lt(v, {k}.0)
r{k}: f64
if c{k}:
    a{k}: f64 = load(x, {k})
    store(x, {k}, v)
    r{k} = a{k}
else:
    store(x, 0, v)
    r{k} = v
store(x, 1, r{k})
"""
LOOPS = """
for i{k} in range(0, n):
    a{k}: f64 = load(x, i{k})
    b{k}: f64 = mul(a{k}, v)
    store(x, i{k}, b{k})
"""


def long(kind: str, times: int) -> Function:
    body = "".join(kind.format(k=k) for k in range(times))
    return program("x: f64[n], v: f64", body, "v,")


def seconds(step: Pass, function: Function) -> float:
    """How long the pass takes, without the copy that `run` makes first."""

    def once(*steps: Pass) -> float:
        start = time.process_time()
        run(function, steps)
        return time.process_time() - start

    return once(step) - once()


def grows_slowly(step: Pass, short: Function, longer: Function) -> bool:
    return seconds(step, longer) < MOST * max(seconds(step, short), 1e-3)


@pytest.mark.parametrize(
    "kind", [STORES, BUFFERS, BRANCHES, LOOPS], ids=["stores", "buffers", "branches", "loops"]
)
@pytest.mark.parametrize("name", share([*PASSES]))
def test_time_grows_as_the_program(name: str, kind: str):
    few = 60
    short, longer = (long(kind, times) for times in (few, GROWTH * few))
    attempts = 3  # the machine does other things as well
    assert any(grows_slowly(PASSES[name], short, longer) for _ in range(attempts))
