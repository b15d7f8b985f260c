"""The theme of diagonals: tables whose elements are computed from those around them.

Alignments, time warping and filters of images are such. An element reads some of its neighbours,
those of the row above most often; now and then one that is not computed yet, or far away.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("diagonal",)
# the loops over rows and columns, and where the rows and columns that come before them are
ORDERS = (
    ("range(1, 7)", "range(1, 8)", "I - 1", "J - 1"),
    ("range(1, 7)", "range(7, 0, -1)", "I - 1", "J + 1"),
    ("range(6, 0, -1)", "range(1, 8)", "I + 1", "J - 1"),
    ("range(6, 0, -1)", "range(7, 0, -1)", "I + 1", "J + 1"),
    ("range(2, 8)", "range(2, n + 5)", "I - 1", "J - 1"),
)
TRIPS = (
    ("a[I, J] = 0.3 * np.tanh(a[U, J] + a[I, L]) + b[I]",),
    ("a[I, J] = 0.5 * np.log(np.exp(a[U, J]) + np.exp(a[I, L]) + np.exp(a[U, L])) - 0.3",),
    ("r = max(a[U, J], a[I, L], a[U, L])", "a[I, J] = r - np.log(1.0 + np.exp(a[U, L] - r))"),
    ("a[I, J] = np.sin(a[I, L]) + 0.3 * a[U, R]",),
    ("a[I, J] = 0.4 * np.exp(-a[I, J] * a[I, J]) + 0.2 * a[U, J] + 0.2 * a[I, L] + 0.1 * a[D, J]",),
    ("r = 0.5 * r + np.tanh(a[U, J])", "a[I, J] = 0.5 * a[I, J] + 0.2 * r"),
    ("a[I, J] += 0.2 * np.exp(-a[U, L] * b[J])", "a[I, J] *= np.cos(a[I, L])"),
    ("r = np.exp(0.1 * a[I, L] - 0.1)", "c[J] += 0.1 * r", "a[I, J] = 0.3 * r * a[U, J]"),
    ("if a[U, J] > a[I, L]:", "    r = np.sin(a[U, J])", "else:", "    r = np.cos(a[I, L])",
     "a[I, J] = 0.6 * r"),
    ("a[I, J] = 0.5 * np.tanh(a[U, J] * c[J]) + 0.2 * a[I, L]", "c[J] = 0.5 * c[J] + 0.1"),
    ("a[I, J] = 0.5 * np.sin(a[U, 0] + a[I, L])",),
    ("a[I, J] = 0.5 * np.sin(a[I, L]) + 0.2 * a[U, 7]",),
    ("a[I, J] = 0.4 * np.tanh(a[I, L] + a[D, L]) + 0.1 * c[I]",),
    ("a[U, J] = 0.4 * np.tanh(a[I, L] + a[U, L])",),
    ("b[I] += 0.1 * np.sin(a[I, L])", "a[I, J] = 0.5 * a[U, J] + 0.1 * b[I]"),
    ("s = 0.0", "for K in range(3):", "    s += (h[K] - x[K]) * a[U, J]",
     "a[I, J] = np.tanh(s) + 0.2 * a[I, L]"),
)  # fmt: skip
BEFORE = ("r = 0.1", "r = c[I]", "r = 0.2\n    a[I, 0] = 0.3 * a[U, 0]", "r = a[U, 3]")
AFTER = ("", "    c[I] = r\n", "    t += 0.1 * a[I, 7]\n", "    b[I] = 0.5 * np.sin(a[I, 6])\n")
STATE = {
    "a": (
        "a = 0.3 * np.sin(np.arange(81) * 0.7).reshape(9, 9) + 0.1 * np.sum(x * w)",
        "0.1 * np.sum(a * np.cos(np.arange(81)).reshape(9, 9))",
    ),
    "b": ("b = 0.3 * np.cos(np.arange(8)) * np.repeat(x, 2)[:8]", "np.sum(b * np.arange(8))"),
    "c": ("c = 0.2 * np.sin(np.arange(8) * x[1])", "0.3 * np.sum(c)"),
    "h": ("h = np.sin(np.arange(4)) + x", "0.1 * np.sum(h)"),
}


def _loops() -> tuple[Nest, ...]:
    """Every trip in every order, the rest taken in turn."""
    before, after = map(cycle, (BEFORE, AFTER))
    made: list[Nest] = []
    for trip, (rows, columns, up, left) in product(TRIPS, ORDERS):
        body = "".join(f"        {line}\n" for line in trip)
        text = f"for I in {rows}:\n    {next(before)}\n    for J in {columns}:\n{body}{next(after)}"
        around = {"U": up, "L": left, "D": f"2 * I - ({up})", "R": f"2 * J - ({left})"}
        for name, place in around.items():
            text = text.replace(f"[{name},", f"[{place},").replace(f", {name}]", f", {place}]")
        made.append(Nest(0.1, text, TAG))
    return tuple(made)


DIAGONALS = Theme("diagonals", (), _loops(), state=STATE, largest=160)
