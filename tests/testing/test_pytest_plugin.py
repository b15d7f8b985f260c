"""The fixture `gradcheck` in a test suite of somebody else."""

import importlib
import tomllib
from importlib.metadata import entry_points

import pytest

from tests.tools.kept import ROOT

pytest_plugins = ("pytester",)
PLUGIN = "srcgrad.testing.plugin"

TESTS = """
import numpy as np

def test_right(gradcheck):
    gradcheck(lambda x: np.sum(np.sin(x) * x), (np.array([0.5, 1.5]),), order=2)

def test_wrong(gradcheck):
    gradcheck(lambda x: np.maximum(x, 0.5 * x - 1e-13), (0.0,))
"""


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_the_fixture(pytester: pytest.Pytester, target: str):
    pytester.makepyfile(TESTS)
    # where the package is installed pytest has found it by its entry point
    found = any(e.value == PLUGIN for e in entry_points(group="pytest11"))
    loaded = () if found else ("-p", PLUGIN)
    result = pytester.runpytest(*loaded, "--gradcheck-target", target, "-p", "no:xdist")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*GradientError: 1 of 1 derivatives of <lambda>() disagree:"])
    result.stdout.fnmatch_lines(["*x: reverse mode 1, forward mode 1, differences *a kink*"])


def test_an_unknown_target_is_refused(pytester: pytest.Pytester):
    pytester.makepyfile(TESTS)
    found = any(e.value == PLUGIN for e in entry_points(group="pytest11"))
    loaded = () if found else ("-p", PLUGIN)
    result = pytester.runpytest(*loaded, "--gradcheck-target", "gpu", "-p", "no:xdist")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*target must be one of *, not 'gpu'"])


def test_the_entry_point_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (name,) = project["entry-points"]["pytest11"].values()
    assert name == PLUGIN and importlib.import_module(name).gradcheck
