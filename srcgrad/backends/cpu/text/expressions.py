"""The Python expression of a scalar primitive, as a syntax tree.

One row per primitive: a template over `a b c` (the operands) and the primitive's parameters.
Names that are neither operands nor `math` or `np` are functions of `kernels.py`. Only scalars
come here. Numba widens small integers to 64 bits, so their results are narrowed again.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Def
from srcgrad.ir.types import DTYPES, is_complex, is_float
from srcgrad.primitives import REGISTRY, Primitive, arcs, memory
from srcgrad.primitives import elementwise as e
from srcgrad.primitives.incomplete import BY_SHAPES
from srcgrad.primitives.special import SPECIAL

# a row that is a ufunc is spelled as NumPy spells it, unless there is a shorter or safer text
TEMPLATES: dict[Primitive, str] = {
    op: f"np.{op.impl.__name__}({', '.join('abc'[: op.arity])})"
    for op in REGISTRY.values()
    if op.elementwise and isinstance(op.impl, np.ufunc)
}
TEMPLATES |= {
    e.add: "a + b", e.sub: "a - b", e.mul: "a * b", e.div: "a / b", e.neg: "-a", e.mod: "a % b",
    e.floordiv: "a // b", e.pow: "a ** b", e.absorb: "absorb(a, b)", e.fmod: "np.fmod(a, b)",
    e.lt: "a < b", e.le: "a <= b", e.gt: "a > b", e.ge: "a >= b", e.eq: "a == b", e.ne: "a != b",
    e.logical_and: "a & b", e.logical_or: "a | b", e.logical_xor: "a != b", e.logical_not: "not a",
    e.bit_and: "a & b", e.bit_or: "a | b", e.bit_xor: "a ^ b", e.invert: "~a",
    e.shift_left: "shift_left(a, b)", e.shift_right: "shift_right(a, b)",
    e.where: "where(a, b, c)", e.stop_gradient: "a", e.before_rounding: "a",
    e.maximum: "maximum(a, b)", e.minimum: "minimum(a, b)",
    e.larger: "where(a > b, a, b)", e.smaller: "where(a < b, a, b)",
    e.clip: "minimum(c, maximum(b, a))", e.abs: "abs(a)", e.sign: "sign(a)",
    e.real: "a.real", e.imag: "a.imag", e.conj: "a.conjugate()", e.to_complex: "complex(a, b)",
    e.sigmoid: "sigmoid(a)", e.relu: "relu(a)", e.erf: "math.erf(a)", e.erfc: "math.erfc(a)",
    # indices and lengths
    memory.wrap: "wrap(a, b)", memory.slice_start: "slice_start(a, b, c)",
    memory.slice_stop: "slice_stop(a, b, c)", memory.broadcast_dim: "broadcast_dim(a, b)",
}  # fmt: skip
TEMPLATES |= {
    op: f"{op.name}({', '.join((*'abcd'[: op.arity], *op.params))})"
    for op in (*map(REGISTRY.__getitem__, SPECIAL), *BY_SHAPES)
}
# NumPy rounds integers to themselves; of bools, `invert` and the logic differ from the bits
INTEGER = dict.fromkeys((e.floor, e.ceil, e.trunc, e.rint), "a") | {
    e.floordiv: "floordiv(a, b)",
    e.fmod: "remainder(a, b)",
    e.pow: "whole_power(a, b)",
    e.isnan: "False",
    e.isinf: "False",
    e.isfinite: "True",
    e.signbit: "a < 0",
}
BOOL = {e.add: "a | b", e.mul: "a & b", e.invert: "not a", e.maximum: "a | b", e.minimum: "a & b",
        e.bit_xor: "a != b", e.floor: "a", e.ceil: "a", e.trunc: "a", e.abs: "a"}  # fmt: skip
COMPLEX = {e.div: "divide(a, b)", e.pow: "power(a, b)", e.sign: "np.sign(a)",
           arcs.arccosh: "complex_arccosh(a)", e.expm1: "complex_expm1(a)"}  # fmt: skip
SMALL = {"i8", "i16", "i32", "u8", "u16", "u32", "u64"}
TRUTH = {e.logical_and, e.logical_or, e.logical_xor, e.logical_not}


@lru_cache(maxsize=1024)
def parsed(template: str) -> ast.expr:
    return _Subscripts().visit(ast.parse(template, mode="eval")).body


class _Subscripts(ast.NodeTransformer):
    """`x[a, b:c]` as a name in brackets: astunparse would put its items in parentheses."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.slice, ast.Tuple) and node.slice.elts:
            node.slice = ast.Name(id=", ".join(map(ast.unparse, node.slice.elts)))
        return node


