"""The backend `cpu`: a generated module is loaded, and compiled by Numba at the first call.

Compiles with `error_model="numpy"` and the fast-math flags of `fastmath.py`. Never compiles the
same function twice; the types are the IR's, not those of a call.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from srcgrad import collector
from srcgrad.backends import cache as files
from srcgrad.backends.backend import Backend, BuildOptions, Executable
from srcgrad.backends.cpu.compiling import compiling
from srcgrad.backends.cpu.environment import environment
from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.fastmath import flags, meaning
from srcgrad.backends.cpu.faults import fault
from srcgrad.backends.cpu.module import Module, module_of
from srcgrad.backends.cpu.readonly import is_read_only, run_lent
from srcgrad.backends.cpu.runtime_errors import error_of
from srcgrad.backends.cpu.workspace import Workspaces
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import Scalar, np_dtype
from srcgrad.passes.pipeline import Pass, lowering

NATIVE = ("bool", "i64", "f64", "c128")  # what Numba returns as Python's own numbers


class Cpu(Backend):
    name = "cpu"
    compiler = "Numba"

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        return lowering(options.strict)

    def build(self, function: Function, options: BuildOptions) -> Executable:
        return build(function, options)

    def settings(self, options: BuildOptions) -> dict[str, str]:
        return {"fastmath": meaning(options.fastmath)}


BACKEND: Backend = Cpu()


def build(function: Function, options: BuildOptions) -> Executable:
    """The lowered `function` as something that runs, compiled at the first call."""
    made = module_of(function)
    kinds = _narrow_returns(function)
    if os.environ.get("SRCGRAD_CPU") in ("llvm", "guarded"):
        from srcgrad.backends.cpu.emit import driver

        return driver.build(function, options, made.text, kinds)
    lock = threading.Lock()
    run: Any = None
    within = None if made.slots is None else Workspaces(made.slots).run

    def compile() -> Any:
        try:
            return compiled(made, function, options)
        except Exception as error:
            told = fault(error, function.name, made.text, made.places)
            if told is error:
                raise
            raise told from told.__cause__

    def enter(*args: Any) -> tuple:
        return run(*args) if within is None else within(run, args)

    def call(*args: Any) -> tuple:
        nonlocal run
        if run is None:
            with lock:
                run = run or compile()
        try:
            try:
                out = run(*args) if within is None else within(run, args)
            except TypeError:  # no signature for an argument
                if not any(map(is_read_only, args)):
                    raise
                out = run_lent(enter, function, args)
            return out if kinds is None else tuple(k(v) for k, v in zip(kinds, out, strict=True))
        except Failure as failure:
            error = error_of(failure, made.sites)
        raise error

    call.__name__ = function.name
    return Executable(call, made.text, lambda: bool(compile().stats.cache_hits))


def _narrow_returns(function: Function) -> list[Callable[[Any], Any]] | None:
    """Conversions of the results where there is a scalar that Numba returns as a wider one."""
    types = [a.type for a in function.returns]
    narrow = [isinstance(t, Scalar) and t.dtype not in NATIVE for t in types]
    if not any(narrow):
        return None
    return [np_dtype(t.dtype).type if n else _same for t, n in zip(types, narrow, strict=True)]


def _same(value: Any) -> Any:
    return value


def compiled(module: Module, function: Function, options: BuildOptions) -> Any:
    """Numba's dispatcher of a module, with machine code; from the cache if it is there."""

    from srcgrad.backends.cpu import llvm
    from srcgrad.backends.cpu.link import dispatcher
    from srcgrad.backends.cpu.signature import signature, workspace_type

    types, text = signature(function), module.text
    if module.slots is not None:
        types += (workspace_type(),)
    name = files.module_name(text, (str(types), f"fastmath={options.fastmath}", *environment()))
    in_file = files.load if options.cache else lambda *a: (files.in_memory(*a), False)
    loaded, backed = in_file(name, text)
    made: Any = dispatcher(
        loaded, module.name, module.parts, backed,
        error_model="numpy", nogil=True, fastmath=flags(options.fastmath),
    )  # fmt: skip
    with compiling(made, name, backed), llvm.options(function), collector.waiting():
        made.compile(types)
    return made
