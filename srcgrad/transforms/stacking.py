"""Puts a transform on a callable or on a compiled function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from srcgrad.backends.gpu_arrays import is_on_device, layout_of
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.kinds import type_of_value
from srcgrad.ir.types import float_type
from srcgrad.protocols import is_compiled, of_numba
from srcgrad.tracebacks import within
from srcgrad.transforms.callables import plain_function
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.specialization import Options
from srcgrad.transforms.specs import Gradient, Primal, Tangent
from srcgrad.transforms.stack import signature_of


def taken_apart(fn: Any) -> tuple[Any, Any, Options]:
    """The function below, the transforms so far, the options."""
    if is_compiled(fn):
        return fn.function, fn.spec, fn.options
    fn = within(fn)
    fn = of_numba(fn) or fn
    if isinstance(fn, staticmethod):
        fn = fn.__func__
    if not callable(fn):
        raise ArgumentTypeError(
            f"The fn should be callable, but got {type(fn).__name__}", None,
            "pass the function itself: grad(f), not grad(f(x))",
        )  # fmt: skip
    function = plain_function(fn)
    return function, Primal(function), Options()


def gradient_of(
    fn: Any, positions: tuple[int, ...] | None, weights: Any, has_aux: bool, ids: bool,
    with_value: bool, bare: bool | None = None, **stated: Any,
) -> Compiled:  # fmt: skip
    """A gradient with checked arguments; positions None: with respect to all with a float.

    `stated`: options that differ from the function's, where they are not None.
    """
    function, spec, options = taken_apart(fn)
    if not is_compiled(fn):
        options = replace(options, tape="tensors")
    options = replace(options, **{k: v for k, v in stated.items() if v is not None})
    if bare is None:
        bare = positions is not None and len(positions) == 1
    gradient = Gradient(
        spec, positions, bare, has_aux, with_value, weights=weights, ids=ids,
        variadic=variadic(function),
    )  # fmt: skip
    return Compiled(function, gradient, options)


def tape_of(mode: str | None) -> str | None:
    """The option `tape` that `mode=` of a transform sets; None: the function's."""
    if mode is None:
        return None
    if mode != "tape":
        raise ArgumentValueError(
            f'mode must be "tape", not {mode!r}', None, "leave it out: functions are compiled"
        )
    return "always"


def variadic(function: Any) -> tuple[str, str]:
    """The names of a function's *args and **kwargs; empty where it has none."""
    names = {p.kind: p.name for p in inspect.signature(function).parameters.values()}
    P = inspect.Parameter
    return names.get(P.VAR_POSITIONAL, ""), names.get(P.VAR_KEYWORD, "")


def aux_of(out: tuple) -> Any:
    """The outputs after the first: a single one bare, several as a tuple."""
    return out[1] if len(out) == 2 else out[1:]


def is_float(v: Any) -> bool:
    """Whether a leaf is a number or an array with a gradient."""
    t = type_of_value(v)
    if t is None and is_on_device(v):
        return layout_of(v).dtype.kind in "fc"
    return t is not None and float_type(t)


def by_name(function: Any, spec: Any, tangents: Any) -> dict[str, Any]:
    """Tangents by the names of their arguments; those of `*args` in a tuple."""
    head = signature_of(spec, inspect.signature(function, follow_wrapped=False))
    return dict(head.bind(*tangents).arguments)


@functools.lru_cache(maxsize=512)
def tangent_of(
    function: Any, spec: Any, options: Options, constant: frozenset[str] = frozenset()
) -> Compiled:
    return Compiled(function, Tangent(spec, constant), options)


def constants(arguments: Iterable[str], given: dict[str, Any]) -> frozenset[str]:
    """The arguments without a tangent, or with None for it; none of them if these are all."""
    found = frozenset(n for n in arguments if given.get(n) is None)
    return found if any(t is not None for t in given.values()) else frozenset()
