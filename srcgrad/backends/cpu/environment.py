"""The influences on machine code besides the compiled text: part of a cached module's name."""

from __future__ import annotations

import platform
from functools import lru_cache
from pathlib import Path

import numpy as np

from srcgrad.backends import cache as files


@lru_cache(maxsize=1)
def environment() -> tuple[str, ...]:
    """Versions, the processor, and the digest of the texts of this folder."""
    import llvmlite
    from llvmlite import binding as llvm

    cpu = f"{llvm.get_host_cpu_name()} {llvm.get_process_triple()}"
    versions = (numba_version(), llvmlite.__version__, np.__version__, platform.python_version())
    return *versions, cpu, files.module_name("", texts())


def texts() -> list[str]:
    """The texts of this folder: functions that machine code calls are linked in."""
    return [f.read_text(encoding="utf-8") for f in sorted(Path(__file__).parent.glob("*.py"))]


def numba_version() -> str:
    """The text of Numba's file with its version: importing Numba takes long."""
    from srcgrad.backends.cpu.loading import numba_folder

    try:
        return Path(numba_folder() or "", "_version.py").read_text(encoding="utf-8")
    except OSError:
        import numba

        return numba.__version__
