"""Keywords that a program chooses (`dict(x=...)`) never name a parameter of a handler."""

import inspect
import sys

import pytest

from srcgrad.frontend.formulas.dicts_of_the_run import Table
from srcgrad.frontend.handlers.decorators import remembered
from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import (
    BY_NAME,
    METHODS,
    TENSOR_FUNCTIONS,
    TENSOR_METHODS,
    know_all,
    know_tensors,
)

P = inspect.Parameter


def parameters(f):
    try:
        return [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        return []


def taken_by_name(handler):
    """The parameters that a keyword may name, of a handler that takes any keywords."""
    own = parameters(handler)
    if not any(p.kind is P.VAR_KEYWORD for p in own):
        return set()
    return {p.name for p in own if p.kind is P.POSITIONAL_OR_KEYWORD}


def is_of_python(f):
    home = (getattr(f, "__module__", None) or "").split(".")[0]
    return callable(f) and home in sys.stdlib_module_names


def handlers():
    know_all()
    know_tensors()
    for table in (FUNCTIONS, METHODS, BY_NAME, TENSOR_FUNCTIONS, TENSOR_METHODS):
        yield from table.items()


def test_no_keyword_names_the_interpreter_or_the_statement():
    found = [f for f, handler in handlers() if {"it", "node"} & taken_by_name(handler)]
    assert not found


def test_no_keyword_names_what_python_takes_by_position():
    """Where Python's own function takes any keywords, all that it names it takes by name."""
    found = {}
    for f, handler in handlers():
        theirs = parameters(f) if is_of_python(f) else []
        if f in (dict, remembered) or any(p.kind is P.VAR_KEYWORD for p in theirs):
            by_name = {p.name for p in theirs if p.kind is P.POSITIONAL_OR_KEYWORD}
            found[f] = taken_by_name(handler) - by_name - {"it", "node"}
    assert {f for f, names in found.items() if names} == set()
    assert dict in found


@pytest.mark.parametrize("kind", ["dict", "str", "tuple"])
def test_methods_that_take_any_keyword_take_nothing_else_by_name(kind):
    assert not [key for key, h in METHODS.items() if key[0] == kind and taken_by_name(h)]
    assert not taken_by_name(Table.update)
