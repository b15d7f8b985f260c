"""The functions of C and Fortran that SciPy offers to Cython, called by symbols of srcgrad.

Their addresses are in capsules, with their signatures; those of OpenBLAS are in its library. An
address differs from process to process, so machine code names a symbol, and the symbol gets its
address before that code is loaded.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.machinery
import importlib.util
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from srcgrad.backends.cpu.ufuncs import addresses, addresses_of_transform
from srcgrad.errors import CompilerError

OF_ORDERS = "spherical_"  # functions of a whole number and a number
OF_COMPLEX = "complex_"  # before the name of a function of complex numbers
# the type of a complex number that a function of C returns, by machine; Windows has other names
RETURNED = {
    **{(m, "c128"): "{ double, double }" for m in ("x86_64", "aarch64", "arm64")},
    **{(m, "c64"): "{ float, float }" for m in ("aarch64", "arm64")},
    ("x86_64", "c64"): "<2 x float>",
}
# functions of Fortran whose results C reads in different ways
COMPLEX_RESULTS = ("cdotu", "zdotu", "cdotc", "zdotc", "cladiv", "zladiv")
LETTERS = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}  # prefix of a routine's name
# the loops of NumPy's functions, and their data
LOOPS = {
    "ufunc": (addresses, 0),
    "ufunc_data": (addresses, 1),
    "fourier": (addresses_of_transform, 0),
    "fourier_data": (addresses_of_transform, 1),
}

_api = ctypes.pythonapi
_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", _api))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)


def symbol_of(module: str, name: str) -> str:
    return f"srcgrad_{module}_{name}"


@cache
def name_routine(module: str, name: str, arity: int) -> None:
    """Gives a function of `lapack`, `blas` or `special`, or a loop of NumPy's, its symbol."""
    import llvmlite.binding as llvm

    if module in LOOPS:
        of_loop, part = LOOPS[module]
        address = of_loop(*name.rsplit("_", 1))[part]
    elif (found := _in_openblas(module, name)) is not None:
        address = found
    else:
        capsule = (_special if module == "special" else _fortran)(module, name, arity)
        address = _pointer_of(capsule, _name_of(capsule))
    llvm.add_symbol(symbol_of(module, name), address)


def _in_openblas(module: str, name: str) -> int | None:
    """The address of a routine of BLAS or LAPACK in the library that SciPy's wheels bring along.

    None where SciPy is imported anyway, which takes ten times as long as to look there, and where
    it uses another library. The names of functions with integers of 64 bits end with 64_.
    """
    wanted = module in ("blas", "lapack") and name not in COMPLEX_RESULTS
    if not wanted or sys.platform != "linux" or "scipy" in sys.modules:
        return None
    found = _found(f"scipy.linalg.cython_{module}")
    if found is None or found.origin is None:
        return None
    with suppress(OSError, AttributeError):
        function = getattr(ctypes.CDLL(found.origin), f"scipy_{name}_")
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _fortran(module: str, name: str, arity: int) -> Any:
    capsule = _alone(f"cython_{module}").__pyx_capi__[name]
    signature = _name_of(capsule) or b""
    if b"int *" not in signature or signature.count(b",") + 1 != arity:
        raise CompilerError(
            f"SciPy's {name} has the signature {signature.decode()}, which srcgrad does not know",
            None,
            "install a SciPy whose LAPACK has integers of 32 bits",
        )
    return capsule


def _alone(name: str) -> ModuleType:
    """A module of scipy.linalg, without the package around it, which takes five times as long."""
    full = f"scipy.linalg.{name}"
    if "scipy.linalg" in sys.modules:
        return importlib.import_module(full)
    found = _found(full)
    if found is None or found.loader is None:
        return importlib.import_module(full)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    # the package binds its name when it is imported itself
    sys.modules.pop(full, None)
    return module


def _found(full: str) -> importlib.machinery.ModuleSpec | None:
    """Where a module of scipy.linalg is, without the package around it."""
    scipy = importlib.util.find_spec("scipy")
    folders = [str(Path(f, "linalg")) for f in (scipy and scipy.submodule_search_locations) or ()]
    return importlib.machinery.PathFinder.find_spec(full, folders)


def _special(_: str, name: str, arity: int) -> Any:
    """The function of doubles or of complex numbers; one of several kinds has a longer name."""
    from scipy.special import cython_special

    of_complex = name.startswith(OF_COMPLEX)
    name = name.removeprefix(OF_COMPLEX)
    for key, capsule in cython_special.__pyx_capi__.items():
        fused = key.removeprefix("__pyx_fuse_").lstrip("0123456789_")
        if name in (key, fused) and _takes(_name_of(capsule) or b"", name, arity, of_complex):
            return capsule
    kind = "complex numbers" if of_complex else "doubles"
    raise CompilerError(
        f"scipy.special.cython_special has no {name} of {kind}", None, "install a newer SciPy"
    )


def _takes(signature: bytes, name: str, arity: int, of_complex: bool) -> bool:
    """Whether a function has these parameters, of which a complex number is two."""
    kind = b"__pyx_t_double_complex" if of_complex else b"double"
    result, _, rest = signature.partition(b" (")
    params = rest.rstrip(b")").split(b", ")
    if result == b"void":  # of several results
        numbers = [p for p in params if not p.endswith(b"*")]
        return (
            set(numbers) <= {kind}
            and set(params) <= {kind, kind + b" *"}
            and (len(params) + of_complex * len(numbers) == arity)
        )
    if result != kind or b"int __pyx_skip_dispatch" not in rest:
        return False
    if name.startswith(OF_ORDERS):
        return params[:2] == [b"Py_ssize_t", kind]
    numbers = params[:-1]
    if of_complex:
        return len(numbers) + numbers.count(kind) + 1 == arity and set(numbers) <= {kind, b"double"}
    return numbers == [b"double"] * (arity - 1)
