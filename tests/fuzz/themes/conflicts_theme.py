"""The theme of conflicts: loops in which every trip reads an element that one trip may store to.

Closures of graphs and eliminations in place are such. The store has a condition or none, the
element is read before it or after it, and the trip is one of the loop or not.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.sweeps_theme import STATE
from tests.fuzz.themes.theme import Theme

TAG = ("conflict",)
RANGES = ("range(6)", "range(5, -1, -1)", "range(1, 5)", "range(I, 6)", "range(n)", "range(I + 1)")
TRIPS = (
    ("h = d[K] * d[J] + 0.1", "if h < a[I, J]:", "    d[J] = h"),
    ("h = 0.5 * a[I, K] + 0.4 * a[K, J]", "if h < a[I, J]:", "    a[I, J] = h"),
    ("if a[I, J] < a[I, K] * a[K, J]:", "    a[I, J] = a[I, K] * a[K, J]"),
    ("a[I, J] = max(a[I, J], 0.6 * a[I, K] - 0.3 * a[K, J])",),
    ("a[I, J] -= 0.2 * a[I, K] * a[K, J]",),
    ("a[K, J] /= 2.0 + a[K, K] * a[K, K]",),
    ("d[J] = 0.4 * d[J] * d[K] + 0.1 * a[I, J]",),
    ("d[5 - J] -= 0.3 * d[K] * a[J, I]",),
    ("if d[K] > 0.3:", "    d[J] = 0.5 * d[J]", "else:", "    d[J] += 0.1 * d[K]"),
    ("h = 0.3 * d[K]", "if h > a[I, J]:", "    d[J] = h + a[I, J]", "s += 0.1 * h"),
    ("if a[J, I] > 0.0:", "    if d[K] < 0.4:", "        d[J] = 0.6 * d[K]"),
    ("c = a[I]", "c[J] = 0.3 * c[K] + 0.5 * c[J] * d[J]"),
    ("a[J, J] = 0.7 * a[K, K] * d[J]",),
    ("d[J] *= 0.7", "s += 0.1 * d[K]"),
    ("a[J, K] = 0.5 * a[J, K] + 0.3 * a[I, K] * d[J]",),
    ("if s < 0.5:", "    d[J] = 0.4 * d[K]", "s = 0.5 * s + 0.1 * d[J]"),
    ("if d[J] < 0.2:", "    break", "d[J] = 0.3 * d[K] + 0.2 * d[J]"),
)
PLACES = ("I", "2", "n", "5 - I", "I // 2")


def _loops() -> tuple[Nest, ...]:
    """Every trip with every range, the rest taken in turn."""
    places = cycle(PLACES)
    made: list[Nest] = []
    for trip, inner in product(TRIPS, RANGES):
        body = "".join(f"        {line}\n" for line in trip)
        text = f"for I in range(6):\n    for J in {inner}:\n{body}"
        text = text.replace("K", f"({next(places)})")
        made.append(Nest(0.1, text, TAG))
    return tuple(made)


CONFLICTS = Theme("conflicts", (), _loops(), state=STATE, largest=160)
