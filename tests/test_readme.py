"""The README's first example runs as printed and gives the output printed below it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import srcgrad

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)


def test_first_example(tmp_path):
    program, expected = EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8")).groups()
    file = tmp_path / "example.py"
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "PYTHONPATH": str(Path(srcgrad.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected
