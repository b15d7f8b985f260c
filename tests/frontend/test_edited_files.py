"""Files that are edited, modules that are reloaded: what is compiled is the text that Python runs.

Each kind of program is a module with a function `f` of one number, in which a constant is edited.
Whatever is asked when, the answer is Python's own, or a refusal that names the file.
"""

import ast
import dataclasses
import importlib
import itertools
import linecache
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from IPython.extensions import autoreload

import srcgrad as flow
from srcgrad.errors import SrcgradError
from srcgrad.frontend.definitions import FUTURE

KINDS = {
    "function": "def f(x):\n    return x * x * {}\n",
    "helper": "def h(x):\n    return x * {}\n\ndef f(x):\n    return h(x) * x\n",
    "helper of a helper": (
        "def g(x):\n    return x * {}\n\ndef h(x):\n    return g(x)\n\ndef f(x):\n"
        "    return h(x) * x\n"
    ),
    "lambda": "f = lambda x: x * x * {}\n",
    "lambdas on a line": "f, g = (lambda x: x * x * {}), (lambda x: x * 5.0)\n",
    "equal lambdas on a line": "fs = [lambda x: x * x * {0}, lambda x: x * x * {0}]\nf = fs[1]\n",
    "method": (
        "class A:\n    def m(self, x):\n        return x * x * {}\n\na = A()\n\ndef f(x):\n"
        "    return a.m(x)\n"
    ),
    "static method": (
        "class A:\n    @staticmethod\n    def m(x):\n        return x * x * {}\n\ndef f(x):\n"
        "    return A.m(x)\n"
    ),
    "private method": (
        "class A:\n    def __m(self, x):\n        return x * x * {}\n"
        "    def m(self, x):\n        return self.__m(x)\n\na = A()\n\n"
        "def f(x):\n    return a.m(x)\n"
    ),
    "callable object": (
        "class A:\n    def __call__(self, x):\n        return x * x * {}\n\na = A()\n\n"
        "def f(x):\n    return a(x)\n"
    ),
    "closure": (
        "def make(k):\n    def inner(x):\n        return x * x * {} * k\n    return inner\n\n"
        "f = make(1.0)\n"
    ),
    "captured function": (
        "def h(x):\n    return x * {}\n\ndef make(g):\n    def inner(x):\n"
        "        return g(x) * x\n    return inner\n\nf = make(h)\n"
    ),
    "inner function": (
        "def f(x):\n    def inner(y):\n        return y * {}\n    return inner(x) * x\n"
    ),
    "inner lambda": "def f(x):\n    return (lambda y: y * {})(x) * x\n",
    "decorated": (
        "import functools\n\ndef twice(g):\n    @functools.wraps(g)\n    def wrapper(x):\n"
        "        return 2.0 * g(x)\n    return wrapper\n\n@twice\ndef f(x):\n"
        "    return x * x * {}\n"
    ),
    "wrapper": (
        "import functools\n\ndef times(g):\n    @functools.wraps(g)\n    def wrapper(x):\n"
        "        return {} * g(x)\n    return wrapper\n\n@times\ndef f(x):\n    return x * x\n"
    ),
    "default": "def f(x, c={}):\n    return x * x * c\n",
    "constant": "C = {}\n\ndef f(x):\n    return x * x * C\n",
    "imported library": "import numpy as np\n\ndef f(x):\n    return np.exp(np.sin(x)) * {}\n",
    "library that no statement imports": (
        "exec('import math as m')\n\ndef f(x):\n    return m.exp(x) * {}\n"
    ),
    "branch": (
        "if True:\n    def f(x):\n        return x * x * {}\n"
        "else:\n    def f(x):\n        return x\n"
    ),
    "name defined twice": "def f(x):\n    return x * 7.0\n\ndef f(x):\n    return x * x * {}\n",
    "loop": (
        "def f(x):\n    s = 0.0\n    for k in range(3):\n        s += x * x * {}\n    return s\n"
    ),
    "future": (
        "from __future__ import annotations\n\ndef f(x: float) -> float:\n    return x * x * {}\n"
    ),
    "dataclass": (
        "import dataclasses\n\n@dataclasses.dataclass\nclass A:\n    k: float\n"
        "    def m(self, x):\n        return x * x * {} * self.k\n\n"
        "def f(x):\n    return A(1.0).m(x)\n"
    ),
    "rule": (
        "import srcgrad as flow\n\n@flow.custom_vjp\ndef h(x):\n    return x * x * {0}\n\n"
        "h.defvjp(lambda x: (x * x * {0}, x), lambda x, g: (g * x * 2.0 * {0},))\n\n"
        "def f(x):\n    return h(x)\n"
    ),
    "partial": (
        "import functools\n\ndef h(k, x):\n    return x * x * {} * k\n\n"
        "f = functools.partial(h, 1.0)\n"
    ),
    "line moved": "# {}\n" + "#\n" * 3 + "def f(x):\n    return x * x * {}\n",
}
NUMBERS = itertools.count()
AT = 0.5


@dataclasses.dataclass
class Edited:
    """A module on disk whose text is replaced."""

    path: Any
    text: str
    module: ModuleType

    def edit(self, constant: str, above: str = "") -> None:
        self.path.write_text(above + self.text.replace("{0}", "{}").replace("{}", constant))

    def reload(self) -> None:
        importlib.reload(self.module)


@pytest.fixture(params=KINDS)
def edited(request, tmp_path, monkeypatch) -> Any:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python tells edits by their second
    monkeypatch.syspath_prepend(str(tmp_path))
    name, text = f"edited_{next(NUMBERS)}", KINDS[request.param]
    path = tmp_path / f"{name}.py"
    path.write_text(text.replace("{0}", "{}").replace("{}", "2.0"))
    importlib.invalidate_caches()
    yield Edited(path, text, importlib.import_module(name))
    sys.modules.pop(name, None)


