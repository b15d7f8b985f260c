"""Facts of a function: found once, for it alone, and never of what it was before."""

import gc
import sys
import weakref

import pytest

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents, definitions, fact
from srcgrad.ir.text import to_text
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import inner_definitions, results, walk
from srcgrad.passes import PIPELINE, Pass, run
from srcgrad.primitives import memory
from tests.cases import Case, sample
from tests.passes.pass_programs import program
from tests.tools.modes import Modes

BODY = """
c: bool = lt(v, 2.0)
for i in reversed(range(0, n)):
    if c:
        store(x, 0, v)
    for j in range(0, n):
        store(x, j, v)
"""
# they build anew what they leave as it was
REBUILDING = ("build_in_place", "fuse", "lower", "unify_lengths")


def test_a_fact_is_found_once_for_each_function():
    asked = []

    @fact
    def length(function):
        asked.append(function)
        return len(function.body)

    f = program("x: f64[n], v: f64", BODY, "v,")
    assert [length(f), length(f)] == [3, 3] and asked == [f]
    assert length(f.with_body(f.body[:1])) == 1 and length(f) == 3


def test_facts_keep_no_function():
    f = program("x: f64[n], v: f64", BODY, "v,")
    alias_classes(f), contents(f), definitions(f)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_contents():
    f = program("x: f64[n], v: f64", BODY, "v,")
    found = contents(f)
    assert (found.loops, found.depth, found.branches, found.backwards) == (2, 2, True, True)
    assert memory.store in found.operations and memory.load not in found.operations
    plain = contents(f.with_body(f.body[:2]))
    assert (plain.loops, plain.depth, plain.branches, plain.backwards) == (0, 0, False, False)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch):
    """The name, the input and the result of each pass that runs to build a program."""
    found = []

    def watched(step: Pass) -> Pass:
        def once(function):
            before = to_text(function)
            new = step.run(function)
            found.append((step.name, function, new, to_text(new) == before))
            return new

        return Pass(step.name, once, step.reorders, step.last)

    def running(function, passes: tuple[Pass, ...] = PIPELINE):
        return run(function, tuple(map(watched, passes)))

    for module in [m for name, m in sys.modules.items() if name.startswith("srcgrad.")]:
        if vars(module).get("run_passes") is run:
            monkeypatch.setattr(module, "run_passes", running)
    return found


@pytest.mark.parametrize("case", sample(30), ids=lambda c: c.id)
def test_facts_do_not_grow_old(case: Case, seen):
    """Facts that passes read are, in the end, those that are found anew."""
    Modes(case, "loops").value_and_grad(case.arguments())
    functions = [f for _, *pair, _ in seen for f in pair]
    assert functions
    for f in functions:
        classes, anew = alias_classes(f), AliasClasses(f)
        names = [v for v in variables(f) if is_reference(v.type)]
        assert all(classes.of(v) is anew.of(v) for v in names)
        assert classes.written == anew.written
        for each in (contents, definitions):
            assert each(f) == each.__wrapped__(f)


@pytest.mark.parametrize("case", sample(30), ids=lambda c: c.id)
def test_a_pass_without_work_returns_its_input(case: Case, seen):
    Modes(case, "loops").value_and_grad(case.arguments())
    anew = {name for name, old, new, same in seen if same and new is not old}
    assert anew <= {*REBUILDING}
    assert sum(same for *_, same in seen) > 10


def variables(function):
    bound = [v for s in walk(function.body) for v in (*results(s), *inner_definitions(s))]
    return [*function.params, *bound]
