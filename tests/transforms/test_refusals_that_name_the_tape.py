"""A refusal of the compiler names `mode="tape"` where the function runs on it, and only there."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import srcgrad as flow
from tests.errors import PROGRAMS, Program
from tests.frontend.statements import AT, ROWS
from tests.tools.structures import copied

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("quiet")]
NAMED = 'mode="tape"'


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """For what a program saves on the tape; one opens the debugger."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)


# refused for what they do on the tape too: open a file, never end
ALSO_THERE = {"syntax.with_statement", "syntax.recursion_without_end"}


def refusal_of(transform, f, *args) -> str | None:
    try:
        transform(f)(*args)
    except flow.SrcgradError as error:
        return str(error)
    return None


@contextmanager
def names_restored(names: dict) -> Iterator[None]:
    """Undoes what a program stores to the names of its module, within the `with` block."""
    before = dict(names)
    try:
        yield
    finally:
        for new in names.keys() - before.keys():
            del names[new]
        names.update(before)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_statements_that_only_python_runs(row):
    refusal = refusal_of(flow.grad, flow.compile(row[2], target="python"), AT)
    assert refusal is None or refusal.endswith(f"run it as it is: {NAMED} in flow.grad and its kin")
    flow.grad(row[2], mode="tape")(AT)


@pytest.mark.parametrize(
    "program", [p for p in PROGRAMS if p.how not in ("plain", "call", "tangent", "pullback")],
    ids=lambda p: p.id,
)  # fmt: skip
def test_programs_that_are_refused(program: Program):
    def transform(f):
        return flow.grad(flow.compile(f, target="python"), program.position)

    refusal = refusal_of(transform, program.fn, *copied(program.args))
    if refusal is not None and NAMED in refusal and program.id not in ALSO_THERE:
        with names_restored(program.fn.__globals__):
            flow.grad(program.fn, program.position, mode="tape")(*copied(program.args))


OUT = np.zeros(2)


def with_a_store(x):
    async def later():
        return x

    OUT[0] = x * 2.0
    return OUT[0]


def test_it_is_tried_under_the_environment_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SRCGRAD_CHECK", "1")
    shown = refusal_of(flow.grad, with_a_store, 1.5)
    assert "'async def' is not supported" in shown and NAMED not in shown
    no_source = eval("lambda x: x * x")
    assert refusal_of(flow.grad, no_source, 1.5).endswith("and its kin")


def test_a_plain_call_does_not_name_it():
    no_source = eval("lambda x: x * x")
    for transform in (flow.compile, lambda f: lambda x: flow.jvp(f, (x,), (x,))):
        assert NAMED not in refusal_of(transform, no_source, 1.5)
