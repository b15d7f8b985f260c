"""What a release says of itself: one version everywhere, the files that describe it."""

import re
import runpy
import tarfile
import tomllib
import zipfile
from pathlib import Path

import srcgrad
from tests.tools import dist

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_has_one_source():
    assert "version" in PROJECT["project"]["dynamic"]
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


def test_links_of_the_index_lead_to_files_of_the_release():
    home = PROJECT["project"]["urls"]["Homepage"]
    page = runpy.run_path(str(ROOT / "hatch_build.py"))["for_index"](text("README.md"), home, "1.2")
    assert not dist.relative_links(page)
    pictures, pages = (
        set(re.findall(rf"\({home}/{kind}/v1\.2/([^)#]*)", page)) for kind in ("raw", "blob")
    )
    assert "docs/pictures/lynx_hare.svg" in pictures and "docs/getting_started.md" in pages
    assert all((ROOT / name).exists() for name in pictures | pages)
    back = re.sub(rf"{home}/(raw|blob)/v1\.2/", "", page)
    assert back == text("README.md")  # nothing else has changed


def test_a_release_is_compared_with_the_checkout(tmp_path):
    """A wheel without its stub and an sdist with a stray file are found."""
    files = {"srcgrad/__init__.py", "srcgrad/py.typed", "tests/test_a.py", ".ci/run"}
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("srcgrad/__init__.py", "")
        wheel.writestr("srcgrad-1.dist-info/METADATA", "[a](https://b.org) [page](docs/page.md)")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as sdist:
        for name in (*files - {".ci/run"}, "PKG-INFO", "tests/stray.py"):
            sdist.addfile(tarfile.TarInfo(f"srcgrad-1/{name}"))
    assert dist.of_wheel(tmp_path / "a.whl", files) == [
        "the wheel lacks srcgrad/py.typed",
        "the page of the index has the link docs/page.md",
    ]
    assert dist.of_sdist(tmp_path / "a.tar.gz", files) == ["the sdist has tests/stray.py besides"]
