"""The expressions a random program is made of, as tables: weight, text, constructs.

Holes are kinds (see `tree`); `CUT` becomes a random threshold.  Values stay of order one: divisors
and arguments of `sqrt` are bounded away from zero, arguments of `exp` from above.  Comparisons are
with thresholds only: two values of a program may be equal on purpose (`t = s`) and then be rounded
differently by two backends.  A loop variable is in 0..3 wherever it can be read.
"""

from tests.fuzz.draw import Form

ELEMENTWISE = (
    Form(3, "np.sin({V})", ("sin",)),
    Form(2, "np.tanh({V})", ("tanh",)),
    Form(2, "np.exp(-{V} ** 2)", ("exp",)),
    Form(2, "np.exp(np.tanh({V}))", ("exp",)),
    Form(2.5, "np.sqrt(0.5 + {V} ** 2)", ("sqrt",)),
    Form(1.5, "np.cos({V})"),
    Form(5, "({V} * {V})"),
    Form(4, "({V} + {V})"),
    Form(3, "({V} - {V})"),
    Form(1.5, "({V} / (1.5 + {V} ** 2))"),
    Form(1, "(-{V})"),
)

VECTOR = (
    Form(4, "({V} * {s})"),
    Form(2, "({s} - {V})"),
    Form(2.5, "np.where({V} > CUT, {V}, {V})", ("where",)),
    Form(1, "np.where({V} > CUT, {V}, {s})", ("where",)),
    Form(1.5, "np.maximum({V}, {V})", ("maximum",)),
    Form(1.5, "np.maximum({V}, CUT)", ("maximum",)),
    Form(1, "np.minimum({V}, {s})"),
)

SCALAR = (
    Form(12, "{n4}[{ix4}]"),
    Form(3, "{nm}[{ix3}, {ix4}]", ("matrix element",)),
    Form(3, "{n3}[{ix3}]"),
    Form(3, "{n2}[{ix2}]"),
    Form(2.5, "(0.25 * np.sum({v4}))", ("sum",)),
    Form(1, "(0.25 * {n4}[{ix4}:].sum())", ("sum",)),
    Form(1, "(0.1 * np.sum({m}))", ("sum",)),
    Form(1, "np.mean({v3})"),
    Form(1, "(0.3 * np.dot({v4}, {v4}))"),
    Form(2.5, "np.max({v4})", ("max",)),
    Form(1, "np.max({v3})", ("max",)),
    Form(1, "max({s}, {s})"),
    Form(1, "min({s}, CUT)"),
    Form(1, "math.cos({s})"),
    Form(1, "abs({s})"),
    Form(3, "({s} if {b} else {s})", ("ternary",)),
    Form(1.5, "(0.2 * {int})"),
    Form(4, "{held}"),
    Form(0.6, "first_above({n4}, CUT)", ("operand mutates", "helper mutates")),
    Form(0.4, "smear({n4}, {v4}, {s})", ("operand mutates", "helper mutates")),
    Form(1, "{pair}[0][{ix4}]", ("tuple of arrays",)),
    Form(1, "{pair}[1][{ix4}]", ("tuple of arrays",)),
)

SLICES = {
    "v3": (
        Form(3, "{n4}[1:]"),
        Form(3, "{n4}[:-1]"),
        Form(1, "{n4}[:n]"),
        Form(1, "{n4}[:0:-1]"),
        Form(2, "{nm}[:, {ix4}]", ("matrix column",)),
        Form(1, "np.sum({m}, axis=1)", ("reduction along an axis",)),
        Form(1, "np.max({nm}, axis=1)", ("reduction along an axis", "max")),
    ),
    "v2": (
        Form(3, "{n4}[1:3]"),
        Form(2, "{n4}[::2]"),
        Form(2, "{n4}[-2:]"),
        Form(2, "{n3}[1:]"),
        Form(1, "{n4}[p:p + 2]"),  # `p` is in 0..2
        Form(1, "{n4}[{idx}[{ix4}] % 3:][:2]"),
    ),
}

LONG = (
    Form(2, "{nm}[{ix3}]", ("matrix row",)),
    Form(1, "{nm}[{ix3}, :]", ("matrix row",)),
    Form(1, "np.sum({m}, axis=0)", ("sum", "reduction along an axis")),
    Form(0.7, "np.mean({m} * {v3}[:, None], axis=0)", ("reduction along an axis", "broadcasting")),
    Form(1, "({v4} * {v2}[1:])", ("broadcasting",)),
    Form(2, "{n4}[{ia}]", ("gather",)),
    Form(0.7, "{n4}[np.array([[0, 3], [1, 1]])].reshape(4)", ("gather",)),
    Form(1, "spread({v4}, {s})", ("helper returns a buffer",)),
    Form(1, "{n4}[::-1]"),
    Form(1, "carry({v4}, {s})"),
)

MATRIX = (
    Form(3, "({m} * {s})"),
    Form(2, "({m} * {v4})", ("broadcasting",)),
    Form(1, "({m} + {v3}[:, None])", ("broadcasting",)),
    Form(0.7, "({m} - np.mean({m}, axis=1, keepdims=True))", ("reduction along an axis",)),
    Form(0.7, "({v3}[:, None] * {v4})", ("broadcasting",)),
    Form(0.7, "{nm}[np.array([2, 0, 2])]", ("gather",)),
)

