"""Which places of the frontend and the differentiator that refuse a program are reached by tests.

A place is a call of `refuse` or the making of an error of srcgrad, found in the syntax tree. It is
reached if an error is made there while the programs of `tests/errors` run. As a script: lists the
places that no program reaches.
"""

import ast
import contextlib
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import srcgrad as flow
from srcgrad import errors
from tests.errors import PROGRAMS
from tests.tools.kept import ROOT
from tests.tools.structures import copied

SOURCES = ("frontend/**/*.py", "autodiff/**/*.py", "inside/nested.py")
CLASSES = {
    name
    for name, c in vars(errors).items()
    if isinstance(c, type) and issubclass(c, errors.SrcgradError)
}


@dataclass(frozen=True)
class Place:
    """Lines of a file."""

    file: Path
    first: int
    last: int
    text: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT).as_posix()}:{self.first}: {self.text[:90]}"


def places() -> list[Place]:
    """All places that refuse, in order."""
    files = sorted(f for sources in SOURCES for f in (ROOT / "srcgrad").glob(sources))
    return [place for f in files for place in _of_file(f)]


def _of_file(file: Path) -> Iterator[Place]:
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and _refuses(node.func):
            shown = " ".join((ast.get_source_segment(text, node) or "").split())
            yield Place(file, node.lineno, node.end_lineno or node.lineno, shown)


def _refuses(f: ast.expr) -> bool:
    name = getattr(f, "attr", getattr(f, "id", ""))
    return name == "refuse" or name in CLASSES


def reached() -> set[tuple[str, int]]:
    """The (file, line) of every frame below which an error was made."""
    seen: set[tuple[str, int]] = set()
    make = errors.SrcgradError.__init__

    def noted(self: errors.SrcgradError, *args: object, **kwargs: object) -> None:
        frame = sys._getframe(1)
        for _ in range(4):  # `refuse` and what calls it for others stand between
            if frame is None:
                break
            seen.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        make(self, *args, **kwargs)

    errors.SrcgradError.__init__ = noted
    try:
        for program in PROGRAMS:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                args = copied(program.args)
                if program.how == "plain":
                    program.fn(*args)
                compiled = flow.compile(program.fn, target="python")
                call = compiled if program.how == "call" else flow.grad(compiled, program.position)
                call(*args)
    finally:
        errors.SrcgradError.__init__ = make
    return seen


def unreached() -> list[Place]:
    """The places that no program reaches."""
    lines = reached()
    return [
        p
        for p in places()
        if not any((str(p.file), line) in lines for line in range(p.first, p.last + 1))
    ]


if __name__ == "__main__":
    left = unreached()
    print(*left, f"{len(left)} of {len(places())} places are not reached", sep="\n")
