"""The theme of distributed loops: recurrences that call functions of numbers which no trip changes,
and loops that call functions between loops in them.

Some functions are of what a trip does change, by a carried number, by the same array or by another
name of it; results are stored, in places that several trips share as well.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.sweeps_theme import STATE
from tests.fuzz.themes.theme import Theme

TAG = ("functions in a recurrence",)
RANGES = ("range(6)", "range(5, -1, -1)", "range(n)", "range(1, 5)", "range(n, -1, -1)")
TRIPS = (
    ("s = 0.5 * s * np.sin(d[I]) + 0.2 * np.cos(a[I, 1])",),
    ("s = 0.4 * s + np.exp(-a[I, 2] * a[I, 2])", "t += 0.1 * s * s"),
    ("d[I] = 0.3 * s * np.tanh(a[I, I])", "s = 0.5 * s + d[I]"),
    ("h = np.cos(0.5 * d[I])", "d[I // 2] = h", "s = 0.3 * s * h"),
    ("h = np.tanh(a[1, I])", "a[I, 0] = 0.5 * h", "s = np.sin(s) * h"),
    ("h = np.exp(-0.1 * I)", "s = h * s + 0.2 * d[I]", "d[2] = h"),
    ("h = np.sin(a[2, I])", "if h > s:", "    s = 0.5 * h", "else:", "    d[I] = 0.6 * s"),
    ("d[I] = 0.4 * d[I - 1] * np.cos(a[I, 3]) + 0.1 * np.sin(d[I])",),
    ("c = a[I]", "h = np.log1p(c[1] * c[1])", "s = 0.5 * s * h", "a[I, 1] = s"),
    ("h = np.tanh(s + d[I])", "s = 0.3 * h + 0.2 * np.sin(d[I])"),
    ("d[5 - I] = np.sin(a[I, 4])", "s = 0.7 * s * d[I]"),
    ("s = min(s, np.cos(d[I])) * np.exp(-abs(a[3, I]))", "if s < 0.05:", "    break"),
    ("s = 0.4 * s + 0.3 * d[I]", "t += 0.1 * np.exp(-s * s)"),
    ("s = 0.4 * s + d[I] * a[I, 2]", "a[I, 0] = np.sin(s)", "t = max(t, np.cos(s))"),
    ("h = np.exp(-d[I] * d[I])", "s = 0.5 * s + h", "d[I // 2] = np.tanh(s) * h"),
    ("d[I] = 0.4 * d[I - 1] + a[I, 1]", "t += 0.2 * np.sin(d[I])", "a[2, 2] = np.cos(t)"),
    ("s, t = 0.6 * t + d[I], 0.3 * s", "d[5 - I] += 0.1 * np.log1p(s * s)"),
    ("for J in range(n):", "    s = 0.6 * s * np.cos(a[I, J]) + 0.1 * np.sin(d[J])"),
    ("for J in range(6):", "    d[J] = 0.4 * s * np.tanh(a[J, I])", "    s = 0.5 * s + d[J]"),
)
SUM = ("h = 0.1 * d[I]", "for J in range(6):", "    h += 0.3 * a[I, J] * d[J]")
BETWEEN = (
    (*SUM, "s += 0.1 * np.exp(-h * h)"),
    (*SUM, "a[I, 1] = np.tanh(h)"),
    (*SUM, "d[I] = 0.5 * np.sin(h)"),
    (*SUM, "a[2, 2] += 0.1 * np.cos(h)", "t = max(t, np.sin(h))"),
    (*SUM, "s = 0.5 * s * np.cos(h)", "d[I // 2] = 0.2 * s"),
    (*SUM, "if h > 0.2:", "    s += np.log1p(h)", "else:", "    a[I, 0] = np.exp(h)"),
    (*SUM, "h = np.sin(h)", "for J in range(n):", "    d[J] += 0.1 * h * a[J, I]"),
    (*SUM, "h = np.exp(-abs(h))", "for J in range(I):", "    a[I, J] = h * d[J]", "s -= h"),
    (*SUM, "for K in range(n):", "    s += 0.1 * np.tanh(h * d[K])", "t = np.cos(h) * t"),
    ("h = np.cos(d[I])", *SUM[1:], "d[5 - I] = 0.3 * np.tanh(h)", "s += h * d[I]"),
    ("c = a[I]", *SUM, "c[3] = np.sin(h)", "t = 0.5 * c[2] + 0.3 * np.sin(c[1])"),
    (*SUM, "if h > 1.5:", "    break", "s *= np.exp(-0.1 * h)"),
)


def _loops() -> tuple[Nest, ...]:
    """Every trip with every range."""
    before = cycle(("s = {bounded_s}\n", "", "t = 0.3\n"))
    made: list[Nest] = []
    for trip, over in product((*TRIPS, *BETWEEN), RANGES):
        body = "".join(f"    {line}\n" for line in trip)
        made.append(Nest(0.1, f"{next(before)}for I in {over}:\n{body}", TAG))
    return tuple(made)


DISTRIBUTED = Theme("distributed", (), _loops(), state=STATE, largest=160)
