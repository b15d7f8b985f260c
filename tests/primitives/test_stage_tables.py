"""Facts about operations have one home, and every operation has its place in every stage."""

import re
from importlib import import_module

import numpy as np
import pytest

from srcgrad.autodiff.reverse.sweep import STORES
from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit.called import CALLED
from srcgrad.backends.cpu.text import module as text
from srcgrad.backends.cpu.text.expressions import BOOL, COMPLEX, INTEGER, TEMPLATES
from srcgrad.backends.cpu.text.statements import DEFINITIONS, EFFECTS
from srcgrad.passes.lower import expand, step
from srcgrad.primitives import REGISTRY, memory, tapes
from srcgrad.primitives.incomplete import BY_SHAPES
from srcgrad.primitives.special import SPECIAL
from srcgrad.printing.calls import AXES, FORMS
from srcgrad.printing.expressions import BINARY, UNARY, WORDS, Speller
from tests.primitives.name_tables import comparisons, tables

# these may only fall
TABLES = 2
COMPARISONS = 0


NAMES = re.compile(r"(?<![.\w])(\w+)\(").findall  # called by their names alone


def rows(*names):
    return {REGISTRY[n] for n in " ".join(names).split()}


ALL = {*REGISTRY.values()}
ELEMENTWISE = {p for p in ALL if p.elementwise}
LOOPS = {*step.REDUCTIONS, *step.MOVES, *step.STORES, *expand.EARLY, *expand.LATE}
SCALARS = {*TEMPLATES} - ELEMENTWISE  # of lengths and indices
CPU = {*TEMPLATES, *DEFINITIONS, *EFFECTS}
SPELLED = {*BINARY, *WORDS, *UNARY, *AXES, *FORMS} | {
    n for n in REGISTRY if hasattr(Speller, f"_{n}")
}
NUMPYS = {p for p in ALL if getattr(np, p.name, None) is p.impl}
ABSENT = {
    "of tensors only": rows("expand pick put patch erase diagonal from_diagonal"),
    "taken out before, by passes/strip_custom_rules.py": rows("attached part"),
    "replaced before, by passes/factor_once.py": rows("solved"),
}
MARKS = {
    "a mark of a loop, taken out before, by passes/strip_custom_rules.py": rows(
        "scheduled recomputed split"
    ),
    "a number before, by autodiff/reverse/segments.py": rows("trip_bytes"),
}

# a place: the operations in its tables, and why the others are not there
STAGES = {
    "passes/lower/step.py or expand.py": (
        ELEMENTWISE | LOOPS,
        ABSENT
        | MARKS
        | {
            "a library call, which stays whole": {*CALLS},
            "a view": {p for p in ALL if p.view},
            "a buffer": {p for p in ALL if p.fresh},
            "a scalar": SCALARS | rows("load dim index trips slots"),
            "an effect on a scalar, or a check": {*EFFECTS, tapes.reserve},
            "calls Python": rows("call_back draw"),
        },
    ),
    "backends/cpu/text/expressions.py or statements.py": (
        CPU,
        ABSENT
        | MARKS
        | {
            "an expression that depends on its parameters": rows("cast powi"),
            "a statement of its own, in printer.py": rows("reserve"),
            "counted before, by passes/undetermined.py": rows("undetermined"),
            "loops when it comes there": LOOPS,
        },
    ),
    "backends/cpu/calls.py": (
        {*CALLS},
        ABSENT
        | MARKS
        | {
            "scalar arithmetic": ELEMENTWISE | SCALARS,
            "loops": LOOPS,
            "memory, or a check": {p for p in ALL if (vars(memory) | vars(tapes)).get(p.name) is p},
            "calls Python": rows("call_back draw show report"),
        },
    ),
    "the errors in backends/cpu/calls.py": (
        {op for op, call in CALLS.items() if call.error},
        ABSENT
        | {
            "cannot fail": {p for p in ALL if not p.raises},
            "cannot fail in compiled code": rows("qr full_qr"),
            "a check of an index, a length or a divisor: its implementation has the text": rows(
                "index check_range indices trips check_broadcast check_assign check_equal fail",
                "floordiv",
            ),
            "checked before its loops": rows("max min argmax argmin softmax log_softmax"),
            "raises what the function raised that it calls": rows("call_back draw report"),
        },
    ),
    "printing/expressions.py": (
        {REGISTRY[n] for n in SPELLED} | NUMPYS,
        ABSENT
        | {
            "a function of SciPy's, or one of its kind: by its name": rows(
                *SPECIAL, "erf erfc relu sigmoid real imag to_complex stop_gradient before_rounding"
            ),
            "defined by its implementation": {*BY_SHAPES},
            "a library call: by its name": {*CALLS},
            "an effect: a statement in program.py, or by its name": {p for p in ALL if p.effect},
            "of lengths, tapes and indices: by its name": SCALARS
            | rows("indices trips slots trip_bytes tape_like reftape ref_get take_last pack"),
            "a loop over an array: by its name": {
                *step.REDUCTIONS,
                *step.MOVES,
                *expand.EARLY,
                *expand.LATE,
            },
            "calls Python": rows("call_back draw"),
        },
    ),
}


@pytest.mark.parametrize("place", STAGES)
def test_every_operation_has_its_place(place):
    there, elsewhere = STAGES[place]
    missing = ALL - there.union(*elsewhere.values())
    names = sorted(p.name for p in missing)
    assert not missing, f"{place}: add {names} there, or to a reason not to in STAGES of this test"
    for reason in ABSENT if there & CPU else ():
        assert not there & elsewhere[reason], f"{place} has what is {reason}"


def test_what_generated_code_calls_is_there():
    for module, names in (*CALLED.items(), *text.CALLED.items()):
        found = import_module(f"srcgrad.backends.cpu.{module}")
        assert not [n for n in names if not hasattr(found, n)], module


def test_what_templates_call_is_imported():
    """A template that calls what no module of helpers lists would be a NameError of Numba's."""
    called = {n for t in (TEMPLATES, INTEGER, BOOL, COMPLEX) for x in t.values() for n in NAMES(x)}
    assert called <= {"abs", "complex"}.union(*text.CALLED.values())


def test_tables_of_names():
    found = tables()
    assert len(found) <= TABLES, "\n".join(found)


def test_comparisons_of_names():
    found = comparisons()
    assert len(found) <= COMPARISONS, "\n".join(found)


def test_every_write_of_values_has_a_reverse():
    """One without is passed over by the reverse sweep, and what was stored has no adjoint."""
    of_references = {tapes.reserve, tapes.ref_put}
    assert set(STORES) == {p for p in REGISTRY.values() if p.writes} - of_references
