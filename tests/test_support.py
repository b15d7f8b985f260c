"""docs/support.md: what is supported, written from the tables that decide it.

`pytest --update-docs tests/test_support.py` rewrites the page. The test fails when it is stale.
"""

import ast
import builtins
import inspect
import itertools
import math
import textwrap
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from scipy import fft, fftpack, integrate, linalg, ndimage, signal, sparse, special

import srcgrad as flow
from srcgrad import api
from srcgrad.frontend.dispatch import EXPRESSIONS, STATEMENTS
from srcgrad.frontend.handlers.registration import FUNCTIONS, METHODS
from srcgrad.frontend.handlers.registry import Followed, OwnSource, know_all
from srcgrad.frontend.statements import _SPELLED as REFUSED
from srcgrad.frontend.versions import there
from srcgrad.ir.build import Builder
from srcgrad.primitives import REGISTRY
from srcgrad.tracebacks import within
from tests.frontend import statements
from tests.support.samples import FROZEN, IN_SOME_VERSIONS
from tests.tools.kept import ROOT, check_file

PAGE = ROOT / "docs" / "support.md"
MODULES: dict[str, Any] = {
    "builtins": builtins,
    "itertools": itertools,
    "math": math,
    "warnings": warnings,
    "numpy": np,
    "numpy.linalg": np.linalg,
    "srcgrad.tree": flow.tree,
    "scipy.special": special,
    "scipy.linalg": linalg,
    "scipy.fft": fft,
    "scipy.fftpack": fftpack,
    "scipy.integrate": integrate,
    "scipy.signal": signal,
    "scipy.ndimage": ndimage,
    "scipy.sparse": sparse,
    "scipy.sparse.linalg": sparse.linalg,
}
TREES = ("flatten", "leaves", "map", "structure", "unflatten")

KINDS = {
    "derive": "partial derivatives",
    "linear": "linear: its transpose",
    "multilinear": "linear in each argument: transposes",
    "custom": "a rule for each direction",
    "nondiff": "none: not a float, or memory",
    "flat": "zero almost everywhere",
    "shadow": "by reverse mode itself: shadows",
}

OWN = "own source"
# how a syntax node is spelled; a node that is not here goes by its own name
SPELLED = {
    "AnnAssign": "x: float = v", "Assert": "assert", "Assign": "a = v, a, b = v, x[i] = v",
    "AugAssign": "x += v, x[i] *= v", "Break": "break", "Continue": "continue", "Delete": "del",
    "Expr": "a call alone",
    "For": "for", "FunctionDef": "def inside a function", "If": "if, elif, else",
    "Import": "import m", "ImportFrom": "from m import f", "Match": "match",
    "Nonlocal": "nonlocal", "Pass": "pass",
    "Raise": "raise", "Return": "return, anywhere", "While": "while, while ... else",
    "Try": "try, except, else, finally",
    "With": "with", "ClassDef": "class inside a function", "Global": "global", "Yield": "yield",
    "Attribute": "x.name", "BinOp": "a + b, a @ b, a ** b", "BoolOp": "a and b, a or b",
    "Call": "f(x, *args, **named)", "Compare": "a < b <= c, is, in", "Constant": "literals",
    "Dict": "{...: ...}", "DictComp": "{k: v for ...}", "GeneratorExp": "sum(v for ...)",
    "IfExp": "a if c else b", "JoinedStr": "f-strings", "Lambda": "lambda", "List": "[...]",
    "ListComp": "[v for ...]", "Name": "names", "NamedExpr": ":=", "Set": "{...}",
    "SetComp": "{v for ...}", "Starred": "*rest", "Subscript": "x[i], x[1:, None], x[mask]",
    "Tuple": "(...)", "UnaryOp": "-a, not a, ~a",
}  # fmt: skip

# names in common use besides a function's own
ALIASES = {
    "numpy.absolute": ["abs"], "numpy.remainder": ["mod"], "numpy.divide": ["true_divide"],
    "numpy.conjugate": ["conj"],
}  # fmt: skip

