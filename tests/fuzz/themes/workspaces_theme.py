"""The theme of workspaces: a loop over points, each of which works in buffers made before it.

Most points fill a buffer before they read it, so that it could be their own; others fill a part of
it, read first, fill under a condition, or leave something to be read by the next point or after the
loop.
"""

from itertools import cycle

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("workspace",)
POINTS = ("range(12)", "range(11, -1, -1)", "range(1, 12)", "range(n + 3)", "range(2, 10)")
MADE = (
    "za = np.zeros(n)\nzb = np.zeros(n)\n",
    "za = np.zeros(n)\nzb = np.ones(n)\n",
    "za = np.full(n, 0.3)\nzb = np.zeros(n)\n",
    "za, zb = np.zeros(n), np.zeros(n)\n",
)
FILLS = (
    ("for J in range(n):", "    za[J] = h[I, J] - c[J]"),
    ("za[:] = h[I, :n] * {s}",),
    ("for J in range(n):", "    za[J] = h[I, J] * r", "    r = 0.5 * r + za[J]"),
    ("for J in range(n):", "    za[J] = r", "    za[J] += 0.3 * h[I, J]"),
    ("for J in range(n):", "    za[J] = np.sin(h[I, J] + e[I])", "    t += 0.1 * za[J]"),
)
PARTS = (
    ("for J in range(1, n):", "    za[J] = h[I, J] - c[J]"),
    ("for J in range(n - 1):", "    za[J] = h[I, J] * r"),
    ("for J in range(n):", "    if h[I, J] > 0.1:", "        za[J] = h[I, J] * r"),
    ("for J in range(n):", "    r += 0.3 * za[J]", "    za[J] = h[I, J] * r"),
    ("for J in range(n):", "    za[J] = h[I, J]", "    r += 0.2 * za[n - 1 - J]"),
    ("r = 0.5 * r + 0.3 * za[2]", "za[:] = h[I, :n]"),
    ("if e[I] > 0.2:", "    za[:] = h[I, :n] * r"),
)
USES = (
    (
        "for J in range(n):",
        "    s1 = x[J] * za[J]",
        "    for K in range(J):",
        "        s1 += c[K] * za[K]",
        "    r += s1 * s1",
    ),
    ("for J in range(n):", "    zb[J] = 0.4 * za[J] * za[J]", "r += np.sin(zb[1]) * zb[0]"),
    ("for J in range(n):", "    r = 0.5 * r + za[J]", "    zb[J] = r", "t += 0.1 * np.sum(zb)"),
    (
        "for J in range(n):",
        "    zb[J] = za[J]",
        "for K in range(n):",
        "    for J in range(n):",
        "        zb[J] = 0.5 * zb[J] + 0.1 * za[K] * zb[J]",
    ),
    (
        "k = 0",
        "for J in range(n):",
        "    for K in range(J):",
        "        r += p6[k] * za[J] * za[K]",
        "        k += 1",
    ),
    (
        "for J in range(n):",
        "    r = max(0.7 * r, za[J])",
        "    if r > 0.2:",
        "        t += 0.1 * r",
    ),
    ("for J in range(n):", "    za[J] = za[J] * r", "    r = 0.5 * r + za[J] * za[J]"),
    ("zb[:] = za * r", "for J in range(n):", "    r = 0.6 * r + zb[J] * h[11 - I, J]"),
)
ENDS = (
    "t += 0.1 * r",
    "d[I] = r",
    "d[I] = r\n    t += 0.2 * np.exp(-r * r)",
    "c[I % 4] += 0.1 * r",
    "for K in range(n):\n        g[I, K] += za[K] * r",
    "hi = max(hi, r)",
)
AFTER = ("", "", "", "t += 0.2 * np.sum(za)\n", "t += 0.1 * zb[2]\n")
STATE = {
    "e": ("e = 0.5 * np.sin(np.arange(12) * 0.3) + 0.3 * np.repeat(x, 3)", "0.1 * np.sum(e)"),
    "h": ("h = np.sin(np.arange(48)).reshape(12, 4) * x * w", "0.1 * np.sum(h)"),
    "d": ("d = np.zeros(12)", "np.sum(d * np.cos(np.arange(12)))"),
    "g": ("g = np.zeros((12, 4))", "np.sum(g * np.sin(np.arange(48)).reshape(12, 4))"),
    "c": ("c = 0.3 * x * w", "np.sum(c * x)"),
    "p6": ("p6 = 0.2 * np.cos(np.arange(6)) * x[0]", "np.sum(p6)"),
    "hi": ("hi = -1.0", "hi"),
}


def indented(lines: tuple[str, ...]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def _loops() -> tuple[Nest, ...]:
    """Every use with every way to fill, and every part with two uses; the rest taken in turn."""
    points, buffers, ends, after = map(cycle, (POINTS, MADE, ENDS, AFTER))
    made: list[Nest] = []

    def point(fill: tuple[str, ...], use: tuple[str, ...]) -> None:
        head = f"{next(buffers)}for I in {next(points)}:\n    r = 0.2 * e[I]\n"
        loop = f"{head}{indented(fill)}{indented(use)}    {next(ends)}\n{next(after)}"
        made.append(Nest(0.1, loop, TAG))

    for fill in FILLS:
        for use in USES:
            point(fill, use)
    uses = cycle(USES)
    for part in (*PARTS, *PARTS):
        point(part, next(uses))
    return tuple(made)


WORKSPACES = Theme("workspaces", (), _loops(), state=STATE, largest=160)
