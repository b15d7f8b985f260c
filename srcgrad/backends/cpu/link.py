"""A function and its parts as one piece of machine code: one library for all of them.

Numba makes every compiled function ready to be called from Python, and optimises it once more
in each that calls it. A part is called by one function only, so it is put into that function's
library as it is: optimised once, with no wrapper, and stored in the function's cache file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import Any

from srcgrad.backends.cpu.kernels import unliteral
from srcgrad.backends.cpu.nonnegative_indices import pipeline

# Numba's flags: what is not made
FROM_PYTHON = ("no_cfunc_wrapper",)
INSIDE_ONLY = ("no_cfunc_wrapper", "no_cpython_wrapper", "no_compile")


def dispatcher(
    module: ModuleType, name: str, parts: Iterable[str], cache: bool, **options: Any
) -> Any:
    """The dispatcher of a function of a module; its parts are compiled when it is."""
    import numba
    from numba.core.registry import cpu_target

    target: Any = cpu_target.target_context
    library = target.codegen().create_library(name)
    library.enable_object_caching()
    njit: Any = partial(numba.njit, **options)

    def within(without: tuple[str, ...]) -> Callable[..., Any]:
        def compiler(typing: Any, target: Any, _: Any, args: Any, result: Any, flags: Any, *more):
            for flag in without:
                setattr(flags, flag, True)
            return pipeline()(typing, target, library, args, result, flags, *more)

        return compiler

    for each in parts:
        part = njit(getattr(module, each), pipeline_class=within(INSIDE_ONLY))
        setattr(module, each, _called_by_name(unliteral(part)))
    return njit(getattr(module, name), pipeline_class=within(FROM_PYTHON), cache=cache)


def _called_by_name(part: Any) -> Any:
    """A part has no address: a call of it is found by its name in the library."""

    def add_overload(compiled: Any) -> None:
        key = compiled.fndesc.mangled_name
        compiled.target_context.insert_user_function(key, compiled.fndesc)
        part.overloads[tuple(compiled.signature.args)] = compiled._replace(entry_point=key)

    part.add_overload = add_overload
    return part