INTRODUCTION = """# What is supported

Written by `pytest --update-docs tests/test_support.py` from the tables of the compiler: a name that
is listed has a handler, a name that is not is refused at the line that uses it. A function of
yours needs no entry: its source is read. Why something is refused, and the way out, is in
[limitations.md](limitations.md).

A function that becomes one or two primitives shows them with the way they are differentiated; the
others are written with primitives, loops and stores, and are differentiated as their parts are. "By
their own source": what the installed NumPy or SciPy says in Python is followed like a function of
yours.
"""


def kind_of(name: str) -> str:
    p = REGISTRY[name]
    if p.kind == "nondiff" and p.flat:
        return "flat"
    if (p.kind == "linear" and p.rules == ()) or name in ("view", "reshape"):
        return "shadow"
    return p.kind


def home_of(f: Any) -> tuple[str, str]:
    """The module a function is listed under, and its name there."""
    name = getattr(f, "__name__", "") or next((n for n in dir(np) if getattr(np, n) is f), str(f))
    name = {"ufunc.at": "add.at"}.get(getattr(f, "__qualname__", ""), name)
    for module, space in MODULES.items():
        found = getattr(space, name, None)
        if f is found or f is inspect.unwrap(found):
            return module, "`, `".join([name, *ALIASES.get(f"{module}.{name}", ())])
    of_python = ("object.", "list.", "tuple.", "int.", "float.")
    if getattr(f, "__qualname__", "").startswith(of_python):
        return "builtins", f.__qualname__
    own = str(getattr(f, "__module__", None) or "numpy")
    drawing = ("Generator.", "RandomState.", "Random.")
    if (qualified := getattr(f, "__qualname__", "")).startswith(drawing):
        return ("random" if qualified.startswith("Random.") else "numpy.random"), qualified
    if own.startswith("scipy.sparse."):
        return "scipy.sparse", f"csr_array.{name}"
    return ("srcgrad" if own.startswith("srcgrad.") else own.removeprefix("_")), name


def primitives_of(name: str, handler: Any) -> list[str]:
    """The primitives with a say in the derivative that a handler names itself."""
    cells = [c.cell_contents for c in handler.__closure__ or ()]
    named = {*named_in(handler.__code__), *(c for c in cells if isinstance(c, str))}
    found = sorted(s for s in named if s in REGISTRY and kind_of(s) not in ("nondiff", "shadow"))
    return [name] if name in found else found


def named_in(code: Any) -> Iterable[str]:
    """The strings of a function's code, and the rows that it emits as methods of a builder `b`."""
    for n in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(code)).rstrip().rstrip(","))):
        if isinstance(n, ast.Attribute) and ast.unparse(n.value).rpartition(".")[2] == "b":
            yield from {n.attr} - vars(Builder).keys()
    yield from strings_of(code)


def strings_of(code: Any) -> Iterable[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif hasattr(constant, "co_consts"):
            yield from strings_of(constant)


def becomes(name: str, handler: Any) -> tuple[str, str]:
    """What a function becomes, and how that is differentiated."""
    if isinstance(handler, Followed | OwnSource):
        return "", OWN if isinstance(handler, OwnSource) else ""
    cells = [c.cell_contents for c in handler.__closure__ or ()]
    only = [c for c in cells if isinstance(c, str) and c in REGISTRY]
    if len(only) == 1 and kind_of(only[0]) == "nondiff":
        return f"`{only[0]}`", KINDS["nondiff"]
    found = only if len(only) == 1 else primitives_of(name, handler)
    if not 1 <= len(found) <= 2:
        return "", ""
    kinds = dict.fromkeys(KINDS[kind_of(p)] for p in found)
    return ", ".join(f"`{p}`" for p in found), "; ".join(kinds)


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines
    )


