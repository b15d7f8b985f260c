"""docs/errors.md has a section for each class, whose example raises it with the text it shows.

`pytest --update-docs tests/test_errors_page.py` rewrites the texts.
"""

import linecache
import re
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import errors
from tests.tools.kept import ROOT, check_file

PAGE = ROOT / "docs" / "errors.md"
TOLD = (errors.SrcgradError, errors.LocatedWarning)
CLASSES = [
    c
    for c in vars(errors).values()
    if isinstance(c, type) and issubclass(c, TOLD) and c not in TOLD
]
SECTION = r"^## {}\n(.*?)(?=^## |\Z)"
EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<text>.*?)```\n", re.S)
# tests/backends/test_faults.py, tests/cuda/test_machine.py and tests/distributed raise these
MADE_BY_A_FAULT = {errors.CompilerError, errors.DeviceError, errors.RankError}


def section(cls: type) -> str:
    found = re.search(SECTION.format(cls.__name__), PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert found, f"docs/errors.md says nothing of {cls.__name__}"
    return found[1]


def raised(code: str) -> BaseException:
    """What an example raises, or warns of."""
    linecache.cache["example.py"] = (len(code), None, code.splitlines(True), "example.py")
    with warnings.catch_warnings(), pytest.raises(TOLD) as caught:
        warnings.simplefilter("error", errors.LocatedWarning)
        exec(compile(code, "example.py", "exec"), {"np": np, "flow": flow})
    return caught.value


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_example(cls: type, pytestconfig: pytest.Config, quiet):
    match = EXAMPLE.search(section(cls))
    if cls in MADE_BY_A_FAULT:
        assert match is None
        return
    assert match, f"{cls.__name__} has no example"
    error = raised(match["code"])
    assert isinstance(error, cls)
    shown = section(cls).replace(f"```text\n{match['text']}```", f"```text\n{error}\n```")
    page = PAGE.read_text(encoding="utf-8").replace(section(cls), shown)
    update = pytestconfig.getoption("--update-docs")
    check_file(PAGE, page, update, "--update-docs tests/test_errors_page.py")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_page(cls: type):
    """A class and what is raised of it know their section."""
    assert cls.page == f"docs/errors.md#{cls.__name__.lower()}"
    assert errors.SrcgradError("why").page == "docs/errors.md"


def test_page_of_a_users_class():
    made = errors.raised_class(KeyError)
    assert made.page == errors.RaisedError.page


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_the_builtin_class_is_named(cls: type):
    """The section says which builtin class or class of ours catches it."""
    warns = {UserWarning} if issubclass(cls, UserWarning) else set()
    for base in (set(cls.__bases__) | warns) - set(TOLD):
        assert f"`{base.__name__}`" in section(cls)
