"""Runs type checkers on programs: pyright, and mypy where it is installed."""

import re
import subprocess
import sys
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
