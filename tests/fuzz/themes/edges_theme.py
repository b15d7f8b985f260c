"""The theme of edges: loops over all elements, whose first or last trips reach around the ends.

Neighbours are found by remainders, negative indices, conditions, minima and maxima, in loops that
begin or stop elsewhere as well, and by counters that other loops or numbers give.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.stencils_theme import STATE
from tests.fuzz.themes.theme import Theme

TAG = ("edge trips",)
RANGES = (
    "range(24)",
    "range(len(a))",
    "range(len(a) - 1, -1, -1)",
    "range(1, len(a))",
    "range(n)",
    "range(2, 23)",
    "range(n - 1, -1, -1)",
)
TRIPS = (
    ("d[J] = 0.3 * a[(J + 1) % 24] - 0.2 * a[(J - 1) % 24]",),
    ("d[J] = a[J] - 0.1 * a[J - 1] * a[J]",),
    ("d[J] = 0.2 * a[(J - 2) % len(a)] + 0.3 * a[J] * a[(J + 2) % len(a)]",),
    ("a[J] = 0.4 * a[J] + 0.3 * a[(J + 1) % 24]",),
    ("a[(J + 1) % 24] = 0.4 * a[J] + 0.3 * d[J - 1]",),
    ("d[(J + 2) % 24] += 0.2 * np.sin(a[J - 2])",),
    ("k = J - 1 if J > 0 else 23", "d[J] = 0.3 * a[k] + 0.2 * a[J]"),
    ("k = 0 if J == 23 else J + 1", "d[J] += 0.3 * a[k] * c[J]"),
    ("d[J] = 0.3 * a[max(J - 1, 0)] + 0.2 * a[min(J + 1, 23)]",),
    ("d[max(J - 2, 1)] += 0.3 * a[J]",),
    ("if J > 0 and J < 23:", "    d[J] = 0.3 * (a[J - 1] + a[J + 1])", "else:", "    d[J] = a[J]"),
    ("if J >= 2:", "    s += 0.1 * a[J - 2] * a[J]", "if J != 0:", "    t = 0.5 * t + d[J]"),
    ("h = a[J]", "if J < len(a) - 2:", "    h *= 0.5 * a[J + 2]", "d[J] = np.tanh(h)"),
    ("d[J] = a[(J + 1) % n] - 0.1 * a[(J - 1) % n]",),
    ("if J == 1:", "    continue", "d[J] = 0.2 * a[J - 1]"),
    ("if J > 20:", "    break", "d[J] += 0.3 * a[(J + 1) % 24]"),
    ("for K in range(5):", "    d[J] += 0.1 * r[K, (J + 1) % 20] * r[(K - 1) % 5, J % 20]"),
    (
        "for K in range(20):",
        "    q[J % 5, K] = 0.3 * r[J % 5, K - 1] + 0.2 * r[J % 5, (K + 1) % 20]",
    ),
)


def _loops() -> tuple[Nest, ...]:
    """Every trip with every range, once or for several steps."""
    steps = cycle(("", "for I in range(2):\n", "", "for I in range(3):\n"))
    made: list[Nest] = []
    for trip, over in product(TRIPS, RANGES):
        step = next(steps)
        deeper = "    " if step else ""
        body = "".join(f"{deeper}    {line}\n" for line in trip)
        after = f"{deeper}a[:] = 0.5 * d\n" if step else ""
        made.append(Nest(0.1, f"{step}{deeper}for J in {over}:\n{body}{after}", TAG))
    return tuple(made)


EDGES = Theme("edges", (), _loops(), state=STATE, largest=160)
