"""Mistakes whose way out is followed.

`definitions` and `line` are as in `mistakes`; `says` is a part of the reason or of the way out, and
`mended` the program that follows it, whose last line is an expression with the value `result`.
"""

from dataclasses import dataclass

from tests.tools.mistakes import Mistake


@dataclass(frozen=True)
class Followed(Mistake):
    """A mistake whose way out is followed."""

    says: str = ""
    mended: str = ""
    result: object = None


def followed(name: str, text: str, seen: str, says: str, mended: str, result: object) -> Followed:
    *definitions, line = text.strip("\n").split("\n")
    return Followed(name, "\n".join(definitions), line, seen, says, mended.strip("\n"), result)
