"""numba-cuda as a compiler: the text of a kernel to LTO-IR, the kernels of a program to one cubin.

The only module that imports numba-cuda; it needs neither a driver nor a GPU. Products and sums are
not contracted to fused multiply-adds unless `fastmath` allows it. Never launches anything.
"""

from __future__ import annotations

import ast
import cmath
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import cuda.bindings.nvjitlink as nvjitlink
import numpy as np
from numba import cuda, from_dtype, types, void
from numba.cuda import libdevice
from numba.cuda.compiler import (
    _compile_pyfunc_with_fixup,  # type: ignore[attr-defined]  (not in numba's cuda)
    compile_cuda,
)
from numba.cuda.cudadrv import nvvm
from numba.cuda.dispatcher import CUDADispatcher

from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.machine import check_compiler
from srcgrad.ir.types import Array, Scalar, Type, np_dtype

Capability = tuple[int, int]  # (9, 0) is sm_90


def cubin(kernels: Sequence[KernelText], capability: Capability) -> bytes:
    """Machine code of a program's kernels, each under its own name."""
    handle = _linked(kernels, capability)
    try:
        code = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, code)
        return bytes(code)
    finally:
        nvjitlink.destroy(handle)


def ptx(kernels: Sequence[KernelText], *capabilities: Capability) -> tuple[str, ...]:
    """The assembly text of some kernels before the link, one for each capability."""
    modules = _modules(kernels, capabilities[0])
    return tuple([_translated(kernels, modules, c).decode() for c in capabilities])


# Code is generated at the link, so it is there that contraction is off. ptxas' `-fmad=false` alone
# leaves what libNVVM has contracted by then.
EXACT = ("-fma=0",)


def _linked(kernels: Sequence[KernelText], capability: Capability) -> int:
    """The handle of a linker that has linked the kernels."""
    exact = () if all(k.fastmath for k in kernels) else EXACT
    options = [f"-arch=sm_{capability[0]}{capability[1]}", "-lto", *exact]
    handle = nvjitlink.create(len(options), options)
    code = _translated(kernels, _modules(kernels, capability, lto=True), capability, lto=True)
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, code, len(code), kernels[0].name)
        nvjitlink.complete(handle)
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        nvjitlink.destroy(handle)
        raise RuntimeError(f"{error}: {log.decode(errors='replace')}") from error
    return handle


def _modules(kernels: Sequence[KernelText], capability: Capability, lto: bool = False) -> list[str]:
    """The modules of NVVM IR of some kernels; a function that several of them call is in one."""
    check_compiler()
    texts = [text for k in kernels for text in _compiled(k, capability, lto).llvm_strs]
    if any(RESHAPE in text for text in texts):
        texts += _reshape_module(capability, lto)
    return [*dict.fromkeys(texts)]


def _translated(
    kernels: Sequence[KernelText], modules: list[str], capability: Capability, lto: bool = False
) -> Any:
    """The code that libNVVM makes for one capability, which need not be that of `_modules`."""
    options: dict[str, Any] = {"opt": 3, "fastmath": all(k.fastmath for k in kernels)}
    if lto:
        options["gen-lto"] = None
    return nvvm.compile_ir(modules, arch=f"compute_{capability[0]}{capability[1]}", **options)


def _compiled(kernel: KernelText, capability: Capability, lto: bool) -> Any:
    """Numba's library of a kernel."""
    scope = _names()
    kernel.run_in(scope)
    scope |= _called(kernel, capability)
    library, _ = _compile_pyfunc_with_fixup(
        scope[kernel.name],
        void(*map(_numba_type, kernel.parameters)),
        device=False,
        fastmath=kernel.fastmath,
        cc=capability,
        abi="numba",
        abi_info={"abi_name": kernel.name},
        lto=lto,
    )
    return library


# Called by Numba's reshape. Its dispatcher links a C file, which needs NVRTC and CUDA's headers.
RESHAPE = "numba_attempt_nocopy_reshape"


def _reshape_module(capability: Capability, lto: bool) -> list[str]:
    """The modules of NVVM IR that define it."""
    places, number = types.CPointer(types.intp), types.intp
    library, _ = _compile_pyfunc_with_fixup(
        _strides_of_reshaped,
        types.intc(number, places, places, number, places, places, number, types.intc),
        device=True,
        cc=capability,
        abi="c",
        abi_info={"abi_name": RESHAPE},
        lto=lto,
    )
    return list(library.llvm_strs)


def _strides_of_reshaped(
    ndim: int, dims: Any, strides: Any, new_ndim: int, new_dims: Any, new_strides: Any,
    itemsize: int, fortran: int,
) -> int:  # fmt: skip
    """Fills in the strides; programs reshape contiguous arrays only, with checked lengths."""
    stride = itemsize
    for k in range(new_ndim - 1, -1, -1):
        new_strides[k] = stride
        stride *= new_dims[k]
    return 1


def _names() -> dict[str, Any]:
    """The names that kernels use from outside their modules."""
    return {"cuda": cuda, "np": np, "math": math, "cmath": cmath, "libdevice": libdevice}


def _called(kernel: KernelText, capability: Capability) -> dict[str, CUDADispatcher]:
    """The device functions of a kernel; those shared with other kernels are compiled once."""
    needed: dict[str, tuple[str, ...]] = {}  # the text of each, after those of its callees
    for node in ast.parse(kernel.source).body:
        assert isinstance(node, ast.FunctionDef)
        if node.name != kernel.name:
            calls = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & needed.keys()
            texts = [text for name in needed if name in calls for text in needed[name]]
            needed[node.name] = (*dict.fromkeys(texts), ast.unparse(node))
    return {n: _device_function(t, capability, kernel.fastmath) for n, t in needed.items()}


@lru_cache(maxsize=256)
def _device_function(
    texts: tuple[str, ...], capability: Capability, fastmath: bool
) -> CUDADispatcher:
    """The last of some functions, which calls the others."""
    scope, options = _names(), {"fastmath": fastmath, "capability": capability}
    last = None
    for text in texts:
        (code,) = ast.parse(text).body
        assert isinstance(code, ast.FunctionDef)
        exec(compile(text, f"<device function {code.name}>", "exec"), scope)
        last = scope[code.name] = _DeviceFunction(scope[code.name], options)
    assert last is not None
    return last


def _numba_type(type_: Type) -> Any:
    match type_:
        case Array():
            layout = "C" if type_.layout == "C" else "A"
            return types.Array(from_dtype(np_dtype(type_.dtype)), type_.ndim, layout)
        case Scalar():
            return from_dtype(np_dtype(type_.dtype))
    raise TypeError(f"a kernel has no parameter of type {type_}")


class _DeviceFunction(CUDADispatcher):
    """A function that kernels call, compiled for the capability of its caller.

    The class it derives from asks the driver for the current device even where the caller is
    compiled for another, and so needs a GPU.
    """

    def compile_device(self, args: Any, return_type: Any = None) -> Any:
        if args not in self.overloads:
            fastmath = self.targetoptions["fastmath"]
            with self._compiling_counter:
                made = compile_cuda(
                    self.py_func,
                    return_type,
                    args,
                    fastmath=fastmath,
                    nvvm_options={"opt": 3, "fastmath": fastmath},
                    cc=self.targetoptions["capability"],
                )
            self.overloads[args] = made
            made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return self.overloads[args]
