"""The main job: its loss, its gradient, its known answer, and the command that runs it all."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import command_line
from srcgrad.demo import fit, lynx_hare
from srcgrad.demo.lynx_hare import KNOWN, KNOWN_LOSSES, START, SUBSTEPS

PNG = b"\x89PNG\r\n\x1a\n"
START_POINT = np.log(START)
YEARS, PELTS = lynx_hare.record()


def test_record_is_the_published_one():
    assert PELTS.shape == (21, 2)
    assert (YEARS[0], YEARS[-1]) == (1900, 1920)
    assert PELTS[0].tolist() == [30.0, 4.0]
    assert PELTS[-1].tolist() == [24.7, 8.6]


def test_plain_loss_at_the_start():
    assert lynx_hare.loss(START_POINT, PELTS, SUBSTEPS) == pytest.approx(KNOWN_LOSSES[0], abs=5e-4)


def test_trajectory_passes_through_the_loss():
    _, path = lynx_hare.trajectory(START, len(YEARS) - 1, SUBSTEPS)
    residuals = np.log(path[::SUBSTEPS]) - np.log(PELTS)
    loss = lynx_hare.loss(START_POINT, PELTS, SUBSTEPS)
    assert np.sum(residuals**2) == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_compiled_loss_is_the_plain_one(target):
    compiled = flow.compile(lynx_hare.loss, target=target)
    plain = lynx_hare.loss(START_POINT, PELTS, SUBSTEPS)
    assert compiled(START_POINT, PELTS, SUBSTEPS) == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("substeps", [1, SUBSTEPS])
def test_gradient_against_central_differences(substeps):
    point = START_POINT + np.linspace(-0.02, 0.03, 6)
    before, pelts = point.copy(), PELTS.copy()
    value, gradient = flow.value_and_grad(lynx_hare.loss)(point, pelts, substeps)
    plain = fit.central_differences(lambda x: lynx_hare.loss(x, PELTS, substeps), point)
    assert value == pytest.approx(lynx_hare.loss(point, PELTS, substeps), rel=1e-12)
    np.testing.assert_allclose(gradient, plain, rtol=1e-6, atol=1e-6 * np.abs(plain).max())
    assert np.array_equal(point, before)
    assert np.array_equal(pelts, PELTS)


def test_fit_reaches_the_known_answer(capsys):
    theta, fitted = fit.fit(flow.value_and_grad(lynx_hare.loss), START_POINT, PELTS)
    assert [f"{x:.3g}" for x in theta] == [f"{x:.3g}" for x in KNOWN]
    assert f"{fitted:.5g}" == f"{KNOWN_LOSSES[1]:.5g}"
    capsys.readouterr()


def test_a_missed_answer_is_said(capsys):
    assert fit.report_fit(np.array(KNOWN), KNOWN_LOSSES[1])
    assert not fit.report_fit(np.array(START), KNOWN_LOSSES[0])
    assert "missed" in capsys.readouterr().out


def test_command_runs_end_to_end(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "srcgrad", "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(flow.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# grad of:" in done.stdout
    assert (tmp_path / fit.PICTURE).read_bytes().startswith(PNG)


def test_runs_without_matplotlib(tmp_path, monkeypatch, capsys):
    for name in [n for n in sys.modules if n.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "srcgrad.demo.picture", raising=False)
    monkeypatch.delattr("srcgrad.demo.picture", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = tmp_path / "fit.png"
    assert command_line.main(["demo", "--output", str(output)]) == 0
    assert "matplotlib is not installed" in capsys.readouterr().out
    assert not output.exists()