CONDITION = (
    Form(6, "{s} > CUT", ("branch on data",)),
    Form(3, "{s} < CUT", ("branch on data",)),
    Form(1, "CUT < {s} < 1.2171", ("branch on data",)),
    Form(1, "first_above({n4}, CUT) > CUT", ("condition mutates", "helper mutates")),
    Form(0.5, "smear({n4}, {n4}, {s}) < CUT", ("condition mutates", "helper mutates")),
    Form(3, "{int} % 2 == 0"),
    Form(2, "{int} < n - 1"),
    Form(1, "({b} and {b})"),
    Form(1, "({b} or {b})"),
    Form(1, "(not {b})"),
)

RANGE = (
    Form(5, "range(n)", ("run-time bound",)),
    Form(2, "range(1, n)", ("run-time bound",)),
    Form(2, "range(n + 1)", ("run-time bound",)),
    Form(2, "range(3)"),
    Form(1, "range(len(x))", ("run-time bound",)),
    Form(1, "range(x.shape[0])", ("run-time bound",)),
    Form(2, "range(0, 4, 2)", ("step",)),
    Form(2, "range(1, n + 1, 2)", ("step", "run-time bound")),
    Form(1, "range(0, 4, n - 1)", ("step", "run-time bound")),
    Form(2, "range(n, 0, -1)", ("negative step", "run-time bound")),
    Form(2, "range(3, -1, -1)", ("negative step",)),
    Form(1, "range(n, -1, -2)", ("negative step", "step", "run-time bound")),
    Form(1, "range(n, 0, 1 - n)", ("negative step", "step", "run-time bound")),
    Form(1, "range({idx}[{ix4}] + 1)", ("run-time bound",)),
    Form(3, "range({int} + 1)", ("run-time bound",)),
    Form(2, "range({int})", ("run-time bound",)),
    Form(2, "range({int}, 4)", ("run-time bound",)),
)


def _fixed(texts: str, weight: float = 1, tags: tuple[str, ...] = ()) -> tuple[Form, ...]:
    return tuple(Form(weight, text, tags) for text in texts.split())


NEGATIVE = ("negative index",)
ARITHMETIC = ("index arithmetic",)

INDEX = {
    "ix4": (
        *_fixed("0 1 2 3"),
        *_fixed("-1 -2", 1, NEGATIVE),
        *_fixed("n", 1),
        Form(8, "{int}"),
        Form(2, "({int} + 1) % n", ARITHMETIC),
        Form(2, "({int} + 2) % 4", ARITHMETIC),
        Form(2, "{int} - 1", ARITHMETIC + NEGATIVE),
        Form(2, "-1 - {int}", ARITHMETIC + NEGATIVE),
        Form(1, "3 - {int}", ARITHMETIC),
        Form(1, "(2 * {int} + {int}) % 4", ARITHMETIC),
        Form(1, "{int} // 2", ARITHMETIC),
    ),
    "ix3": (
        *_fixed("0 1 2"),
        *_fixed("-1", 1, NEGATIVE),
        Form(3, "{int} % 3"),
        Form(2, "({int} + 1) % n", ARITHMETIC),
    ),
    "ix2": (*_fixed("0 1"), *_fixed("-1", 1, NEGATIVE), Form(2, "{int} % 2")),
    "ia": (
        Form(1, "np.array([3, 0, 2, 1])"),
        Form(1, "np.array([0, 2, 2, -1])"),
        Form(0.5, "np.arange(4) // 2"),
        Form(3, "{idx}"),
    ),
}


def _of(forms: tuple[Form, ...], kind: str) -> tuple[Form, ...]:
    return tuple(Form(f.weight, f.text.replace("{V}", f"{{{kind}}}"), f.tags) for f in forms)


BOUNDED = (
    Form(3, "np.tanh({V})", ("tanh",)),
    Form(3, "0.5 * {V}"),
    Form(1, "np.sin({V})", ("sin",)),
)
SMALL = (Form(3, "0.3 * np.tanh({V})", ("tanh",)), Form(2, "0.4 * np.sin({V})", ("sin",)))
GAIN = (Form(2, "np.cos({V})"), Form(2, "(0.4 + 0.5 * np.tanh({V}))"), Form(1, "np.sin({V})"))

FORMS: dict[str, tuple[Form, ...]] = {
    "s": SCALAR + _of(ELEMENTWISE, "s"),
    "v4": _of(ELEMENTWISE + VECTOR, "v4") + LONG,
    "v3": _of(ELEMENTWISE + VECTOR, "v3") + SLICES["v3"],
    "v2": _of(ELEMENTWISE + VECTOR, "v2") + SLICES["v2"],
    "m": _of(ELEMENTWISE + VECTOR, "m") + MATRIX,
    "b": CONDITION,
    "range": RANGE,
    **INDEX,
}
# `+=` adds something small, `*=` multiplies by at most one: values stay bounded in nested loops.
for _kind in ("s", "v4", "v3", "v2", "m"):
    FORMS[f"bounded_{_kind}"] = _of(BOUNDED, _kind)
    FORMS[f"small_{_kind}"] = _of(SMALL, _kind)
    FORMS[f"gain_{_kind}"] = _of(GAIN, _kind)

LEAVES: dict[str, tuple[Form, ...]] = {
    "s": (*_fixed("s t w", 2), *_fixed("0.5 0.8 1.3", 0.5), Form(3, "{n4}[{ix4}]")),
    "v4": (Form(1, "{n4}"),),
    "v3": (Form(2, "{n3}"), *SLICES["v3"]),
    "v2": (Form(2, "{n2}"), *SLICES["v2"]),
    "m": (Form(1, "{nm}"),),
    "b": CONDITION[:5],
}
