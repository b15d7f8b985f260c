"""Refuses derivatives that do not exist: of values without floats, and of complex results.

Never decides which arguments are differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError, PositionError, UnsupportedError
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.returned_lists import holds_lists
from srcgrad.frontend.values import describe
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import float_type, is_complex
from srcgrad.protocols import states
from srcgrad.transforms.program import REAL_PART, Program
from srcgrad.tree import is_leaf, is_structured, leaves, nodes, registered_as


def refuse_complex(p: Program, seeds: list[str | None]) -> None:
    """Refuses the gradient of a complex result, which has no single real part to differentiate."""
    pairs = zip(p.function.returns, seeds, strict=True)
    # a result with a seed is a number or an array, never a tuple: its type has a dtype
    differentiated = [a for a, seed in pairs if seed]
    found = [a for a in differentiated if is_complex(a.type.dtype)]
    if found:
        kinds = ", ".join(describe(a) for a in found if isinstance(a, Var))
        some = "" if len(found) == len(differentiated) else " for some arguments"
        raise ArgumentTypeError(
            f"{p.name}() returns complex numbers{some} ({kinds}): the gradient of a real number is "
            "asked for", None, f"{REAL_PART}; flow.vjp takes a complex adjoint",
        )  # fmt: skip


def refuse_lists_of_run(p: Program, output: Any, what: str) -> None:
    """Refuses what has an entry for each result, where lists have as many as the run decides."""
    if holds_lists(output):
        raise UnsupportedError(
            f"{p.name}() returns a list, a dict or a queue whose length is known only at run time, "
            f"which has no {what}", None,
            "return np.array(...) of it, or np.concatenate(...) of arrays of several shapes",
        )  # fmt: skip


def refuse_complex_pairs(p: Program, wrt: Sequence[int], of: Sequence[int]) -> None:
    """Refuses complex results with respect to complex parameters: an entry is not one number."""
    params, returns = p.function.params, p.function.returns
    by = [params[k] for k in wrt if is_complex(params[k].type.dtype)]
    results = [t for k in of if float_type(t := returns[k].type)]
    if not by or not any(is_complex(t.dtype) for t in results):
        return
    raise ArgumentTypeError(
        f"{p.name}() returns complex numbers and is differentiated by complex ones ({by[0]}): "
        "one complex number does not hold such a derivative",
        None,
        "return .real and .imag, or use flow.jvp: along 1 it is the derivative of an analytic "
        "function",
    )


def refuse_complex_hessian(p: Program, wrt: Sequence[int]) -> None:
    """Refuses second derivatives by complex parameters: each would be two complex numbers."""
    by = [p.function.params[k] for k in wrt if is_complex(p.function.params[k].type.dtype)]
    if by:
        raise ArgumentTypeError(
            f"{p.name}() has no second derivatives with respect to complex numbers ({by[0]}): one "
            "complex number does not hold such a derivative",
            None,
            "use flow.hvp, along 1 and along 1j",
        )


def without_floats(v: Any, path: tuple) -> bool:
    """Whether an argument holds values, but no float. The gradient of {} is {}."""
    held = leaves(v)
    return bool(held) and all(_has_none(x) for x in held)


def _has_none(v: Any) -> bool:
    """Whether a leaf is a number or an array without a gradient."""
    kind = type_of_value(v)
    return kind is not None and not float_type(kind)


def no_position(position: int, name: str, many: int) -> Exception:
    """The error for a position after the last argument."""
    return PositionError(
        f"Position index {position} is exceed input size.", None,
        f"{name}() has {many} argument{'s' * (many != 1)}: positions count from 0",
    )  # fmt: skip


def no_float(function: str, name: str, value: Any) -> Exception:
    """The error for an argument without a float."""
    what, way = f"is {_kind(value)}", "pass a float, or choose another argument: grad_position="
    if is_structured(value) and not without_floats(value, ()):
        what, way = "is a structured array, which the tape does not take", "pass its fields"
        return ArgumentTypeError(f"argument '{name}' of {function}() {what}", None, way)
    if states(value, "dtype") and (is_leaf(value) or isinstance(value, np.ndarray)):
        way = "use .astype(float)"
    elif type(value).__module__ not in ("builtins", "numpy") and not registered_as(type(value)):
        cls = type(value).__name__
        way = f"make {cls} a dataclass, or say what it is made of: flow.tree.register({cls}, ...)"
    elif isinstance(value, int):
        way = f"pass a float, such as {float(value)}"
    elif not is_leaf(value) and not registered_as(type(value)):
        what = f"({describe(value)}) has no float in it"
        way = "pass floats, such as 2.0; integers have no gradient"
    return ArgumentTypeError(
        f"argument '{name}' of {function}() {what}: only floats have gradients", None, way
    )


def refuse_sparse(function: str, path: tuple, value: Any) -> None:
    """Refuses a sparse matrix, whose values mean nothing without the indices beside them."""
    for v in nodes(value):
        if str(type(v).__module__).startswith("scipy.sparse."):
            cls, name = type(v).__name__, ".".join(map(str, path))
            raise ArgumentTypeError(
                f"argument '{name}' of {function}() holds a {cls}, which is a constant", None,
                f"pass its data, and make the matrix inside: sparse.{cls}((data, ...), shape=...)",
            )  # fmt: skip


def refuse_known(function: str, path: tuple, value: Any) -> None:
    """Refuses the derivative with respect to a float that was specialized on."""
    kind = type_of_value(value)
    if kind is not None and float_type(kind):
        name = ".".join(map(str, path))
        raise UnsupportedError(
            f"argument '{name}' of {function}() has no derivative: it must be known at compile "
            "time",
            None,
            f"differentiate by the others: lambda x: {function}(x, {name}=...)",
        )


def refuse_tangents(function: str, inputs: tuple[tuple, ...], extra: dict[tuple, Any]) -> None:
    """Refuses nonzero tangents of floats that were specialized on: they are not inputs."""
    for key, t in extra.items():
        if key[0] == "tangent" and key not in inputs and np.any(getattr(t, "srcgrad_value", t)):
            refuse_known(function, key[1:], t)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}"
    return describe(value)


def nothing_returned(p: Program) -> Exception:
    """The error for a function whose result has no float."""
    kinds = [describe(a) if isinstance(a, Var) else repr(a.value) for a in p.function.returns]
    what, way = ", ".join(kinds) or describe(p.output), "return a float, or an array of them"
    if p.output is None:
        way = "is a return missing?"
    return ArgumentTypeError(f"{p.name}() returns nothing that has a gradient ({what})", None, way)
