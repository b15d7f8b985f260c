"""Examples in docstrings run and give what they say."""

import doctest
import functools
import importlib
import pkgutil
import types
from importlib.util import find_spec

import pytest

import srcgrad
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.primitives import REGISTRY
from srcgrad.tracebacks import within

# what the passes' before-and-after examples may use
SCOPE = {
    "REGISTRY": REGISTRY,
    "parse": lambda text: parse(text, REGISTRY),
    "show": lambda f: print(to_text(f, notes=False), end=""),
}
SKIPPED = ["srcgrad.__main__", "srcgrad.demo.picture"]
OTHERS = ("jax", "pytensor", "safetensors", "torch")
SKIPPED += [f"srcgrad.interop.of_{name}" for name in OTHERS]  # tests/interop
if not find_spec("dask"):
    SKIPPED.append("srcgrad.distributed.chunks")
if not find_spec("numba_cuda"):  # no compiler for kernels, as `conftest.py` says
    SKIPPED.append("srcgrad.backends.cuda.toolchain")
MODULES = [
    m.name
    for m in pkgutil.walk_packages(srcgrad.__path__, "srcgrad.")
    if m.name not in SKIPPED and not m.name.startswith("srcgrad.backends.generated.")
]


PARTS = sorted({name.split(".")[1] for name in MODULES})


@pytest.mark.parametrize("part", PARTS)
def test_doctests(part: str):
    """The examples of a part of the package; what fails is printed, and its modules listed."""
    failed = [name for name in MODULES if name.split(".")[1] == part and failures(name)]
    assert not failed


def failures(name: str) -> int:
    """How many examples of a module fail."""
    scope = SCOPE if name.startswith("srcgrad.passes") else {}
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module, name, extraglobs=scope):
        elsewhere = is_elsewhere(module, test.name.removeprefix(name).strip("."))
        if test.examples and not elsewhere:  # each run looks at every file of `linecache`
            runner.run(test)
    return runner.failures


def is_elsewhere(module: types.ModuleType, path: str) -> bool:
    """Whether a documented function is shown here and defined, with its example, elsewhere."""
    value = functools.reduce(getattr, path.split("."), module) if path else module
    return within(value) is not value and within(value).__module__ != module.__name__


PUBLIC = ("compile", "grad", "value_and_grad", "vjp", "jvp", "stop_gradient")


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_have_an_example(name: str):
    assert ">>>" in (getattr(srcgrad, name).__doc__ or "")
