"""The theme of lists of arrays of several lengths: pieces of vectors, matrices of several heights.

`pl` is a list of vectors and never empty, nor is one of them. It has up to a dozen items.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

PIECES = Theme(
    "pieces",
    moves("""
        pl.append(({bounded_v4})[{int}:])
        pl.append({n4}[: {int} + 1] * {bounded_s})
        pl.append(np.tanh(pl[-1]))
        pl.append(0.5 * pl[p % len(pl)][::-1])
        pl.append(np.append(pl[0][:2], {bounded_s}))
        pl.append({bounded_v4})
        if {b}: pl.append(({bounded_v4})[{int}:])
        if len(pl) > 2: s = 0.2 * np.mean(pl.pop())
        if len(pl) > 3: s = 0.2 * np.mean(pl.pop(1) ** 2)
        if len(pl) > 12: pl.clear(); pl.append({bounded_v4})
        if len(pl) > 2: del pl[{int} % len(pl)]
        if len(pl) < 9: pl.extend([({bounded_v4})[1:], ({bounded_v4})[: {int} + 1]])
        if len(pl) < 9: pl += [np.tanh(f * {n4}[{int}:]) for f in {n4} if f > CUT]
        if len(pl) < 9: pl.extend(0.5 * q for q in pl[-2:])
        if len(pl) < 9: pl.insert(p, ({bounded_v4})[: {int} + 1])
        pl[0] = ({bounded_v4})[{int}:]
        pl[-1] = np.tanh(pl[0])
        pl[len(pl) // 2] = pl[-1] * {bounded_s}
        pl.reverse()
        pl.sort(key=len)
        for q in pl: s = 0.5 * s + 0.2 * np.mean(q)
        for i, q in enumerate(pl): t = 0.5 * t + 0.1 * q[0] * (i + 1)
        for q, r in zip(pl, pl[::-1]): t = 0.5 * t + 0.1 * q[0] * r[-1] * len(q)
        for q, r in itertools.pairwise(pl): s = 0.5 * s + 0.1 * q[-1] * r[0]
        s = 0.5 * np.mean(np.concatenate(pl))
        s = 0.3 * np.max(np.hstack(pl[:3]))
        s = 0.1 * np.tanh(sum(np.sum(q) for q in pl))
        s = 0.3 * max([np.max(q) for q in pl]) + 0.1 * len(pl)
        s = np.mean(np.sin(max(pl, key=len))) * {bounded_s}
        s = np.mean(np.sin(sorted(pl, key=len)[0])) * {bounded_s}
        s = np.mean(np.array([np.mean(q) for q in pl]))
        {n4}[{ix4}] = np.mean(np.tanh(pl[-1]))
        {n4}[: len(pl[0][:4])] = np.tanh(pl[0][:4])
        bits = [q[1:] for q in pl if len(q) > 1] ;; s = 0.2 * sum(np.sum(np.tanh(q)) for q in bits)
        bits = list(pl) ;; bits.append({bounded_v4}) ;; s = 0.3 * np.mean(np.concatenate(bits))
        bits = [np.sin(q) * f for q in pl[:2] for f in {n4}] ;; s = 0.2 * np.mean(bits[-1])
        bits = [{n4}[{n4} > 0.3 * k - 0.5] for k in range(p + 2)] ;; s = np.sum(bits[-1])
        bits = np.split({n4}, np.flatnonzero({n4} > CUT)) ;; s = sum(np.sum(q) for q in bits[::-1])
        bits = [np.linspace(f, {bounded_s}, k + 2) for k, f in enumerate({n4})] ;; s = bits[p][1]
        bits = pl[1:] + pl[:1] ;; bits[0] = bits[-1] * {bounded_s} ;; s = np.mean(np.hstack(bits))
    """, "pieces"),
    (
        Nest(3, """\
for I in {range}:
    bits = [{bounded_v4}]
    for J in range(I + 1):
        bits.append(np.tanh(bits[-1][J % len(bits[-1]):] + {small_s}))
        SOME
        LEAVE
    s = 0.5 * np.mean(np.concatenate(bits)) * bits[0][-1]
    pl[0] = bits[-1] * {bounded_s}
""", ("pieces",)),
        Nest(3, """\
for I in {range}:
    rows = []
    for J in range(I + 1):
        rows.append((J, ({bounded_v4})[J % 4 :], {bounded_s}))
        SOME
    for j, q, f in rows:
        s = 0.5 * s + 0.1 * f * np.mean(q) * (j + 1)
    {n4}[{ix4}] = np.mean(max(rows, key=lambda r: len(r[1]))[1])
""", ("pieces",)),
        Nest(2, """\
while len(pl) > 1:
    s = np.tanh(np.mean(pl.pop()) + 0.5 * s)
    if {b}:
        LEAVE
        t = {bounded_s}
    {n4}[len(pl) % 4] += {small_s}
""", ("pieces",)),
        Nest(2, """\
tall = []
for I in {range}:
    tall.append(np.outer(({bounded_v4})[I % 3 :], {n3}))
    SOME
    if len(tall) > 1:
        {n3}[:] = 0.5 * np.mean(np.vstack(tall), axis=0)
        s = 0.3 * tall[0][0, -1] * np.mean(tall[-1])
""", ("pieces",)),
        Nest(2, """\
held_by = dict()
for I in {range}:
    if I % 2 not in held_by:
        held_by[I % 2] = []
    held_by[I % 2].append(({bounded_v4})[: I % 3 + 1])
    SOME
for k in held_by:
    s = 0.5 * s + 0.2 * np.mean(np.concatenate(held_by[k])) * (k + 1)
""", ("pieces",)),
        Nest(2, """\
rest = [{bounded_v4}, pl[-1]]
while len(rest) > 0:
    q = rest.pop()
    if len(q) < 2:
        s = 0.5 * s + 0.2 * q[0]
        SOME
    else:
        rest.append(0.9 * q[: len(q) // 2])
        rest.append(q[len(q) // 2 :] * {bounded_s})
""", ("pieces",)),
    ),
    {
        "s": forms("""
            pl[-1][0]
            np.mean(pl[p % len(pl)])
            (0.1 * len(pl[-1]))
            (0.1 * np.tanh(np.sum(np.concatenate(pl))))
            (0.2 * sum(q[0] for q in pl))
        """, 1, "pieces"),
        "b": forms("len(pl[-1]) > {int}\nlen(pl) > {int}"),
        "v4": forms("({v4} * pl[-1][-1])\n(np.append(np.tanh(pl[0]), {v4})[:4])"),
    },
    ("pl = [x[:2], 0.5 * x[1:], w * x[:1]]",),
    {},
    ("sum(np.sum(np.sin(q)) for q in pl)", "len(pl)"),
)  # fmt: skip
