"""The theme of sweeps: loops over triangles that change a vector and a matrix in place.

Solves, factorizations and relaxations are such: an element is changed in each trip of an inner loop
that reads others, earlier or later ones, and now and then the same.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("sweep",)
OUTER = ("range(6)", "range(1, 6)", "range(5, -1, -1)", "range(5)", "range(n)")
INNER = (
    "range(I)",
    "range(I + 1, 6)",
    "range(6)",
    "range(I, 6)",
    "range(I - 1, -1, -1)",
    "range(5, I, -1)",
    "range(max(I - 2, 0), I)",
    "range(I + 1)",
)
TRIPS = (
    ("d[I] -= 0.2 * a[I, J] * d[J]",),
    ("d[I] = 0.4 * d[I] * d[J] + 0.1 * a[J, I]",),
    ("d[J] += 0.2 * d[I] * a[I, J]",),
    ("a[I, J] -= 0.2 * a[I, I] * d[J]",),
    ("d[I] += 0.2 * a[J, I]", "d[J] *= 0.7"),
    ("if d[J] > 0.1:", "    d[I] -= 0.2 * d[J] * d[I]", "else:", "    d[I] += 0.1 * a[I, J]"),
    ("a[I, I] += 0.1 * a[I, J] * a[J, I]",),
    ("t += 0.1 * d[I]", "d[I] = 0.9 * d[I] - 0.1 * d[J]"),
    ("for K in range(J):", "    a[I, J] -= 0.2 * a[I, K] * a[K, J]", "a[I, J] *= 0.8"),
    ("for K in range(J + 1, 6):", "    a[J, K] -= 0.1 * a[J, I] * a[I, K]"),
    ("for K in range(I + 1, 6):", "    a[J, K] -= 0.1 * a[J, I] * a[I, K]"),
    ("a[J, I] *= 0.4", "for K in range(I):", "    a[J, I] -= 0.1 * a[J, K] * a[I, K]"),
    ("d[0] += 0.1 * d[J] * d[I]",),
    ("c = a[I]", "c[J] -= 0.2 * c[I] * d[J]"),
    ("c = d[1:]", "c[J - 1] -= 0.2 * d[I]", "d[I] += 0.1 * c[J - 1]"),
    ("d[I - 1] += 0.2 * d[J] * d[I - 1]",),
    ("a[J, I] = 0.3 * a[I, J] * a[J, I] + 0.1 * d[I]",),
    ("d[I] = 0.3 * a[I, J] * d[J]",),
    ("d[I] -= 0.1 * np.sum(a[I] * d)",),
    ("if J != 2:", "    d[2] += 0.1 * d[J] * a[2, I]"),
    ("if d[I] < 0.4:", "    d[J] += 0.2 * d[I]", "    d[I] = 0.6 * d[I]"),
)
ENDS = (
    "    d[I] /= 2.0 + a[I, I] * a[I, I]\n",
    "    d[I] = np.sin(d[I])\n",
    "    t += 0.1 * d[I]\n",
    "",
    "    a[I, I] = np.sqrt(1.0 + a[I, I] * a[I, I])\n",
    "    d[5 - I] += 0.2 * d[I]\n",
)
STATE = {
    "a": (
        "a = 0.3 * np.sin(np.arange(36) * 0.7).reshape(6, 6) + 0.1 * np.sum(x * w)",
        "0.1 * np.sum(a * np.cos(np.arange(36)).reshape(6, 6))",
    ),
    "d": ("d = 0.4 * np.sin(np.arange(6)) * np.repeat(x, 2)[:6] + 0.2", "np.sum(d * np.arange(6))"),
}


def _loops() -> tuple[Nest, ...]:
    """Every trip with every range, the rest taken in turn."""
    outer, ends = map(cycle, (OUTER, ENDS))
    made: list[Nest] = []
    for trip, inner in product(TRIPS, INNER):
        body = "".join(f"        {line}\n" for line in trip)
        text = f"for I in {next(outer)}:\n    for J in {inner}:\n{body}{next(ends)}"
        made.append(Nest(0.1, text, TAG))
    return tuple(made)


SWEEPS = Theme("sweeps", (), _loops(), state=STATE, largest=160)