def answer(call: Any, *args: Any) -> Any:
    """The value and the gradient of a call; "refused" if the file is named as edited."""
    try:
        return call(*args)
    except SrcgradError as error:
        assert "has changed since it was imported" in str(error), error
        return "refused"


def python(f: Any, x: Any = AT) -> Any:
    """What Python gives, and the slope by differences."""
    return f(x), (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


def agree(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.array(got), np.array(want), rtol=1e-5)


def gradient(f: Any) -> Any:
    return flow.value_and_grad(flow.compile(f, target="python"))


def test_a_reloaded_module(edited):
    agree(gradient(edited.module.f)(AT), python(edited.module.f))
    before = python(edited.module.f)
    edited.edit("3.0")
    edited.reload()
    assert python(edited.module.f)[0] != before[0]
    agree(gradient(edited.module.f)(AT), python(edited.module.f))


def test_a_held_transform_of_a_name_that_is_looked_up(edited):
    module = edited.module

    def through(x):
        return module.f(x)

    held = gradient(through)
    agree(held(AT), python(through))
    edited.edit("3.0", above="# a line above\n")
    edited.reload()
    agree(held(AT), python(through))


def test_a_held_transform_of_a_function_that_is_replaced(edited):
    """Python runs the old function, whose text is gone: it, or a refusal."""
    old = edited.module.f
    held = gradient(old)
    agree(held(AT), python(old))
    edited.edit("3.0")
    edited.reload()
    for x in (AT, np.float32(AT)):  # of the second one nothing was built
        got = answer(held, x)
        if got != "refused":
            np.testing.assert_allclose(np.array(got, float), python(old), rtol=1e-4)


def test_a_file_that_is_edited_before_the_first_compile(edited):
    edited.edit("3.0")
    got = answer(gradient(edited.module.f), AT)
    if got != "refused":
        agree(got, python(edited.module.f))


def test_a_file_that_is_edited_between_compiles(edited):
    agree(gradient(edited.module.f)(AT), python(edited.module.f))
    edited.edit("3.0")
    linecache.checkcache(str(edited.path))  # as a traceback does
    compiled = flow.compile(edited.module.f, target="python")
    got = answer(lambda x: flow.jvp(compiled, (x,), (1.0,)), AT)
    if got != "refused":
        agree(got, python(edited.module.f))


def test_lines_that_are_moved_only(edited):
    """The code is the same: no reason to refuse."""
    edited.edit("2.0", above="# one\n\n\n")
    agree(gradient(edited.module.f)(AT), python(edited.module.f))


def test_autoreload(edited):
    """IPython's extension puts new code into the functions and classes that there are."""
    function = edited.module.f
    held = gradient(function)
    agree(held(AT), python(function))
    edited.edit("3.0")
    importlib.invalidate_caches()
    autoreload.superreload(edited.module, importlib.reload, {})
    agree(gradient(edited.module.f)(AT), python(edited.module.f))
    got = answer(held, AT)
    if got != "refused":
        agree(got, python(function))


def test_a_file_that_does_not_parse_any_more(edited):
    edited.path.write_text("def f(x:\n")
    got = answer(gradient(edited.module.f), AT)
    if got != "refused":
        agree(got, python(edited.module.f))


# ---- texts that are not files ----
def run_whole(text: str, name: str, scope: dict) -> None:
    exec(compile(text, name, "exec"), scope)


def run_by_statements(text: str, name: str, scope: dict) -> None:
    """As IPython does; what a cell has from `__future__` lasts."""
    flags = 0
    for statement in ast.parse(text).body:
        code = compile(ast.Module([statement], []), name, "exec", flags, dont_inherit=True)
        flags |= code.co_flags & FUTURE
        exec(code, scope)


@pytest.mark.parametrize("run", [run_whole, run_by_statements])
@pytest.mark.parametrize("kind", [k for k in KINDS if k != "dataclass"])  # wants a module
def test_a_cell_that_is_run_again_under_its_name(kind, run):
    scope: dict[str, Any] = {"__name__": "cells"}
    name, template = "<cell of this test>", KINDS[kind].replace("{0}", "{}")

    def cell(constant: str) -> Any:
        text = template.replace("{}", constant)
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        run(text, name, scope)
        return scope["f"]

    first = cell("2.0")
    agree(gradient(first)(AT), python(first))
    second = cell("3.0")
    agree(gradient(second)(AT), python(second))
    got = answer(gradient(first), np.float32(AT))  # its text is gone
    if got != "refused":
        np.testing.assert_allclose(np.array(got, float), python(first), rtol=1e-4)


def test_code_that_names_another_file(tmp_path):
    path = tmp_path / "elsewhere.py"
    path.write_text("def f(x):\n    return x * 3.0\n")
    scope: dict[str, Any] = {}
    exec(compile("def f(x):\n    return x * 2.0\n", str(path), "exec"), scope)
    with pytest.raises(flow.errors.SourceError, match="has changed since it was imported"):
        gradient(scope["f"])(AT)


def test_lambdas_on_one_line_are_told_by_their_code():
    two = (lambda x: x * 2.0, lambda x: x * 3.0)
    # as Python -X no_debug_ranges leaves them, without columns
    bare = [type(f)(f.__code__.replace(co_linetable=b""), {}) for f in two]
    assert [gradient(f)(2.0) for f in bare] == [(4.0, 2.0), (6.0, 3.0)]


def test_functions_with_asserts_that_pytest_has_rewritten():
    def f(x):
        assert x > 0.0, "positive"
        return x * x * 2.0

    agree(gradient(f)(AT), python(f))
