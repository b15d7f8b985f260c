"""docs/tutorial.md: its blocks run in order and print what stands below them.

`pytest --update-docs tests/test_tutorial.py` rewrites the outputs.
"""

import contextlib
import io
import linecache
import re

import pytest

from tests.tools.kept import ROOT

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def test_the_tutorial_prints_what_it_says(request: pytest.FixtureRequest):
    text = PAGE.read_text(encoding="utf-8")
    scope: dict = {}
    found = list(BLOCK.finditer(text))
    outputs = [output_of(m[1], k, scope) for k, m in enumerate(found)]
    assert len(found) >= 20
    if request.config.getoption("--update-docs"):
        for m, output in reversed(list(zip(found, outputs, strict=True))):
            shown = f"```python\n{m[1]}```\n" + (f"\n```text\n{output}```\n" if output else "")
            text = text[: m.start()] + shown + text[m.end() :]
        PAGE.write_text(text, encoding="utf-8")
        return
    for m, output in zip(found, outputs, strict=True):
        assert output == (m[2] or ""), m[1]


def output_of(source: str, k: int, scope: dict) -> str:
    """What a block prints; an exception that ends it is printed by its class and text."""
    file = f"<tutorial {k}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)  # functions have a source
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(source, file, "exec"), scope)
        except RuntimeError as error:
            print(f"{type(error).__name__}: {error}")
    return printed.getvalue()
