"""Which cases the commits of the last day, or the working tree, touch."""

import inspect
from functools import cache

from tests.cases import Case
from tests.tools.turns import ROOT, changed_files

THEMES = "tests/cases/"


@cache
def changed_themes() -> frozenset[str]:
    return frozenset(
        f.removeprefix(THEMES).removesuffix(".py") for f in changed_files() if f.startswith(THEMES)
    )


@cache
def source_of(fn: object) -> str:
    """The file of a case's function, which a theme may have from elsewhere."""
    found = inspect.getsourcefile(inspect.unwrap(fn)) or ""  # type: ignore[arg-type]
    return found.removeprefix(f"{ROOT}/")


def is_touched(case: Case) -> bool:
    return case.theme in changed_themes() or source_of(case.fn) in changed_files()