class _Fill(ast.NodeTransformer):
    def __init__(self, operands: dict[str, ast.expr]):
        self.operands = operands

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.operands.get(node.id, node)

    def generic_visit(self, node: Any) -> Any:
        # a copy on the way down: templates are shared
        fields = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                value = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, ast.AST):
                value = self.visit(value)
            fields[name] = value
        return type(node)(**fields)


def fill(template: str, **operands: ast.expr) -> ast.expr:
    """The template with its names replaced by expressions."""
    return _Fill(operands).visit(parsed(template))


def constant(value: Any, dtype: str) -> ast.expr:
    """A literal of this dtype; plain if Numba gives it 64 bits anyway."""
    text = _literal(value)
    if dtype not in ("bool", "i64", "f64", "c128"):
        return parsed(f"np.{DTYPES[dtype]}({text})")
    return ast.Name(id=f"({text})") if text.startswith("-") else parsed(text)


def named_dtype(short: str) -> str:
    return f"np.{DTYPES[short]}" + ("_" if short == "bool" else "")


def _literal(value: Any) -> str:
    """An expression that evaluates to a number, in every bit."""
    if isinstance(value, complex):
        text = repr(value)
        plain = "nan" not in text and "inf" not in text and "-0" not in text
        return text if plain else f"complex({_literal(value.real)}, {_literal(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def scalar(
    definition: Def, operands: list[ast.expr], templates: Mapping[Primitive, str] = TEMPLATES
) -> ast.expr | None:
    """The expression of a scalar definition; None if the table does not have it."""
    op = definition.op
    if op is e.cast:
        return _cast(definition.args[0].type.dtype, definition.params["dtype"], operands[0])
    if op is e.powi:
        return _narrow(definition, _power(definition, operands[0]))
    if op not in templates:
        return None
    numbers = {n: constant(definition.params[n], "i64") for n in op.params}
    letters = dict(zip("abcd", operands, strict=False))
    return _narrow(definition, fill(_template(definition, templates[op]), **numbers, **letters))


def _template(definition: Def, template: str) -> str:
    op, dtype = definition.op, definition.args[-1].type.dtype
    if dtype == "bool":
        return BOOL.get(op, INTEGER.get(op, template))
    if op in TRUTH:
        tests = {letter: parsed(f"({letter} != 0)") for letter in "ab"[: op.arity]}
        return ast.unparse(fill(template, **tests))
    if is_complex(dtype):
        return COMPLEX.get(op, template)
    return template if is_float(dtype) else INTEGER.get(op, template)


def _power(definition: Def, a: ast.expr) -> ast.expr:
    n = definition.params["n"]
    if n >= 0:
        return fill(f"a ** {n}", a=a)
    # Numba's own negative powers raise at 0
    dtype = definition.args[0].type.dtype
    template = "divide(one, a ** {})" if is_complex(dtype) else "one / a ** {}"
    return fill(template.format(-n), a=a, one=constant(1.0, dtype))


def _narrow(definition: Def, value: ast.expr) -> ast.expr:
    assert definition.var is not None
    dtype = definition.var.type.dtype
    return _cast("i64", dtype, value) if dtype in SMALL else value


def _cast(source: str, target: str, value: ast.expr) -> ast.expr:
    if source == target:
        return value
    if target == "bool":
        return fill("a != 0", a=value)
    if source == "bool" and target[0] in "fc":
        value = fill("int(a)", a=value)
    return fill(f"{_CONSTRUCTOR.get(target, 'np.' + DTYPES[target])}(a)", a=value)


_CONSTRUCTOR = {"f64": "float", "i64": "int", "c128": "complex"}
