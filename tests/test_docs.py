"""The programs printed in docs and in the README are what the code prints.

`pytest --update-docs tests/test_docs.py` rewrites them. A page marks a block with
`<!-- name:begin -->` and `<!-- name:end -->`.
"""

import contextlib
import inspect
import io
import linecache
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.demo import lynx_hare
from srcgrad.demo.lynx_hare import START, SUBSTEPS
from srcgrad.ir.text import to_text
from srcgrad.passes import LOWERING, run
from tests.errors import PROGRAMS, Program
from tests.tools import docs_examples as examples
from tests.tools.kept import ROOT, blocks, check_block, fenced
from tests.tools.structures import copied

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
ARGUMENTS = {
    "power": (2.0, 3),
    "energy": (np.ones(4),),
    "relax": (np.ones(4), 0.5),
    "settle": (2.0,),
    "spread": (np.ones(4), 0.5, 0.3, 2),
    "shared": (np.ones(3), 1.0),
    "alternate": (np.ones(3), np.ones(3), 2),
}
POSITIONS = {"relax": (0, 1)}


def compiled(name: str) -> flow.Compiled:
    return flow.compile(getattr(examples, name), target="python")


def source(name: str) -> str:
    return inspect.getsource(getattr(examples, name))


def primal(name: str) -> str:
    return compiled(name).ir("primal", *ARGUMENTS[name])


def adjoint(name: str) -> str:
    return flow.grad(compiled(name), POSITIONS.get(name, 0)).ir("adjoint", *ARGUMENTS[name])


def readable(name: str) -> str:
    return flow.grad(compiled(name), POSITIONS.get(name, 0)).source("adjoint", *ARGUMENTS[name])


def lowered_text(name: str) -> str:
    gradient = flow.value_and_grad(compiled(name))
    program = gradient._program(dict(zip(gradient._names, ARGUMENTS[name], strict=True)))[0]
    return to_text(run(program.function, passes=LOWERING))


def numba(name: str) -> str:
    return flow.value_and_grad(getattr(examples, name)).source("numba", *ARGUMENTS[name])


STAGES: dict[str, Callable[[str], str]] = {
    "source": source,
    "primal": primal,
    "adjoint": adjoint,
    "lowered": lowered_text,
    "numba": numba,
}


def readme_adjoint() -> str:
    return f"{fenced(source('power'))}\n{fenced(readable('power'))}"


def model_adjoint() -> str:
    gradient = flow.value_and_grad(flow.compile(lynx_hare.loss, target="python"))
    return gradient.source("adjoint", np.log(START), lynx_hare.record()[1], SUBSTEPS)


def refusals() -> str:
    """The lines of the programs in tests/errors that Python runs and srcgrad refuses.

    One line for each kind of reason.
    """
    themes = {"syntax": "Python", "kinds": "Kinds of values", "numpy_names": "Library functions"}
    parts = []
    for theme, title in themes.items():
        programs = [p for p in PROGRAMS if p.id.startswith(f"{theme}.") and p.line is not None]
        found = [
            row
            for p in programs
            if not p.says_plain_text and p.id not in ENDLESS and python_runs(p)
            if (row := refusal(p))
        ]
        rows = {kind_of(*row[1:]): row for row in reversed(found)}
        lines = [f"| {' | '.join(row)} |" for row in reversed(rows.values())]
        head = ["| line | reason | way out |", "|---|---|---|"]
        parts.append(f"**{title}**\n\n" + "\n".join([*head, *lines]) + "\n")
    return "\n".join(parts)


ENDLESS = {"syntax.recursion_without_end"}  # run plainly


# what a reason says of the thing that it names first
SAID = re.compile(r".*?(is a view in NumPy|draws random numbers|is not supported$)(.*)")


def kind_of(reason: str, way_out: str) -> tuple[str, ...]:
    """A reason and its way out, without the names of what they are about."""
    said = SAID.fullmatch(reason)
    return (said[1], said[2], way_out.partition(":")[0]) if said else (reason, way_out)


def python_runs(program: Program) -> bool:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                program.fn(*copied(program.args))
        except Exception:
            return False
    return True


def refusal(program: Program) -> tuple[str, str, str] | None:
    """The cells of a row; None if nothing is refused, which is for `test_errors` to say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fn = flow.compile(program.fn, target="python")
            flow.grad(fn, program.position)(*copied(program.args))
    except flow.SrcgradError as error:
        line = linecache.getline(program.file, program.line or 0).partition("  # error")[0].strip()
        line, reason, way_out = (
            c.replace("|", r"\|") for c in (f"`{line}`", error.reason, error.way_out)
        )
        return line, reason, way_out
    return None


def produced(name: str) -> str:
    match name:
        case "adjoint":
            return readme_adjoint()
        case "model-adjoint":
            return fenced(model_adjoint())
        case "refusals":
            return refusals()
        case "six-programs":  # measured, and kept by the page that says how
            return blocks(ROOT / "docs" / "benchmarks.md")[name]
    function, _, stage = name.partition("-")
    return fenced(STAGES[stage](function))


MARKED = [(page, name) for page in PAGES for name in blocks(page)]


@pytest.mark.parametrize(
    ("page", "name"), MARKED, ids=[f"{page.stem}-{name}" for page, name in MARKED]
)
def test_block(page: Path, name: str, pytestconfig: pytest.Config):
    check_block(page, name, produced(name), pytestconfig.getoption("--update-docs"))


def test_every_page_that_prints_programs_is_marked():
    assert {page.stem for page, _ in MARKED} == {
        "README", "adjoint_of_the_demo", "architecture", "benchmarks", "how_reverse_mode_works",
        "limitations",
    }  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_named_files_exist(page: Path):
    """What a page calls by its path is there: tests by their name too."""
    text = page.read_text(encoding="utf-8")
    for path, _, test in re.findall(r"`((?:tests|srcgrad|docs)/[\w/.]+)(::(\w+))?`", text):
        assert (ROOT / path).exists(), f"{page.name} names {path}"
        if test:
            assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{test}"
