"""`dir` of each public module shows the names that are documented, and no others."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

import srcgrad as flow
from srcgrad import interop

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
