"""How the first call grows with the program: value and gradient of 50 to 5,000 statements and more.

    python -m tests.benchmarks.compile_time [--plot FILE]

Three kinds of program, as long as wished: NumPy statements on arrays, statements on numbers, and
one loop over the rows of an array. Each in a process of its own, with an empty cache folder, after
one unrelated `njit` call; seconds of the processor, so that what else the machine does counts
little. Statements are those of the lowered program, as the log counts them. `--plot` draws them.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.first_call import ROOT

SIZES = (3, 10, 30, 100, 300)
ARRAYS = (
    "a = a * w + x",
    "a = np.tanh(a) - x * 1.5",
    "b = np.sum(a, axis=0)",
    "a = a / (1.0 + b * b)",
    "a = np.concatenate((a[1:], a[:1]))",
)
NUMBERS = (
    "c = a * b + c * w[1]",
    "a = np.sin(c) + w[2]",
    "b = b * 0.9 + a / (2.0 + c * c)",
)
# kind -> what comes before, the statements in turn, what comes after
KINDS = {
    "arrays": (("a = x",), ARRAYS, ("return np.sum(a * a)",)),
    "numbers": (("a, b, c = x[0, 0], w[0], 0.3",), NUMBERS, ("return a + b + c",)),
    "a loop": (
        ("s = 0.0", "for i in range(x.shape[0]):", "    a, b, c = x[i, 0], w[0], 0.3"),
        tuple(f"    {line}" for line in NUMBERS),
        ("    s += a + b + c", "return s"),
    ),
}


def source(kind: str, count: int) -> str:
    """A function with `count` statements of a kind."""
    head, repeated, tail = KINDS[kind]
    lines = (*head, *islice(cycle(repeated), count), *tail)
    return "import numpy as np\n\n\ndef f(x, w):\n" + "".join(f"    {line}\n" for line in lines)


def measured(file: str) -> tuple[int, float]:
    """Statements and seconds of the first call of the function in a file, in this process."""
    import numba

    numba.njit(lambda x: x + 1)(1)
    import srcgrad as flow

    counted = Counted()
    logger = logging.getLogger("srcgrad")
    logger.addHandler(counted)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    x = np.random.default_rng(0).standard_normal((6, 5)) / 10
    fn = loaded(file)
    start = time.process_time()
    flow.value_and_grad(fn, grad_position=(0, 1))(x, x[0].copy())
    return counted.statements, time.process_time() - start


class Counted(logging.Handler):
    """Reads the number of statements from what the compiler logs."""

    statements = 0

    def emit(self, record: logging.LogRecord) -> None:
        words = record.getMessage().split()
        if words[-1] == "statements":
            self.statements = int(words[-2])


def loaded(file: str) -> Callable[..., Any]:
    """The function in a file, which is its source."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("program", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def in_fresh_process(kind: str, count: int) -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(source(kind, count), encoding="utf-8")
        environment = {**os.environ, "SRCGRAD_CACHE_DIR": folder}
        command = [sys.executable, "-m", "tests.benchmarks.compile_time", "--one", str(file)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
    statements, seconds = json.loads(done.stdout.splitlines()[-1])
    return statements, seconds


def power(points: list[tuple[int, float]]) -> float:
    """The exponent of the growth between the last two points: 1 is a straight line."""
    (n, s), (m, t) = points[-2:]
    return math.log(t / s) / math.log(m / n)


def plot(found: dict[str, list[tuple[int, float]]], file: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "srcgrad"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    for kind, points in found.items():
        axes.plot(*zip(*points, strict=True), "o-", label=kind, markersize=4)
    axes.set(xlabel="statements of the lowered program", ylabel="first call, s")
    axes.set(xlim=0, ylim=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one)))
        return
    found: dict[str, list[tuple[int, float]]] = {}
    for kind in KINDS:
        points = found[kind] = []
        for count in SIZES:
            points.append(in_fresh_process(kind, count))
            print(f"{kind:10}{points[-1][0]:8} statements{points[-1][1]:8.2f} s", flush=True)
        print(f"{kind:10} grows as statements ** {power(points):.2f} at the end")
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
