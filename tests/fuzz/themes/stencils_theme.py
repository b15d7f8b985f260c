"""The theme of stencils: loops over time that compute a new array from an old one's neighbours.

Each step is one or two updates and, in most of them, a copy from new to old: of all that the step
stores, of less, of more, under a condition, with reads of either array between or behind.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("stencil",)
TIME = ("range(3)", "range(4)", "range(n)", "range(2, -1, -1)", "range(0)", "range(1, 4)")
SPACE = (
    "range(1, 23)",
    "range(1, len(a) - 1)",
    "range(22, 0, -1)",
    "range(2, len(a) - 2)",
)
UPDATES = (
    "d[J] = a[J] - 0.2 * a[J] * (a[J] - a[J - 1]) + 0.1 * (a[J + 1] - 2 * a[J] + a[J - 1])",
    "d[J] = 0.3 * (a[J - 1] + a[J] + a[J + 1])",
    "d[J] = 0.4 * a[J + 1] - 0.3 * a[J - 1]",
    "d[J] = 0.2 * a[J - 2] + 0.3 * a[J] * a[J] - 0.2 * a[(J + 2) % 24]",
    "d[J] = 0.5 * a[J] + 0.3 * a[(J + 1) % 24]",
    "d[J] = 0.5 * d[J] + 0.2 * a[J - 1] * a[J + 1]",
    "d[J] = np.sin(a[J]) + 0.2 * a[J - 1] - 0.1 * c[J + 1]",
    "d[J] += 0.2 * a[J - 1] * c[J] - 0.1 * a[J + 1]",
    "a[J] = 0.3 * a[J - 1] + 0.4 * a[J] + 0.2 * a[J + 1]",
    "c[J] = 0.2 * (a[J + 1] - a[J - 1])\n        d[J] = a[J] + 0.3 * c[J]",
)
COPIES = (
    "for J in SPACE:\n        a[J] = d[J]",
    "for J in SPACE:\n        c[J] = a[J]\n        a[J] = d[J]",
    "for J in SPACE:\n        a[J] = 0.5 * d[J] + 0.3 * a[J]",
    "for J in range(3, 20):\n        a[J] = d[J]",
    "for J in range(24):\n        a[J] = d[J]",
    "a[1:-1] = d[1:-1]",
    "for J in SPACE:\n        if d[J] > 0.1:\n            a[J] = d[J]",
    "for J in SPACE:\n        a[J] = d[J]\n    a[0] = 0.7 * a[1]",
    "for J in SPACE:\n        a[J] = d[J]\n    t += 0.1 * a[J] + 0.1 * d[2]",
    "for J in SPACE:\n        a[J] = d[J]\n        d[J] = 0.0",
    "t += 0.1 * a[3]\n    for J in SPACE:\n        a[J] = d[J]",
    "for J in SPACE:\n        a[J] = d[J]\n    if t > 0.7:\n        break",
    "for J in SPACE:\n        a[J] = d[J]\n    if I == 1:\n        a[4] = 0.3 * t",
    "d, a = a, d",
    "",
)
BEFORE = ("", "", "c = d[:]\n", "d = a.copy()\n", "", "c = a.copy()\n")
AFTER = ("", "t += 0.1 * d[3]\n", "", "d = a\n", "s = 0.5 * s + 0.1 * np.sum(a * d)\n")
WHOLE = (
    "d[1:-1] = a[1:-1] - 0.2 * a[1:-1] * (a[1:-1] - a[:-2]) + 0.1 * (a[2:] - 2 * a[1:-1])",
    "d[1:-1] = 0.3 * a[2:] - 0.4 * a[:-2]",
    "a[1:] -= 0.3 * (d[1:] - d[:-1])",
    "d[2:-2] = 0.2 * a[4:] + 0.3 * a[:-4] * a[2:-2]",
    "d[1:-1] = 0.3 * a[::-1][1:-1] + 0.2 * a[2:] * c[:-2]",
    "d[::2] = 0.3 * a[::2] + 0.2 * a[1::2] * a[::2]",
    "d[1:] = 0.3 * np.sin(a[1:]) + 0.2 * a[:-1]",
    "a[1:-1] = 0.3 * (a[2:] + a[1:-1] + a[:-2])",
    "d[1:-1] = 0.3 * np.where(a[1:-1] > 0.1, a[2:], a[:-2])",
    "d[1:n + 1] += 0.2 * a[:n] * a[2:n + 2] - 0.1 * a[1:n + 1]",
)
WHOLE_COPIES = ("a[1:-1] = d[1:-1]", "a, d = d, a", "a = d.copy()", "d[:] = 0.5 * a", "")
PLANES = (
    "q[J, K] = 0.2 * (r[J, K] + r[J - 1, K] + r[J + 1, K] + r[J, K - 1] + r[J, K + 1])",
    "q[J, K] = r[J, K] + 0.2 * r[J, K] * (r[J - 1, K] - r[J + 1, K]) + 0.1 * r[J, K - 1]",
    "r[J, K] += 0.1 * (q[J, K + 1] - q[J, K] + q[J + 1, K] - q[J - 1, K])",
    "q[J, K] = 0.3 * r[J, K - 1] * r[J, K + 1] + 0.2 * q[J, K]",
)
PLANE_COPIES = (
    "for J in range(1, 4):\n        for K in range(1, 19):\n            r[J, K] = q[J, K]",
    "r[1:-1, 1:-1] = q[1:-1, 1:-1]",
    "for J in range(1, 4):\n        for K in range(2, 17):\n            r[J, K] = q[J, K]",
    "for J in range(5):\n        for K in range(20):\n            q[J, K] = 0.6 * r[J, K]",
    "",
)
STATE = {
    "a": ("a = 0.4 * np.sin(np.arange(24) * w) + 0.1 * np.sum(x)", "np.sum(a * np.arange(24))"),
    "d": ("d = 0.3 * np.cos(np.arange(24) + np.sum(x * w))", "np.sum(d * np.arange(24)) * 0.3"),
    "c": ("c = 0.2 * np.sin(np.arange(24) * np.sum(x))", "0.1 * np.sum(c * np.arange(24))"),
    "r": (
        "r = 0.3 * np.sin(np.arange(100) * w).reshape(5, 20) + 0.1 * np.sum(x)",
        "0.2 * np.sum(r * np.cos(np.arange(100)).reshape(5, 20))",
    ),
    "q": (
        "q = 0.2 * np.cos(np.arange(100) + np.sum(x * w)).reshape(5, 20)",
        "0.1 * np.sum(q * np.sin(np.arange(100)).reshape(5, 20))",
    ),
}


def _loops() -> tuple[Nest, ...]:
    """Every update with every copy, the rest taken in turn."""
    time, space, before, after = map(cycle, (TIME, SPACE, BEFORE, AFTER))
    made: list[Nest] = []
    for update, copy in product(UPDATES, COPIES):
        here = next(space)
        step = f"    for J in {here}:\n        {update}\n"
        if copy:
            step += f"    {copy.replace('SPACE', here)}\n"
        made.append(Nest(0.1, f"{next(before)}for I in {next(time)}:\n{step}{next(after)}", TAG))
    for update, copy in product(WHOLE, WHOLE_COPIES):
        step = "".join(f"    {line}\n" for line in (update, copy) if line)
        made.append(Nest(0.3, f"{next(before)}for I in {next(time)}:\n{step}{next(after)}", TAG))
    for update, copy in product(PLANES, PLANE_COPIES):
        step = f"    for J in range(1, 4):\n        for K in range(1, 19):\n            {update}\n"
        if copy:
            step += f"    {copy}\n"
        made.append(Nest(0.2, f"for I in {next(time)}:\n{step}", TAG))
    return tuple(made)


STENCILS = Theme("stencils", (), _loops(), state=STATE, largest=160)
