"""Runs type checkers on programs: pyright, and mypy where it is installed."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from tests.tools.kept import ROOT

COMMANDS = {
    "pyright": ("--pythonpath", sys.executable),
    "mypy": ("--ignore-missing-imports", "--follow-imports=silent"),
}
INSTALLED = [name for name in COMMANDS if find_spec(name)]


def reported(checker: str, files: list[Path]) -> dict[str, set[int]]:
    """The lines at which a checker finds an error, by the name of the file."""
    command = [sys.executable, "-m", checker, *COMMANDS[checker], *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, set[int]] = {file.name: set() for file in files}
    for name, line in re.findall(r"(\w+\.py):(\d+):(?:\d+ -)? error", done.stdout):
        found[name].add(int(line))
    return found


def incomplete(public: Iterable[str]) -> tuple[int, dict[str, list[str]]]:
    """How many names these modules have, and those whose type pyright knows in part only.

    `--verifytypes` takes every module without an underscore for public. A name of a public module
    counts as incomplete if any type that is reached from it is, wherever that is written.
    """
    command = ("pyright", "--verifytypes", "srcgrad", "--ignoreexternal", "--outputjson")
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    modules, public = {m["name"] for m in found["modules"]}, {*public}
    assert public <= modules, public - modules
    names = [s for s in found["symbols"] if _home(s["name"], modules) in public]
    return len(names), {
        s["name"]: [d["message"] for d in s["diagnostics"]] for s in names if not s["isTypeKnown"]
    }


def _home(name: str, modules: set[str]) -> str:
    """The module of a name, which may be an attribute of a class."""
    while name not in modules:
        name = name.rpartition(".")[0]
    return name
