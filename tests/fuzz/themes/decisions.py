"""The theme of decisions: arrays that are products with loop invariants, and choices among them.

A reverse sweep recomputes such an array and may round it differently, because compiled code
regroups the factors. Positions of maxima, sides of branches and outcomes of comparisons must
nevertheless be those of the forward sweep. Ties are exact (an array joined with itself) or near
(one product in two groupings); both sides of a tie are the same function of the arguments, so that
a derivative exists and finite differences find it. The chosen value is continuous wherever the
choice may go either way, since two backends round differently.
"""

from tests.fuzz.draw import Form
from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = "decision"
TIE = ("decision", "tie")
KINK = ("decision", "kink")

# Choices from a vector V, a matrix M and factors.
NUMBERS = """
    np.max({V})
    np.min({V})
    np.amax({inv} * {V})
    np.ptp({V})
    np.nanmax({V})
    {V}.max()
    np.max(np.abs({V}))
    np.linalg.norm({V}, np.inf)
    np.linalg.norm({V}, -np.inf)
    np.linalg.norm({V}, 1)
    np.median({V})
    np.quantile({V}, 0.37)
    np.partition({V}, 2)[1]
    np.sort({V})[{ix4}]
    best_of({V}, {inv})
    mean_of_largest({V}, {inv})
    max({V}[0], {V}[1])
    abs({inv} * {V}[{ix4}])
    (0.2 * np.searchsorted(np.sort({V}), CUT) + 0.1 * {inv})
    (0.2 * np.count_nonzero({V} > CUT) * {inv})
    np.unique({V})[0]
    log_sum_exp({V})
    np.sum({V}[{V} > CUT])
"""
OF_MATRICES = """
    np.max({M})
    np.min({inv} * {M})
    np.linalg.norm({M}, np.inf)
    np.linalg.norm({M}, 1)
    np.median({M})
    np.sum(np.max({M}, axis=1))
    np.sum(np.ptp({M}, axis=0))
    mean_of_largest({M}, {inv})
"""
TIED_NUMBERS = """
    np.max(np.full(4, {inv} * s))
    np.max(np.concatenate(({V} * w, w * {V})))
    np.max(np.repeat({V}, 2))
    np.max({V}[np.array([0, 0, 2, 2])])
    np.max({V} - {V})
    np.ptp(np.full(4, {inv}) * t)
"""
VECTORS = """
    np.maximum({V}, {made_v4})
    np.minimum({inv} * {V}, {made_v4})
    np.clip({V}, -0.3171, 0.4171)
    np.clip({V}, {inv} * s, 0.9171)
    np.abs({V})
    (np.sign({V}) * {V})
    larger({V}, {made_v4})
    np.where({V} > CUT, {V}, {n4})
    ({V} * ({V} > CUT))
    np.sort({V})
    ordered({V}, {inv})
    np.maximum.accumulate({V})
    np.minimum.accumulate({inv} * {V})
    ({V} - np.max({V}))
    softmax({V})
    rectified({V}, {inv})
    np.partition({V}, 1)
    np.fmax({V}, {made_v4})
"""
ACROSS = """
    np.max({M}, axis=0)
    np.min({inv} * {M}, axis=0)
    np.ptp({M}, axis=0)
    np.median({M}, axis=0)
    np.linalg.norm({M}, np.inf, axis=0)
"""
TIED_VECTORS = """
    beside_itself({V})
    np.maximum({V} * w, w * {V})
    np.maximum((w * t) * {V}, w * (t * {V}))
    between_its_extrema({V})
    near_itself({V})
    doubled_and_sorted({V})
    np.maximum({V} - {V}, 0.0)
    np.minimum({V} * 3.0 / 3.0, {V} * 1.0)
    np.max(np.stack(({V} * t * w, t * ({V} * w))), axis=0)
    np.maximum.accumulate(np.full(4, {inv} * s))
"""
# Where a convention takes the mean of both slopes: kinks whose sum is smooth have then its slope.
KINKED_VECTORS = """
    np.maximum((w - 0.613) * {V}, 0.0)
    np.abs((w - 0.613) * {V})
"""
ALONG = """
    np.max({M}, axis=1)
    np.min({inv} * {M}, axis=1)
    np.nanmax({M}, axis=1)
    np.ptp({M}, axis=1)
    np.median({M}, axis=1)
    np.linalg.norm({M}, np.inf, axis=1)
    np.linalg.norm({M}, -np.inf, axis=1)
    np.linalg.norm({M}, 1, axis=1)
    np.max({M}, axis=1, keepdims=True)[:, 0]
    np.sort({M}, axis=1)[:, {ix4}]
    best_of_rows({M}, {inv})
"""
MATRICES = """
    ({M} - np.max({M}, axis=1, keepdims=True))
    np.maximum({M}, {choice_v3}[:, None])
    np.minimum({M}, {made_v4})
    np.clip({M}, -0.3171, 0.5171)
    larger({M}, {made_v4})
    np.where({M} > CUT, {M}, {nm})
    np.sort({M}, axis=0)
    np.maximum.accumulate({M}, axis=1)
    np.minimum.accumulate({M}, axis=0)
    softmax({M})
    rectified({M}, {inv})
    between_its_extrema({M})
    near_itself({M})
"""


