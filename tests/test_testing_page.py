"""The examples of docs/testing.md run and give what they say; its options exist."""

import doctest
import re

from tests.fuzz.__main__ import _parser
from tests.tools.kept import ROOT

PAGE = ROOT / "docs" / "testing.md"


def test_examples():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried > 8 and not failed


def test_options():
    known = {o for action in _parser()._actions for o in action.option_strings}
    told = set(re.findall(r"(?<!\w)(?<!pytest )--[a-z0-9]+", PAGE.read_text(encoding="utf-8")))
    assert told - {"--gradcheck"} <= known
