"""Texts that show themselves: as they are at a prompt, with coloured syntax in a notebook."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<string>[rbfRBF]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<comment>\#[^\n]*)
    |(?P<number>\b\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
    |(?P<word>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)
PLAIN = (
    "<pre style='white-space:pre;overflow-x:auto;line-height:1.35;"
    "color:inherit;background:none;margin:0'>{}</pre>"
)


class Shown(str):
    """A text that is shown as it is, not as a literal; a string in all other ways."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return PLAIN.format(_escaped(str(self)))


class Code(Shown):
    """The text of a program in Python."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return STYLE + PLAIN.format("\n".join(coloured(str(self))))


def _escaped(text: str) -> str:
    from html import escape  # few programs show a text in a notebook

    return escape(text)


STYLE = (
    "<style>.sg-keyword{color:#8250df}.sg-string{color:#0a6b3d}.sg-number{color:#0550ae}"
    ".sg-comment{color:#6e7781}@media(prefers-color-scheme:dark){.sg-keyword{color:#d2a8ff}"
    ".sg-string{color:#7ee2a8}.sg-number{color:#79c0ff}.sg-comment{color:#9198a1}}</style>"
)


def coloured(text: str) -> list[str]:
    """The lines of a program in Python as HTML, each complete in itself."""
    lines = [""]
    for kind, piece in _pieces(text):
        first, *others = (_marked(kind, part) for part in piece.split("\n"))
        lines[-1] += first
        lines += others
    return lines


def _marked(kind: str, part: str) -> str:
    text = _escaped(part)
    return f'<span class="sg-{kind}">{text}</span>' if kind and part else text


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with its kind; empty where it has no colour."""
    end = 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind == "word":
            if not keyword.iskeyword(found.group()):
                continue
            kind = "keyword"
        yield "", text[end : found.start()]
        yield kind, found.group()
        end = found.end()
    yield "", text[end:]
