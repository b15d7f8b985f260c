"""What is missing for the CUDA target is said, with a way out."""

import subprocess
import sys
import tomllib
from pathlib import Path

import cuda.pathfinder
import pytest

import srcgrad as flow
from srcgrad.backends.cuda import machine as home
from srcgrad.backends.cuda import toolchain
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.machine import COMPILER, LIBRARIES, Machine
from srcgrad.command_line import main
from srcgrad.errors import DeviceError

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture
def found(monkeypatch):
    """Puts the machine together: `found(missing=(), driver=(status, number, devices))`."""

    def arrange(missing=(), driver=None, toolkit=(13, 0), numba_cuda="0.30.4", numpy="2.4.6"):
        releases = {"numba-cuda": numba_cuda, "numpy": numpy}
        monkeypatch.setattr(home, "release_of", releases.get)
        monkeypatch.setattr(home, "_found", lambda module: module not in missing)
        monkeypatch.setattr(home, "_loads", lambda library: library not in missing)
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


def test_libraries_that_cupy_calls_are_missing(found):
    m = found(missing=("cublas", "cufft"), driver=((13, 0), H100, ""))
    with pytest.raises(DeviceError, match=r"not installed: cuBLAS, cuFFT\n.*srcgrad\[cuda13\]"):
        m.check()


def test_libraries_are_asked_for_by_their_names():
    assert {name.lower() for name in LIBRARIES} <= set(cuda.pathfinder.SUPPORTED_NVIDIA_LIBNAMES)


def test_a_library_that_is_there_and_one_that_is_not(monkeypatch):
    assert home._loads("nvJitLink")

    def fails(name):
        raise cuda.pathfinder.DynamicLibNotFoundError(name)

    monkeypatch.setattr(cuda.pathfinder, "load_nvidia_dynamic_lib", fails)
    assert not home._loads("nvJitLink")


MEND = "pip install 'numba-cuda>=0.30.4,<0.31' 'numpy>=2.0,<2.5'"
PAIRS = [
    ("0.30.4", "2.0.0", True),
    ("0.30.9", "2.4.6", True),
    ("0.30.4", "2.5.0rc1", False),
    ("0.30.4", "2.10.0", False),
    ("0.30.3", "2.4.6", False),
    ("0.31.0", "2.4.6", False),
]


@pytest.mark.parametrize(("numba_cuda", "numpy", "compiles"), PAIRS)
def test_the_compiler_and_the_numpy_beside_it(found, numba_cuda, numpy, compiles):
    m = found(driver=((13, 0), H100, ""), numba_cuda=numba_cuda, numpy=numpy)
    said = f"kernels do not compile with numba-cuda {numba_cuda} and numpy {numpy}"
    assert (m.problem, m.devices) == ("" if compiles else said, H100)
    if not compiles:
        with pytest.raises(DeviceError) as error:
            m.check()
        assert str(error.value) == f"{said}\n  {MEND}"


def test_compiling_without_a_gpu_asks_for_the_numpy_too(found):
    found(driver=(None, (), "no NVIDIA driver was found"), numpy="2.5.5")
    kernel = KernelText("k", "def k():\n    pass\n", ())
    with pytest.raises(DeviceError, match=r"numba-cuda 0\.30\.4 and numpy 2\.5\.5\n.*'numpy>=2"):
        toolchain.cubin([kernel], (9, 0))


@pytest.mark.parametrize("extra", ["cuda12", "cuda13", "test"])
def test_the_extras_ask_for_releases_that_compile(extra):
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    asked = {line.replace("[cu12]", "").replace("[cu13]", "") for line in extras[extra]}
    assert {name + releases for name, releases in COMPILER.items()} <= asked


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


def test_info_says_that_kernels_do_not_compile(found, capsys):
    found(driver=(None, (), "no NVIDIA driver was found"), numpy="2.5.5")
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert "cuda       kernels do not compile with numba-cuda 0.30.4 and numpy 2.5.5\n" in out
    assert f"           {MEND}\n" in out


def test_info_names_missing_libraries(found, capsys):
    found(missing=("cusolver", "curand"), driver=(None, (), "no NVIDIA driver was found"))
    assert main(["info"]) == 0
    assert "cuda       not installed: cuSOLVER, cuRAND\n" in capsys.readouterr().out
