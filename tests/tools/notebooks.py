"""Runs cells in a kernel of Jupyter, where nbclient and ipykernel are installed."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kept import ROOT


def executed(sources: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The cells of a notebook after its run; one that raises does not end it."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from nbformat import v4

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    run = nbclient.NotebookClient(
        v4.new_notebook(cells=[v4.new_code_cell(s) for s in sources]),
        allow_errors=True, timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )  # fmt: skip
    return run.execute().cells


def error_of(cell: Any) -> tuple[str, str]:
    """The class of the exception that ended a cell, and its traceback without colours."""
    (error,) = [out for out in cell.outputs if out.output_type == "error"]
    return error.ename, re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))


def printed_by(cell: Any) -> str:
    """The text that a cell has printed."""
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")
