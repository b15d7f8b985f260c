"""Functions of scipy.special and scipy.stats: elementwise primitives, second names, formulas.

Imported when the first function of SciPy is met: `import srcgrad` loads no SciPy.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy import special

from srcgrad.frontend.formulas import orthogonal  # noqa: F401 (registers the orthogonal polynomials)
from srcgrad.frontend.formulas import special as formulas
from srcgrad.frontend.formulas.registry import as_ufunc
from srcgrad.frontend.handlers.decompositions import flag
from srcgrad.frontend.handlers.elementwise import at_compile_time, operands
from srcgrad.frontend.handlers.reductions import in_proportion
from srcgrad.frontend.handlers.registry import FUNCTIONS, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_integer, is_number, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import Scalar, is_complex, np_dtype
from srcgrad.primitives.special import SPECIAL

# SciPy's other functions that are one primitive each
OTHERS: dict[str, RowName] = {
    "erf": "erf", "erfc": "erfc", "expit": "sigmoid", "psi": "digamma", "jn": "bessel_jv",
    "expm1": "expm1", "log1p": "log1p", "exp2": "exp2", "cbrt": "cbrt",
}  # fmt: skip


def _register(f: Any, name: RowName) -> None:
    def handler(it: Interpreter, node: Node, *args: Any) -> Any:
        _check_number(it, node, f, args)
        if all(is_number(a) for a in args):
            return at_compile_time(it, node, f, tuple(args))
        values = operands(it, node, tuple(args), f.__name__)
        _refuse_booleans(it, node, f, values)
        _refuse_complex(it, node, f, values)
        kind = _computed_in(f, values)
        return it.emit(node, name, *(it.b.cast(v, kind) for v in values))

    implements(f)(handler)


def _check_number(it: Interpreter, node: Node, f: Any, args: tuple) -> None:
    if len(args) != f.nin:
        it.refuse(node, f"{f.__name__} takes {f.nin} arguments, not {len(args)}", like=TypeError)


def _refuse_booleans(it: Interpreter, node: Node, f: Any, values: list[Any]) -> None:
    if all(atom(v).type.dtype == "bool" for v in values):
        it.refuse(node, f"{f.__name__} of booleans is not supported", "use .astype(float)")


def _refuse_complex(it: Interpreter, node: Node, f: Any, values: list[Any]) -> None:
    if any(is_complex(atom(v).type.dtype) for v in values):
        reason = f"{f.__name__} of complex numbers is not supported"
        it.refuse(node, reason, "take .real or .imag first")


@implements(as_ufunc)
def of_formula(it: Interpreter, node: Node, f: Any, formula: Any, *args: Any) -> Any:
    _check_number(it, node, f, args)
    if all(is_number(a) for a in args):
        return at_compile_time(it, node, f, args)
    values = operands(it, node, args, f.__name__)
    _refuse_complex(it, node, f, values)
    kind = _computed_in(f, values)
    names = formula.__code__.co_varnames  # `n` is a degree, to be known when compiling
    given = [
        plain(v) if name == "n" else plain(it.b.cast(v, Scalar("f64")))
        for name, v in zip(names, values, strict=False)
    ]
    made = it.call(formula, given, {}, node)
    return plain(it.b.cast(made, kind))


def _computed_in(f: Any, values: list[Any]) -> Scalar:
    """The dtype of SciPy's result, by calling SciPy: its ufuncs do not promote as NumPy's do."""
    probes = []
    for v in values:
        kind = atom(v).type
        if is_array(v):
            probes.append(np.ones(1, np_dtype(kind.dtype)))
        else:
            one = np_dtype(kind.dtype).type(1)
            probes.append(one.item() if kind.weak else one)
    with np.errstate(all="ignore"):
        return Scalar("f32" if np.asarray(f(*probes)).dtype == np.float32 else "f64")


for _row, _name in SPECIAL.items():
    if isinstance(getattr(special, _name), np.ufunc):
        _register(getattr(special, _name), cast("RowName", _row))
for _name, _primitive in OTHERS.items():
    if getattr(special, _name) not in FUNCTIONS:
        _register(getattr(special, _name), _primitive)


# ---- spherical Bessel functions ----
def _spherical(f: Any, row: RowName) -> None:
    def handler(it: Interpreter, node: Node, n: Any, z: Any, derivative: Any = False) -> Any:
        if flag(it, node, derivative, "derivative"):
            sign, outer = formulas.SPHERICAL[f]
            return it.call(formulas.spherical_slope, [f, sign, outer, n, z], {}, node)
        n, z = operands(it, node, (n, z), f.__name__)
        _refuse_booleans(it, node, f, [n, z])
        _refuse_complex(it, node, f, [z])
        if not (is_number(n) and n == int(n)) and atom(n).type.dtype[0] not in "iu":
            it.refuse(node, f"the order of {f.__name__} is a whole number", "use .astype(int)")
        kind = Scalar("f32" if f(0, np.ones(1, np_dtype(atom(z).type.dtype))).dtype == np.float32
                      else "f64")  # fmt: skip
        return it.emit(node, row, it.b.cast(n, kind), it.b.cast(z, kind))

    implements(f)(handler)


for _f in formulas.SPHERICAL:
    _spherical(_f, _f.__name__)


implements(special.softmax)(in_proportion("softmax"))
implements(special.log_softmax)(in_proportion("log_softmax"))


@implements(formulas.nth_polygamma)
def nth_polygamma(it: Interpreter, node: Node, n: int, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "polygamma")
    if not is_integer(n):
        it.refuse(node, "the order of polygamma is one whole number", "call it for each")
    if n < 0:
        it.refuse(node, "the order of polygamma is not negative")
    # SciPy returns float64 for all dtypes
    return it.emit(node, "polygamma", it.b.cast(x, Scalar("f64")), n=n)
