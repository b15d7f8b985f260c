"""The theme of ensembles: a loop over members, each of which runs a recurrence of its own.

Members start alike or not, read rows of their own or of others, store, add and decide. Most are
independent, so that many may run in step; some read what another member has stored.
"""

from itertools import cycle

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("ensemble",)
MEMBERS = ("range(12)", "range(11, -1, -1)", "range(1, 12)", "range(n + 3)", "range(2, 10)")
STEPS = ("range(4)", "range(3, -1, -1)", "range(n)", "range(1, 4)", "range(I % 4)")
STARTS = ("e[I]", "{bounded_s}", "0.3 * h[I, 0]", "0.2 * I", "e[11 - I]")
TRIPS = (
    ("r = 0.7 * r + h[I, J]",),
    ("r = r + 0.2 * r * u", "u = 0.5 * u - 0.1 * r"),
    ("r, u = u + 0.3 * h[I, J], 0.5 * r",),
    ("if r > h[I, J]:", "    r = 0.5 * r - 0.1", "else:", "    r = 0.4 * r + 0.3 * e[I]"),
    ("g[I, J] = r", "r = np.sin(r) + 0.2 * h[I, J]"),
    ("r = max(0.5 * r, h[I, J])", "g[I, J] += 0.3 * r"),
    ("t += 0.1 * r * h[I, J]", "r = 0.5 * r + 0.1 * {n4}[J]"),
    ("for K in range(2):", "    r = 0.6 * r + 0.1 * h[I, K] * r", "u += r"),
    ("q = 0.1 * J + 0.2", "r = r * q + h[I, J] * {n4}[J]"),
    ("c[J] += 0.1 * r", "r = 0.4 * r - h[I, J]"),
    ("g[I, J] = 0.5 * r", "r = 0.5 * r + 0.2 * g[I, J]"),
    ("r = 0.3 * r * r + 0.1 * d[I]",),
    ("r = 0.5 * r + np.exp(-r * r) * h[11 - I, J]",),
    ("u = u * 0.9 + 0.01", "r = r - u * r * e[I]"),
)
ENDS = (
    "d[I] = r",
    "t += 0.1 * r + 0.05 * u",
    "d[11 - I] = r * e[I]",
    "if r > 0.2:\n        t += 0.2 * r\n        d[I] = u",
    "hi = max(hi, r)",
    "up *= 1.0 + 0.1 * r",
    "d[I] += 0.3 * r - u",
    "c[I % 4] += 0.1 * r",
    "for K in range(4):\n        g[I, K] += np.sin(r * h[I, K])",
    "if r > 0.1:\n        d[I] = r * r * u",
)
DEPENDENT = (
    "r = 0.5 * r + 0.2 * d[I - 1]",
    "r = 0.6 * r + 0.1 * t",
    "u = d[(I + 1) % 12] + 0.5 * r",
)
WHILES = (
    "k = 0\n    while k < 4 and r < 1.0:\n        r += 0.4 + 0.1 * h[I, k]\n        k += 1",
    "while abs(r) > 0.2:\n        r = 0.5 * r",
    "while r * r > 0.1:\n        r, u = 0.6 * r, u + 0.1 * r",
    "while r < 1.0 + e[I]:\n        r += 0.4\n        if r > 0.5:\n            u += 0.1",
)
STATE = {
    "e": ("e = 0.5 * np.sin(np.arange(12) * 0.3) + 0.3 * np.repeat(x, 3)", "0.1 * np.sum(e)"),
    "h": ("h = np.sin(np.arange(48)).reshape(12, 4) * x * w", "0.1 * np.sum(h)"),
    "d": ("d = np.zeros(12)", "np.sum(d * np.cos(np.arange(12)))"),
    "g": ("g = np.zeros((12, 4))", "np.sum(g * np.sin(np.arange(48)).reshape(12, 4))"),
    "c": ("c = np.zeros(4)", "np.sum(c * x)"),
    "hi": ("hi = -1.0", "hi"),
    "up": ("up = 1.0", "up"),
}


def _indented(lines: tuple[str, ...], depth: int) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in lines)


def _loops() -> tuple[Nest, ...]:
    """Every trip with two ends, every dependence and every `while`; the rest taken in turn."""
    members, steps, starts, ends = map(cycle, (MEMBERS, STEPS, STARTS, ENDS))
    made: list[Nest] = []

    def member(middle: str) -> None:
        head = f"for I in {next(members)}:\n    r = {next(starts)}\n    u = 0.1\n"
        loop = f"{head}{middle}    {next(ends)}\n"
        made.append(Nest(0.1, loop, TAG))

    for trip in (*TRIPS, *TRIPS, *((*t, more) for t, more in zip(TRIPS, DEPENDENT, strict=False))):
        member(f"    for J in {next(steps)}:\n{_indented(trip, 2)}")
        next(starts)
    for loop in WHILES:
        member(f"    {loop}\n")
    return tuple(made)


ENSEMBLES = Theme("ensembles", (), _loops(), state=STATE, largest=160)
