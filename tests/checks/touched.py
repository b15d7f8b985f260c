"""Which cases the last commit, or what the working tree has changed since, touches."""

from functools import cache
from typing import Any

from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.operation import Primitive
from tests.checks.case_checks import Record
from tests.tools.turns import ROOT, changed_files

THEMES = "tests/cases/"


@cache
def changed_themes() -> frozenset[str]:
    names = (f.removeprefix(THEMES).removesuffix(".py") for f in changed_files() if THEMES in f)
    return frozenset(names)


def file_of(function: Any) -> str:
    """The path of a function in this project; "" of what is no function, or of another project."""
    code = getattr(function, "__code__", None)
    path = code.co_filename if code is not None else ""
    return path.removeprefix(f"{ROOT}/") if path.startswith(f"{ROOT}/") else ""


@cache
def files_of(primitive: Primitive) -> frozenset[str]:
    """Where a primitive and its derivatives are written."""
    rules = primitive.rules  # of any number of operands: made as they are asked for, without end
    some = rules if isinstance(rules, tuple) else (rules[0],)
    parts = (primitive.impl, primitive.jvp, primitive.typing, *some)
    return frozenset(map(file_of, parts))


def is_touched(record: Record) -> bool:
    """Whether a changed file defines the case, or a primitive of its program."""
    changed = changed_files()
    if record.case.theme in changed_themes() or file_of(record.case.fn) in changed:
        return True
    if not any(f.startswith("srcgrad/primitives/") for f in changed):
        return False
    used = {s.op for s in walk(record.program.body) if isinstance(s, Def)}
    return any(files_of(op) & changed for op in used)
