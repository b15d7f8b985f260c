"""The before and after in the docstring of each pass that the pipeline runs."""

import doctest
import importlib
import types

import pytest

from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.passes.pipeline import (
    BEFORE_REVERSE,
    CONTRACTIONS,
    IN_ORDER,
    INDEPENDENT_LOOPS,
    JOIN_LOOPS,
    LOOPS_IN_CHUNKS,
    LOWERING,
    PIPELINE,
)  # fmt: skip
from srcgrad.primitives import REGISTRY
from tests.tools.kept import ROOT

NAMES = {
    "REGISTRY": REGISTRY,
    "parse": lambda text: parse(text, REGISTRY),
    "show": lambda f: print(to_text(f, notes=False), end=""),
}


def home(step):
    """The name of the module that a pass is written in."""
    return getattr(step.run, "func", step.run).__module__


OTHERS = (CONTRACTIONS, JOIN_LOOPS, INDEPENDENT_LOOPS, LOOPS_IN_CHUNKS)


@pytest.mark.parametrize(
    "name", sorted({home(p) for p in (*PIPELINE, *BEFORE_REVERSE, *LOWERING, *IN_ORDER, *OTHERS)})
)
def test_docstring(name):
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module, extraglobs=NAMES)
    assert tried and not failed


def test_the_pass_of_the_guide():
    guide = (ROOT / "docs/writing_a_pass.md").read_text(encoding="utf-8")
    module = types.ModuleType("guide")
    exec(guide.split("```python\n")[1].split("```")[0], vars(module))
    failed, tried = doctest.testmod(module, extraglobs=NAMES)
    assert tried and not failed
