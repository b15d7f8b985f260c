"""One call of every primitive that has a derivative, with inputs where it is smooth.

An entry of `EXAMPLES` is tried on random inputs, uniform in the interval of each parameter.
"""

from srcgrad.primitives import REGISTRY
from tests.autodiff.example import (
    ANY,
    INSIDE,
    POSITIVE,
    Complemented,
    Example,
    Ordered,
    Spread,
    binary,
    dims,
    unary,
)

S, V, M = "f64", "f64[4]", "f64[3,4]"
Q = "f64[3,3]"
ELEMENTWISE = [
    *unary(ANY, "neg", "abs", "exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh"),
    *unary(ANY, "cosh", "tanh", "relu", "arcsinh", "sigmoid", "erf", "erfc"),
    *unary(POSITIVE, "log", "log2", "log10", "log1p", "sqrt", "cbrt"),
    *unary(INSIDE, "arcsin", "arccos", "arctanh"),
    *unary((1.2, 3.0), "arccosh"),
    *binary("add", "sub", "mul", "maximum", "minimum", "larger", "smaller", "logaddexp"),
    *binary("copysign", "absorb"),
    *binary("div", "pow", "hypot", "arctan2", domains=POSITIVE),
    *binary("mod", "fmod", domains=((-9.0, 9.0), (1.1, 1.3))),
    *(Example("powi", (p,), {"n": n}) for p in (S, V) for n in (-2, 0, 1, 2, 3)),
    Example("where", ("bool[4]", V, S)),
    Example("where", ("bool[3,4]", V, M)),
    Example("where", ("bool", S, V)),
    Example("clip", (M, S, S), domains=((-2.0, 2.0), (-0.7, -0.5), (0.5, 0.7))),
    Example("clip", (V, V, S), domains=((-2.0, 2.0), (-0.7, -0.5), (0.5, 0.7))),
    Example("cast", (V,), {"dtype": "f32"}),
    Example("cast", (S,), {"dtype": "f64"}),
]
UNIT = (0.2, 0.8)
SPECIAL_FUNCTIONS = [
    *unary(ANY, "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr", "bessel_j0", "bessel_j1"),
    *unary(ANY, "bessel_i0", "bessel_i1"),
    *unary(POSITIVE, "digamma", "gammaln", "gammafn", "expi", "exp1", "bessel_i0e", "bessel_i1e"),
    *unary((0.5, 3.0), "bessel_y0", "bessel_y1", "bessel_k0", "bessel_k1", "bessel_k0e"),
    *unary((0.5, 3.0), "bessel_k1e"),
    *unary(UNIT, "erfinv", "ndtri"),
    *unary(ANY, "rgamma", "ber", "bei", "berp", "beip"),
    *unary((-0.9, 0.9), "ellipk", "ellipe"),
    *unary((0.2, 1.8), "ellipkm1", "spence"),
    *unary((0.5, 3.0), "ker", "kei", "kerp", "keip"),
    *unary((0.4, 1.6), "erfcinv"),
    *unary(ANY, "airy_ai", "airy_aip", "airy_bi", "airy_bip", "fresnel_s", "fresnel_c"),
    *unary(ANY, "sine_integral", "sinh_integral", "wrightomega"),
    *unary(POSITIVE, "cosine_integral", "cosh_integral"),
    *binary("jacobi_sn", "jacobi_cn", "jacobi_dn", "jacobi_am", domains=((0.2, 1.4), (0.2, 0.8))),
    *binary("betafn", "betaln", "poch", "xlogy", "xlog1py", "owens_t", domains=POSITIVE),
    Example("elliprd", (V, V, V), domains=((0.2, 0.4), (0.6, 0.9), (1.2, 1.9))),
    *binary("ellipkinc", "ellipeinc", domains=((0.2, 1.4), (0.1, 0.8))),
    *binary("binom", domains=((2.0, 4.0), (0.3, 1.5))),
    *binary("gammainc", "gammaincc", domains=((0.4, 3.0), (0.3, 4.0))),
    *binary("gammaincinv", "gammainccinv", domains=((0.4, 3.0), UNIT)),
    Example("stdtr", (V, V), domains=((0.4, 3.0), ANY)),
    Example("stdtrit", (V, V), domains=((0.8, 3.0), UNIT)),
    *(
        Example(n, (V, V, V), domains=((0.4, 3.0), (0.4, 3.0), UNIT))
        for n in ("betainc", "betaincinv")
    ),
    *(Example("polygamma", (p,), {"n": n}, domains=POSITIVE) for n in (1, 2, 4) for p in (S, V)),
]
# orders have no derivative, degrees of freedom no second one: they are numbers here
ORDERS = {
    "gammainc_by_shape": POSITIVE, "gammainc_by_shape_twice": POSITIVE,
    "stdtr": ANY, "stdtrit": UNIT, "stdtr_by_freedom": ANY, "expn": (0.5, 2.0),
    "bessel_jv": (0.5, 3.0),
    "bessel_yn": (0.5, 3.0), "bessel_kn": (0.5, 3.0), "bessel_yv": (0.5, 3.0),
    "bessel_iv": (0.5, 3.0), "bessel_kv": (0.5, 3.0),
    "bessel_ive": (0.5, 3.0), "bessel_kve": (0.5, 3.0), "hyp0f1": (0.5, 3.0),
    "spherical_jn": (0.5, 3.0), "spherical_yn": (0.5, 3.0), "spherical_in": (0.5, 3.0),
    "spherical_kn": (0.5, 3.0), "struve": (0.5, 3.0), "modstruve": (0.5, 3.0),
    "parabolic_d": ANY, "parabolic_dp": ANY, "parabolic_v": ANY, "parabolic_vp": ANY,
}  # fmt: skip
SPECIAL_FUNCTIONS += [
    Ordered(n, (p,), domains=d, extra=(3.0,)) for n, d in ORDERS.items() for p in (S, V)
]
SPECIAL_FUNCTIONS += [
    Ordered(n, (p,), domains=UNIT, extra=(2.5, 1.5))
    for n in ("betainc", "betaincinv", "hyp1f1", "hyperu")
    for p in (S, V)
]
SPECIAL_FUNCTIONS += [
    *(Ordered("hyp2f1", (p,), domains=UNIT, extra=(0.5, 1.5, 2.5)) for p in (S, V)),
    *(
        Ordered("sph_legendre_p", (V,), domains=(0.3, 2.8), extra=(4.0, m))
        for m in (0.0, 2.0, -4.0)
    ),
    *(Ordered("lpmv", (V,), domains=INSIDE, extra=(m, 2.5)) for m in (0.0, 2.0, -1.0)),
]
SPECIAL_FUNCTIONS += [
    Complemented("betainc_by_shape", (p,), domains=UNIT, extra=(2.5, 1.5)) for p in (S, V)
]
WHOLE = [
    Example("sum", (M,), {"axes": (0,)}),
    Example("sum", (M,), {"axes": (0, 1)}),
    Example("max", (M,), {"axes": (1,)}),
    Example("max", (M,), {"axes": (0, 1)}),
    Example("min", (M,), {"axes": (0,)}),
    Example("min", (V,), {"axes": (0,)}),
    Example("cumsum", (M,), {"axis": 1, "reverse": False}),
    Example("cumsum", (M,), {"axis": 0, "reverse": True}),
    Example("product", (M,), {"axes": (1,)}),
    Example("product", (V,), {"axes": (0,)}),
    *(Example("running_product", (M,), {"axis": k, "reverse": k == 0}) for k in (0, 1)),
    *(Example("recurrence", (M, M), {"axis": k, "reverse": k == 0}) for k in (0, 1)),
    Example("softmax", (M,), {"axes": (1,)}),
    Example("softmax", (V,), {"axes": (0,)}),
    Example("log_softmax", (M,), {"axes": (0,)}),
    Example("softmax_bar", (M, M), {"axes": (1,)}),
    Example("softmax_bar", (M, M), {"axes": (0,)}),
    Example("log_softmax_bar", (M, M), {"axes": (1,)}),
    Example("sum_to", (M,), extra=dims(0, 1)),
    Example("sum_to", (M,), extra=(1, *dims(0, 1))),
    Spread("broadcast_to", (V, M)),
    Spread("broadcast_to", (S, M)),
    Example("concatenate", (M, "f64[2,4]", M), {"axis": 0}),
    Example("concatenate", (M, "f64[3,1]"), {"axis": 1}),
    Example("pack", (S, S, S)),
    Example("matmul", (M, "f64[4,2]")),
    Example("matmul", ("f64[2,3,4]", "f64[2,4,3]")),
    Example("matvec", (M, V)),
    Example("vecdot", (V, V)),
    Example("solve", (Q, "f64[3]")),
    Example("solve", (Q, "f64[3,2]")),
    Example("inv", (Q,)),
    Example("logabsdet", (Q,)),
    Example("det", (Q,)),
    Example("cofactors", (Q,)),
    *(Example("eigh", (Q,), {"lower": lower}) for lower in (True, False)),
    *(Example("svd", (shape,)) for shape in (M, Q, "f64[4,2]")),
    *(Example("full_svd", (shape,)) for shape in (M, Q, "f64[3,2]")),
    *(Example("singular_values", (shape,), {"checked": True}) for shape in (M, Q)),
    *(Example("qr", (shape,)) for shape in (Q, "f64[4,2]")),
    *(Example("full_qr", (shape,)) for shape in (Q, "f64[3,2]")),
    *(
        Example(
            "solve_triangular",
            (Q, right),
            {"lower": k % 2 > 0, "transposed": k % 4 > 1, "unit": k > 3},
        )
        for k, right in enumerate(("f64[3]", "f64[3,2]") * 4)
    ),
    *(
        Example("solve_banded", ("f64[4,5]", right), {"transposed": t}, extra=(upper,))
        for right in ("f64[5]", "f64[5,2]")
        for t, upper in ((False, 1), (True, 2), (False, 3))
    ),
    *(
        Example("band_product", ("f64[4,5]", right), {"transposed": t}, extra=(upper,))
        for right in ("f64[5]", "f64[5,2]")
        for t, upper in ((False, 1), (True, 2))
    ),
    *(
        Example("band_outer", (x, x), extra=(3, upper))
        for x in ("f64[5]", "f64[5,2]")
        for upper in (0, 2)
    ),
    *(
        Example("solveh_banded", ("f64[1,5]", right), {"lower": low}, domains=POSITIVE)
        for right, low in (("f64[5]", True), ("f64[5,2]", False))
    ),
    Example("sylvester", (Q, "f64[2,2]", "f64[3,2]"), domains=((0.5, 2.0), (1.5, 3.0), ANY)),
    Example("lu", (Q,), domains=POSITIVE),
    Example("cholesky_adjoint", (Q, Q), domains=(POSITIVE, ANY)),
    *(Example("pinv", (shape, S), domains=(ANY, (1e-9, 1e-8))) for shape in (M, Q, "f64[4,2]")),
    *(
        Example("lstsq", (shape, right, S), domains=(ANY, ANY, (1e-9, 1e-8)))
        for shape, right in ((M, "f64[3]"), ("f64[4,2]", "f64[4]"), ("f64[4,2]", "f64[4,3]"))
    ),
    Example("copy", (M,)),
    Example("transpose", (M,), {"perm": (1, 0)}),
    Example("transpose", ("f64[2,3,4]",), {"perm": (2, 0, 1)}),
    Example("reshape", (M,), extra=(4, 3)),
    Example("view", (M,), {"spec": ("i", "s")}, extra=(1, 3, 2, -2)),
    Example("view", (M,), {"spec": (":", "n", ":")}),
    Example("load", (M,), extra=(1, 2)),
    Example("gather", (V, "i64[5]"), {"spec": ("a",)}),
    Example("take_last", (V, "i64[5]"), {"spec": ("a",)}),
]
CS, CV, CM, CQ = "c128", "c128[4]", "c128[3,4]", "c128[3,3]"
COMPLEX = [
    *(
        Example(n, (p,), domains=(0.3, 1.2))
        for n in (
            "real",
            "imag",
            "conj",
            "neg",
            "abs",
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "arctan",
            "arcsin",
            "arccos",
            "arctanh",
            "arccosh",
            "arcsinh",
            "sinh",
            "cosh",
            "tanh",
        )
        for p in (CS, CV)
    ),
    *(
        Example(n, p, domains=(-1.2, -0.3))
        for n in ("abs", "log", "arccosh", "arccos", "arcsinh")
        for p in ((CS,), (CV,))
    ),
    *(
        Example(n, p, domains=POSITIVE)
        for n in ("add", "sub", "mul", "div", "pow", "absorb")
        for p in ((CS, CS), (CM, CV), (CS, CV), (CM, CS))
    ),
    *(Example("powi", (CV,), {"n": n}) for n in (-2, 0, 1, 2, 3)),
    *(Example("to_complex", p) for p in ((V, V), (S, M), (S, S))),
    *(
        Example(n, (p,), domains=(0.3, 1.2))
        for n in (
            "erf",
            "erfc",
            "erfcx",
            "erfi",
            "dawsn",
            "wofz",
            "ndtr",
            "log_ndtr",
            "digamma",
            "gammafn",
            "loggamma",
            "rgamma",
            "exp1",
            "expi",
            "spence",
        )
        for p in (CS, CV)
    ),
    *(
        Example(n, (CV,), domains=(-1.2, -0.3))
        for n in ("erfcx", "dawsn", "wofz", "log_ndtr", "digamma", "gammafn", "rgamma")
    ),
    *(
        Ordered(n, (CV,), domains=(0.3, 1.2), extra=(1.5,))
        for n in (
            "bessel_jv",
            "bessel_yv",
            "bessel_iv",
            "bessel_kv",
            "bessel_kve",
            "hankel1",
            "hankel2",
            "hankel1e",
            "hankel2e",
            "hyp0f1",
        )
    ),
    *(
        Ordered(n, (CV,), domains=(0.3, 1.2), extra=(2.0,))
        for n in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
    ),
    *(
        Ordered(n, (CV, CV), domains=(0.3, 1.2), extra=(1.5,))
        for n in ("scaled_jv", "scaled_yv", "scaled_iv")
    ),
    *(Ordered("lambertw", (CV,), domains=(0.3, 1.2), extra=(k,)) for k in (0.0, -1.0, 2.0)),
    *(
        Example(n, (CV,), domains=(0.3, 1.2))
        for n in (
            "airy_ai",
            "airy_bip",
            "fresnel_c",
            "sine_integral",
            "cosh_integral",
            "wrightomega",
        )
    ),
    Ordered("hyp1f1", (CV,), extra=(0.5, 1.5)),
    Ordered("hyp2f1", (CV,), domains=(-0.5, 0.5), extra=(0.5, 1.5, 2.5)),
    *(Example(n, (CV, CV), domains=(0.3, 1.2)) for n in ("xlogy", "xlog1py")),
    Example("elliprd", (CV, CV, CV), domains=((0.2, 0.4), (0.6, 0.9), (1.2, 1.9))),
    Example("where", ("bool[4]", CV, CS)),
    Example("cast", (V,), {"dtype": "c128"}),
    Example("sum", (CM,), {"axes": (0,)}),
    Example("cumsum", (CM,), {"axis": 1, "reverse": False}),
    Example("sum_to", (CM,), extra=dims(0, 1)),
    Spread("broadcast_to", (CV, CM)),
    Example("concatenate", (CM, "c128[2,4]", CM), {"axis": 0}),
    Example("pack", (CS, CS, CS)),
    Example("matmul", (CM, "c128[4,2]")),
    Example("matmul", ("c128[2,3,4]", "c128[2,4,3]")),
    Example("matvec", (CM, CV)),
    Example("vecdot", (CV, CV)),
    Example("solve", (CQ, "c128[3]")),
    Example("solve_banded", ("c128[3,4]", CV), {"transposed": False}, extra=(1,)),
    Example("band_product", ("c128[3,4]", CV), {"transposed": True}, extra=(1,)),
    Example("band_outer", (CV, CV), extra=(3, 1)),
    Example("solve", (CQ, "c128[3,2]")),
    *(Example("qr", (shape,)) for shape in (CQ, "c128[4,2]")),
    *(
        Example("solve_triangular", (CQ, "c128[3,2]"), {"lower": low, "transposed": t, "unit": u})
        for low, t, u in ((True, False, False), (False, True, False), (True, True, True))
    ),
    Example("lu", (CQ,)),
    Example("cholesky_adjoint", (CQ, CQ)),
    Example("inv", (CQ,)),
    Example("logabsdet", (CQ,)),
    Example("det", (CQ,)),
    Example("cofactors", (CQ,)),
    Example("transpose", (CM,), {"perm": (1, 0)}),
    Example("load", (CM,), extra=(1, 2)),
    Example("gather", (CV, "i64[5]"), {"spec": ("a",)}),
    Example("fft", (CM,), {"axis": 1, "inverse": False}),
    Example("fft", (CM,), {"axis": 0, "inverse": True}),
    *(Example("rfft", (p,), {"axis": 0}) for p in ("f64[1]", "f64[2]", M, V)),
    *(Example("irfft", ("c128[3,2]",), {"axis": 0}, extra=(n,)) for n in (4, 5)),
    *(Example("irfft", ("c128[2,3]",), {"axis": 1}, extra=(n,)) for n in (4, 5)),
    *(Example("irfft", ("c128[1]",), {"axis": 0}, extra=(n,)) for n in (1,)),
]
# tried as parts of programs: their arguments are not plain arrays, or only some are smooth
ELSEWHERE = {"tape_view", "ref_get", "cholesky", "sqrtm", "logm"}
# its vectors are normalised by what follows it: held against differences in tests/cases
ELSEWHERE |= {"eig"}
# its factors have to be those of its matrix: tests/passes/test_factor_once.py
ELSEWHERE |= {"solved"}
# without typing: tensors only, held against differences in tests/eager
ELSEWHERE |= {
    "pick", "put", "patch", "erase", "expand", "diagonal", "from_diagonal",
}  # fmt: skip

EXAMPLES = [*ELEMENTWISE, *SPECIAL_FUNCTIONS, *WHOLE, *COMPLEX]


def derived() -> list[str]:
    """The names of the primitives that have a derivative."""
    return [n for n, p in REGISTRY.items() if p.kind != "nondiff"]
