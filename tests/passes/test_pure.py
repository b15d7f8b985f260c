"""The pipeline and the differentiators leave the function that they are handed as it was."""

import sys

import pytest

from srcgrad.ir.text import to_text
from srcgrad.ir.walk import inner_definitions, results, walk
from srcgrad.passes import LOWERING, PIPELINE, Pass, run
from tests.cases import Case, sample
from tests.passes.pass_programs import program
from tests.tools.modes import Modes

SAMPLE = 40
EVERY = {p.name: p for p in (*PIPELINE, *LOWERING)}


def snapshot(function):
    """The text, and the name and type that each variable has."""
    bound = [*function.params]
    for s in walk(function.body):
        bound += [*results(s), *inner_definitions(s)]
    types = [(v, v.name, v.type, getattr(v.type, "dims", None)) for v in bound]
    return to_text(function), types


def same(before, after):
    names, others = before[1], after[1]
    return before[0] == after[0] and all(
        v is w
        and name == other
        and t is u
        and (dims is None or all(map(lambda d, e: d is e, dims, es)))
        for (v, name, t, dims), (w, other, u, es) in zip(names, others, strict=True)
    )


BODY = """
m: int = dim(x, axis=0)
k: int = add(2, 3)
y: f64[n] = mul(x, 2.0)
w: f64[m] = zeros(m, dtype='f64')
z: f64[k] = zeros(k, dtype='f64')
s: f64[n] = y
for i in range(0, m):
    j: int = index(i, n, axis=0)
    t: f64[n] = add(s, y)
    v: f64 = load(t, j)
    add_at(z, 1, v)
    store(w, i, v)
    s = t
r: f64[n] = copy(s)
"""


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_pass_leaves_its_function(name):
    f = program("x: f64[n]", BODY, "r, w, z,")
    f = f if EVERY[name] in PIPELINE else run(f, LOWERING[: LOWERING.index(EVERY[name])])
    before = snapshot(f)
    run(f, (EVERY[name],))
    assert same(before, snapshot(f))


def test_lengths_are_renamed_in_the_copy():
    f = program("x: f64[n]", BODY, "r, w, z,")
    assert "f64[m]" in to_text(f)
    new = to_text(run(f))
    assert "f64[m]" not in new and "f64[5]" in new and "f64[m]" in to_text(f)


@pytest.mark.parametrize("case", sample(SAMPLE), ids=lambda c: c.id)
def test_functions_on_the_way_stay_as_they_are(case: Case, monkeypatch: pytest.MonkeyPatch):
    """Every function handed to a pipeline, and every one that came out of it, to the end."""
    seen = []

    def watched(function, passes: tuple[Pass, ...] = PIPELINE):
        new = run(function, passes)
        seen.extend((f, snapshot(f)) for f in (function, new))
        return new

    for module in [m for name, m in sys.modules.items() if name.startswith("srcgrad.")]:
        if vars(module).get("run_passes") is run:
            monkeypatch.setattr(module, "run_passes", watched)
    Modes(case, "loops").value_and_grad(case.arguments())
    assert seen and all(same(before, snapshot(f)) for f, before in seen)
