"""Imports point down: from `api` over `transforms` and `backends` to `primitives` and `ir`.

Read from the source with ``ast``, so that an import inside a function, under ``TYPE_CHECKING`` or
through ``importlib.import_module("srcgrad...")`` counts like any other. Never imports srcgrad.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "srcgrad"

# From the bottom up. A part may import itself and every part of a lower row.
LAYERS = (
    ("records", "protocols"),
    ("errors", "collector", "depth", "forks", "interrupts", "hooks", "operation"),
    ("settings",),
    ("tracebacks",),
    ("namespace", "deprecation"),
    ("tree",),
    ("debug", "memory_limit"),
    ("ir",),
    ("primitives",),
    ("frontend", "autodiff", "passes", "eager", "printing"),
    ("routines",),
    ("faults",),
    ("backends",),
    ("numeric", "custom"),
    ("transforms",),
    ("bridge", "solvers", "sparse"),
    ("inside",),
    ("api",),
)
# The public namespaces and the package's own top stand above api and may import one another.
PUBLIC = (
    "array_api", "autograd", "cuda", "func", "linalg", "mindspore", "ops", "nn", "optim", "scipy",
    "amp", "distributed", "testing", "utils", "interop", "tools", "demo", "command_line",
    "__init__", "__main__",
)  # fmt: skip
# A rule is mathematics: it knows no program. The eager mode runs with the compiler deleted.
FORBIDDEN = {("primitives", "ir"), ("eager", "ir")}

HEIGHT = {part: row for row, parts in enumerate(LAYERS) for part in parts}
HEIGHT.update(dict.fromkeys(PUBLIC, len(LAYERS)))


def sources():
    return sorted(PACKAGE.rglob("*.py"))


def test_every_part_has_a_layer():
    found = {part_of_file(path) for path in sources()}
    assert found <= set(HEIGHT), "give the new part a row in LAYERS"


def test_imports_point_down():
    bad = [
        f"{path.relative_to(PACKAGE)}: {violation}"
        for path in sources()
        for violation in violations(
            path.read_text(encoding="utf-8"), part_of_file(path), package_of_file(path)
        )
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("from srcgrad import api", "frontend"),
        ("import srcgrad.passes.simplify", "autodiff"),
        ("def f():\n    from srcgrad.backends.cache import cache_dir", "ir"),
        ("from srcgrad.ir import nodes", "primitives"),
        ("from ..ir import nodes", "eager"),
        ("from .. import errors, nn", "api"),
        ("import srcgrad as flow", "backends"),
        ("from srcgrad import grad", "passes"),
        ("import importlib\nimportlib.import_module('srcgrad.api')", "frontend"),
        ("from srcgrad import debug", "errors"),
    ],
)
def test_a_violation_is_found(source, part):
    assert violations(source, part, f"srcgrad.{part}")


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("from srcgrad.ir import nodes", "passes"),
        ("from . import schedule", "backends"),
        ("from ..errors import SrcgradError", "ir"),
        ("import srcgrad as flow", "demo"),
        ("import numpy as np\nfrom numpy import linalg", "primitives"),
    ],
)
def test_a_legal_import_passes(source, part):
    assert not violations(source, part, f"srcgrad.{part}")


def part_of_file(path):
    """Return the folder or file directly under srcgrad that ``path`` belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def package_of_file(path):
    """Return the dotted package that a relative import in ``path`` starts from."""
    return ".".join(["srcgrad", *path.relative_to(PACKAGE).parts[:-1]])


def violations(source, part, package):
    """Return a line for each import in ``source`` that ``part`` may not make."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for target in imported_parts(node, package):
            if not allowed(part, target):
                found.append(f"line {node.lineno}: {part} may not import {target}")
    return found


def allowed(part, target):
    if part == target or HEIGHT[part] == len(LAYERS):
        return True
    return HEIGHT[target] < HEIGHT[part] and (part, target) not in FORBIDDEN


def imported_parts(node, package):
    """Return the parts of srcgrad that one syntax node imports."""
    match node:
        case ast.Import(names=names):
            modules = [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = absolute(module, level, package)
            modules = [f"{base}.{alias.name}" for alias in names]
        case ast.Call(args=[ast.Constant(value=str(name)), *_]) if "import" in ast.dump(node.func):
            modules = [absolute(name.lstrip("."), len(name) - len(name.lstrip(".")), package)]
        case _:
            return []
    return [part_of_module(name) for name in modules if name.partition(".")[0] == "srcgrad"]


def absolute(module, level, package):
    """Return the dotted name that ``from <level dots><module>`` means inside ``package``."""
    if level == 0:
        return module
    kept = package.split(".")[: len(package.split(".")) - (level - 1)]
    return ".".join([*kept, *([module] if module else [])])


def part_of_module(name):
    """Return the part a dotted name lies in; a plain name of the top level is its ``__init__``."""
    first = [*name.split("."), ""][1]
    return first if first in HEIGHT else "__init__"
