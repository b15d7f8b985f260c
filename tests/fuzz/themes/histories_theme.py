"""The theme of histories: loops over time that save arrays, or parts of them, and store to them.

By a copy that the step reads, in place, or by a second array; with borders that are set before or
after, two updates in a trip, reads of old arrays, and stores between the loop and the result.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.stencils_theme import STENCILS
from tests.fuzz.themes.theme import Theme

TAG = ("history",)
TIME = ("range(3)", "range(5)", "range(n)", "range(4)", "range(1, 5)", "range(3, -1, -1)")
NEW = (  # of old elements b
    "b[1:-1] - 0.2 * b[1:-1] * (b[1:-1] - b[:-2]) + 0.1 * (b[2:] - 2 * b[1:-1])",
    "0.4 * b[2:] * b[:-2]",
    "np.sin(b[1:-1]) + 0.2 * b[2:] * c[1:-1]",
    "0.6 * b[1:-1] * t + 0.3 * b[:-2] * b[2:]",
)
STEPS = (  # NEW as a step of array a
    "b = a.copy()\na[1:-1] = NEW",
    "b[:] = a\na[1:-1] = NEW",
    "a[1:-1] = OLD",
    "a[1:-1] += 0.3 * (OLD)",
    "b = a.copy()\na[1:-1] = NEW\na[0] = 0.5 * a[1]\na[-1] = b[-2]",
    "a[0] = 0.2 * t\nb = a.copy()\na[1:-1] = NEW",
    "d[1:-1] = OLD\na[:] = d",
    "d[1:-1] = OLD\na[1:-1] = d[1:-1]",
    "d[1:-1] = OLD\na, d = d, a",
    "d = a.copy()\nd[1:-1] = OLD\na = d",
    "d = np.zeros(24)\nd[1:-1] = OLD\na = d",
    "b = a[1:-1].copy()\na[1:-1] = OLD\nt += 0.1 * np.sum(b * a[2:])",
    "b = a.copy()\nt += 0.1 * b[3] * b[4]\na[4] = 0.5 * t",
    "b = a.copy()\na[3:-2] = (NEW)[2:-1]",
    "b = a.copy()\na[3:9] = (NEW)[2:8]\nt += 0.1 * b[2] * b[5]",
    "b = a.copy()\nfor J in range(1, 23):\n    a[J] = 0.5 * b[J] * b[J - 1] + 0.2 * b[J + 1]",
    "a += 0.2 * a * (1.0 - a)\na[1:-1] = OLD",
    "a[1:-1] = OLD\na[1:] += 0.2 * a[:-1] * a[1:]",
    "b = a.copy()\na[1:-1] = NEW\nb = a.copy()\na[1:-1] = NEW",
    "b = a.copy()\nif t > 0.4:\n    a[1:-1] = NEW",
    "a[1:-1] = OLD\nb = a.copy()\nt += 0.1 * b[5] * b[6]",
    "b = a.copy()\na[1:-1] = NEW\nc[1:-1] = 0.8 * c[1:-1] + 0.1 * b[1:-1] * b[2:]",
    "b = a.copy()\na[1:-1] = NEW\nb[2] = 0.3\nt += 0.1 * b[2] * b[3]",
    "b = a[::-1].copy()\na[1:-1] = NEW",
)
PLANES = (
    "q = r.copy()\nr[1:-1, 1:-1] = q[1:-1, 1:-1] + 0.2 * q[2:, 1:-1] * q[:-2, 1:-1]",
    "r[1:-1, 1:-1] = 0.5 * r[1:-1, 1:-1] * r[2:, 1:-1] + 0.2 * r[1:-1, :-2]",
    "q = r.copy()\nr[1:-1] = 0.5 * q[1:-1] * q[2:]\nr[:, 0] = r[:, 1]\nr[0] = 0.1 * q[1]",
    "q[1:-1, 1:-1] = 0.4 * r[1:-1, 2:] * r[1:-1, :-2]\nr[:] = q",
    "r[1:, :] -= 0.2 * r[1:, :] * q[:-1, :]\nq[:, 1:] += 0.2 * q[:, 1:] * r[:, :-1]",
    "q = r.copy()\nr[2:, 1:-1] = 0.3 * q[:-2, 2:] * q[1:-1, :-2]",
)
BEFORE = (
    "b = 0.5 * a",
    "b = a.copy()\nd = a.copy()",
    "b = c.copy()",
    "b = np.zeros(24)\nd = a * 1",
)
AFTER = ("", "", "t += 0.1 * a[3] * a[4]", "a[5] = 0.3 * t", "a[1:-1] *= a[2:]", "c = a * c")


def _loops() -> tuple[Nest, ...]:
    """Every step with every update, the rest taken in turn."""
    time, before, after = map(cycle, (TIME, BEFORE, AFTER))
    made: list[Nest] = []
    for step, new in product(STEPS, NEW):
        body = step.replace("NEW", new).replace("OLD", new.replace("b[", "a["))
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        text = f"{next(before)}\nfor I in {next(time)}:\n{lines}{next(after)}\n"
        made.append(Nest(0.2, text, TAG))
    for step in PLANES:
        lines = "".join(f"    {line}\n" for line in step.splitlines())
        made.append(Nest(0.5, f"for I in {next(time)}:\n{lines}", TAG))
    return tuple(made)


HISTORIES = Theme("histories", (), _loops(), state=STENCILS.state, largest=160)
