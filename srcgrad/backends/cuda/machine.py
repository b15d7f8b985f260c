"""Detects what this machine has for the CUDA target and lacks: packages, a driver, devices.

Works without CuPy and without the compiler, so that it is cheap and always has an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from srcgrad.errors import DeviceError

NEEDED = {"numba_cuda": "numba-cuda", "cupy": "CuPy", "cuda.core": "cuda-core"}
# libraries that CuPy calls for products, factorisations, transforms and random numbers
LIBRARIES = ("cuBLAS", "cuSOLVER", "cuSPARSE", "cuFFT", "cuRAND")
INSTALL = "pip install 'srcgrad[cuda13]', or 'srcgrad[cuda12]' for a driver of CUDA 12"
# Releases that compile kernels: numba-cuda calls functions that NumPy 2.5 removed, and the
# toolchain derives from numba-cuda's internals.
COMPILER = {"numba-cuda": ">=0.30.4,<0.31", "numpy": ">=2.0,<2.5"}
COMPILER_INSTALL = "pip install " + " ".join(f"'{name}{r}'" for name, r in COMPILER.items())
# the compiler of machine code; of nvvm and nvjitlink one of each is installed
LINKERS = ("nvidia-nvjitlink", "nvidia-nvjitlink-cu12")
PACKAGES = ("numba-cuda", "nvidia-nvvm", "nvidia-cuda-nvcc-cu12", *LINKERS, "cuda-core")


@dataclass(frozen=True)
class Machine:
    """The driver's version of CUDA, the GPUs, and why the target does not run ("": it does)."""

    driver: tuple[int, int] | None = None
    devices: tuple[str, ...] = ()
    problem: str = ""
    way_out: str = ""

    def check(self) -> None:
        """Raises unless the target runs here."""
        if self.problem:
            raise DeviceError(self.problem, None, self.way_out)


@cache
def machine() -> Machine:
    """The machine as this process first found it."""
    driver, devices, no_device = _driver() if _found("cuda.bindings") else (None, (), "")
    elsewhere = 'run on a machine with an NVIDIA GPU and its driver, or use target="cpu"'
    older = "update the NVIDIA driver, or install the toolkit for it: " + INSTALL
    problems = (
        (_missing(), INSTALL),
        (compiler_problem(), COMPILER_INSTALL),
        (no_device, elsewhere),
        (_older_driver(driver, toolkit()), older),
    )
    return Machine(driver, devices, *next((p for p in problems if p[0]), ("", "")))


def check_compiler() -> None:
    """Raises unless kernels can be compiled; neither a driver nor a GPU is needed."""
    if problem := compiler_problem():
        raise DeviceError(problem, None, COMPILER_INSTALL)


def compiler_problem() -> str:
    """A complaint about a numba-cuda and a NumPy that do not compile kernels together."""
    found = {name: release_of(name) or "" for name in COMPILER}
    if "" in found.values() or all(_in_range(found[n], r) for n, r in COMPILER.items()):
        return ""
    return f"kernels do not compile with {' and '.join(map(' '.join, found.items()))}"


def _in_range(release: str, bounds: str) -> bool:
    """Whether a release is in a range like ">=2.0,<2.5"; 2.5.0rc1 counts as 2.5.0."""
    first, end = map(_numbers, bounds.split(","))
    return first <= _numbers(release) < end


def _numbers(release: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", release)[:3]]


def _missing() -> str:
    """A complaint about missing packages, or libraries that CuPy calls."""
    missing = [name for module, name in NEEDED.items() if not _found(module)]
    missing = missing or [name for name in LIBRARIES if not _loads(name.lower())]
    return f"not installed: {', '.join(missing)}" if missing else ""


def toolkit() -> tuple[int, int] | None:
    """The release of CUDA that the linker is of."""
    for release in filter(None, map(release_of, LINKERS)):
        major, minor = release.split(".")[:2]
        return int(major), int(minor)
    return None


def release_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def _loads(library: str) -> bool:
    """Whether a library of CUDA is found as CuPy finds it; loads it, which needs no driver."""
    from cuda.pathfinder import load_nvidia_dynamic_lib

    try:
        load_nvidia_dynamic_lib(library)
    except RuntimeError:  # the class raised for a missing library derives from it
        return False
    return True


def _driver() -> tuple[tuple[int, int] | None, tuple[str, ...], str]:
    """The driver's version, the names of the devices, and what is wrong."""
    import cuda.bindings.driver as d

    try:
        (status,) = d.cuInit(0)
    except Exception:  # the class differs between releases; all of them mean this
        return None, (), "no NVIDIA driver was found"
    number = int(_asked(d.cuDriverGetVersion()) or 0)
    known = number // 1000, number % 1000 // 10
    if int(status):
        return known, (), f"the NVIDIA driver does not start: {status.name}"
    devices = [_described(d, k) for k in range(_asked(d.cuDeviceGetCount()) or 0)]
    return known, tuple(devices), "" if devices else "the NVIDIA driver finds no GPU"


def _described(d: Any, index: int) -> str:
    device = _asked(d.cuDeviceGet(index))
    name = _asked(d.cuDeviceGetName(100, device)).split(b"\0")[0].decode()
    kinds = d.CUdevice_attribute
    parts = (
        kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    )
    major, minor = [_asked(d.cuDeviceGetAttribute(part, device)) for part in parts]
    return f"{name} (sm_{major}{minor})"


def _asked(answer: tuple) -> Any:
    """The value returned with the driver's status; None if it failed."""
    status, value = answer
    return None if int(status) else value


def _older_driver(driver: tuple[int, int] | None, made_by: tuple[int, int] | None) -> str:
    """A complaint about machine code of a later release of CUDA than the driver loads.

    A driver loads what any toolkit of its major release has made.
    """
    if driver is None or made_by is None or made_by[0] <= driver[0]:
        return ""
    return f"the driver is one of CUDA {spelled(driver)}, the toolkit of {spelled(made_by)}"


def spelled(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]}"
