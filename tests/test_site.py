"""The site: every page has its place, public names are described, broken links are found."""

import re
import runpy

import srcgrad
from tests.tools.kept import ROOT

DOCS = ROOT / "docs"
REFERENCE = runpy.run_path(str(DOCS / "reference.py"))
DRAW = runpy.run_path(str(DOCS / "pictures" / "draw.py"))
LINKS = runpy.run_path(str(DOCS / "links.py"))


def test_every_page_has_its_place():
    order = (DOCS / "_toc.yml").read_text(encoding="utf-8")
    placed = re.findall(r"(?:root|file): (?!api/)(\S+)", order)
    assert len(placed) == len(set(placed))
    assert set(placed) == {p.stem for p in DOCS.glob("*.md")} | {"decisions/README"}
    reference = re.findall(r"file: api/(\S+)", order)
    assert reference == ["index", "srcgrad", "tensors", *REFERENCE["MODULES"]]


def test_every_decision_is_listed():
    folder = DOCS / "decisions"
    listed = re.findall(r"\]\((\w+\.md)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert len(listed) == len(set(listed))
    assert set(listed) == {p.name for p in folder.glob("*.md")} - {"README.md"}


def test_the_reference_describes_each_name_once(tmp_path):
    REFERENCE["write"](tmp_path)
    pages = {p.stem: p.read_text(encoding="utf-8") for p in tmp_path.glob("*.rst")}
    described = re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)", "\n".join(pages.values()), re.M)
    assert len(described) == len(set(described))
    assert {f"srcgrad.{name}" for name in srcgrad._HOMES} <= set(described)
    assert "srcgrad.nn.Linear" in described and "srcgrad.mindspore.nn.Dense" in described
    assert "`Dense <srcgrad.mindspore.nn.Dense>`" in pages["nn"]
    assert pages["index"].count(":doc:") == len(pages) - 1


def test_a_name_that_no_page_holds_is_an_error(monkeypatch):
    monkeypatch.setitem(srcgrad._HOMES, "new_name", "srcgrad.api")
    monkeypatch.setattr(srcgrad, "_MODULES", (*srcgrad._MODULES, "new_module"))
    assert REFERENCE["undescribed"]() == {"new_name", "new_module"}


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">1</a> <a href="b.html#there">2</a> <a href="c.html">3</a>'
        '<a href="#away">4</a> <a href="https://example.org/x">5</a> <img src="p%20q.svg"></p>'
    )
    (tmp_path / "b.html").write_text('<h1 id="top"></h1><a href="a.html#here">back</a>')
    (tmp_path / "p q.svg").write_text("<svg/>")
    assert LINKS["broken"](tmp_path) == [
        "a.html: #away",
        "a.html: b.html#there",
        "a.html: c.html",
    ]


def test_pictures_are_drawn_from_examples():
    shown = re.findall(
        r"!\[[^]]+\]\(pictures/(\w+)\.svg\)", (DOCS / "gallery.md").read_text("utf-8")
    )
    assert set(shown) == set(DRAW["PICTURES"]) == {p.stem for p in DOCS.glob("pictures/*.svg")}
    for path in DOCS.glob("pictures/*.svg"):
        assert path.stat().st_size < 70_000


def test_a_picture_is_drawn(tmp_path):
    assert DRAW["draw"]("burgers_inversion", tmp_path).read_text("utf-8").count("<path") > 10


def test_every_example_is_in_the_gallery():
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.py"):
        assert f"(../examples/{path.name})" in text, path.name
