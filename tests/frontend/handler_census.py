"""Counts how the functions of libraries are written: `python -m tests.frontend.handler_census`.

A thin handler uses nothing of the interpreter but the builder, calls of NumPy's functions, refusals
and static integers: it is a NumPy program spelled in calls of the builder, and could be a formula.
"""

import ast
from pathlib import Path

from srcgrad.frontend import handlers
from srcgrad.frontend.formulas.registry import FORMULAS
from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import know_all

# of generators, whose numbers no formula has: each draw counts, and its place
OF_DRAWS = {"draws", "numbered", "random_choices", "random_of_numpy", "random_of_python"}
BUILDING = {"b", "emit", "call_numpy", "refuse", "static_int"}


def used(handler: ast.FunctionDef, parts: set[str]) -> set[str]:
    """What a handler uses of the interpreter, and of the parts: functions that are given it."""
    found = set()
    for n in ast.walk(handler):
        match n:
            case ast.Attribute(value=ast.Name(id="it"), attr=name):
                found.add(name)
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name)),
                args=[ast.Name(id="it"), *_],
            ) if name in parts:
                found.add(name)
    return found


def imported_parts() -> dict[str, set[str]]:
    """What each file of the handlers' folder imports of the rest of the frontend."""
    found: dict[str, set[str]] = {}
    for path in sorted(Path(handlers.__file__).parent.glob("*.py")):
        for n in ast.parse(path.read_text()).body:
            module = n.module or "" if isinstance(n, ast.ImportFrom) else ""
            if module.startswith("srcgrad.frontend") and "handlers" not in module:
                found.setdefault(path.stem, set()).update(a.asname or a.name for a in n.names)
    return found


def all_handlers() -> dict[str, ast.FunctionDef]:
    """The functions of the handlers' folder that take the interpreter and a node."""
    found = {}
    for path in sorted(Path(handlers.__file__).parent.glob("*.py")):
        for f in ast.walk(ast.parse(path.read_text())):
            if isinstance(f, ast.FunctionDef) and [a.arg for a in f.args.args[:2]] == [
                "it",
                "node",
            ]:
                found[f"{path.stem}.{f.name}:{f.lineno}"] = f
    return found


def thin_handlers() -> dict[str, ast.FunctionDef]:
    parts = imported_parts()
    return {
        name: f
        for name, f in all_handlers().items()
        if name.split(".")[0] not in OF_DRAWS
        and used(f, parts.get(name.split(".")[0], set())) <= BUILDING
    }


def lines(functions: dict[str, ast.FunctionDef]) -> int:
    """The lines of the bodies: how a signature is wrapped does not count."""
    return sum((f.end_lineno or 0) - f.body[0].lineno + 1 for f in functions.values())


if __name__ == "__main__":
    know_all()
    every, thin = all_handlers(), thin_handlers()
    print(f"{len(FUNCTIONS)} functions of libraries, {len(FORMULAS)} of them as formulas")
    print(f"{len(every)} handlers of {lines(every)} lines")
    print(f"{len(thin)} thin handlers of {lines(thin)} lines")
    by_file: dict[str, dict[str, ast.FunctionDef]] = {}
    for name, f in thin.items():
        by_file.setdefault(name.split(".")[0], {})[name] = f
    for file, many in sorted(by_file.items(), key=lambda row: -lines(row[1])):
        print(f"    {file}: {len(many)} of {lines(many)} lines")
