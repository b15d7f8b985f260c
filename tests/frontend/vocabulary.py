"""Counts how the functions of libraries are written down: `python -m tests.frontend.vocabulary`.

A thin handler uses nothing of the interpreter but the builder, calls of NumPy's functions, refusals
and static integers: it is a NumPy program spelled in calls of the builder, and could be a formula.
"""

import ast
from pathlib import Path

import srcgrad.frontend.handlers as handlers
from srcgrad.frontend.formulas.registry import FORMULAS
from srcgrad.frontend.handlers import FUNCTIONS
from srcgrad.frontend.handlers.registry import know_scipy

BUILDING = {"b", "emit", "call_numpy", "refuse", "static_int"}


def used(handler: ast.FunctionDef) -> set[str]:
    """What a handler uses of the interpreter."""
    return {
        n.attr
        for n in ast.walk(handler)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "it"
    }


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
    return {name: f for name, f in all_handlers().items() if used(f) <= BUILDING}


def lines(functions: dict[str, ast.FunctionDef]) -> int:
    """The lines of the bodies: how a signature is wrapped does not count."""
    return sum((f.end_lineno or 0) - f.body[0].lineno + 1 for f in functions.values())


if __name__ == "__main__":
    know_scipy()
    every, thin = all_handlers(), thin_handlers()
    print(f"{len(FUNCTIONS)} functions of libraries, {len(FORMULAS)} of them as formulas")
    print(f"{len(every)} handlers of {lines(every)} lines")
    print(f"{len(thin)} thin handlers of {lines(thin)} lines")
    by_file: dict[str, dict[str, ast.FunctionDef]] = {}
    for name, f in thin.items():
        by_file.setdefault(name.split(".")[0], {})[name] = f
    for file, many in sorted(by_file.items(), key=lambda row: -lines(row[1])):
        print(f"    {file}: {len(many)} of {lines(many)} lines")
