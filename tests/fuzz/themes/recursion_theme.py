"""The theme of recursion: calls of functions that call themselves, alone, in loops and branches."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("recursion",)

RECURSION = Theme(
    "recursion",
    moves(
        """
        s = 0.3 * walked(0, {n4}, {bounded_s}) + 0.5 * s
        t = 0.4 * divided({n4}, {bounded_s}) + 0.3 * t
        d = 0.4 * merged({n4}) * {v4}
        {n4}[:] = 0.5 * merged({n4} * 0.7)
        {n4}[1:] = 0.6 * merged(np.sin({n4}[1:]))
        s = 0.3 * refined(0.0, 1.0, 2.0 + {bounded_s})
        s = 0.2 * descended(0, {n4}, d) ;; t = 0.2 * np.sum(d) + 0.3 * t
        s, t = spanned({n4}, {bounded_s}) ;; s *= 0.3
        o = found_above(0, {n4}, 0.3171) ;; s = 0.2 * s if o is None else 0.4 * o
        t = 0.3 * summed(0, {n4}, {bounded_s})
        if {b}: s = 0.3 * walked(0, {n4}, 0.7) ;; t = 0.4 * s
    """,
        *TAG,
    ),
    (
        Nest(3, """\
for I in {range}:
    s = 0.3 * walked(0, {n4}, {bounded_s}) + 0.3 * s
    SOME
    LEAVE
""", TAG),
        Nest(2, """\
d = np.zeros(4)
for I in {range}:
    t = 0.3 * t + 0.2 * descended(0, {n4}, d)
    SOME
s = 0.2 * np.sum(d * {v4})
""", TAG),
        Nest(2, """\
for I in {range}:
    if {b}:
        {n4}[:] = 0.6 * merged({n4})
    else:
        s = 0.4 * divided({n4}, {bounded_s})
    SOME
""", TAG),
    ),
    {"s": forms("(0.2 * walked(0, {n4}, 0.7))\n(0.2 * summed(0, {n4}, 0.6))", 1, *TAG)},
)  # fmt: skip
