"""The theme of placeholders: what stands in a place until there is a value, or on one path.

`z9` is None, a number or a vector, `k9` NaN or an index, `b9` None or a bound of a slice, `h9` and
`o9` hold numbers, vectors and None.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("placeholder",)

PLACEHOLDERS = Theme(
    "placeholders",
    moves("""
        z9 = None
        z9 = {bounded_s}
        z9 = {bounded_v4}
        z9 = {bounded_v4} if {b} else None
        z9 = {bounded_s} if {b} else {bounded_v4}
        z9 = {n4} if z9 is None else np.tanh(z9)
        if z9 is not None: z9 = 0.5 * z9 + {bounded_s}
        if z9 is None: z9 = {bounded_v4}
        {n4}[:] = 0.5 * {bounded_v4} if z9 is None else np.tanh(0.5 * z9)
        s = 0.3 * t if z9 is None else 0.2 * np.sum(np.cos(z9))
        s = 0.2 * np.sum(np.tanh(({bounded_v4} if {b} else {bounded_s}) * {small_s}))
        s = 0.2 * np.sum({n4} * (1 if {b} else np.cos({n4})))
        k9 = {ix4}
        k9 = {ix4} if {b} else np.nan
        k9 = np.nan
        if k9 == k9: s = 0.3 * {n4}[k9] + {small_s}
        if not np.isnan(k9): {n4}[k9] = {bounded_s}
        b9 = {ix4} if {b} else None
        b9 = None
        s = 0.2 * np.sum({n4}[b9:]) + {small_s}
        t = 0.2 * np.sum({n4}[:b9]) + {small_s}
        h9["a"] = {bounded_v4}
        h9["a"] = {bounded_s}
        h9["a"] = h9["a"] * 0.5 + {small_v4}
        h9["a"] += {small_s}
        h9["b"] = {bounded_s}
        h9["b"] = None
        if h9["b"] is not None: s = 0.3 * h9["b"] + {small_s}
        s = 0.2 * np.sum(np.cos(h9["a"]))
        o9[0] = o9[0] + {small_v4} ;; o9[0] = np.tanh(o9[0])
        o9[0], o9[1] = 0.5 * np.sum(np.tanh(o9[0])), 0.5 * h9["a"]
        o9[1] = h9["a"]
        t = 0.1 * np.sum(np.cos(sum([o9[0], o9[1], {small_s}])))
        p9 = (h9["a"], o9[0]) if {b} else ({bounded_s},) ;; s = 0.2 * np.sum(np.cos(p9[-1]))
        p9 = [] if {b} else {n4} ;; s = 0.1 * np.sum(p9) + {small_s} + 0.1 * len(p9)
    """, *TAG),
    (
        Nest(3, """\
z9 = None
for I in {range}:
    if z9 is None:
        z9 = {bounded_v4}
    else:
        z9 = 0.5 * np.tanh(z9) + {small_v4}
    SOME
    LEAVE
""", TAG),
        Nest(3, """\
h9["a"] = 0
k9 = np.nan
for I in {range}:
    if I > 0:
        s = 0.5 * s + 0.2 * {n4}[k9]
    h9["a"] = 0.5 * h9["a"] + {small_v4}
    SOME
    k9 = {ix4}
""", TAG),
        Nest(2, """\
q9 = 0
p9 = []
while q9 < 3 and np.max(np.abs(h9["a"])) < 50.0:
    q9 += 1
    h9["a"] = 0.5 * np.tanh(h9["a"]) + {small_v4}
    p9 = np.append(p9, {bounded_s})
    SOME
s = 0.1 * np.sum(np.cos(p9)) + {small_s}
""", TAG),
        Nest(2, """\
if {b}:
    z9, o9[0] = {bounded_s}, {bounded_v4}
    SOME
else:
    b9 = None
""", TAG),
    ),
    {"s": forms("""
        (0.2 * np.sum(np.sin(h9["a"])))
        (0.2 * np.sum(np.tanh(o9[0] * o9[1])))
        (0.2 if z9 is None else 0.2 * np.sum(np.cos(z9)))
    """, 1, *TAG)},
    state={
        "z9": ("z9 = None", "(0.1 if z9 is None else np.sum(np.tanh(z9)))"),
        "k9": ("k9 = np.nan", "(1.0 if np.isnan(k9) else 0.5)"),
        "b9": ("b9 = None", "(0.2 if b9 is None else 0.1)"),
        "h9": ('h9 = dict(a=0, b=None)', 'np.sum(np.tanh(h9["a"]))'),
        "o9": ("o9 = [0.0, 0.3 * w]", "np.sum(np.cos(o9[0]))"),
    },
)  # fmt: skip
