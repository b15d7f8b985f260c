"""The theme of decisions: arrays made of products with loop invariants, and choices made on them.

A reverse sweep computes such an array once more, and may round it otherwise than the forward one
did: compiled code regroups the factors. Which place was the largest, which side was taken, what
was equal must then be what it was. Ties are exact (an array beside itself) or near (the same
product in two groupings); both sides of a tie are the same function of the arguments, so that
there is a derivative, which differences see. What is chosen is continuous where a choice may
fall either way: two backends round differently.
"""

from srcgrad.testing.fuzz.nests import Nest
from srcgrad.testing.fuzz.themes.theme import Theme, forms, moves

TAG = "decision"
TIE = ("decision", "tie")
KINK = ("decision", "kink")
TRIPS = "range(1)\nrange(2)\nrange(3)\nrange(n)\nrange(n + 1)\nrange(0, n + 1, 2)"

# `d` and `g` are the arrays that every trip makes anew.
DECISIONS = Theme(
    "decisions",
    moves("""
        s = {small_choice_s}
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
        Nest(4, """\
for I in {trips}:
    d = {made_v4}
    a = a - {choice_s} * 0.1 * d
""", (TAG,)),
        Nest(4, """\
for I in {trips}:
    d = {made_v4}
    {n4}[:] = 0.4 * {choice_v4} + 0.2 * d
""", (TAG,)),
        Nest(3, """\
for I in {trips}:
    d = {made_v4}
    a = 0.4 * {tied_v4} - 0.3 * d
""", (TAG,)),
        Nest(3, """\
for I in {trips}:
    g = {made_m}
    m = m - {choice_s} * 0.05 * g
""", (TAG,)),
        Nest(3, """\
for I in {trips}:
    g = {made_m}
    m = 0.3 * {choice_m} + 0.2 * g
""", (TAG,)),
        Nest(2, """\
for I in {trips}:
    g = {made_m}
    r = {choice_v3}
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
    s = 0.3 * {choice_s}
""", (TAG,)),
        Nest(2, """\
for I in {trips}:
    d = {made_v4}
    if {choice_b}:
        a = a - 0.2 * {choice_v4}
    else:
        s = 0.3 * {choice_s}
    b = 0.7 * b + 0.1 * d
""", (TAG,)),
    ),
    {
        "trips": forms(TRIPS),
        "inv": forms("w\n(w - 1.3)\n(w + 0.9)\nt\n1.7\n(w * w)\n(t + n)"),
        "made_v4": forms("""
            ({n4} * {inv})
            ({inv} * ({n4} * {inv}))
            (({inv} * {n4}) * {inv})
            (({inv} * {inv}) * {n4})
            ({n4} * {inv} / 3.0)
            ({n4} * 3.0 / 3.0)
            ({n4} / 1.3 * {inv})
            (({n4} + 1.0) * 0.3)
            ({n4} * {n4} * {inv})
            ({inv} * {n4} - {inv} * {n4}[::-1])
            ({nm}[{ix3}] * {inv} * {inv})
        """),
        "made_m": forms("""
            ({nm} * {inv})
            ({inv} * ({nm} * {inv}))
            (({inv} * {inv}) * {nm})
            ({nm} * {inv} * {n4})
            ({nm} / 1.3 * {inv})
            (({nm} + 1.0) * 0.3)
            (({nm} + {n4}) * {inv} * 0.7)
        """),
        "choice_s": forms("""
            np.max({made_v4})
            np.min({made_v4})
            np.amax({inv} * {made_v4})
            np.ptp({made_v4})
            np.nanmax({made_v4})
            {made_v4}.max()
            np.max({made_m})
            np.max(np.abs({made_v4}))
            np.linalg.norm({made_v4}, np.inf)
            np.linalg.norm({made_v4}, -np.inf)
            np.linalg.norm({made_v4}, 1)
            np.linalg.norm({made_m}, np.inf)
            np.linalg.norm({made_m}, 1)
            np.median({made_v4})
            np.median({made_m})
            np.quantile({made_v4}, 0.37)
            np.partition({made_v4}, 2)[1]
            np.sort({made_v4})[{ix4}]
            best_of({made_v4}, {inv})
            mean_of_largest({made_v4}, {inv})
            mean_of_largest({made_m}, {inv})
            max({made_v4}[0], {made_v4}[1])
            min({inv} * {n4}[{ix4}], {inv} * {n4}[{ix4}])
            abs({inv} * {n4}[{ix4}])
            (0.2 * np.searchsorted(np.sort({made_v4}), CUT) + 0.1 * {inv})
            (0.2 * np.count_nonzero({made_v4} > CUT) * {inv})
            np.unique({made_v4})[0]
            log_sum_exp({made_v4})
            np.sum({made_v4}[{made_v4} > CUT])
        """, 1, TAG)
        + forms("""
            np.max(np.full(4, {inv} * s))
            np.max(np.concatenate(({n4} * w, w * {n4})))
            np.max(np.repeat({made_v4}, 2))
            np.max({made_v4}[np.array([0, 0, 2, 2])])
            np.max({n4} - {n4})
            np.ptp(np.full(4, {inv}) * t)
        """, 0.5, *TIE),
        "small_choice_s": forms("(0.3 * {choice_s})\n(0.2 * s + 0.1 * {choice_s})"),
        "choice_v4": forms("""
            np.maximum({made_v4}, {made_v4})
            np.minimum({inv} * {made_v4}, {made_v4})
            np.clip({made_v4}, -0.3171, 0.4171)
            np.clip({made_v4}, {inv} * s, 0.9171)
            np.abs({made_v4})
            (np.sign({made_v4}) * {made_v4})
            larger({made_v4}, {made_v4})
            np.where({made_v4} > CUT, {made_v4}, {n4})
            ({made_v4} * ({made_v4} > CUT))
            np.sort({made_v4})
            ordered({made_v4}, {inv})
            np.maximum.accumulate({made_v4})
            np.minimum.accumulate({inv} * {made_v4})
            ({made_v4} - np.max({made_v4}))
            softmax({made_v4})
            rectified({made_v4}, {inv})
            np.max({made_m}, axis=0)
            np.min({inv} * {made_m}, axis=0)
            np.ptp({made_m}, axis=0)
            np.median({made_m}, axis=0)
            np.linalg.norm({made_m}, np.inf, axis=0)
            np.partition({made_v4}, 1)
            np.fmax({made_v4}, {made_v4})
            (np.searchsorted(np.sort({made_v4}), np.array([0.1071, 0.2171, 0.5171])) * {inv}).sum()
        """, 1, TAG)
        + forms("{tied_v4}", 4, *TIE),
        "tied_v4": forms("""
            beside_itself({made_v4})
            np.maximum({n4} * w, w * {n4})
            np.maximum((w * t) * {n4}, w * (t * {n4}))
            between_its_extrema({made_v4})
            near_itself({made_v4})
            doubled_and_sorted({made_v4})
            np.maximum({n4} - {n4}, 0.0)
            np.minimum({n4} * 3.0 / 3.0, {n4} * 1.0)
            np.max(np.stack(({n4} * t * w, t * ({n4} * w))), axis=0)
            np.maximum.accumulate(np.full(4, {inv} * s))
        """, 1, *TIE)
        + forms("""
            np.maximum((w - 0.613) * {n4}, 0.0)
            np.abs((w - 0.613) * {n4})
            np.clip({n4} * (w - 0.613), 0.0, {inv})
        """, 0.6, *KINK),
        "choice_v3": forms("""
            np.max({made_m}, axis=1)
            np.min({inv} * {made_m}, axis=1)
            np.nanmax({made_m}, axis=1)
            np.ptp({made_m}, axis=1)
            np.median({made_m}, axis=1)
            np.linalg.norm({made_m}, np.inf, axis=1)
            np.linalg.norm({made_m}, -np.inf, axis=1)
            np.linalg.norm({made_m}, 1, axis=1)
            np.max({made_m}, axis=1, keepdims=True)[:, 0]
            np.sort({made_m}, axis=1)[:, {ix4}]
            best_of_rows({made_m}, {inv})
        """, 1, TAG),
        "choice_m": forms("""
            ({made_m} - np.max({made_m}, axis=1, keepdims=True))
            np.exp({made_m} - np.max({nm}, axis=1, keepdims=True))
            np.maximum({made_m}, {choice_v3}[:, None])
            np.minimum({made_m}, {made_v4})
            np.clip({made_m}, -0.3171, 0.5171)
            larger({made_m}, {made_v4})
            np.where({made_m} > CUT, {made_m}, {nm})
            np.sort({made_m}, axis=0)
            np.maximum.accumulate({made_m}, axis=1)
            np.minimum.accumulate({made_m}, axis=0)
            softmax({made_m})
            rectified({made_m}, {inv})
            between_its_extrema({made_m})
            near_itself({made_m})
        """, 1, TAG),
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
