"""``import srcgrad`` must be cheap: it never loads Numba, SciPy or matplotlib."""

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
