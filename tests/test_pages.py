"""Pages whose blocks run in order and print what stands below them.

`pytest --update-docs tests/test_pages.py` rewrites the outputs.
"""

import pytest

from tests.tools.kept import ROOT
from tests.tools.pages import BLOCK, check_page, printed, with_outputs

NAMES = (
    "tutorial", "getting_started", "overview", "from_numpy", "from_pytorch", "from_mindspore",
    "from_jax", "sharp_bits",
)  # fmt: skip
PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in NAMES)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_prints_what_it_says(page, pytestconfig: pytest.Config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a page writes files, and imports them from
    monkeypatch.syspath_prepend(tmp_path)
    check_page(page, pytestconfig.getoption("--update-docs"))
    assert len(BLOCK.findall(page.read_text(encoding="utf-8"))) >= 3


def test_an_output_that_differs_is_rewritten():
    page = "```python\nprint({})\n```\n\n```text\n2\n```\n"
    assert with_outputs(page.format(2)) == page.format(2)
    assert with_outputs(page.format(1)) == page.format(1).replace("2", "1")
    assert with_outputs("```python\nx = 1\n```\n") == "```python\nx = 1\n```\n"


def test_blocks_are_one_program():
    blocks = ["def f(x):\n    return x\n", "print(f(2))\nraise ValueError('no')\n"]
    assert list(printed(blocks)) == ["", "2\nValueError: no\n"]
