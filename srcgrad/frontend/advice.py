"""Replacements for library functions without a row in our tables, by their public names.

Never decides whether a function is supported.
"""

from __future__ import annotations

ODE = (
    "flow.odeint(rhs, y0, t, *args) solves it, with rhs(y, t, *args), and is differentiated by y0, "
    "t and args"
)
INTEGRAL = (
    "take nodes outside, z, w = np.polynomial.legendre.leggauss(40), and write "
    "(b - a) / 2 * np.sum(w * f((a + b + (b - a) * z) / 2))"
)
ROOT = (
    "flow.implicit_root(residual) finds a root and differentiates it; to find it with this one, "
    "flow.implicit_root(residual, flow.opaque(solver, like))"
)
MINIMUM = (
    "outside it takes gradients, jac=flow.grad(f); the minimum itself is differentiated as a root: "
    "flow.implicit_root(flow.grad(f), flow.opaque(solver, like))"
)
SPLINE = (
    "make it outside, from data that are not differentiated: what it gives can be called inside"
)
FILES = "read or write outside and pass the arrays"
SETTINGS = "set it outside"
TEXTS = "print(x) shows an array, f'{x}' is its text"

_BY_ADVICE = {
    ODE: "scipy.integrate: BDF DOP853 LSODA OdeSolver RK23 RK45 Radau complex_ode ode",
    INTEGRAL: "scipy.integrate: cubature qmc_quad tanhsinh",
    ROOT: "scipy.integrate: solve_bvp",
    MINIMUM: "scipy.stats: fit",
    SPLINE: """scipy.interpolate: LSQUnivariateSpline make_lsq_spline make_smoothing_spline""",
    FILES: """numpy: fromfile fromregex genfromtxt load loadtxt memmap save savetxt savez
        savez_compressed""",
    SETTINGS: """numpy: printoptions set_printoptions setbufsize seterrcall
        scipy.special: errstate seterr""",
    TEXTS: """numpy: array2string array_repr array_str format_float_positional
        format_float_scientific""",
    "use np.block": "numpy: bmat",
    "use np.polynomial.polynomial.polyval(x, coefficients)":
        "numpy.polynomial.polynomial: Polynomial",
    "use np.polynomial.chebyshev.chebval(x, coefficients)":
        "numpy.polynomial.chebyshev: Chebyshev",
    "use np.unique": "numpy: unique_all unique_counts unique_inverse unique_values",
    "use np.vectorize": "numpy: frompyfunc",
    "loop over the indices: for i in range(len(x))": "numpy: flatiter nested_iters",
}  # fmt: skip


def _by_name() -> dict[str, str]:
    found = {}
    for said, names in _BY_ADVICE.items():
        module = ""
        for word in names.split():
            if word.endswith(":"):
                module = word[:-1]
            else:
                found[f"{module}.{word}"] = said
    return found


BY_NAME = _by_name()


def way_out(name: str) -> str:
    """The replacement for the function of this name in messages, its module included."""
    called = name.startswith("calling ")  # an object that is called, by the name of its class
    name = name.rpartition(" ")[2]
    if name in BY_NAME:
        return BY_NAME[name]
    spelled = "f" if called else f"np{name[5:]}" if name.startswith("numpy.") else name
    return (
        "call it outside and pass the result; where it depends on what is differentiated, give it "
        f"its derivative: flow.opaque({spelled}, like, vjp=...)"
    )
