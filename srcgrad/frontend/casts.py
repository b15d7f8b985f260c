"""Conversions of numbers as in Python and NumPy: what an integer type cannot hold raises.

NumPy converts a Python number by its value, and so every number that is stored at one place of an
array; arrays, and NumPy's numbers elsewhere, are cast without a look at their values.
"""

from __future__ import annotations

import warnings
from itertools import compress
from typing import Any

import numpy as np

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_number, is_scalar, plain
from srcgrad.ir.build import result_type
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import BOOL, INT, Scalar, is_complex, is_float, is_int, np_dtype, promoted
from srcgrad.operation import Primitive

# raised by compiled code where Python, or NumPy, continues
TOO_LARGE = "an integer of more than 64 bits"
DIVIDED_BY_NUMPY = "integer division or modulo by zero, which gives 0 in NumPy"
NO_FLOAT = "an integer to a negative power is a float: write float(n) ** k"
_OF_PYTHON = (bool, int, float, complex)
LIMITS = (TOO_LARGE, DIVIDED_BY_NUMPY, NO_FLOAT)


def widened(it: Interpreter, v: Any) -> Any:
    """A Python bool as the int that it is in arithmetic."""
    return plain(it.b.cast(v, INT)) if is_scalar(v) and atom(v).type == BOOL else v


def widened_pair(it: Interpreter, a: Any, c: Any) -> tuple[Any, Any]:
    """Two operands, as ints if both are Python bools: with others a bool is promoted anyway."""
    both = is_scalar(a) and is_scalar(c) and atom(a).type == BOOL == atom(c).type
    return (widened(it, a), widened(it, c)) if both else (a, c)


def of_python(v: Any) -> bool:
    """Whether a number is Python's own: NumPy's are divided by zero without an exception."""
    return v.type.weak if isinstance(v, Var) and is_scalar(v) else type(v) in (bool, int)


def as_integer(it: Interpreter, x: Any) -> Any:
    """A number as a Python integer; raises if it does not fit 64 bits."""
    if is_float(atom(x).type.dtype):
        fits = plain(it.b.lt(it.b.abs(x), 2.0**63))

        def failing() -> None:
            what = "cannot convert float {} to integer"
            it.fail_if(plain(it.b.isnan(x)), "ValueError", what.format("NaN"))
            it.fail_if(plain(it.b.isinf(x)), "OverflowError", what.format("infinity"))
            it.fail("OverflowError", TOO_LARGE)

        it.branch(fits, lambda: None, failing, None, live_rest=True)
    elif atom(x).type.dtype == "u64":
        it.fail_if(plain(it.b.gt(x, np.uint64(2**63 - 1))), "OverflowError",
                   TOO_LARGE)  # fmt: skip
    return plain(it.b.retyped(x, INT))


def checked(it: Interpreter, v: Any, dtype: str) -> Any:
    """A number, after a check that an integer dtype holds it; an integer of Python's then."""
    have = atom(v).type.dtype
    if not is_int(dtype) or have in ("bool", dtype) or is_complex(have):
        return v
    v = as_integer(it, v)
    limits = np.iinfo(np_dtype(dtype))
    text = "Python integer {} out of bounds for " + np_dtype(dtype).name
    if is_number(v):
        if not limits.min <= v <= limits.max:
            it.fail("OverflowError", text.format(v))
        return v
    if dtype == "u64":
        it.fail_if(it.b.lt(v, 0), "OverflowError", text, v)
    elif dtype != "i64":
        below, above = it.b.lt(v, int(limits.min)), it.b.gt(v, int(limits.max))
        it.fail_if(it.b.logical_or(below, above), "OverflowError", text, v)
    return v


def cast(it: Interpreter, v: Any, target: Scalar, by_value: bool = False) -> Any:
    """A value cast to a dtype as NumPy does; `by_value`: NumPy's numbers as Python's are.

    Unsigned dtypes take these without a check.
    """
    if is_scalar(v) and (atom(v).type.weak or (by_value and target.dtype[0] == "i")):
        v = checked(it, v, target.dtype)
    return plain(it.b.cast(v, target))


