"""``import srcgrad`` must be cheap: it never loads Numba, SciPy or matplotlib.

Nor does a transform of a NumPy program load what belongs to tensors, to SciPy or to Numba.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import srcgrad

HEAVY = ("numba", "llvmlite", "scipy", "matplotlib")


@pytest.mark.parametrize("module", ["srcgrad", "srcgrad.command_line", "srcgrad.demo.fit"])
def test_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    assert _run(code) == ""


UNUSED = (
    *HEAVY, "numpy.random", "numpy.ma", "srcgrad.eager", "srcgrad.bridge.calls", "srcgrad.nn",
    "srcgrad.optim", "srcgrad.distributed", "srcgrad.mindspore.nn", "srcgrad.array_api",
    "srcgrad.sparse", "html", "json",
)  # fmt: skip


def test_a_program_of_numpy_loads_no_more(tmp_path):
    """Its gradient, compiled for Python, in a process of its own."""
    program = "import sys, numpy as np, srcgrad as flow\ndef f(x): return np.sum(np.sin(x) ** 2)\n"
    program += "print(flow.grad(flow.compile(f, target='python'))(np.zeros(2)).tolist())\n"
    file = tmp_path / "program.py"
    file.write_text(f"{program}print(*[name for name in {UNUSED} if name in sys.modules])")
    assert _run(f"import runpy; runpy.run_path({str(file)!r})") == "[0.0, 0.0]"


@pytest.mark.parametrize("name", ["depth", "transforms", "faults"])
def test_a_module_is_looked_for_before_the_tensors(name):
    code = f"import sys; from srcgrad import {name}; print('srcgrad.eager' in sys.modules)"
    assert _run(f"{code}; print({name}.__name__)") == f"False\nsrcgrad.{name}"


def test_a_module_that_was_not_imported_is_no_name():
    code = "import srcgrad\ntry: srcgrad.depth\nexcept AttributeError as e: print(e)"
    assert _run(code) == "module 'srcgrad' has no attribute 'depth'"


def _run(code):
    """Run ``code`` in a fresh interpreter that sees the same srcgrad; return what it printed."""
    root = str(Path(srcgrad.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
