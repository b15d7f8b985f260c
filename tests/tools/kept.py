"""Texts that the code prints and files keep: compared by `==`, rewritten by a flag of pytest."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(<!-- (?P<name>[\w-]+):begin -->\n)(?P<text>.*?)(<!-- (?P=name):end -->)", re.S
)


def check_file(path: Path, text: str, update: bool, flag: str):
    """The file holds exactly this text."""
    if update:
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert kept == text, f"{path.relative_to(ROOT)} is stale: run pytest {flag} and read the diff"


def blocks(path: Path) -> dict[str, str]:
    """The marked blocks of a page by name."""
    found = list(BLOCK.finditer(path.read_text(encoding="utf-8")))
    assert len({m["name"] for m in found}) == len(found), f"{path}: two blocks of one name"
    return {m["name"]: m["text"] for m in found}


def check_block(path: Path, name: str, text: str, update: bool):
    """The marked block of a page holds exactly this text."""
    page = path.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda m: m[1] + text + m[4] if m["name"] == name else m[0], page)
    check_file(path, new, update, "--update-docs tests/test_docs.py")


def fenced(text: str, language: str = "python") -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"
