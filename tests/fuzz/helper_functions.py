"""The helper functions random programs call: they mutate arguments, return views, return early.

They are fixed text: the shrinker drops a call, it never edits a helper.  Every helper takes vectors
of any length from 2 (`relax`: a matrix; `ends`: of 4) and keeps its values bounded.
"""

import re

from tests.fuzz.themes.helpers_theme import NEEDED, WIDE
from tests.fuzz.themes.recursive_functions import RECURSIVE

IMPORTS = "import itertools\nimport math\n\nimport numpy as np\n\n\n"

HELPERS = {
    "smear": """\
def smear(o, a, k):
    for i in range(len(o)):
        o[i] = np.sin(a[i]) * k + 0.3 * o[i - 1]
    return o[1] * k
""",
    "blend": """\
def blend(o, a, k):
    o *= 0.5
    o[1:] += 0.4 * a[:-1] * np.cos(k)
    o[0] = np.tanh(o[-1] * a[0])
""",
    "first_above": """\
def first_above(a, level):
    for i in range(a.shape[0]):
        if a[i] > level:
            a[i] *= 0.7
            return a[i]
    return 0.25 * a[0]
""",
    "carry": """\
def carry(a, k):
    c = a.copy()
    for i in range(1, len(c)):
        c[i] = 0.5 * (c[i] + c[i - 1] * np.sin(k))
    return c
""",
    "middle": """\
def middle(a):
    return a[1:3]
""",
    "both": """\
def both(o, a, k):
    u = smear(o, a, k)
    return u + smear(a, o, 0.5 * u)
""",
    "relax": """\
def relax(m, k):
    for i in range(1, m.shape[0]):
        for j in range(m.shape[1] - 1):
            m[i, j] = 0.4 * (m[i - 1, j] + m[i, j + 1]) + 0.2 * np.sin(k)
    return m[-1, 0]
""",
    "spread": """\
def spread(a, k):
    o = np.zeros(len(a))
    for i in range(len(a)):
        for j in range(i + 1):
            o[i] += 0.3 * np.sin(a[j] * k)
            o[j] *= 0.9
    return o
""",
    "climb": """\
def climb(a, level):
    o = np.ones(len(a)) * 0.3
    for i in range(len(a)):
        for j in range(1, len(a)):
            o[j] += 0.2 * np.tanh(a[i] * o[j - 1])
            if o[j] > level:
                o[-1] = 0.5 * a[i]
                return o
        o[i] *= 0.7
    return o * 0.5
""",
    "table": """\
def table(a, k):
    g = np.zeros((3, len(a)))
    for i in range(3):
        g[i] += 0.4 * a
        for j in range(1, len(a)):
            g[i, j] += 0.3 * np.sin(g[i, j - 1] * k)
        if i:
            g[i] *= np.cos(g[i - 1])
    return g
""",
    "same": """\
def same(a):
    return a
""",
    "either": """\
def either(a, b, k):
    if k > 0.4171:
        return a
    return b
""",
    "ends": """\
def ends(a):
    return a[:2], a[2:]
""",
    **WIDE,
    **RECURSIVE,
}

_NEEDS = {
    "both": ("smear",), "advance": ("State",), "Spent": ("Empty",), "picked": ("Empty", "Spent"),
}  # fmt: skip


def header(text: str) -> str:
    """Imports and the helpers that `text` calls, in an order in which they can be defined."""
    called = [name for name in HELPERS if re.search(rf"\b{name}( as\b|[(),:])", text)]
    needed = [need for name in called for need in _NEEDS.get(name, ())]
    used = [name for name in HELPERS if name in called or name in needed]
    body = "".join(HELPERS[name] + "\n\n" for name in used)
    extra = "".join(line for word, line in NEEDED.items() if word in body + text)
    return IMPORTS.replace("\n\n", f"\n{extra}\n", 1) + body
