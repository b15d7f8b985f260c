"""Runs the blocks of a page in order, as one program, and compares what each prints.

A block of Python may be followed by one of text: what it prints, and the exception that ends it.
"""

import ast
import contextlib
import io
import linecache
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.tools.kept import check_file

BLOCK = re.compile(r"```python\n(?P<source>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL)
FILE = "example.py"


def check_page(page: Path, update: bool):
    """The blocks of a page run and print what it shows; with `update` the page is rewritten."""
    text = page.read_text(encoding="utf-8")
    check_file(page, with_outputs(text), update, "--update-docs tests/test_pages.py")


def with_outputs(text: str) -> str:
    outputs = printed([m["source"] for m in BLOCK.finditer(text)])
    return BLOCK.sub(lambda m: shown(m["source"], next(outputs)), text)


def right_blocks(text: str) -> str:
    """The blocks of a page as one program, without those that end in an exception."""
    ends = re.compile(r"^\w+Error: ", re.MULTILINE)
    blocks = [m["source"] for m in BLOCK.finditer(text) if not ends.search(m["shown"] or "")]
    return "\n\n".join(blocks)


def shown(source: str, output: str) -> str:
    return f"```python\n{source}```\n" + (f"\n```text\n{output}```\n" if output else "")


def printed(blocks: list[str]) -> Iterator[str]:
    """What each block prints; functions are those of one file, which has all blocks up to there."""
    scope: dict = {"__name__": "example"}
    lines: list[str] = []
    imports: list[ast.stmt] = []
    for source in blocks:
        tree = ast.increment_lineno(ast.parse(source), len(lines))
        lines += source.splitlines(keepends=True)
        linecache.cache[FILE] = (len(lines), None, [*lines], FILE)
        own = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        if imports:  # Python compiles attributes of modules that a file imports in their own way
            tree.body.insert(0, ast.If(ast.Constant(False), [*imports], []))
        imports += own
        yield output_of(compile(ast.fix_missing_locations(tree), FILE, "exec"), scope)


def output_of(code, scope: dict) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)  # srcgrad's
        warnings.showwarning = lambda message, category, *_: print(
            f"{category.__name__}: {message}"
        )
        try:
            exec(code, scope)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return out.getvalue()