def chosen(
    text: str, of: str, weight: float = 1, tags: tuple[str, ...] = (TAG,)
) -> tuple[Form, ...]:
    """The forms of a table for arrays that are `made` anywhere, or read `again` in this trip."""
    named = text.replace("{V}", f"{{{of}_v4}}").replace("{M}", f"{{{of}_m}}")
    return forms(named, weight, *tags)


# `d` and `g` are recomputed in every trip.
DECISIONS = Theme(
    "decisions",
    moves("""
        s = 0.3 * {choice_s}
        s = 0.2 * s + 0.1 * {choice_s}
        t = {choice_s} * 0.3
        a = a - {choice_s} * 0.1 * {made_v4}
        a = 0.3 * {choice_v4} + 0.5 * a
        b = 0.3 * {choice_v4} + {inv} * b
        b = b - 0.2 * {choice_v4}
        m = m - {choice_s} * 0.1 * {made_m}
        m = 0.3 * {choice_m} + 0.4 * m
        {n4}[1:] = 0.5 * {choice_v3}
        a[p] = 0.5 * {choice_s}
        {n4}[{ix4}] += 0.2 * {choice_s}
        {n4} *= np.cos({choice_s})
        if {choice_b}: a = 0.5 * a * {choice_s}
        if {choice_b}: s = 0.3 * s + 0.1 * {choice_s}
    """, TAG),
    (
        Nest(6, """\
for I in {trips}:
    d = {made_v4}
    a = a - {again_s} * 0.1 * d
""", (TAG,)),
        Nest(5, """\
for I in {trips}:
    d = {made_v4}
    a[:] = 0.4 * {again_choice_v4} + 0.2 * d
""", (TAG,)),
        Nest(4, """\
for I in {trips}:
    d = {made_v4}
    a = 0.4 * {again_tied_v4} - 0.3 * d
""", (TAG,)),
        Nest(4, """\
for I in {trips}:
    g = {made_m}
    m = m - {again_of_m} * 0.05 * g
""", (TAG,)),
        Nest(3, """\
for I in {trips}:
    g = {made_m}
    m = 0.3 * {again_choice_m} + 0.2 * g
""", (TAG,)),
        Nest(3, """\
for I in {trips}:
    g = {made_m}
    r = {again_v3}
    m = 0.3 * m + 0.1 * r[:, None] * g
""", (TAG,)),
        Nest(2, """\
for I in {trips}:
    d = {made_v4}
    e = np.exp(w * d - np.max(w * d))
    a = a - 0.1 * e / np.sum(e) * {made_v4}
    s = 0.2 * s + 0.1 * (np.max(w * d) + np.log(np.sum(e)))
""", (TAG,), {"e": "v4"}),
        Nest(2, """\
for I in {trips}:
    d = {made_v4}
    t = d[0] * w
    for J in range(1, 4):
        if d[J] * w > t:
            t = d[J] * w
        d[J] = 0.5 * t + 0.3 * d[J]
    a = a - 0.2 * d * t
""", (TAG,)),
        Nest(2, """\
for I in {trips}:
    d = {made_v4}
    for J in range(4):
        a[J] = {inv} * d[J] if {inv} * d[J] > CUT else 0.3 * d[J]
    s = 0.3 * {again_s}
""", (TAG,)),
        Nest(2, """\
for I in {trips}:
    d = {made_v4}
    if {choice_b}:
        a = a - 0.2 * {again_choice_v4}
    else:
        s = 0.3 * {again_s}
    b = 0.7 * b + 0.1 * d
""", (TAG,)),
    ),
    {
        "trips": forms("range(1)\nrange(2)\nrange(3)\nrange(n)\nrange(n + 1)\nrange(0, n + 1, 2)"),
        "inv": forms("w\n(w - 1.3)\n(w + 0.9)\nt\n1.7\n(w * w)\n(t + n)"),
        "again_v4": forms("(w * d)\n(d * {inv})\n({inv} * d)\n(d * {inv} * {inv})\nd"),
        "again_m": forms("(w * g)\n(g * {inv})\n({inv} * g)\n(g * {inv} * {inv})\ng"),
        "made_v4": forms("({n4} * {inv})\n({inv} * {n4})\n(({inv} * {n4}) * {inv})", 2) + forms("""
            (({inv} * {inv}) * {n4})
            ({n4} * {inv} / 3.0)
            ({n4} * 3.0 / 3.0)
            ({n4} / 1.3 * {inv})
            (({n4} + 1.0) * 0.3)
            ({n4} * {n4} * {inv})
            ({inv} * {n4} - {inv} * {n4}[::-1])
            ({nm}[{ix3}] * {inv} * {inv})
        """),
        "made_m": forms("({nm} * {inv})\n({inv} * {nm})\n({inv} * ({nm} * {inv}))", 2) + forms("""
            (({inv} * {inv}) * {nm})
            ({nm} * {inv} * {n4})
            ({nm} / 1.3 * {inv})
            (({nm} + 1.0) * 0.3)
            (({nm} + {n4}) * {inv} * 0.7)
        """),
        "choice_s": chosen(NUMBERS, "made")
        + chosen(OF_MATRICES, "made")
         + chosen(TIED_NUMBERS, "made", 0.5, TIE),
        "again_s": chosen(NUMBERS, "again") + chosen(TIED_NUMBERS, "again", 0.5, TIE),
        "again_of_m": chosen(OF_MATRICES, "again"),
        "choice_v4": chosen(VECTORS, "made")
        + chosen(ACROSS, "made")
         + forms("{tied_v4}", 4, *TIE),
        "again_choice_v4": chosen(VECTORS, "again"),
        "tied_v4": chosen(TIED_VECTORS, "made", 1, TIE) + chosen(KINKED_VECTORS, "made", 2.0, KINK),
        "again_tied_v4": chosen(TIED_VECTORS, "again", 1, TIE)
        + chosen(KINKED_VECTORS, "again", 2.0, KINK),
        "choice_v3": chosen(ALONG, "made"),
        "again_v3": chosen(ALONG, "again"),
        "choice_m": chosen(MATRICES, "made"),
        "again_choice_m": chosen(MATRICES, "again"),
        "choice_b": forms("""
            np.max({made_v4}) > CUT
            np.any({made_v4} > CUT)
            {inv} * {n4}[{ix4}] < CUT
            np.all({made_v4} < CUT + 1.0)
        """, 1, TAG),
        "s": forms("{choice_s}"),
        "v4": forms("{choice_v4}"),
        "v3": forms("{choice_v3}"),
        "m": forms("{choice_m}"),
        "b": forms("{choice_b}"),
    },
)  # fmt: skip
