"""Machine code of programs, kept on disk: made once per text, GPU architecture and toolchain.

What is on disk is used without loading the compiler. Never launches anything.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import metadata

from srcgrad.backends import cache
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.progress import LOG
from srcgrad.ir.types import Array, Type

# what decides machine code besides the text; of nvvm and nvjitlink one of each is installed
PACKAGES = (
    "numba-cuda", "numba", "nvidia-nvvm", "nvidia-cuda-nvcc-cu12", "nvidia-nvjitlink",
    "nvidia-nvjitlink-cu12",
)  # fmt: skip


def machine_code(
    kernels: Sequence[KernelText], capability: tuple[int, int], keep: bool = True
) -> bytes:
    """The cubin of a program's kernels, from the cache folder or made and put there."""
    file = f"{_name(kernels, capability)}.cubin"
    code = cache.kept_bytes(file) if keep else None
    shown = f"{len(kernels)} kernels for sm_{capability[0]}{capability[1]}"
    if code is not None:
        LOG.info("%s: loaded from the cache", shown)
        return code
    from srcgrad.backends.cuda.toolchain import cubin

    start = time.perf_counter()
    code = cubin(kernels, capability)
    LOG.info("compiled %s in %.1f s", shown, time.perf_counter() - start)
    if keep:
        cache.keep_bytes(file, code)
    return code


def _name(kernels: Sequence[KernelText], capability: tuple[int, int]) -> str:
    texts = [
        f"{k.name}({', '.join(map(_kind, k.parameters))}) {k.fastmath}\n{k.source}" for k in kernels
    ]
    return cache.module_name("\n".join(texts), (str(capability), *_versions()))


def _kind(type_: Type) -> str:
    """A type as the compiler sees it: without the names of lengths."""
    if isinstance(type_, Array):
        return f"{type_.dtype}[{type_.ndim}]{type_.layout}"
    return str(type_)


def _versions() -> list[str]:
    installed = []
    for name in PACKAGES:
        try:
            installed.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return installed
