"""Functions of scipy.special and scipy.stats: elementwise primitives, second names, formulas.

Imported when the first function of SciPy is met: `import srcgrad` loads no SciPy.
"""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np
from scipy import special

from srcgrad.frontend.formulas import combinatorics, orthogonal, spherical_harmonics  # noqa: F401 (registers their functions)
from srcgrad.frontend.formulas import special as formulas
from srcgrad.frontend.formulas.registry import as_ufunc
from srcgrad.frontend.handlers.decompositions import flag
from srcgrad.frontend.handlers.elementwise import at_compile_time, operands
from srcgrad.frontend.handlers.reductions import in_proportion
from srcgrad.frontend.handlers.registry import FUNCTIONS, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.library_source import CLASSES
from srcgrad.frontend.values import is_array, is_integer, is_number, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import Scalar, is_complex, np_dtype, short_dtype
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.bessel import SCALED
from srcgrad.primitives.several_results import RESULTS
from srcgrad.primitives.special import SPECIAL

# SciPy's other functions that are one primitive each
OTHERS: dict[str, RowName] = {
    "erf": "erf", "erfc": "erfc", "expit": "sigmoid", "psi": "digamma", "jn": "bessel_jv",
    "expm1": "expm1", "log1p": "log1p", "exp2": "exp2", "cbrt": "cbrt",
}  # fmt: skip
# the rows of complex numbers of functions that have another one of real numbers, or a formula
OF_COMPLEX: dict[Any, RowName] = {
    special.loggamma: "loggamma", special.jve: "scaled_jv", special.yve: "scaled_yv",
    special.ive: "scaled_iv",
}  # fmt: skip


def _register(f: Any, *names: RowName) -> None:
    """Registers the row of a function of SciPy, or the rows of its results."""

    def handler(it: Interpreter, node: Node, *args: Any) -> Any:
        _check_number(it, node, f, args)
        if all(is_number(a) for a in args):
            return at_compile_time(it, node, f, tuple(args))
        values = operands(it, node, tuple(args), f.__name__)
        _refuse_booleans(it, node, f, values)
        if any_complex(values) and f in OF_COMPLEX:
            return _emitted(it, node, f, OF_COMPLEX[f], values)
        made = tuple(_emitted(it, node, f, name, values) for name in names)
        return made if f.nout > 1 else made[0]

    implements(f)(handler)


def _check_number(it: Interpreter, node: Node, f: Any, args: tuple) -> None:
    if len(args) != f.nin:
        it.refuse(node, f"{f.__name__} takes {f.nin} arguments, not {len(args)}", like=TypeError)


def _refuse_booleans(it: Interpreter, node: Node, f: Any, values: list[Any]) -> None:
    if all(atom(v).type.dtype == "bool" for v in values):
        it.refuse(node, f"{f.__name__} of booleans is not supported", "use .astype(float)")


def any_complex(values: list[Any]) -> bool:
    return any(is_complex(atom(v).type.dtype) for v in values)


def _emitted(it: Interpreter, node: Node, f: Any, row: RowName, values: list[Any]) -> Any:
    """A row of operands in the dtype that SciPy computes in; it does not promote as NumPy does."""
    made = _result_dtype(it, node, f, values)
    kind = Scalar("f64" if made.kind not in "fc" or made.itemsize < 4 else short_dtype(made) or "")
    computed = [it.b.cast(v, kind) for v in values]
    part = SCALED.get(REGISTRY[row])
    if part is not None:
        computed.append(it.b.abs(it.b(part, computed[-1])))
    return it.emit(node, row, *computed)


@implements(as_ufunc)
def of_formula(it: Interpreter, node: Node, f: Any, formula: Any, *args: Any) -> Any:
    _check_number(it, node, f, args)
    if all(is_number(a) for a in args):
        return at_compile_time(it, node, f, args)
    values = operands(it, node, args, f.__name__)
    if f in OF_COMPLEX and any_complex(values):
        return _emitted(it, node, f, OF_COMPLEX[f], values)
    made = _result_dtype(it, node, f, values)
    names = formula.__code__.co_varnames  # `n` is a degree, to be known when compiling
    given = [
        plain(v) if name == "n" else plain(it.b.cast(v, _widest(v)))
        for name, v in zip(names, values, strict=False)
    ]
    result = it.call(formula, given, {}, node)
    return plain(it.b.cast(result, Scalar(short_dtype(made) or "")))