def operands_in_bounds(it: Interpreter, op: Primitive, args: tuple) -> tuple:
    """Operands among which Python's integers have been checked to fit into NumPy's.

    Comparisons are by value: where they do not fit they are made in 64 bits.
    """
    joined = promoted(atom(a).type for a in args)
    if op.selects or joined.weak or not is_int(joined.dtype) or joined.dtype == "i64":
        return args
    mine = [atom(a).type == INT for a in args]
    if result_type(op, joined).dtype != "bool" or joined.dtype == "u64":
        return tuple(
            checked(it, a, joined.dtype) if m else a for a, m in zip(args, mine, strict=True)
        )
    limits = np.iinfo(np_dtype(joined.dtype))
    inside = (is_number(a) and limits.min <= a <= limits.max for a in compress(args, mine))
    return args if all(inside) else tuple(it.b.cast(a, Scalar("i64")) for a in args)


def across_signs(it: Interpreter, op: Primitive, args: tuple) -> Any:
    """A comparison of a signed with an unsigned integer of 64 bits by their values, as NumPy's.

    Their common dtype is float64, in which large neighbours are equal. None for anything else.
    """
    kinds = [atom(v).type.dtype for v in args]
    if len(args) != 2 or "u64" not in kinds or result_type(op, Scalar("u64")).dtype != "bool":
        return None
    signed, kind = next(((v, k) for v, k in zip(args, kinds, strict=True) if k != "u64"), (0, ""))
    if kind[:1] != "i" or (is_number(signed) and signed >= 0):
        return None
    below = it.b.lt(signed, 0)
    here = it.b(op.name, *(it.b.cast(v, Scalar("u64")) for v in args))
    # whether it holds wherever the signed one is below 0, and so below the other
    if op.impl(0, 1) if signed is args[0] else op.impl(1, 0):
        return plain(it.b.logical_or(below, here))
    return plain(it.b.logical_and(it.b.logical_not(below), here))


def in_order_of_parts(it: Interpreter, op: Primitive, args: tuple) -> Any:
    """A comparison of complex numbers of NumPy: by real parts, then by imaginary ones.

    NaN as an imaginary part leaves no order. None for anything else, and for Python's numbers.
    """
    ordering = op.ordered and op.elementwise and result_type(op, Scalar("f64")).dtype == "bool"
    if not ordering or not any(is_complex(atom(v).type.dtype) for v in args):
        return None
    if all(
        is_scalar(v) and v.type.weak if isinstance(v, Var) else type(v) in _OF_PYTHON for v in args
    ):
        return None
    b = it.b
    (re, im), (other_re, other_im) = (_parts(it, v) for v in args)
    apart = b.lt(re, other_re) if op.impl(0, 1) else b.gt(re, other_re)
    known = b.logical_not(b.logical_or(b.isnan(im), b.isnan(other_im)))
    beside = b.logical_and(b.eq(re, other_re), b(op.name, im, other_im))
    return plain(b.logical_or(b.logical_and(apart, known), beside))


def _parts(it: Interpreter, v: Any) -> tuple[Any, Any]:
    if is_number(v):
        return v.real, float(v.imag)
    return (it.b.real(v), it.b.imag(v)) if is_complex(v.type.dtype) else (v, 0.0)


def check_same_kind(
    it: Interpreter, node: Node, what: str, have: str, want: str, where: str = "in place"
) -> None:
    """Refuses what NumPy does not cast in place: floats to integers, signed to unsigned ones."""
    if not np.can_cast(np_dtype(have), np_dtype(want), "same_kind"):
        it.refuse(
            node, f"the result of '{what}' is {have} and cannot be stored {where} in {want}",
            f"make the array one of {np_dtype(have).name} first: "
            f"x = x.astype({'float' if have == 'f64' else 'np.' + np_dtype(have).name})",
            like=TypeError,
        )  # fmt: skip


def only_element(it: Interpreter, value: Var, node: Node) -> Any:
    """The element of an array that is stored as one: of rank 0, or of more before NumPy 2.4."""
    said = "setting an array element with a sequence."
    dims = value.type.dims
    if (dims and not _TAKES_ARRAYS) or any(d != 1 for d in dims if not isinstance(d, Var)):
        it.wrong(node, said, ValueError)
    for d in dims:
        if isinstance(d, Var):
            it.b.check_equal(d, 1, message=said)
    return it.b.load(value, *([0] * value.type.ndim))


def _takes_arrays() -> bool:
    """Whether NumPy stores an array of one element as an element."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            np.zeros(1)[0] = np.ones(1)
        except ValueError:
            return False
    return True


_TAKES_ARRAYS = _takes_arrays()
