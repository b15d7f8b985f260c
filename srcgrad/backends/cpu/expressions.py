"""The Python expression of a scalar primitive, as a syntax tree.

One row per primitive: a template over `a b c` (the operands) and the primitive's parameters.
Names that are neither operands nor `math` or `np` are functions of `kernels.py`. Only scalars
come here. Numba widens small integers to 64 bits, so their results are narrowed again.
"""

from __future__ import annotations

import ast
import math
from functools import lru_cache
from typing import Any

from srcgrad.ir.nodes import Def
from srcgrad.ir.types import DTYPES, is_complex, is_float
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.special import SPECIAL

TEMPLATES = {
    "add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b", "neg": "-a", "mod": "a % b",
    "floordiv": "a // b", "pow": "a ** b", "absorb": "absorb(a, b)", "fmod": "np.fmod(a, b)",
    "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b", "eq": "a == b", "ne": "a != b",
    "logical_and": "a & b", "logical_or": "a | b", "logical_xor": "a != b", "logical_not": "not a",
    "bit_and": "a & b", "bit_or": "a | b", "bit_xor": "a ^ b", "invert": "~a",
    "shift_left": "shift_left(a, b)", "shift_right": "shift_right(a, b)",
    "isnan": "math.isnan(a)", "isinf": "math.isinf(a)", "isfinite": "math.isfinite(a)",
    "signbit": "np.signbit(a)", "where": "where(a, b, c)", "stop_gradient": "a",
    "maximum": "maximum(a, b)", "minimum": "minimum(a, b)",
    "clip": "minimum(maximum(a, b), c)", "abs": "abs(a)", "sign": "sign(a)",
    "floor": "np.floor(a)", "ceil": "np.ceil(a)", "trunc": "np.trunc(a)", "rint": "np.rint(a)",
    "copysign": "math.copysign(a, b)", "exp": "math.exp(a)", "exp2": "np.exp2(a)",
    "expm1": "math.expm1(a)", "log": "math.log(a)", "log2": "math.log2(a)",
    "log10": "math.log10(a)", "log1p": "math.log1p(a)", "sqrt": "math.sqrt(a)",
    "cbrt": "np.cbrt(a)", "logaddexp": "np.logaddexp(a, b)", "hypot": "math.hypot(a, b)",
    "sin": "math.sin(a)", "cos": "math.cos(a)", "tan": "math.tan(a)", "arcsin": "math.asin(a)",
    "arccos": "math.acos(a)", "arctan": "math.atan(a)", "arctan2": "math.atan2(a, b)",
    "sinh": "math.sinh(a)", "cosh": "math.cosh(a)", "tanh": "math.tanh(a)",
    "arcsinh": "math.asinh(a)", "arccosh": "math.acosh(a)", "arctanh": "math.atanh(a)",
    "real": "a.real", "imag": "a.imag", "conj": "a.conjugate()", "to_complex": "complex(a, b)",
    "sigmoid": "sigmoid(a)", "relu": "relu(a)", "erf": "math.erf(a)", "erfc": "math.erfc(a)",
    # indices and lengths
    "wrap": "wrap(a, b)", "slice_start": "slice_start(a, b, c)",
    "slice_stop": "slice_stop(a, b, c)", "broadcast_dim": "broadcast_dim(a, b)",
}  # fmt: skip
TEMPLATES |= {name: f"{name}({', '.join('abc'[: len(REGISTRY[name].rules)])})" for name in SPECIAL}
# NumPy rounds integers to themselves; of bools, `invert` and the logic differ from the bits
INTEGER = dict.fromkeys(("floor", "ceil", "trunc", "rint"), "a") | {
    "floordiv": "floordiv(a, b)",
    "fmod": "remainder(a, b)",
    "isnan": "False",
    "isinf": "False",
    "isfinite": "True",
    "signbit": "a < 0",
}
BOOL = {"add": "a | b", "mul": "a & b", "invert": "not a", "maximum": "a | b", "minimum": "a & b",
        "bit_xor": "a != b", "floor": "a", "ceil": "a", "trunc": "a", "abs": "a"}  # fmt: skip
COMPLEX = {"div": "divide(a, b)", "sign": "np.sign(a)"}
SMALL = {"i8", "i16", "i32", "u8", "u16", "u32", "u64"}
TRUTH = {"logical_and", "logical_or", "logical_xor", "logical_not"}


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
    """A literal of this dtype; what Numba takes for 64 bits is written plainly."""
    text = _literal(value)
    if dtype not in ("bool", "i64", "f64", "c128"):
        return parsed(f"np.{DTYPES[dtype]}({text})")
    return ast.Name(id=f"({text})") if text.startswith("-") else parsed(text)


def _literal(value: Any) -> str:
    """What evaluates to a number, in every bit."""
    if isinstance(value, complex):
        text = repr(value)
        plain = "nan" not in text and "inf" not in text and "-0" not in text
        return text if plain else f"complex({_literal(value.real)}, {_literal(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def scalar(definition: Def, operands: list[ast.expr]) -> ast.expr | None:
    """The expression of a scalar definition; None if it is not one of this table."""
    name = definition.op.name
    if name == "cast":
        return _cast(definition.args[0].type.dtype, definition.params["dtype"], operands[0])
    if name == "polygamma":
        return fill("polygamma(n, a)", n=constant(definition.params["n"], "i64"), a=operands[0])
    if name == "powi":
        return _narrow(definition, _power(definition, operands[0]))
    template = _template(definition)
    if template is None:
        return None
    return _narrow(definition, fill(template, **dict(zip("abc", operands, strict=False))))


def _template(definition: Def) -> str | None:
    name = definition.op.name
    if name not in TEMPLATES:
        return None
    dtype = definition.args[-1].type.dtype
    template = TEMPLATES[name]
    if dtype == "bool":
        return BOOL.get(name, INTEGER.get(name, template))
    if name in TRUTH:
        arity = len(definition.args)
        tests = {letter: parsed(f"({letter} != 0)") for letter in "ab"[:arity]}
        return ast.unparse(fill(template, **tests))
    if is_complex(dtype):
        return COMPLEX.get(name, template.replace("math.", "np."))
    return template if is_float(dtype) else INTEGER.get(name, template)


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
