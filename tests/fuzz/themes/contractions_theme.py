"""The theme of contractions: loops that multiply elements of arrays and sum.

Matrices, stacks and windows are multiplied in any order of the loops, into elements or numbers,
with places that are in bounds, wrap around or depend on other loops, now and then in memory that
the loops read.
"""

from itertools import cycle, permutations, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("contraction",)
RANGES = {
    "I": ("range(6)", "range(1, 5)", "range(3, -1, -1)", "range(n)", "range(len(a))", "range(3)"),
    "J": (
        "range(6)",
        "range(2)",
        "range(5, 0, -1)",
        "range(n)",
        "range(a.shape[1])",
        "range(I, 6)",
    ),
    "K": ("range(6)", "range(3)", "range(n)", "range(2, -1, -1)", "range(len(d))", "range(J + 1)"),
}
SUMS = (
    "c[I, J] += a[I, K] * d[K, J]",
    "c[I, J] -= 0.3 * a[K, I] * d[J, K]",
    "c[J, I] += a[I, K] * d[K, J] * w",
    "c[I, J] += (a[I, K] - d[0, K]) * np.sin(d[K, J])",
    "c[I, J] += a[I, K] * a[J, K]",
    "c[I, J] = c[I, J] + 0.2 * d[K, J] * a[I, K]",
    "c[I, J] += a[I - 1, K] * d[K, J]",
    "c[I, J] += 0.2 * a[(I + K) % 6, 0] * d[K, J]",
    "c[I, J] += q[I + K] * d[K, J]",
    "c[I, J] += 0.3 * q[I + 1 - K] * d[K, J - 1]",
    "q[I + J] += 0.2 * a[I, K] * d[K, J]",
    "c[I, 5 - J] += a[I, 5 - K] * d[5 - K, J]",
    "a[I, J] += 0.2 * a[I, K] * d[K, J]",
    "a[J, I] += 0.1 * c[I, K] * d[K, J]",
    "c[I, J] += a[I, K] * d[K, J] * d[I, J]",
    "c[I, J] += 0.4 * a[I, K]",
    "if a[I, K] > 0.1:\n                c[I, J] += a[I, K] * d[K, J]",
    "t += 0.1 * a[I, K] * d[K, J]",
)
NUMBERS = (
    ("a[I, K] * d[K, J]", "c[I, J] = u"),
    ("a[I, K] * d[K, J]", "c[I, J] += np.sin(u)"),
    ("0.5 * q[I + K] * d[J, K]", "c[J, I] = 0.2 * u + c[J, I]"),
    ("a[K, I] * (d[J, K] + w)", "t += 0.1 * u * u"),
    ("a[I, K] * d[K, J]", "if u > 0.1:\n            c[I, J] = u"),
    ("a[I, K] * d[K, J]", "d[0, J] = 0.3 * u"),
    ("a[I, K] * c[K, J]", "c[I, J] = 0.3 * u"),
    ("a[I, K] * d[K, J] * u", "c[I, J] = u"),
    ("a[I, K] * d[I - 1, J]", "c[I, J] = u"),
)
STARTS = ("0.0", "0.1 * q[J]", "c[I, J]", "0.2", "t")
INSIDE = ("", "r[:] = 0.1", "", "r[:] = r[::-1] * 0.3")
STATE = {
    "a": ("a = 0.3 * np.sin(np.arange(36) * w).reshape(6, 6) + 0.1 * np.sum(x)", "np.sum(a * a)"),
    "d": ("d = 0.4 * np.cos(np.arange(36) + np.sum(x)).reshape(6, 6)", "0.3 * np.sum(d)"),
    "c": ("c = 0.1 * np.ones((6, 6)) * w", "np.sum(np.sin(c) * np.arange(36).reshape(6, 6))"),
    "q": ("q = 0.3 * np.sin(np.arange(20) + w)", "0.2 * np.sum(q * np.arange(20))"),
    "r": ("r = 0.2 * np.cos(np.arange(20) * w)", "0.3 * np.sum(r * np.arange(20))"),
}


def _loops() -> tuple[Nest, ...]:
    """Every sum in every order of loops, with ranges in turn."""
    ranges = {k: cycle(v) for k, v in RANGES.items()}
    made: list[Nest] = []
    for order, body in product(permutations("IJK"), SUMS):
        text = ""
        for depth, k in enumerate(order):
            over = next(ranges[k])
            if any(other in over and other not in order[:depth] for other in "IJK"):
                over = "range(4)"
            text += f"{'    ' * depth}for {k} in {over}:\n"
        made.append(Nest(0.1, f"{text}            {body}\n", TAG))
    starts, inside = cycle(STARTS), cycle(INSIDE)
    for order, (term, end) in product(permutations("IJ"), NUMBERS * 2):
        head = f"for {order[0]} in range(4):\n    for {order[1]} in range(n):\n"
        text = f"{head}        u = {next(starts)}\n        for K in {next(ranges['K'])}:\n"
        made.append(Nest(0.1, f"{text}            u += {term}\n        {end}\n", TAG))
        made.append(
            Nest(
                0.1,
                f"for I in range(3):\n    {next(inside) or 't *= 0.9'}\n    for K in range(4):\n"
                f"        for J in range(4):\n            r[J] += 0.3 * a[I, K] * d[K, J]\n"
                f"    t += 0.1 * np.sum(np.sin(r))\n",
                TAG,
            )
        )
    return tuple(made)


CONTRACTIONS = Theme("contractions", (), _loops(), state=STATE, largest=160)
