"""The theme of points: products of one point's buffer or row, in a loop over points.

Most points compute a row and multiply it by a matrix; others read another point's row, change the
matrix or what later points read, carry numbers from one part of a trip to the other, or fill
a part of the row.
"""

from itertools import cycle

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme
from tests.fuzz.themes.workspaces_theme import FILLS, MADE, PARTS, indented

TAG = ("point",)
POINTS = ("range(12)", "range(n + 3)", "range(12)", "range(1, 12)", "range(11, -1, -1)")
SUM = ("for J in range(n):", "    u = {u}", "    for K in range(n):")
OF_BUFFERS = (
    (*SUM, "        u += za[K] * m[K, J]"),
    (
        "zb[:] = 0.1",
        "for K in range(n):",
        "    for J in range(n):",
        "        zb[J] += za[K] * m[J, K]",
    ),
    ("for J in range(n):", "    for K in range(n):", "        g[I, J] += za[K] * m[K, J] * w"),
    (*SUM, "        u -= np.sin(za[K]) * m[J, K]"),
)
ROWS = (
    ("for J in range(n):", "    g[I, J] = h[I, J] * r + 0.1 * g[I, J]"),
    ("for J in range(n):", "    g[I, J] = np.sin(h[I, J])", "    r += 0.1 * g[I, J]"),
    ("for J in range(n):", "    h[I, J] = 0.5 * h[I, J]", "    g[I, J] += h[I, J] * c[J]"),
)
OF_ROWS = (
    (*SUM, "        u += g[I, K] * m[K, J]"),
    ("for J in range(n):", "    for K in range(n):", "        d[J] += g[I, K] * m[K, J] * x[J]"),
    (*SUM, "        u += g[I, K] * m[J, K] * h[I, K]"),
    (*SUM, "        u += g[I - 1, K] * m[K, J]"),
    (*SUM, "        u -= g[0, K] * m[J, K]"),
)
BETWEEN = (
    "",
    "r = 0.5 * r + e[I]",
    "",
    "q = np.cos(r)",
    "",
    "u = r * w",
    "",
    "t += r",
    "c[I % 4] *= 0.9",
)
# after the terms of a number: of the trip alone, and what other trips or the operands see
OF_NUMBERS = (
    "    zb[J] = u", "    t += 0.1 * u * u", "    r = 0.5 * r + u", "    d[I] = u", "    zb[J] = u",
    "    t += 0.1 * np.sin(u) * h[I, J]", "    m[J, 0] += 0.05 * np.sin(u)", "    zb[J] = u * q",
    "    c[J] = 0.4 * u", "    r = max(0.7 * r, u)", "    h[I, J] = 0.3 * u", "    zb[J] = u * r",
    "    h[11 - I, J] = 0.3 * u", "    zb[n - 1 - J] = u", "    g[(I + 1) % 12, J] = 0.2 * u",
)  # fmt: skip
ENDS = (
    "t += 0.1 * np.sum(np.sin(zb))", "d[I] += r", "t += 0.1 * r * q", "e[I % 12] += 0.1 * r",
    "t += 0.1 * za[I % n]", "hi = max(hi, r)", "t += 0.1 * np.sum(za) * zb[I % n]",
)  # fmt: skip
STATE = {
    "e": ("e = 0.5 * np.sin(np.arange(12) * 0.3) + 0.3 * np.repeat(x, 3)", "0.1 * np.sum(e)"),
    "h": ("h = np.sin(np.arange(48)).reshape(12, 4) * x * w", "0.1 * np.sum(h)"),
    "g": ("g = np.zeros((12, 4))", "np.sum(g * np.sin(np.arange(48)).reshape(12, 4))"),
    "d": ("d = np.zeros(12)", "np.sum(d * np.cos(np.arange(12)))"),
    "c": ("c = 0.3 * x * w", "np.sum(c * x)"),
    "m": ("m = 0.3 * np.cos(np.arange(16)).reshape(4, 4) * x", "np.sum(np.sin(m))"),
    "hi": ("hi = -1.0", "hi"),
    "q": ("q = 0.5", "q"),
}


def _loops() -> tuple[Nest, ...]:
    """Every way to make a row with each product of it; the rest taken in turn."""
    points, buffers, between, ends = map(cycle, (POINTS, MADE, BETWEEN, ENDS))
    of_numbers, starts = cycle(OF_NUMBERS), cycle(("0.0", "r", "0.2 * c[J]", "0.1"))
    made: list[Nest] = []

    def point(fill: tuple[str, ...], product: tuple[str, ...]) -> None:
        lines = [line.replace("{u}", next(starts)) for line in product]
        if "u = " in lines[1]:
            lines.append(next(of_numbers))
        middle, end = next(between), next(ends)
        inside = (*fill, *((middle,) if middle else ()), *lines, end)
        head = f"{next(buffers)}for I in {next(points)}:\n    r = 0.2 * e[I]\n"
        made.append(Nest(0.1, head + indented(inside), TAG))

    for product in OF_BUFFERS:
        for fill in (*FILLS, *FILLS, *FILLS, *PARTS):
            point(fill, product)
    for _ in range(4):
        for fill in ROWS:
            for product in OF_ROWS:
                point(fill, product)
    return tuple(made)


POINTS_OF_LAYERS = Theme("points", (), _loops(), state=STATE, largest=160)
