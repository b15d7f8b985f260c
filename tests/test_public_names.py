"""`dir` of each public module shows the names that are documented, and no others."""

import doctest
import functools
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import srcgrad as flow
from srcgrad import interop
from srcgrad.eager.functions.texts import TEXTS
from srcgrad.mindspore.nn import renamed
from srcgrad.mindspore.ops.plain import MADE
from srcgrad.nn import wrapped
from srcgrad.tracebacks import within

MODULES = [
    "amp", "array_api", "array_api.fft", "array_api.linalg", "autograd", "autograd.functional",
    "autograd.graph", "cuda", "distributed", "errors", "func", "interop", "linalg", "mindspore",
    "mindspore.amp", "mindspore.dtype", "mindspore.nn", "mindspore.ops", "nn", "nn.functional",
    "nn.init", "nn.utils", "ops", "optim", "optim.lr_scheduler", "scipy", "testing", "tools",
    "tree", "utils", "utils.data",
]  # fmt: skip
LATE = ("linalg", "mindspore", "mindspore.dtype", "mindspore.ops", "ops")  # loaded at first use


def public(module: ModuleType) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def modules(*roots: ModuleType) -> dict[str, ModuleType]:
    """The modules that are reached by names that `dir` shows."""
    found: dict[str, ModuleType] = {}
    pending = [*roots]
    while pending:
        module = pending.pop()
        if module.__name__ not in found:
            found[module.__name__] = module
            values = [getattr(module, name) for name in public(module)]
            pending += [v for v in values if isinstance(v, ModuleType)]
    return found


FOUND = modules(flow, interop)


def test_public_modules():
    """No module of the inside, and no other package, is shown by a public one."""
    assert sorted(FOUND) == ["srcgrad", *(f"srcgrad.{name}" for name in MODULES)]


@pytest.mark.parametrize("name", MODULES)
def test_dir(name: str):
    module = FOUND[f"srcgrad.{name}"]
    shown = dir(module)
    assert shown == sorted({*shown})
    if name not in LATE:
        assert shown == sorted(module.__all__)
    else:
        assert {*getattr(module, "__all__", ())} <= {*shown}
    for each in {*shown} - {*getattr(module, "__all__", ())}:
        value = getattr(module, each)
        if isinstance(value, type) or callable(value):
            home = value.__module__
            assert home.partition(".")[0] in ("srcgrad", "numpy"), f"{each} is of {home}"


@pytest.mark.parametrize("module", [flow, flow.mindspore])
def test_a_submodule_hides_no_name(module: ModuleType):
    """Importing a submodule sets an attribute of its package, whose names are loaded late."""
    files = {path.stem for path in Path(str(module.__file__)).parent.iterdir()}
    for name in files & {*public(module)}:
        assert isinstance(getattr(module, name), ModuleType), name


def test_checkpoint_is_a_function():
    importlib.import_module(flow.save_checkpoint.__module__)
    assert flow.mindspore.checkpoint is flow.checkpoint


# ---- docstrings ----
def documented() -> dict[str, object]:
    """The public functions and classes, each by the first of its names.

    An error has its example in docs/errors.md, which `test_errors_page.py` runs. The functions of
    `array_api` are those of the standard, whose page has their examples.
    """
    found: dict[int, tuple[str, object]] = {}
    for home, module in sorted(FOUND.items(), key=lambda item: (len(item[0]), item[0])):
        for name in public(module) if not home.startswith("srcgrad.array_api") else ():
            value = within(getattr(module, name))
            if callable(value) and not (isinstance(value, type) and issubclass(value, Exception)):
                found.setdefault(id(value), (f"{home}.{name}", value))
    return dict(found.values())


def test_each_public_function_has_a_docstring_and_an_example():
    """The first line is a sentence; what is Python's own (`ops.partial`) has Python's docstring."""
    found = {n: v.__doc__ or "" for n, v in documented().items() if v is not functools.partial}
    assert len(found) > 800
    assert [name for name, text in found.items() if ">>> " not in text] == []
    first = {name: text.strip().partition("\n")[0] for name, text in found.items()}
    assert [name for name, line in first.items() if not line.endswith((".", ":"))] == []


MADE_BY_TABLES = {
    **{name: getattr(flow, name) for name in TEXTS},
    **{f"ops.{name}": cls for name, cls in MADE.items()},
    **{f"nn.{n}": v for n, v in vars(wrapped).items() if isinstance(v, type)},
    **{f"mindspore.nn.{n}": v for n, v in vars(renamed).items() if isinstance(v, type)},
}


@pytest.mark.parametrize("first", sorted({name[0] for name in MADE_BY_TABLES}))
def test_examples_of_what_tables_make(first: str):
    """These docstrings are in no source, where `test_doctests.py` would find them."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, value in MADE_BY_TABLES.items():
        if name.startswith(first):
            runner.run(parser.get_doctest(str(value.__doc__), {}, name, None, None))
    assert runner.summarize(verbose=False).failed == 0
