"""The theme of draws: numbers of a generator that the program seeds, each drawn once, in order."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

DRAWS = Theme(
    "draws",
    moves("""
        {n4}[:] = 0.3 * rng.normal({bounded_v4}, 0.5)
        {n4}[{ix4}] = 0.2 * rng.normal({bounded_s}, 0.3)
        {n4}[{ix4}] += 0.1 * rng.normal()
        {n4} *= rng.uniform(0.5, 1.0, 4)
        s = 0.2 * rng.normal({bounded_s}, 0.5)
        s = 0.1 * rng.laplace({bounded_s}, 0.5) + 0.2 * np.tanh(rng.gumbel({bounded_s}))
        t = {bounded_s} * rng.random()
        rng.normal(size=3)
        other = np.random.default_rng(5) ;; s += 0.1 * other.normal() * {bounded_s}
        d = {n4} * rng.random(4)
        d = rng.choice({n4}, 4)
        d = rng.permutation({n4})
        rng.shuffle({n4})
        if rng.random() < 0.5: s = 0.3 * np.tanh(s) + 0.1 * rng.normal()
        if {b}: rng.normal() ;; s += 0.1 * rng.random()
        w9 = rng.normal(size=4) ;; w9[{ix4}] = {bounded_s} ;; d = 0.3 * w9 * {n4}
        s = 0.2 * np.sum(np.tanh(w9)) + {bounded_s}
        p = int(rng.integers(3))
    """, "draws"),
    (
        Nest(3, """\
for I in {range}:
    w9 = 0.5 * w9 + 0.1 * rng.normal(size=4) * {n4}
    SOME
    LEAVE
""", ("draws",)),
        Nest(2, """\
for I in {range}:
    if rng.random() < 0.5:
        s = 0.5 * s + 0.1 * rng.normal({bounded_s}, 0.5)
    else:
        SOME
""", ("draws",)),
        Nest(2, """\
while rng.random() < 0.7:
    SOME
    s = 0.5 * np.tanh(s) + 0.1 * rng.normal()
""", ("draws",)),
    ),
    {"s": forms("(0.2 * np.sum(np.sin(w9)))", 1, "draws")},
    prelude=("rng = np.random.default_rng(7)", "w9 = rng.normal(size=4)"),
    result=("np.sum(np.tanh(w9))", "rng.random()"),
)  # fmt: skip
