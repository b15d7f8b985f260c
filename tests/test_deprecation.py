"""Deprecated names warn at the caller's line, compute what they did, and go when they said."""

import inspect
import re

import pytest

import srcgrad
from srcgrad.deprecation import deprecated
from tests.tools.kept import ROOT

MARK = re.compile(r'@deprecated\(\s*"[\d.]+", "([\d.]+)".*?\)\n\s*(?:def|class) (\w+)', re.DOTALL)


def old(x: float, scale: float = 2.0) -> float:
    """Scales."""
    return scale * x


class Old:
    def __init__(self, x: float):
        self.x = x

    def doubled(self):
        return 2.0 * self.x


def test_a_function():
    marked = deprecated("0.2.0", "0.4.0", instead="new(x)")(old)
    with pytest.warns(DeprecationWarning) as found:
        line = inspect.currentframe().f_lineno + 1
        assert marked(3.0, scale=3.0) == 9.0
    assert str(found[0].message) == (
        "old is deprecated since 0.2.0 and goes in 0.4.0: write new(x)"
    )
    assert (found[0].filename, found[0].lineno) == (__file__, line)
    assert marked.__doc__ == "Scales." and str(inspect.signature(marked)).startswith("(x: float")


def test_a_class():
    marked = deprecated("0.2.0", "0.4.0", instead="New")(Old)
    with pytest.warns(DeprecationWarning, match="write New") as found:
        made = marked(3.0)
    assert isinstance(made, Old) and made.doubled() == 6.0
    assert found[0].filename == __file__


@pytest.mark.parametrize("until", ["0.2.1", "0.3.0", "0.2.0", "0.1.0"])
def test_a_minor_release_lies_between(until):
    with pytest.raises(ValueError, match="a minor release has to lie between"):
        deprecated("0.2.0", until, instead="new(x)")(old)


def test_a_major_release_may_follow_at_once():
    assert deprecated("0.9.0", "1.0.0", instead="new(x)")(old).__name__ == "old"


def overdue(text: str, version: str) -> list[str]:
    """The names that a source marks as gone in this version or before."""
    order = lambda v: [int(part) for part in v.split(".")]
    return [name for until, name in MARK.findall(text) if order(until) <= order(version)]


def test_no_name_is_overdue():
    text = '@deprecated("0.2.0", "0.4.0", instead="g(x)")\ndef f(x):\n    return x\n'
    assert (overdue(text, "0.3.9"), overdue(text, "0.4.0")) == ([], ["f"])
    for path in sorted((ROOT / "srcgrad").rglob("*.py")):
        assert not overdue(path.read_text(encoding="utf-8"), srcgrad.__version__), path
