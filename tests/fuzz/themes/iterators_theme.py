"""The theme of iterators: a body changes what the items that it asks for are computed from."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

ITERATORS = Theme(
    "iterators",
    moves("""
        for f in (u * {bounded_s} for u in {n4}): {n4}[{ix4}] += 0.1 * f
        for f in (u * s for u in {n4} if u > CUT): s = 0.5 * s + 0.1 * f
        for f in map(np.tanh, {n4}): {n4}[{ix4}] = 0.5 * f
        for f in filter(lambda u: u > CUT, {n4}): {n4}[{ix4}] *= 0.7
        for i, f in enumerate(u * u for u in {n4}): {n4}[-1] = 0.3 * np.tanh(f) + 0.1 * i
        for f, v9 in zip((v9 * s for v9 in {n4}), {n4}): s = 0.5 * s + 0.2 * f * v9
        for f, v9 in itertools.product({n4}, {n4}): {n4}[{ix4}] += 0.01 * f * v9
        for f, v9 in itertools.combinations({n4}, 2): {n4}[{ix4}] += 0.05 * np.tanh(f - v9)
        for f in itertools.chain({n4}, {n4}[::-1]): {n4}[{ix4}] += 0.05 * f
        for f in itertools.islice({n4}, 1, 4, 2): {n4}[-1] = 0.5 * np.sin(f)
        for i, j in itertools.product(range(3), range(4)): {nm}[i, j] += 0.1 * {n4}[j]
        for i, j in itertools.combinations(range(n + 1), 2): {n4}[i] -= 0.05 * {n4}[j]
        for i, j in np.ndindex({nm}.shape): s = 0.7 * s + 0.1 * {nm}[i, j]
        if any((v9 := f) > CUT for f in {n4}): s = 0.5 * v9
        if all(np.abs(f) < CUT + 1.0 for f in {n4}): t = {bounded_s}
        s = 0.2 * sum(f * u for f, u in itertools.pairwise({n4}.copy()))
        s = 0.2 * sum(map(lambda u: u * np.tanh(t), {n4}))
        s = 0.1 * sum(itertools.accumulate({n4}.copy()))
        s = 0.2 * max(f - u for f, u in itertools.combinations({n4}, 2))
        t = sorted({n4})[1] * {bounded_s}
        t = 0.3 * sorted({n4}, key=lambda u: -u)[p]
    """, "iterator"),
    (
        Nest(3, """\
for f in (u * {gain_s} for u in {n4}):
    SOME
    LEAVE
    {n4}[{ix4}] = 0.5 * np.tanh(f)
""", ("iterator",), {"f": "number"}),
        Nest(2, """\
for f in (np.sin(u) for u in {n4} if u > 0.3171):
    SOME
    LEAVE
    s = 0.5 * s + 0.3 * f
""", ("iterator",), {"f": "number"}),
        Nest(2, """\
for i, j in itertools.product(range(2), range(n)):
    SOME
    {n4}[j] = 0.5 * {n4}[i] + {small_s}
    LEAVE
""", ("iterator",)),
        Nest(2, """\
for f, v9 in zip(map(np.cos, {n4}), itertools.count(1)):
    s = 0.5 * s + 0.1 * f * v9
    SOME
""", ("iterator",), {"f": "number", "v9": "number"}),
        Nest(2, """\
z9 = iter({n4})
for i in range(3):
    s = 0.5 * s + 0.2 * next(z9)
    SOME
""", ("iterator",)),
        Nest(2, """\
for i in range(2):
    z9 = enumerate({n4})
    for j in range(2):
        f = next(z9)[1]
        SOME
        s = 0.5 * s + 0.2 * f * (i + j)
""", ("iterator",), {"f": "number"}),
    ),
    {
        "s": forms("""
            (0.2 * sum(f * f for f in {n4} if f > CUT))
            (0.2 * sum(f * u for f, u in itertools.combinations({n4}, 2)))
            max(map(np.sin, {n4}))
            sorted({n4})[{int}]
        """, 1, "iterator"),
        "b": forms("any(f > CUT for f in {n4})\nall(map(lambda u: u < CUT, {n4}))"),
    },
)  # fmt: skip
