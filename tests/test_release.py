"""What a release says of itself: one version everywhere, the files that describe it."""

import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import srcgrad
from tests.tools import dist

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_has_one_source():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "srcgrad/__init__.py"
    newest = re.search(r"^## (\d+\.\d+\.\d+)", text("CHANGELOG.md"), re.MULTILINE)
    cited = re.search(r"^version: (\S+)$", text("CITATION.cff"), re.MULTILINE)
    assert newest and cited
    assert newest[1] == cited[1] == srcgrad.__version__


def test_files_that_are_named_are_there():
    for page in ("SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        for name in re.findall(r"`((?:srcgrad|tests|docs)/[\w/]+\.(?:py|md))`", text(page)):
            assert (ROOT / name).exists(), f"{page}: {name}"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_a_release_is_compared_with_the_checkout(tmp_path):
    """A wheel without its stub and an sdist with a stray file are found."""
    files = {"srcgrad/__init__.py", "srcgrad/py.typed", "tests/test_a.py", ".ci/run"}
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        for name in ("srcgrad/__init__.py", "srcgrad-1.dist-info/METADATA"):
            wheel.writestr(name, "")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as sdist:
        for name in (*files - {".ci/run"}, "PKG-INFO", "tests/stray.py"):
            sdist.addfile(tarfile.TarInfo(f"srcgrad-1/{name}"))
    assert dist.of_wheel(tmp_path / "a.whl", files) == ["the wheel lacks srcgrad/py.typed"]
    assert dist.of_sdist(tmp_path / "a.tar.gz", files) == ["the sdist has tests/stray.py besides"]
