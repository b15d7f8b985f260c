"""Complex numbers: their parts, conjugates and angles, `complex`, and the functions of cmath.

Functions that NumPy has for both kinds of numbers are in `elementwise`. Formulae are NumPy's and
C's definitions; branch cuts are those of the backends' libraries (C99, annex G).
"""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from srcgrad.frontend.attributes import array_attribute
from srcgrad.frontend.float_errors import refuse_complex
from srcgrad.frontend.handlers.elementwise import (
    elementwise,
    numbers_of_math,
    operands,
    scalar_type,
)
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.number_classes import refuse_mixed
from srcgrad.frontend.values import is_array, is_number, is_value, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import COMPLEX, FLOAT, Scalar, is_complex


def complex_operand(v: Any) -> bool:
    """Whether a value is a complex number or an array of them."""
    return is_complex(atom(v).type.dtype)


# ---- parts ----
@implements(np.real)
def real(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = (x,) if is_value(x) else operands(it, node, (x,), "real")
    return array_attribute(it, x, "real", node)


@implements(np.imag)
def imag(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = (x,) if is_value(x) else operands(it, node, (x,), "imag")
    return array_attribute(it, x, "imag", node)


@method("array", "conj", "conjugate")
def conj_method(it: Interpreter, node: Node, x: Any, out: Any = None) -> Any:
    """The method `conj`: of a real array NumPy's returns itself, its function a new one."""
    if is_array(x) and not complex_operand(x) and out is None:
        return x
    return it.call_numpy(np.conj, [x], {} if out is None else {"out": out}, node)


@implements(np.conj, np.conjugate)
def conj(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "conj")
    if is_number(x):
        return np.conj(x)
    if atom(x).type.dtype == "bool":
        x = plain(it.b.cast(x, Scalar("i8")))  # for which NumPy has no loop
    made = it.emit(node, "conj", x) if complex_operand(x) else x
    if made is x and is_array(x):
        made = (it.b.copy if x.type.dims else it.b.load)(x)
    return made


# ---- tests of values ----
@implements(np.iscomplexobj)
def iscomplexobj(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "iscomplexobj")
    refuse_mixed(it, x, node, "iscomplexobj() asks for the class of")
    return complex_operand(x)


# ---- complex numbers from real ones ----
@implements(complex)
def complex_(it: Interpreter, node: Node, *args: Any) -> Any:
    if all(is_number(a) or isinstance(a, str) for a in args):
        return complex(*args)
    if not 1 <= len(args) <= 2:
        it.refuse(node, f"complex() takes 1 or 2 arguments, not {len(args)}", like=TypeError)
    args = tuple(numbers_of_math(it, node, args, "complex"))
    if len(args) == 1:
        return plain(it.b.retyped(args[0], COMPLEX))
    if any(complex_operand(v) for v in args):
        # re + im * 1j, whatever they are
        re, im = (it.b.cast(v, COMPLEX) for v in args)
        return it.emit(node, "add", re, it.b.mul(im, 1j), weak=True)
    return _made(it, node, *args)


def _made(it: Interpreter, node: Node, re: Any, im: Any) -> Any:
    """Python's complex number of two real ones."""
    return it.emit(node, "to_complex", it.b.cast(re, FLOAT), it.b.cast(im, FLOAT), weak=True)


def _cast_to(dtype: Any) -> None:
    def handler(it: Interpreter, node: Node, x: Any = 0) -> Any:
        if is_number(x):
            return dtype(x)
        (x,) = operands(it, node, (x,), dtype.__name__)
        return plain(it.b.cast(x, scalar_type(it, node, dtype)))

    implements(dtype)(handler)


_cast_to(np.complex64)
_cast_to(np.complex128)


# ---- cmath ----
NAMES: dict[str, RowName] = {
    "exp": "exp", "log10": "log10", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite",
}  # fmt: skip


def _number(it: Interpreter, node: Node, z: Any, what: str) -> Any:
    """The operand of a function of cmath: a number, cast to complex."""
    if not what.startswith("is"):
        refuse_complex(it, f"cmath.{what}()")
    (z,) = numbers_of_math(it, node, (z,), what)
    return it.b.cast(z, COMPLEX)


def _register(name: str, primitive: RowName) -> None:
    f = getattr(cmath, name)

    def handler(it: Interpreter, node: Node, z: Any) -> Any:
        if is_number(z):
            return elementwise(it, node, primitive, f, (z,))
        return it.emit(node, primitive, _number(it, node, z, name), weak=True)

    implements(f)(handler)


for _name, _primitive in NAMES.items():
    _register(_name, _primitive)


@implements(cmath.log)
def log(it: Interpreter, node: Node, z: Any, base: Any = None) -> Any:
    made = it.emit(node, "log", _number(it, node, z, "log"), weak=True)
    if base is None:
        return made
    return it.emit(node, "div", made, log(it, node, base), weak=True)


@implements(cmath.phase)
def phase(it: Interpreter, node: Node, z: Any) -> Any:
    z = _number(it, node, z, "phase")
    return it.emit(node, "arctan2", it.b.imag(z), it.b.real(z), weak=True)


@implements(cmath.polar)
def polar(it: Interpreter, node: Node, z: Any) -> Any:
    return it.emit(node, "abs", _number(it, node, z, "polar"), weak=True), phase(it, node, z)


@implements(cmath.rect)
def rect(it: Interpreter, node: Node, r: Any, phi: Any) -> Any:
    r, phi = (it.b.cast(v, FLOAT) for v in numbers_of_math(it, node, (r, phi), "rect"))
    return _made(it, node, it.b.mul(r, it.b.cos(phi)), it.b.mul(r, it.b.sin(phi)))
