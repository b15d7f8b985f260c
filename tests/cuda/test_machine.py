"""What is missing for the CUDA target is said, with a way out."""

import subprocess
import sys

import pytest

import srcgrad as flow
from srcgrad.backends.cuda import machine as home
from srcgrad.backends.cuda.machine import Machine
from srcgrad.errors import DeviceError
from srcgrad.tools.command_line import main


@pytest.fixture
def found(monkeypatch):
    """Puts the machine together: `found(missing=(), driver=(status, number, devices))`."""

    def arrange(missing=(), driver=None, toolkit=(13, 0)):
        monkeypatch.setattr(home, "_found", lambda module: module not in missing)
        monkeypatch.setattr(home, "toolkit", lambda: toolkit)
        if driver is not None:
            monkeypatch.setattr(home, "_driver", lambda: driver)
        home.machine.cache_clear()
        return home.machine()

    yield arrange
    monkeypatch.undo()
    home.machine.cache_clear()


H100 = ("NVIDIA H100 (sm_90)",)


def test_all_is_there(found):
    assert found(driver=((13, 0), H100, "")) == Machine((13, 0), H100)


def test_a_newer_release_within_the_drivers_major_one_is_taken(found):
    assert not found(driver=((13, 0), H100, ""), toolkit=(13, 5)).problem


def test_packages_are_missing(found):
    m = found(missing=("cupy", "numba_cuda"), driver=((13, 0), H100, ""))
    with pytest.raises(DeviceError, match=r"not installed: numba-cuda, CuPy\n.*srcgrad\[cuda13\]"):
        m.check()


def test_no_driver(found):
    m = found(driver=(None, (), "no NVIDIA driver was found"))
    with pytest.raises(DeviceError, match=r'no NVIDIA driver was found\n.*target="cpu"'):
        m.check()


def test_a_driver_of_an_older_release(found):
    m = found(driver=((12, 4), H100, ""))
    with pytest.raises(DeviceError, match=r"CUDA 12\.4, the toolkit of 13\.0\n.*update the NVIDIA"):
        m.check()
    assert m.devices == H100


def test_this_machine_has_an_answer():
    code = "import srcgrad as flow; print(flow.cuda.is_available(), flow.cuda.device_count())"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    available, count = out.stdout.split()
    assert (available == "True") == (int(count) > 0)


QUESTIONS = [
    lambda: flow.cuda.synchronize(),
    lambda: flow.cuda.current_device(),
    lambda: flow.cuda.set_device(0),
    lambda: flow.cuda.get_device_name(0),
    lambda: flow.cuda.get_device_capability(),
    lambda: flow.cuda.memory_allocated(),
    lambda: flow.cuda.empty_cache(),
    lambda: flow.cuda.device(0),
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_about_no_gpu(found, question):
    found(driver=(None, (), "no NVIDIA driver was found"))
    assert not flow.cuda.is_available() and flow.cuda.device_count() == 0
    with pytest.raises(DeviceError, match="no NVIDIA driver was found"):
        question()


def test_a_gpu_that_is_not_there(found):
    found(driver=((13, 0), H100, ""))
    with pytest.raises(DeviceError, match="there is no GPU 3\n  the GPUs here are 0 to 0"):
        flow.cuda.set_device(3)
    assert flow.cuda.get_device_name(0) == "NVIDIA H100" and flow.cuda.device_count() == 1


def test_info_prints_what_was_found(found, capsys):
    found(driver=((12, 4), H100, ""))
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for line in ("toolkit    CUDA 13.0", "driver     CUDA 12.4", "GPU 0      NVIDIA H100 (sm_90)"):
        assert line in out
    assert "cuda       the driver is one of CUDA 12.4" in out and "srcgrad[cuda12]" in out
