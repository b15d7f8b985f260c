"""A theme: moves, nests and expressions that belong together, and what they need in scope.

A program of the wide vocabulary draws a few themes, so that what a theme does meets itself and
others often, though no theme is in every program.  Tables only; drawing is done elsewhere.
"""

from dataclasses import dataclass, field

from tests.fuzz.draw import Form
from tests.fuzz.moves import Move
from tests.fuzz.nests import Nest


@dataclass(frozen=True)
class Theme:
    name: str
    moves: tuple[Move, ...]
    nests: tuple[Nest, ...] = ()
    forms: dict[str, tuple[Form, ...]] = field(default_factory=dict)  # more ways to write a kind
    prelude: tuple[str, ...] = ()  # lines before everything else
    scope: dict[str, str] = field(default_factory=dict)  # what the prelude binds, by kind
    result: tuple[str, ...] = ()  # terms of the result that read it
    # what is bound where a program names it: the line, and a term of the result that reads it
    state: dict[str, tuple[str, str]] = field(default_factory=dict)
    largest: int = 0  # a size that programs of it alone may have anyway


def moves(text: str, *tags: str, **declares: str) -> tuple[Move, ...]:
    """One move per line of a text; ` ;; ` stands between the lines of a move."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return tuple(Move(1, tuple(line.split(" ;; ")), tags, dict(declares)) for line in lines)


def forms(text: str, weight: float = 1, *tags: str) -> tuple[Form, ...]:
    """One form per line of a text."""
    return tuple(Form(weight, line.strip(), tags) for line in text.strip().splitlines())
