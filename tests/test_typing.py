"""The stubs that type checkers read are those of the package that is imported."""

from pathlib import Path

import pytest

import srcgrad as flow
from srcgrad import eager
from tests.test_pages import PAGES
from tests.test_public_names import FOUND
from tests.tools import turns
from tests.tools.checkers import INSTALLED, incomplete, reported
from tests.tools.kept import ROOT, check_file
from tests.tools.pages import right_blocks
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


@pytest.mark.parametrize("checker", INSTALLED)
def test_wrong_programs_are_reported_and_right_ones_are_not(checker: str):
    """Each line that is marked `# wrong`, and no other."""
    files = [ROOT / "tests" / "typing" / name for name in ("wrong.py", "right.py")]
    for file, found in zip(files, reported(checker, files).values(), strict=True):
        lines = file.read_text(encoding="utf-8").splitlines()
        marked = {k for k, text in enumerate(lines, 1) if text.endswith("# wrong")}
        missed, extra = ([lines[k - 1] for k in ks] for ks in (marked - found, found - marked))
        assert not missed and not extra, f"{checker} misses {missed} and reports {extra}"


@pytest.mark.parametrize("checker", INSTALLED)
def test_examples_are_clean(checker: str):
    """One run in four, and each under `--full`; values of untyped libraries are `Any` there."""
    if turns.in_one_of(f"examples under {checker}", 4):
        found = reported(checker, sorted((ROOT / "examples").glob("*.py")))
        assert len(found) > 10 and not {name: lines for name, lines in found.items() if lines}


@pytest.mark.parametrize("checker", INSTALLED)
def test_pages_are_clean(checker: str, tmp_path: Path):
    """The programs of the tutorials, but for the page that imports a file which it writes."""
    if turns.in_one_of(f"pages under {checker}", 4):
        pages = [page for page in PAGES if page.stem != "getting_started"]
        files = [tmp_path / f"{page.stem.lower()}.py" for page in pages]
        for page, file in zip(pages, files, strict=True):
            file.write_text(right_blocks(page.read_text(encoding="utf-8")), encoding="utf-8")
        found = reported(checker, files)
        assert not {name: lines for name, lines in found.items() if lines}


def test_types_of_public_names_are_complete():
    """One run in four, and each under `--full`: pyright reads the whole package."""
    if "pyright" not in INSTALLED or not turns.in_one_of("types of public names", 4):
        return
    names, found = incomplete(FOUND)
    assert names > 2000 and not found
