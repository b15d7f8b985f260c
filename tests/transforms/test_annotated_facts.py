"""What `annotate` measures and states: times, bytes that are kept, how loops run."""

import re

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import marked
from srcgrad.ir.walk import walk
from srcgrad.transforms.annotated import times as times_module
from srcgrad.transforms.annotated.facts import facts
from srcgrad.transforms.annotated.panes import Places, line_costs, program_rows
from tests.transforms.annotated_pages import RNG, Page, paths, recurrence, softmax_sum


def test_times_of_lines_add_up():
    made = flow.grad(recurrence, (0, 1), target="python").annotate(np.ones(30), 0.01, 4)
    page = Page(made.html)
    inner = next(
        r for r in page.of("p").values() if r["text"].strip().startswith("for i in range(1,")
    )
    assert "112 trips" in inner["titles"][0] and "runs 4 times" in inner["titles"][0]
    f = made._facts
    places = Places(f.regions, f.places)
    costs = line_costs(f.times.program, f.kept, places).values()
    lines = sum(c.forward + c.reverse for c in costs)
    assert 0.9 * f.times.program.total < lines <= f.times.program.total * (1 + 1e-9)
    rows = sum(r.cost.seconds for r in program_rows(f.program, places, f.times.program) if r.cost)
    assert 0.9 * f.times.program.total < rows <= f.times.program.total * (1 + 1e-9)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_what_runs_has_times_of_its_own(target, monkeypatch):
    monkeypatch.setattr(marked, "TOO_MUCH", 100.0)  # on a machine that others use as well
    x = RNG.normal(size=(2000, 5))
    made = flow.grad(softmax_sum, target=target).annotate(x)
    f, rows = made._facts, Page(made.html).of("c")
    assert f.times.call > 0 and f.times.code is not None
    titles = [title for r in rows.values() for title in r["titles"]]
    assert len([t for t in titles if re.match(r"[\d.]+ (µs|ms)", t)]) >= (
        1 if target == "cpu" else 5
    )
    assert "machine code" in made.html if target == "cpu" else "the same way" in made.html


def test_bytes_are_those_that_explain_says():
    g = flow.grad(recurrence, (0, 1), target="python")
    args = (np.ones(30), 0.01, 4)
    tapes = [k for k in g.annotate(*args)._facts.kept if k.kind == "tape"]
    assert [k.bytes for k in tapes if "u[" in k.what] == [4 * 28 * 8]
    assert "896 B" in g.explain(*args)
    (grown,) = [k for k in tapes if k.size == "grows"]
    assert grown.bytes >= 30 * 8


def test_arrays_that_the_reverse_sweep_reads_are_kept():
    def f(x):
        e = np.exp(x)
        s = np.sum(e)
        return np.sum(np.sin(e / s))

    whole = flow.grad(f, target="python").annotate(np.ones(10))._facts.kept
    assert ("e", 80) in [(k.what, k.bytes) for k in whole]

    def fused(x):
        return np.sum(np.sin(x) * x)

    assert not flow.grad(fused, target="cpu").annotate(np.ones(10))._facts.kept


def test_loops_say_where_they_run_and_why():
    g = flow.value_and_grad(paths, (0, 1), target="loops", parallel=True)
    few = g.annotate(1.0, 0.1, RNG.normal(size=(7, 5)))._facts.loops
    assert few[0].runs == "one chunk" and "4,000,000" in few[0].reason
    chain = flow.grad(recurrence, target="loops").annotate(np.ones(8), 0.01, 2)._facts.loops
    inner = next(f for f in chain if f.depth == 1)
    assert inner.runs == "trip by trip" and "'u'" in inner.reason and inner.at is not None


def test_operations_that_share_no_loop_say_why():
    def f(x):
        s = np.sum(x * x)
        y = np.exp(x / s)
        return np.sum(y * y[::-1])

    made = flow.compile(f, target="loops").annotate(np.ones(5))
    line = f.__code__.co_firstlineno
    found = {(u.early.line - line, u.late.line - line): u.reason for u in made._facts.unfused}
    assert "only when the loop has ended" in found[1, 2]
    assert found[2, 3] == "'y' is read through a slice or a transpose, which needs all of it"
    assert "Operations on one array that share no loop" in made.html

    def fused(x):
        y = np.exp(x)
        return np.sum(np.sin(y) * x)

    assert not flow.grad(fused, target="loops").annotate(np.ones(5))._facts.unfused


def test_many_trips_run_in_chunks():
    x = np.ones(4_000_000)
    compiled = flow.compile(lambda x: np.sum(np.sin(x)), target="loops", parallel=True)
    known = compiled._bind((x,), {})
    entry, _ = compiled._entry_for(known, [(("x",), x)])
    from srcgrad.backends.loops import BACKEND
    from srcgrad.ir.nodes import Def
    from srcgrad.passes import run
    from srcgrad.transforms.annotated.loops import loop_facts
    from srcgrad.transforms.saved_tapes import Sizes

    lowered = run(entry.program.function, BACKEND.pipeline(compiled.options))
    defined = {s.var: s for s in walk(lowered.body) if isinstance(s, Def)}
    sizes = Sizes(defined, {lowered.params[0]: x})
    found = loop_facts(entry.program.function, lowered, {}, sizes, compiled.options)
    assert found[0].runs == "64 chunks on threads"


def test_a_run_that_takes_too_long_is_told(monkeypatch):
    monkeypatch.setattr(times_module, "MOST_SECONDS", 0.0)
    made = flow.grad(softmax_sum, target="python").annotate(np.ones((2, 2)))
    assert "takes more than 0 s" in made.html and 'class="time"' not in made.html
    assert made._facts.times.call > 0 and "a call, target python" in made.html
    compiled = flow.grad(softmax_sum, target="cpu").annotate(np.ones((2, 2)))
    assert "takes more than 0 s" in compiled.html and compiled._facts.times.call > 0
    for page in (made, compiled):
        Page(page.html)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_program_that_prints_runs_once(target, capsys):
    def f(x):
        print("seen")
        return np.sum(x * x)

    made = flow.grad(f, target=target).annotate(np.ones(3))
    assert capsys.readouterr().out.count("seen") == 1
    assert "run only once" in made.html and made._facts.times.program.total > 0


def test_facts_are_for_the_arguments_at_hand():
    g = flow.grad(recurrence, (0, 1), target="python")
    sizes = [
        max(k.bytes for k in facts(g, g._bind((np.ones(n), 0.01, 4), {})).kept) for n in (10, 50)
    ]
    assert sizes[0] < sizes[1]
