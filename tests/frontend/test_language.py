"""The documented support of Python's statements agrees with the programs of `language.py`."""

import re

import pytest

import srcgrad as flow
from tests.frontend.statements import AT, ROWS, outcomes, slope
from tests.tools.kept import ROOT


def test_tensors_take_the_tape_where_the_compiler_refuses():
    for (_, what, f), (*_, taped) in zip(ROWS, outcomes(), strict=True):
        assert taped == "yes", what
        got = flow.grad(f)(flow.tensor(AT, dtype=flow.float64)).item()
        assert got == pytest.approx(slope(f), rel=1e-4), what


def refused() -> set[str]:
    return {keyword for keyword, _, compiled, _ in outcomes() if keyword and compiled == "refused"}


def said(page: str, pattern: str) -> set[str]:
    """The keywords in a part of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (part,) = re.findall(pattern, text, re.S)
    return {k for k, _, _ in ROWS if k and f"`{k}" in part}


def test_pages_name_what_is_refused():
    expected = refused()
    assert expected == {"with", "async"}
    assert said("docs/overview.md", r"Refused, with the line and the way out:(.*?)\n\n") == expected
    assert said("docs/limitations.md", r"\n(\| `async`, [^\n]*)") == expected
    assert said("docs/functional.md", r"\n(\| [^\n]*on the tape where[^\n]*)") == expected


def test_support_lists_what_is_not():
    text = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    statements, _, refusals = re.findall(
        r"^(Statements|Expressions|Refused by name): (.*)$", text, re.M
    )
    named = set(re.findall(r"`(\w+)[^`]*`", refusals[1]))
    assert {"async"} <= named
    assert {"nonlocal", "del"} <= set(re.findall(r"`(\w+)`", statements[1]))
    assert not named & {"nonlocal", "del", "match"}
