"""What a release says of itself: one version everywhere, the files that describe it."""

import re
import tomllib
from pathlib import Path

import srcgrad

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
