"""The before and after in each pass's docstring."""

import doctest
import importlib

import pytest

from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.primitives import REGISTRY

NAMES = {
    "REGISTRY": REGISTRY,
    "parse": lambda text: parse(text, REGISTRY),
    "show": lambda f: print(to_text(f, notes=False), end=""),
}


PASSES = ["accumulate", "bounds", "columns", "common", "dead_code", "hoist",
          "results", "reuse", "simplify", "split", "upward"]  # fmt: skip


@pytest.mark.parametrize("name", PASSES)
def test_docstring(name):
    module = importlib.import_module(f"srcgrad.passes.{name}")
    failed, tried = doctest.testmod(module, extraglobs=NAMES)
    assert tried and not failed
