"""The theme of columns: loops over columns in whose trips sums run over rows.

Between the sums are functions, stores and carried numbers; some trips read what other ones store,
some sums are none, begin with a number of the trip, or read rows.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("sums of columns",)
OUTER = ("range(6)", "range(1, 6)", "range(5, -1, -1)", "range(n)", "range(len(d))")
INNER = ("range(6)", "range(n)", "range(5, -1, -1)", "range(1, 6)")
SUMS = (
    "h = 0.0\nfor J in INNER:\n    h += d[J] * a[J, I]",
    "h = 0.2 * e[I]\nfor J in INNER:\n    h += 0.3 * a[J, I] * a[J, 2]",
    "h = k = 0.0\nfor J in INNER:\n    h += d[J] * a[J, I]\n    k += 0.4 * a[J, I]",
    "h = 0.1\nfor J in INNER:\n    h += 0.3 * a[J, I]\nfor J in range(6):\n    h += a[J, I] * d[J]",
    "h = 0.0\nfor J in INNER:\n    h += np.tanh(a[J, I] * d[I])",
    "h = 0.1\nfor J in INNER:\n    h += a[J, I]\nk = h * h\nfor J in INNER:\n    k += a[J, I]",
    "h = 0.0\nfor J in INNER:\n    h += a[I, J] * a[J, I]",
    "h = 0.3\nfor J in INNER:\n    h = 0.5 * h + a[J, I]",
    "h = 0.0\nfor J in INNER:\n    h += a[J, I] * s",
    "k = 1\nh = 0.0\nfor J in INNER:\n    k += 1\n    h += 0.1 * k * a[J, I]",
    "h = 0.0\nfor J in INNER:\n    h -= d[J] * a[J, I]\n    h += 0.1",
)
ENDS = (
    "e[I] = np.sin(h)",
    "d[I] = 0.5 * h",
    "e[I] += 0.3 * h\nt += 0.1 * h * h",
    "s = 0.4 * s + h",
    "a[I, I] = 0.3 * h",
    "a[2, I] = np.cos(h)",
    "if h > 0.1:\n    e[I] = 0.2 * h",
    "e[5 - I] = h * d[I]\nt = max(t, h)",
    "e[I // 2] = 0.4 * h",
    "d[I - 1] = 0.3 * h\ne[I] = h",
    "if h > 2.0:\n    break\ne[I] = h",
)
STATE = {
    "a": (
        "a = 0.3 * np.sin(np.arange(36) * 0.7).reshape(6, 6) + 0.1 * np.sum(x * w)",
        "0.1 * np.sum(a * np.cos(np.arange(36)).reshape(6, 6))",
    ),
    "d": ("d = 0.4 * np.sin(np.arange(6)) * np.repeat(x, 2)[:6] + 0.2", "np.sum(d * np.arange(6))"),
    "e": ("e = 0.2 * np.cos(np.arange(6) * np.sum(x))", "np.sum(e * np.arange(1, 7))"),
}


def _loops() -> tuple[Nest, ...]:
    """Every sum with every end, and the ranges in turn."""
    outer, inner, steps = cycle(OUTER), cycle(INNER), cycle((1, 2))
    made: list[Nest] = []
    for total, end in product(SUMS, ENDS):
        over, deeper = next(outer), next(steps) == 2
        trip = f"{total}\n{end}".replace("INNER", next(inner)).split("\n")
        lines = [f"for I in {over}:", *(f"    {line}" for line in trip)]
        if deeper:
            lines = ["for K in range(2):", *(f"    {line}" for line in lines)]
        made.append(Nest(0.1, "".join(f"{line}\n" for line in lines), TAG))
    return tuple(made)


COLUMNS = Theme("columns", (), _loops(), state=STATE, largest=160)
