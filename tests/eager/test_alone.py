"""The eager mode needs no compiler: its tests pass in a copy of the package without one.

A run tries a quarter of the files.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.tools.turns import share

ROOT = Path(__file__).parents[2]
GONE = ("api", "frontend", "autodiff", "passes", "backends", "ir", "testing", "demo")
COMPILED = ("test_one_table.py", "test_alone.py")  # holds the two against each other


def test_the_eager_tests_pass_without_the_compiler(tmp_path):
    files = sorted(f.name for f in (ROOT / "tests" / "eager").glob("test_*.py"))
    tried = share([f"tests/eager/{f}" for f in files if f not in COMPILED])

    def without(folder: str, names: list[str]) -> list[str]:
        gone = GONE if Path(folder) == ROOT / "srcgrad" else COMPILED
        return [n for n in names if n in gone or n == "__pycache__"]

    shutil.copytree(ROOT / "srcgrad", tmp_path / "srcgrad", ignore=without)
    shutil.copytree(ROOT / "tests" / "eager", tmp_path / "tests" / "eager", ignore=without)
    (tmp_path / "tests" / "tools").mkdir()
    for name in ("__init__.py", "conftest.py", "tools/__init__.py", "tools/turns.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "-p", "no:srcgrad",  # the plugin of the package as installed
         "-W", "ignore", *tried],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(tmp_path), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "passed" in done.stdout and "skipped" not in done.stdout
    assert not any((tmp_path / "srcgrad" / name).exists() for name in GONE)
