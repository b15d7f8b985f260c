"""The stubs that type checkers read are those of the package that is imported."""

from pathlib import Path

import pytest

import srcgrad as flow
from srcgrad import eager
from tests.tools.kept import check_file
from tests.tools.stubs import stubs

STUBS = stubs()


@pytest.mark.parametrize("path", STUBS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_stubs(path: Path, pytestconfig: pytest.Config):
    update = pytestconfig.getoption("--update-golden")
    check_file(path, STUBS[path], update, "--update-golden tests/test_typing.py")


def test_public_names():
    """`dir` shows the names that are documented; `__all__` has them, and each is there."""
    shown = dir(flow)
    assert shown == sorted(shown) and [n for n in shown if n.startswith("_")] == ["__version__"]
    assert flow.__all__ == [n for n in shown if n != "__version__"]
    assert {*eager.PUBLIC, "compile", "nn", "Tensor", "sin"} <= {*shown}
    assert not {"Any", "importlib", "annotations", "hooks", "collector", "primitives"} & {*shown}
    for name in shown:
        getattr(flow, name)


def test_a_star_import_has_the_public_names():
    scope: dict[str, object] = {}
    exec("from srcgrad import *", scope)
    assert {n for n in scope if n != "__builtins__"} == {*flow.__all__}
