"""Counts what keeps the package simple: lines, functions, circles of imports, docstrings.

`python -m tests.tools.house` prints the counts; tests/test_house.py holds them to limits.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

PACKAGE = Path(__file__).parents[2] / "srcgrad"


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax trees of the package by module name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def texts() -> dict[str, str]:
    """The text of each file."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {p.relative_to(PACKAGE).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def lines() -> dict[str, int]:
    """The number of lines of each file."""
    return {file: len(text.splitlines()) for file, text in texts().items()}


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


_IMPORTS = (ast.Import, ast.ImportFrom)


def lines_of_code(text: str, kept: list[Any]) -> int:
    """The lines of a module that are not blank, comments, docstrings or imports."""
    apart: list[ast.stmt] = [n for n in kept if isinstance(n, _IMPORTS)]
    apart += [n.body[0] for n in _documented(kept)]
    without = {k for n in apart for k in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
    numbered = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(t) and not t.startswith("#") and k not in without for k, t in numbered)


def nodes(tree: ast.AST) -> list[Any]:
    """The nodes that are counted."""
    return [n for n in ast.walk(tree) if isinstance(n, (*_DOCUMENTED, *_IMPORTS))]


@cache
def nodes_of(module: str) -> list[Any]:
    return nodes(trees()[module])


def _documented(nodes: list[Any]) -> Iterator[Any]:
    """The module, classes and functions that have a docstring."""
    for n in nodes:
        if isinstance(n, _DOCUMENTED) and ast.get_docstring(n, clean=False) is not None:
            yield n


def clauses() -> list[str]:
    """The docstrings that begin with a relative clause, by module and name."""
    return [
        f"{module}.{getattr(n, 'name', '')}"
        for module in trees()
        for n in _documented(nodes_of(module))
        if (ast.get_docstring(n) or "").startswith("What ")
    ]


def function_lengths() -> list[int]:
    """The number of lines of each function, docstring included."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = (n for module in trees() for n in nodes_of(module) if isinstance(n, kinds))
    return [(f.end_lineno or f.lineno) - f.lineno + 1 for f in functions]


def imports() -> dict[str, set[str]]:
    """The modules of the package that each module imports, at its top or inside functions."""
    return {name: set(_imported(nodes_of(name))) - {name} for name in trees()}


def circles() -> list[list[str]]:
    """The groups of modules that import one another, directly or through others."""
    graph = imports()
    reached = {m: _reached(m, graph) for m in graph}
    found = {tuple(sorted({m} | {n for n in reached[m] if m in reached[n]})) for m in graph}
    return sorted([list(group) for group in found if len(group) > 1], key=len)


def _imported(nodes: list[Any]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in trees())
        elif isinstance(node, ast.ImportFrom) and node.module in trees() and not node.level:
            for a in node.names:
                part = f"{node.module}.{a.name}"
                yield part if part in trees() else node.module


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        for m in graph[todo.pop()] - found:
            found.add(m)
            todo.append(m)
    return found


def any_density() -> float:
    """How often `Any` is written in the frontend, per 100 lines."""
    text = "".join(p.read_text(encoding="utf-8") for p in (PACKAGE / "frontend").rglob("*.py"))
    return 100 * len(re.findall(r"\bAny\b", text)) / text.count("\n")


@cache
def counts() -> dict[str, float]:
    """Each count by its name."""
    return {
        "lines of code": sum(map(lines_of_code, texts().values(), map(nodes_of, trees()))),
        "docstrings that begin with What": len(clauses()),
        "lines of the largest file": max(lines().values()),
        "lines of the median function": median(function_lengths()),
        "modules in circles of imports": sum(map(len, circles())),
        "Any per 100 lines of the frontend": any_density(),
    }


if __name__ == "__main__":
    for name, n in counts().items():
        print(f"{n:>8g}  {name}")
    for group in circles():
        print("circle:", *group)
    for name in clauses():
        print("What:", name)
