"""Machine code of programs, cached on disk: made once per text, GPU architecture and toolchain.

Cached code is used without loading the compiler. Never launches anything.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from srcgrad.backends import cache
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.machine import PACKAGES, release_of
from srcgrad.backends.progress import LOG
from srcgrad.faults import building
from srcgrad.ir.types import Array, Type


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
    with building(kernels[0].name, next((k.location for k in kernels if k.location), None)):
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
    """A type in the compiler's view: without the names of lengths."""
    if isinstance(type_, Array):
        return f"{type_.dtype}[{type_.ndim}]{type_.layout}"
    return str(type_)


def _versions() -> list[str]:
    """The releases of packages that determine machine code besides the text."""
    packages = ("numba", *PACKAGES)
    return [f"{name} {release}" for name in packages if (release := release_of(name))]
