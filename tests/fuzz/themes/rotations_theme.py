"""The theme of rotations: loops over time in which arrays take turns as the old and the new one.

By copies of a region, by names that change places, or as a new array in each step; with equal and
other borders, reads and stores in between and after, two names of one buffer, and loops around.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.stencils_theme import STENCILS
from tests.fuzz.themes.theme import Theme

TAG = ("rotation",)
TIME = ("range(3)", "range(4)", "range(n)", "range(2, -1, -1)", "range(0)", "range(1, 6)")
SPACE = ("range(1, 23)", "range(22, 0, -1)", "range(2, len(a) - 2)", "range(24)")
STEPS = (
    "d[J] = a[J] - 0.2 * a[J] * (a[J] - a[J - 1]) + 0.1 * a[(J + 1) % 24]",
    "d[J] = 0.4 * a[(J + 1) % 24] - 0.3 * a[J - 1]",
    "d[J] = 0.5 * d[J] + 0.2 * a[J - 1] * a[J]",
    "d[J] = 1.5 * a[J] - c[J] * 0.4 + 0.1 * a[J - 1] * a[J]",
)
BEFORE = (
    "d = a.copy()",
    "c = a.copy()\nd = a.copy()",
    "d = np.zeros(24)",
    "d = a.copy()\nd[0] = 0.4",
    "d = a\na = d.copy()\nc = d.copy()",
    "d = a.copy()\nc = np.sin(a)",
)
COPY = "for J in SPACE:\n    a[J] = d[J]"
TURNS = (
    COPY,
    "for J in SPACE:\n    c[J] = a[J]\n    a[J] = d[J]",
    "for J in SPACE:\n    a[J] = d[J]\n    c[J] = a[J]",
    f"{COPY}\na[0] = 0.7 * a[1]",
    f"{COPY}\nt += 0.1 * a[0] * a[5]",
    f"{COPY}\nt += 0.1 * d[5]",
    f"d[0] = 0.3 * a[1]\n{COPY}",
    f"t += 0.2 * d[0] * d[7]\n{COPY}",
    f"a[3] = 0.1 + t\n{COPY}",
    "for J in range(3, 20):\n    a[J] = d[J]",
    "for J in range(24):\n    a[J] = d[J]",
    "a[:] = d",
    "a[1:-1] = d[1:-1]",
    "a[1:-1] = d[::-1][1:-1]",
    f"if I < 3:\n    {COPY}".replace("\n    a", "\n        a"),
    "a, d = d, a",
    "a, d, c = d, c, a",
    "a, d, c = d, a, c",
    "d, c, a = c, a, d\nt += 0.1 * c[4]",
    "a, d = d, a\na[2] = 0.4 * t",
    "a, d = d, a\nt += 0.1 * a[4]\nif t > 0.7:\n    break",
    "a, d, c = d, c, a\nif a[5] > 0.1:\n    break",
)
NEW = (
    "d = a.copy()\nSTEP\na = d",
    "d = a.copy()\nSTEP\nc = a\na = d",
    "d = np.zeros(24)\nSTEP\na, c = d, a",
    "d = a.copy()\nSTEP\na = c = d",
    "d = a.copy()\nSTEP\nif t > 0.3:\n    a = d",
    "d = a.copy()\nSTEP\na[0] = 0.3 * t\na = d",
    "d = a.copy()\nSTEP\nc, a = d, c",
    "d = a.copy()\nSTEP\nt += 0.1 * a[3] * d[3]\na = 0.9 * d",
    "d = a.copy()\nSTEP\nd[0] = 0.5 * d[1]\na = d\nt += 0.2 * a[0]",
)
AFTER = (
    "",
    "t += 0.1 * d[3]",
    "a[3] = 0.2 * t\nt += 0.3 * d[3] + 0.1 * c[3]",
    "c[5] = 0.4\nt += 0.2 * a[5]",
    "",
    "s = 0.5 * s + 0.1 * np.sum(a * c)",
)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _loops() -> tuple[Nest, ...]:
    """Every step with every turn, the rest taken in turn; some in a loop around them."""
    time, space, before, after = map(cycle, (TIME, SPACE, BEFORE, AFTER))
    around = cycle((False, False, True, False, False))
    made: list[Nest] = []
    for step, turn in product(STEPS, (*TURNS, *NEW)):
        here = next(space)
        inner = f"for J in {here}:\n    {step}"
        body = turn.replace("STEP", inner) if turn in NEW else f"{inner}\n{turn}"
        loop = f"for I in {next(time)}:\n{_indented(body.replace('SPACE', here))}"
        text = f"{next(before)}\n{loop}{next(after)}\n"
        made.append(
            Nest(0.2, f"for K in range(2):\n{_indented(text)}" if next(around) else text, TAG)
        )
    return tuple(made)


ROTATIONS = Theme("rotations", (), _loops(), state=STENCILS.state, largest=160)
