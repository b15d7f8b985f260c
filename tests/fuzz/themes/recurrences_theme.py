"""The theme of recurrences: loops that do nothing but carry numbers along an array.

Passes that change the order of trips, split loops, or keep elements in registers act on loops whose
bodies are so plain that nothing forbids it; random statements in a body would. The value that is
carried is read before it is updated, after it, or in both places.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, moves

TAG = ("recurrence",)
ORDERS = ("range(4)", "range(3, -1, -1)", "range(1, 4)", "range(n)")
# how a number is carried from element to element, between which reads of it
UPDATES = ("s += 0.4 * x_", "s = s + x_ * t", "s = 0.7 * s + x_", "s *= 1.0 + 0.3 * x_",
           "s -= x_ * x_", "s = max(s, x_)")  # fmt: skip
READS = (
    ("", "{out} = s"),
    ("", "{out} = 0.5 * s * {factor}"),
    ("{out} = 0.5 * s * {factor}", ""),
    ("{out} = s", "t += 0.3 * s * {factor}"),
    ("", "t += 0.2 * s * s"),
    ("", "t = 0.6 * t + 0.3 * s"),
    ("w += 0.1 * s", "{out} += 0.4 * s * {factor}"),
)
PLACES = ("d[I]", "d[3 - I]", "g[1, I]", "{n4}[I]")
FACTORS = ("{n4}[I]", "{n4}[-1]", "0.8", "np.tanh({n4}[I])")

BEFORE = "d = np.zeros(4)\ng = np.zeros((3, 4))\ns = {bounded_s}\n"
AFTER = "t = 0.2 * np.sum(d * {v4}) + 0.3 * np.sum(g) + 0.1 * t\n"


def _loops() -> tuple[Nest, ...]:
    """Every read with every update, the rest taken in turn."""
    made = []
    for k, (before, after) in enumerate(READS):
        for j, update in enumerate(UPDATES):
            turn = k * len(UPDATES) + j
            fill = {
                "{out}": PLACES[turn % len(PLACES)],
                "{factor}": FACTORS[(turn // 2) % len(FACTORS)],
                "x_": "{n4}[I]",
            }
            body = [line for line in (before, update, after) if line]
            text = "\n".join(f"    {line}" for line in body)
            for hole, what in fill.items():
                text = text.replace(hole, what)
            loop = f"for I in {ORDERS[turn % len(ORDERS)]}:\n{text}\n"
            made.append(Nest(0.1, BEFORE + loop + AFTER, TAG))
    return tuple(made)


RECURRENCES = Theme(
    "recurrences",
    moves(
        """
        {n4}[:] = 0.4 * np.cumsum({n4})
        {n4}[:] = 0.3 * np.cumsum({v4})[::-1]
        {n4}[:] = np.cumprod(0.5 * {n4})
        s = 0.2 * np.cumsum({n4})[{ix4}]
        {n4}[1:] -= 0.3 * np.diff({n4})
    """,
        *TAG,
    ),
    (
        *_loops(),
        Nest(0.5, """\
g = np.zeros((3, 4))
for I in range(3):
    s = 0.0
    for J in range(4):
        s += {m}[I, J] * {n4}[J]
        g[I, J] = s
t = 0.2 * np.sum(g * {m})
""", TAG),
        Nest(0.5, """\
g = np.zeros((3, 4))
for J in range(4):
    s = 0.2
    for I in range(3):
        g[I, J] = s * {n4}[J]
        s += 0.3 * {m}[I, J]
t = 0.2 * np.sum(g) + 0.1 * s
""", TAG),
        Nest(0.5, """\
e = np.zeros(4)
g = np.zeros((3, 4))
for I in range(3):
    e = e + {m}[I]
    g[I] = e * {n4}
t = 0.2 * np.sum(g * {m})
""", TAG),
        Nest(0.5, """\
e = np.zeros(4)
for I in range(3):
    e += 0.4 * {m}[I]
    t += 0.1 * np.sum(e * {n4})
""", TAG),
        Nest(0.5, """\
d = np.zeros(4)
d[0] = {bounded_s}
for I in range(1, 4):
    d[I] = 0.6 * d[I - 1] + {n4}[I]
for I in range(2, -1, -1):
    d[I] += 0.5 * d[I + 1] * {n4}[I]
s = 0.3 * np.sum(d * {v4})
""", TAG),
        Nest(0.5, """\
s = 0.0
t = 0.0
for I in range(4):
    s += {n4}[I]
    t += s * {n4}[I]
    w += 0.1 * t
s = 0.2 * s * t
""", TAG),
    ),
)  # fmt: skip