def _widest(v: Any) -> Scalar:
    return Scalar("c128" if is_complex(atom(v).type.dtype) else "f64")


def _result_dtype(it: Interpreter, node: Node, f: Any, values: list[Any]) -> np.dtype:
    """The dtype of SciPy's result, by calling SciPy; refuses what it does not take."""
    probes = []
    for v in values:
        kind = atom(v).type
        if is_array(v):
            probes.append(np.ones(1, np_dtype(kind.dtype)))
        else:
            one = np_dtype(kind.dtype).type(1)
            probes.append(one.item() if kind.weak else one)
    try:
        with np.errstate(all="ignore"):
            return np.asarray(f(*probes)).dtype
    except TypeError:
        reason = f"{f.__name__} of complex numbers is not supported"
        it.refuse(node, reason, "take .real or .imag first", like=TypeError)


for _row, _name in SPECIAL.items():
    _f = getattr(special, _name)
    if isinstance(_f, np.ufunc) and _f.nout == 1 and _row not in OF_COMPLEX.values():
        _register(_f, cast("RowName", _row))
for _name, _rows in RESULTS.items():
    _register(getattr(special, _name), *cast("list[RowName]", [row.name for row in _rows]))
for _name, _primitive in OTHERS.items():
    if getattr(special, _name) not in FUNCTIONS:
        _register(getattr(special, _name), _primitive)


# ---- functions that are no ufuncs of SciPy ----
@implements(special.lambertw)
def lambertw(it: Interpreter, node: Node, z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    z, k = operands(it, node, (z, k), "lambertw")
    _check_whole(it, node, k, "the branch of lambertw")
    kind = Scalar("c128")
    return it.emit(node, "lambertw", it.b.cast(k, kind), it.b.cast(z, kind))


@implements(spherical_harmonics.sph_legendre)
def sph_legendre(it: Interpreter, node: Node, n: Any, m: Any, theta: Any) -> Any:
    n, m, theta = operands(it, node, (n, m, theta), "sph_harm_y")
    for order, name in ((n, "degree"), (m, "order")):
        _check_whole(it, node, order, f"the {name} of a spherical harmonic")
    return it.emit(node, "sph_legendre_p", *(it.b.cast(v, Scalar("f64")) for v in (n, m, theta)))


def _check_whole(it: Interpreter, node: Node, n: Any, what: str) -> None:
    if not (is_number(n) and n == int(n)) and atom(n).type.dtype[0] not in "iu":
        it.refuse(node, f"{what} is a whole number", "use .astype(int)")


# ---- spherical Bessel functions ----
def _spherical(f: Any, row: RowName) -> None:
    def handler(it: Interpreter, node: Node, n: Any, z: Any, derivative: Any = False) -> Any:
        if flag(it, node, derivative, "derivative"):
            sign, outer = formulas.SPHERICAL[f]
            return it.call(formulas.spherical_slope, [f, sign, outer, n, z], {}, node)
        n, z = operands(it, node, (n, z), f.__name__)
        _refuse_booleans(it, node, f, [n, z])
        _check_whole(it, node, n, f"the order of {f.__name__}")
        kind = short_dtype(f(0, np.ones(1, np_dtype(atom(z).type.dtype))).dtype) or ""
        return it.emit(node, row, it.b.cast(n, Scalar(kind)), it.b.cast(z, Scalar(kind)))

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


# ---- polynomials as objects ----
CLASSES.append(type(special.legendre(1)))


def _register_made(f: Any) -> None:
    """Registers a function that makes an orthogonal polynomial: SciPy makes it when compiling."""

    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
        what = f"an argument of {f.__name__}"
        given = [it.static_number(v, node, what) for v in args]
        named = {name: it.static_number(v, node, what) for name, v in kwargs.items()}
        return at_compile_time(it, node, functools.partial(f, **named), tuple(given))

    implements(f)(handler)


for _name in (
    "chebyc", "chebys", "chebyt", "chebyu", "gegenbauer", "genlaguerre", "hermite", "hermitenorm",
    "jacobi", "laguerre", "legendre", "sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre",
):  # fmt: skip
    _register_made(getattr(special, _name))
