"""The theme of structured arrays: items that view them, fields stored to by many names."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("structured array",)

STRUCTURED = Theme(
    "structured",
    moves("""
        sa["u"][{ix4}] = {bounded_s}
        sa["u"] = {bounded_v4}
        sa["u"] += {small_v4}
        sa["v"][:, 1] *= {gain_v4}
        sa["v"][{ix4}] = {bounded_s}
        sa[{ix4}]["u"] = {bounded_s}
        sa[{ix4}]["v"][1] = {bounded_s}
        sa[{ix4}] = ({bounded_s}, 0.5 * t, 3)
        sa[{ix4}] = sa[{ix4}]
        sa[1:] = sa[:-1]
        sa[::2]["u"] = {bounded_s}
        sa = sa.copy()
        sa = sb if {b} else sa
        sb = sa[::-1].copy()
        sb[sb["u"] > 0.1] = sa[{ix4}]
        sb = np.array([({bounded_s}, 0.3, 1), (s, t, 2), sa[1], sa[{ix4}]], dtype=sa.dtype)
        at = sa[{ix4}]
        at = sa[{ix4}] if {b} else at
        at["u"] *= {gain_s}
        at["v"][:] = 0.5 * at["u"]
        at["k"] = at["k"] + 1
        at = sb[{ix4}].copy()
        {n4}[:] = np.tanh(sa["u"] + sa["v"][:, 0])
        u, v, k = sa[{ix4}] ;; s = 0.2 * u * k + v[1]
        s = 0.2 * sum([row["u"] * row["v"][0] for row in sa])
    """, *TAG),
    (
        Nest(3, """\
for I in range(4):
    at = sa[I]
    at["u"] = 0.5 * at["u"] + {small_s}
    SOME
    LEAVE
    at["v"][1] += 0.3 * sa["u"][{ix4}]
""", TAG),
        Nest(3, """\
for row in sa:
    row["u"] = 0.6 * row["u"] * row["k"] + {small_s}
    SOME
    row["v"] = row["u"] * row["v"]
    s = 0.5 * s + 0.1 * row["v"][0]
""", TAG),
        Nest(2, """\
for I, (row, other) in enumerate(zip(sa, sb)):
    row["u"], other["u"] = 0.5 * other["u"], np.sin(row["u"])
    SOME
    if {b}:
        other["v"][:] = row["v"]
        at = row
""", TAG),
        Nest(2, """\
for I in {range}:
    sa, sb = sb, sa
    sa["u"][{ix4}] = {bounded_s}
    SOME
    sb[{ix4}] = sa[{ix4}]
""", TAG),
    ),
    {
        "s": forms('sa["u"][{ix4}]\nat["u"]\nsa[{ix4}]["v"][1]\nsb[{ix4}]["u"]', 2),
        "v4": forms('sa["u"]\nsb["u"]\nsa["v"][:, 1]', 2),
    },
    (
        'sa = np.zeros(4, dtype=[("u", float), ("v", float, 2), ("k", int)])',
        'sa["u"], sa["v"][:, 0], sa["v"][:, 1], sa["k"] = x, 0.5 * w, x * w, np.arange(4)',
        "sb, at = sa[::-1].copy(), sa[1]",
    ),
    {},
    (
        'np.sum(sa["u"] * np.sin(sa["v"][:, 1]))', 'np.sum(sb["v"][:, 0] * sb["u"])',
        'at["u"] * at["k"]',
    ),
)  # fmt: skip
