"""The theme of kinds: `w9` is a number on some paths, a vector or a matrix on others."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

KINDS = Theme(
    "kinds",
    moves("""
        w9 = w9 + {bounded_v4}
        w9 = 0.5 * np.tanh(w9) + {bounded_s}
        w9 += {bounded_v4}
        w9 += {bounded_s} ;; w9 = np.tanh(w9)
        w9 = {bounded_s}
        w9 = 0
        w9 = {n4}
        w9 = {n4} ;; w9 *= 0.5
        w9 = np.tanh({nm})
        w9 = np.tanh(np.sum(w9))
        if {b}: w9 = {n4}[:1 + n] ;; s = 0.2 * np.sum(np.tanh(w9)) ;; w9 = np.sum(np.cos(w9))
        w9 = {n4}[p:] if {b} else {bounded_s} ;; w9 = np.tanh(np.sum(w9))
        w9 = {bounded_s} if {b} else {bounded_v4}
        w9 = w9 if {b} else np.cos(w9)
        if np.ndim(w9) == 1: w9[{ix4}] = {bounded_s}
        if np.ndim(w9) == 2: w9 = np.tanh(w9[0] + w9[1])
        {n4}[{ix4}] += 0.1 * np.sum(np.tanh(w9))
        {n4}[:] = 0.3 * np.sin(np.sum(w9)) * {n4}
        s = 0.2 * np.sum(np.tanh(w9)) + {bounded_s}
        d = {n4} + 0.1 * np.sum(np.cos(w9))
    """, "kinds"),
    (
        Nest(3, """\
for I in {range}:
    w9 = 0.5 * np.tanh(w9) + {bounded_v4}
    SOME
    LEAVE
""", ("kinds",)),
        Nest(2, """\
w9 = 0
for I in {range}:
    if {b}:
        w9 = w9 + {bounded_v4}
    else:
        SOME
""", ("kinds",)),
        Nest(2, """\
if {b}:
    w9 = np.tanh(w9) * {n4}
    SOME
else:
    w9 = {bounded_s}
""", ("kinds",)),
    ),
    {"s": forms("(0.2 * np.sum(np.sin(w9)))", 1, "kinds")},
    prelude=("w9 = 0.0",),
    result=("np.sum(np.tanh(w9))",),
)  # fmt: skip
