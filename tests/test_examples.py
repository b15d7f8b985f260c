"""Every example runs as it stands and finds what it says it finds."""

import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


# the size at which an example is run here
REDUCED = {
    "dask_ensemble": {"members": 40},
    "long_simulation": {"steps": 2000, "memory": "1MB"},
    "train_digits": {"epochs": 8, "names": ("MLP",), "wanted": 0.93},
}
NEEDED = {"dask_ensemble": "distributed"}  # those with MPI run alone where it is missing


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path, capsys: pytest.CaptureFixture[str]):
    """`main` returns 0 only if the answer is the known one."""
    if path.stem in NEEDED and not find_spec(NEEDED[path.stem]):
        pytest.skip(f"{NEEDED[path.stem]} is not installed")
    assert runpy.run_path(str(path))["main"](**REDUCED.get(path.stem, {})) == 0
    assert capsys.readouterr().out


def test_there_are_examples():
    assert EXAMPLES