def listed(rows: Iterable[tuple[str, str, str]], head: str) -> str:
    """A table of what becomes primitives, a line with the others."""
    rows = sorted(set(rows))
    parts = [table((head, "becomes", "derivative"), [r for r in rows if r[1]])]
    parts = parts if any(r[1] for r in rows) else []
    for said, mark in (("As their parts are", ""), ("By their own source", OWN)):
        names = ", ".join(r[0] for r in rows if not r[1] and r[2] == mark)
        parts += [f"{said}: {names}."] if names else []
    return "\n\n".join(parts)


def functions() -> str:
    know_all()
    by_module: dict[str, list[tuple[str, str, str]]] = {}
    for f, handler in FUNCTIONS.items():
        if f in FROZEN:
            continue  # distributions: their methods are listed
        module, names = home_of(f)
        ours = str(getattr(f, "__module__", "")).startswith("srcgrad.")
        public = TREES if module == "srcgrad.tree" else dir(flow)
        if ours and f.__name__ not in public:
            continue  # what our own programs are written with
        if names in IN_SOME_VERSIONS.get(module, ()):
            continue
        row = (f"`{names}`", *becomes(names.split("`")[0], handler))
        by_module.setdefault(module, []).append(row)
    return "\n\n".join(
        f"### {module}\n\n{listed(rows, 'name')}{_in_some_versions(module)}"
        for module, rows in sorted(by_module.items())
    )


def _in_some_versions(module: str) -> str:
    names = ", ".join(f"`{name}`" for name in IN_SOME_VERSIONS.get(module, ()))
    return f"\n\nWhere the installed version has them: {names}." if names else ""


def methods() -> str:
    of_arrays = [
        (f"`.{n}()`", *becomes(n, h)) for (kind, n), h in METHODS.items() if kind == "array"
    ]
    others: dict[str, list[str]] = {}
    for kind, name in METHODS:
        if kind != "array":
            others.setdefault(kind, []).append(f"`{name}`")
    lines = [f"Of a {kind}: {', '.join(sorted(names))}." for kind, names in sorted(others.items())]
    return listed(of_arrays, "of an array") + "\n\n" + "\n\n".join(lines)


def syntax() -> str:
    def listed_nodes(handlers: dict) -> str:
        nodes = sorted(n.__name__ for n in handlers if n.__module__ == "gast.gast")
        return ", ".join(f"`{SPELLED.get(n, n)}`" for n in nodes)

    done = {n.__name__ for n in STATEMENTS}
    names = dict.fromkeys(text for node, text in REFUSED.items() if node not in done)
    refused = ", ".join(f"`{text}`" for text in names)
    return (
        f"Statements: {listed_nodes(STATEMENTS)}.\n\nExpressions: {listed_nodes(EXPRESSIONS)}.\n\n"
        f"Refused by name: {refused}, `await`.\n\n"
        "In compiled code, and on [the tape](functional.md#the-tape-on-arrays):"
        f"\n\n{statements.table()}"
    )


def primitives() -> str:
    by_kind: dict[str, list[str]] = {}
    for name in REGISTRY:
        by_kind.setdefault(kind_of(name), []).append(f"`{name}`")
    rows = [(KINDS[kind], ", ".join(sorted(by_kind[kind]))) for kind in KINDS if kind in by_kind]
    return table(("derivative", "primitives"), rows)


def page() -> str:
    sections = {
        "Python": syntax(), "Functions": functions(), "Methods": methods(),
        "Primitives and how each is differentiated": primitives(),
    }  # fmt: skip
    return INTRODUCTION + "".join(f"\n## {title}\n\n{text}\n" for title, text in sections.items())


def test_the_page_is_fresh(pytestconfig: pytest.Config):
    update = pytestconfig.getoption("--update-docs")
    check_file(PAGE, page(), update, "--update-docs tests/test_support.py")


def test_functions_of_some_versions_are_followed_where_they_are_there():
    know_all()
    for module, names in IN_SOME_VERSIONS.items():
        for f in there(MODULES[module], *names):
            assert within(f) in FUNCTIONS, f


def test_every_kind_is_said():
    assert within(api.grad) in FUNCTIONS, "the transforms are listed as well"
    assert {kind_of(name) for name in REGISTRY} <= set(KINDS)
