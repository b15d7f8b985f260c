"""How long a user waits for the first gradient: each program in a fresh process.

    python -m tests.benchmarks.first_call [--lines 10 50] [--most N] [--programs FILE]

Measured from `flow.value_and_grad` to the return of the first call, after one unrelated `njit`
call: once with an empty cache folder (cold), once more with what that left on disk (warm). The
programs are the test cases whose function has so many lines of code, and `PROGRAMS` of a file if
one is given: from names to (function, arguments, positions). `imports` is what of the package
`import srcgrad` leaves for later, `tree` the time of the frontend, the adjoint and the
passes, `first_njit` what Numba takes for its first function. Seconds of the processor, so
that what else the machine does counts little; the package is compiled to bytecode, as one that is
installed. Never runs two programs at once.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KINDS = ("cold", "warm", "imports", "tree", "first_njit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", nargs=2, type=int, default=(10, 50))
    parser.add_argument("--most", type=int, default=1000, help="so many of the cases")
    parser.add_argument("--programs", help="a file with PROGRAMS of its own")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(*program(options.one, options.programs))))
        return
    names = cases_of(*options.lines)
    names = names[:: max(1, len(names) // options.most)][: options.most]
    if options.programs:
        names += sorted(runpy.run_path(options.programs)["PROGRAMS"])
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        compiled = [sys.executable, "-m", "compileall", "-q", "srcgrad"]
        subprocess.run(compiled, cwd=ROOT, env=environment, check=True)
        report({name: in_fresh_processes(name, options.programs, environment) for name in names})


def cases_of(fewest: int, most: int) -> list[str]:
    """The ids of the cases whose function has so many lines of code, one per function."""
    from tests.cases import CASES

    found = {c.fn: c.id for c in reversed(CASES) if c.cpu and inspect.isfunction(c.fn)}
    return sorted(id for fn, id in found.items() if fewest <= lines_of(fn) <= most)


def lines_of(fn: Any) -> int:
    lines = (line.strip() for line in inspect.getsource(fn).splitlines())
    return sum(bool(line) and not line.startswith(("#", "@")) for line in lines)


def program(name: str, file: str | None) -> tuple[Any, tuple, Any]:
    """A program by its name: function, arguments, positions."""
    if file:
        found = runpy.run_path(file)["PROGRAMS"].get(name)
        if found:
            return found
    from tests.cases import CASES

    case = next(c for c in CASES if c.id == name)
    return case.fn, case.arguments(), case.position


def measured(fn: Any, args: tuple, position: Any) -> dict[str, float]:
    """The seconds of one first call in this process."""
    import numba

    start = time.process_time()
    numba.njit(lambda x: x + 1)(1)
    first_njit = time.process_time() - start
    start = time.process_time()
    import srcgrad as flow

    value_and_grad = flow.value_and_grad
    from srcgrad.backends.cpu.emit import driver

    imports = time.process_time() - start

    lowered: list[float] = []
    compiled = driver.compiled

    def noted(*args: Any) -> Any:
        lowered.append(time.process_time() - start)
        return compiled(*args)

    driver.compiled = noted
    value_and_grad(fn, grad_position=position)(*args)
    total = time.process_time() - start
    tree = lowered[0] - imports
    return {"total": total, "imports": imports, "tree": tree, "first_njit": first_njit}


def in_fresh_processes(
    name: str, file: str | None, environment: dict[str, str]
) -> dict[str, float]:
    """A cold call, then a warm one; NaN if the program does not run."""
    command = [sys.executable, "-m", "tests.benchmarks.first_call", "--one", name]
    command += ["--programs", file] if file else []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**environment, "SRCGRAD_CACHE_DIR": folder}
        runs = []
        for _ in range(2):
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(f"{name}: {done.stderr.splitlines()[-1]}", file=sys.stderr)
                return dict.fromkeys(KINDS, float("nan"))
            runs.append(json.loads(done.stdout.splitlines()[-1]))
    cold, warm = runs
    return {
        "cold": cold["total"],
        "warm": warm["total"],
        "imports": warm["imports"],
        "tree": warm["tree"],
        "first_njit": cold["first_njit"],
    }


def report(found: dict[str, dict[str, float]]) -> None:
    """A line per program, then the median and the worst of each figure."""
    print(f"{'program':48}" + "".join(f"{kind:>12}" for kind in KINDS))
    for name, figures in found.items():
        print(f"{name:48}" + "".join(f"{figures[kind]:11.3f}s" for kind in KINDS))
    good = {name: f for name, f in found.items() if f["cold"] == f["cold"]}
    print(f"\n{len(good)} programs")
    for kind in KINDS if good else ():
        worst = max(good, key=lambda name: good[name][kind])
        middle = statistics.median(f[kind] for f in good.values())
        print(f"{kind:12} median {middle:.3f} s, worst {good[worst][kind]:.3f} s ({worst})")


if __name__ == "__main__":
    main()
