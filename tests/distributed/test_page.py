"""The examples of docs/distributed.md run and give what they say."""

import doctest

from tests.tools.kept import ROOT


def test_examples():
    failed, tried = doctest.testfile(str(ROOT / "docs" / "distributed.md"), module_relative=False)
    assert tried > 5
    assert not failed
