"""Runs checks on the ranks of one mpiexec: `mpiexec -n 3 python -m tests.distributed.on_ranks`.

Each check is a function that asserts on every rank and returns what is to be the same for any
number of ranks. Rank 0 prints a line of JSON for each: name, failures of the ranks, result.
"""

import json
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from srcgrad.distributed import ranks
from tests.tools import turns
from tests.tools.kept import ROOT

CHECKS: dict[str, Callable[[], Any]] = {}
LIMIT = 150  # seconds


def check(function: Callable[[], Any]) -> Callable[[], Any]:
    CHECKS[function.__name__] = function
    return function


def lacking() -> str:
    """Why nothing can be run on several ranks; empty if it can."""
    if not find_spec("mpi4py"):
        return "mpi4py is not installed: pip install 'srcgrad[mpi]'"
    return "" if launcher() else "there is no mpiexec"


def launcher() -> str | None:
    """The mpiexec beside this Python, or that of the path."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    return beside if os.path.exists(beside) else shutil.which("mpiexec")


def launched(size: int, *words: str, limit: float = LIMIT) -> subprocess.CompletedProcess:
    """A Python program on several ranks; TimeoutExpired, all ended, if it takes longer."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [str(launcher()), "-n", str(size), sys.executable, *words], cwd=ROOT, env=env,
        capture_output=True, text=True, timeout=limit, check=False,
    )  # fmt: skip


def results(module: str, size: int) -> dict[str, dict]:
    """The results of all checks of a module, by name."""
    more = ("full",) if turns.everything else ()
    limit = LIMIT * (4 if turns.everything else 1)
    done = launched(size, "-m", "tests.distributed.on_ranks", module, *more, limit=limit)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        for rank, failure in line["failures"].items():
            pytest.fail(f"{line['name']}, rank {rank} of {size}: {failure}", pytrace=False)
    assert done.returncode == 0, done.stderr[-5000:]
    return {line["name"]: line for line in lines}


def alone(module: str) -> dict[str, Any]:
    """What the checks of a module return on this process alone."""
    ranks._world.cache_clear()
    CHECKS.clear()
    sys.modules.pop(module, None)
    import_module(module)
    return {name: function() for name, function in CHECKS.items()}


def main(module: str, *names: str) -> None:
    """Runs the checks of a module, or those of these names; "full" tries all that rotates."""
    turns.everything = "full" in names
    import_module(module)
    group = ranks.group()
    chosen = {n: f for n, f in CHECKS.items() if n in names or not {*names} - {"full"}}
    for name, function in chosen.items():
        made, failure = None, None
        try:
            made = function()
        except BaseException:
            failure = traceback.format_exc()
        told = group.told((failure, made))
        failures = {k: f for k, (f, _) in enumerate(told) if f is not None}
        if group.rank == 0:
            same = all(m == made for _, m in told)
            print(json.dumps({"name": name, "failures": failures, "same": same, "made": made}))
            sys.stdout.flush()
        if failures:
            sys.exit(1)  # ranks may be at different places


if __name__ == "__main__":
    from tests.distributed import on_ranks

    on_ranks.main(*sys.argv[1:])
