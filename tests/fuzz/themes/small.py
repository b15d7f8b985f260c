"""The theme of small arrays: vectors and matrices of three, made in the program, whose shapes are
constant, so that a pass can make numbers of them; and what may keep it from doing so."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = "small array"

SMALL = Theme(
    "small",
    moves(
        """
        {nc3}[{ixc}] = {bounded_s}
        {nc3}[{ixc}] += {small_s}
        {nc3}[{ixc}] *= {gain_s}
        {nc3}[{ix3}] = {bounded_s}
        {nc3} *= {gain_s}
        {nc3} += 0.2 * {c3}
        {nc3}[:] = np.tanh({c3})
        {nc3}[1:] -= 0.3 * {nc3}[:-1]
        {nc3}[::-1][1] = {bounded_s}
        {nc3}[::-1] = {nc3}
        {nc3}[:2] += {small_v2}
        {nc3}[:] = 0.5 * {nc3} + 0.2 * {v3}
        {nc3}[{nc3} > CUT] *= {gain_s}
        {nc33}[{ixc}, {ixc}] = {bounded_s}
        {nc33}[{ixc}, {ix3}] += {small_s}
        {nc33}[{ixc}] = np.tanh({c3})
        {nc33}[:, {ixc}] *= {gain_s}
        {nc33}.T[{ixc}] -= 0.2 * {c3}
        {nc33}[1:, :2] *= {gain_s}
        {nc33} += 0.2 * {c33}
        {n4}[1:] = {c3}
        {n4}[{ix4}] = {c3}[{ixc}]
        {n4}[:3] += 0.2 * {c3}
        {nm}[:, {ix4}] = np.tanh({c3})
        s = 0.2 * ({c3} @ {c3})
        s = 0.3 * np.sum({c33} * {c3})
        t = 0.3 * {c3}[{ixc}] * {c33}[{ixc}, {ixc}]
    """,
        TAG,
    )
    + moves(
        """
        o = np.array([{bounded_s}, {bounded_s}, 0.3])
        o = np.tanh({c33} @ {c3})
        o = 0.3 * np.cross({c3}, {c3})
        o = np.where({c3} > CUT, {c3}, 0.5 * {c3})
        o = {nc3}
        o = {nc3}.copy()
        o = {nc33}[{ixc}]
        o = {nc33}[:, {ixc}]
        oo = o[::-1]
        oo = np.zeros(3) ;; oo[{ixc}] = {bounded_s}
        oo, o = o, oo
        oo = o / np.sqrt(1.0 + np.sum(o * o))
        oo = np.tanh({v3} - {c3})
    """,
        TAG,
        o="c3",
        oo="c3",
    )
    + moves(
        """
        rr = np.tanh({c33} @ {c33})
        rr = np.array([{c3}, {c3}, np.ones(3)]) * 0.4
        rr = {nc33}.T
        rr = {nc33}.T.copy()
        rr = np.eye(3) * {bounded_s}
        rr = np.outer({c3}, {c3}) * 0.3
        rr = np.array([[np.cos(s), -np.sin(s), 0.0], [np.sin(s), np.cos(s), 0.0], [0.0, 0.0, w]])
    """,
        TAG,
        rr="c33",
    ),
    (
        Nest(2, """\
for I in range(3):
    {nc3}[I] = np.tanh({nc3}[I - 1] + {bounded_s})
    SOME
""", (TAG,)),
        Nest(2, """\
for I in range(3):
    for J in range(I, 3):
        {nc33}[I, J] = 0.5 * {nc33}[J, I] + {small_s}
        SOME
""", (TAG,)),
        Nest(2, """\
for I in {range}:
    o = np.tanh({c33} @ o)
    SOME
    LEAVE
    s = 0.3 * o[{ixc}]
""", (TAG,)),
        Nest(2, """\
for I in {range}:
    oo[{ixc}] += 0.1 * o[{ixc}]
    SOME
    o, oo = oo, 0.5 * o
""", (TAG,)),
        Nest(2, """\
for I in {range}:
    o = np.array([s, o[0], 0.3 * o[1] - o[2]])
    if s > CUT:
        o[{ixc}] = {bounded_s}
        SOME
    else:
        oo = 0.5 * o
    s = 0.3 * o[{ixc}] + 0.2 * oo[{ixc}]
""", (TAG,)),
        Nest(1, """\
while o @ o > 0.4:
    o *= 0.6
    SOME
    o[{ixc}] *= 0.5
    s = 0.5 * s + 0.2 * o[{ixc}]
    break
""", (TAG,)),
    ),
    {
        "ixc": forms("0\n1\n2\n-1"),
        "c3": forms("{nc3}", 6) + forms("""
            ({nc3} * {s})
            (0.5 * {nc3} - {nc3})
            np.sin({nc3})
            {nc33}[{ixc}]
            {nc33}[:, {ixc}]
            {nc3}[::-1]
            ({nc33} @ {nc3})
            np.array([{s}, 0.3, {nc3}[{ixc}]])
            np.maximum({nc3}, CUT)
            ({nc3} + {nm}[:, {ix4}])
        """),
        "c33": forms("{nc33}", 5) + forms("""
            ({nc33} * {nc3})
            ({nc33}.T + {nc3}[:, None])
            np.tanh({nc33})
            ({nc33} @ {nc33})
            np.outer({nc3}, {nc3})
        """),
        "s": forms("""
            {nc3}[{ixc}]
            {nc33}[{ixc}, {ixc}]
            (0.3 * {nc3} @ {nc3})
            (0.3 * np.sum({c3}))
        """, 2),
        "v3": forms("{nc3}\n(0.5 * {c3})\n{nc33}[{ixc}]"),
        "v2": forms("{nc3}[1:]\n{nc33}[:2, {ixc}]"),
    },
    (
        "o = np.array([0.5, x[0], w])",
        "oo = np.zeros(3)",
        "rr = np.array([[1.0, w, 0.0], [0.0, x[1], 0.3], [0.2, 0.0, x[2]]])",
    ),
    {"o": "c3", "oo": "c3", "rr": "c33"},
    ("o @ (oo + 0.3)", "np.sum(rr * np.sin(rr))"),
)  # fmt: skip
