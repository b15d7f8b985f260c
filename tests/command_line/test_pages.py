"""The command `docs`: in a checkout and where the package is installed alone."""

import webbrowser

import pytest

from srcgrad.command_line import main, pages
from tests.tools.kept import ROOT


@pytest.fixture
def installed(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Without a checkout around the package, but with a folder of that name."""
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(pages, "FOLDER", tmp_path / "docs")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch):
    found: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) or True)
    return found


def test_the_pages_of_a_checkout(capsys, opened):
    assert main(["docs", "errors", "--open"]) == 0
    said = capsys.readouterr().out.strip()
    assert said in (str(ROOT / "docs/errors.md"), str(ROOT / "docs/_build/html/errors.html"))
    assert opened == [f"file://{said}"]


def test_a_built_site_comes_first(capsys, tmp_path, monkeypatch: pytest.MonkeyPatch):
    page = tmp_path / "_build/html/index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    for name in ("index.md", "errors.md"):
        (tmp_path / name).touch()
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    assert main(["docs"]) == 0
    assert capsys.readouterr().out.strip() == str(page)


def test_a_page_that_there_is_none_of(capsys):
    assert main(["docs", "limitation"]) == 2
    assert "did you mean limitations?" in capsys.readouterr().out


def test_an_address_where_there_is_no_checkout(capsys, installed, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pages.metadata, "metadata", _Metadata)
    assert main(["docs", "errors"]) == 0
    assert capsys.readouterr().out.strip() == "https://example.org/docs/errors.md"
    assert main(["help", "ShapeError"]) == 0
    assert "https://example.org/docs/errors.md#shapeerror" in capsys.readouterr().out


def test_without_metadata(capsys, installed, monkeypatch: pytest.MonkeyPatch):
    def missing(name: str):
        raise pages.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(pages.metadata, "metadata", missing)
    assert main(["docs"]) == 0
    assert capsys.readouterr().out.startswith("https://")


def test_no_browser(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert main(["docs", "--open"]) == 1
    assert "no browser was found" in capsys.readouterr().out


class _Metadata:
    def __init__(self, name: str):
        assert name == "srcgrad"

    def get_all(self, key: str) -> list[str]:
        assert key == "Project-URL"
        return ["Homepage, https://example.org", "Documentation, https://example.org/docs"]
