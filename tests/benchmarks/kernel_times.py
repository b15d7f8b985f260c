"""First call and steady times of the kernels in `examples/kernels`, at their large sizes.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.kernel_times [--update-docs] [--only NAME ...]

Each kernel in a process of its own with an empty cache folder: the first call of its value and
gradient as `first_call` measures it, then medians of calls of the compiled kernel and of its value
and gradient in turn, on fresh copies of the arguments. `--update-docs` rewrites the table in
docs/kernels.md; kernels that are not measured keep their figures, with `--only` alone all of them.
Never runs two at once.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from typing import Any

from examples.kernels import FAMILIES
from examples.kernels.table import Kernel, program
from tests.benchmarks.first_call import ROOT, lines_of, measured
from tests.tools.structures import copied, float_leaves

PAGE = ROOT / "docs" / "kernels.md"
SECONDS, FEWEST = 0.5, 5  # a kernel is called for so long, and so often
UNKNOWN = ("", "", "", "")
# the table is the end of the page
HEADER = "| kernel | definition | lines | first call, s | kernel, ms | gradient, ms | ratio |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update-docs", action="store_true")
    parser.add_argument("--only", nargs="*", help="names of kernels")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(figures(options.one)))
        return
    names = [k.fn.__name__ for kernels in FAMILIES.values() for k in kernels]
    unknown = set(options.only or ()) - set(names)
    if unknown:
        parser.error(f"no kernels: {', '.join(sorted(unknown))}")
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    for name in names if options.only is None else options.only:
        rows[name] = in_fresh_process(name)
        print(f"{name:28}" + "".join(f"{figure:>12}" for figure in rows[name]), flush=True)
    if options.update_docs:
        text = PAGE.read_text(encoding="utf-8").partition(HEADER)[0]
        PAGE.write_text(text + table(rows), encoding="utf-8")


def in_fresh_process(name: str) -> tuple[str, ...]:
    """First call in seconds; kernel and gradient in ms; their ratio. As they are printed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.kernel_times", "--one", name],
            cwd=ROOT, env={**os.environ, "SRCGRAD_CACHE_DIR": folder}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{name}:\n{done.stderr}")
    first, plain, both = json.loads(done.stdout.splitlines()[-1])
    return f"{first:.1f}", f"{1e3 * plain:.2f}", f"{1e3 * both:.2f}", f"{both / plain:.1f}"


def kernel_of(name: str) -> Kernel:
    return next(k for kernels in FAMILIES.values() for k in kernels if k.fn.__name__ == name)


def figures(name: str) -> tuple[float, float, float]:
    """In this process: seconds of the first call, of the kernel, of its value and gradient."""
    kernel = kernel_of(name)
    fn, args = program(kernel), kernel.inputs(*kernel.large)
    wrt = kernel.wrt or tuple(i for i, a in enumerate(args) if float_leaves(a))
    first = measured(fn, copied(args), wrt)["total"]
    import srcgrad as flow

    runs = flow.compile(fn), flow.value_and_grad(fn, grad_position=wrt)
    found: tuple[list[float], list[float]] = ([], [])
    for run in runs:
        run(*copied(args))
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(found[0]) < FEWEST:
        for run, into in zip(runs, found, strict=True):
            fresh = copied(args)
            start = time.perf_counter()
            run(*fresh)
            into.append(time.perf_counter() - start)
    return first, statistics.median(found[0]), statistics.median(found[1])


# ---- the page ----
def table(rows: dict[str, tuple[str, ...]]) -> str:
    """The table of all kernels; figures that are not known are left blank."""
    out = [HEADER.rstrip(), "|---|---|---|---|---|---|---|"]
    for family, kernels in FAMILIES.items():
        for k in kernels:
            name, says = k.fn.__name__, (inspect.getdoc(k.fn) or "").splitlines()[0]
            found = " | ".join(rows.get(name, UNKNOWN))
            lines = sum(lines_of(f) for f in with_helpers(k.fn))
            out.append(f"| `{family}.{name}` | {says} | {lines} | {found} |")
    return "\n".join(out) + "\n"


def rows_of(page: str) -> dict[str, tuple[str, ...]]:
    """The figures that a page holds, by kernel."""
    found = {}
    for line in page.splitlines():
        if line.startswith("| `"):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            found[cells[0].strip("`").rpartition(".")[2]] = tuple(cells[-4:])
    return found


def with_helpers(fn: types.FunctionType) -> Iterator[Any]:
    """A function and those of its module that it calls, each once."""
    seen, waiting = set(), [fn]
    while waiting:
        f = waiting.pop()
        if f in seen:
            continue
        seen.add(f)
        yield f
        called = (f.__globals__.get(name) for name in f.__code__.co_names)
        ours = (g for g in called if isinstance(g, types.FunctionType))
        waiting += [g for g in ours if g.__module__ == fn.__module__]


if __name__ == "__main__":
    main()
