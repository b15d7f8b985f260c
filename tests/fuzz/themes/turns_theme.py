"""The theme of generators, contexts of the program's own and lists of structures.

`rw` is a list of pairs and `st` one of states, both never empty; they grow by appending only.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("turns",)

TURNS = Theme(
    "turns",
    moves("""
        rw.append(({bounded_s}, p))
        rw.append((0.5 * rw[-1][0] + {small_s}, p + 1))
        if {b}: rw.append(({bounded_s}, 2))
        if len(rw) > 2: f, i = rw.pop() ;; s = 0.3 * f * rw[-1][0] + 0.1 * i
        if len(rw) > 20: rw.clear(); rw.append(({bounded_s}, 1))
        if len(rw) < 20: rw.extend([({s}, 1), ({bounded_s}, 2)])
        if len(rw) < 20: rw += rw[:2]
        rw[-1] = ({bounded_s}, 1)
        for f, i in rw: s = 0.5 * s + 0.2 * f * i
        for k9, (f, i) in enumerate(rw): t = 0.5 * t + 0.1 * f * (k9 + i)
        s = 0.2 * sum(np.tanh(f) * i for f, i in rw)
        c9, d9 = zip(*rw) ;; s = 0.2 * sum(np.tanh(f) for f in c9) + 0.1 * sum(d9) * np.tanh(c9[0])
        a9 = np.array(rw) ;; s = 0.2 * np.sum(np.tanh(a9[:, 0]) * a9[:, 1]) + 0.1 * a9[-1, 0]
        new = [(f * {bounded_s}, i) for f, i in rw[:4]] ;; s = 0.2 * new[-1][0] + 0.1 * new[0][1]
        st.append(Pair({bounded_s}, {n4} * {bounded_s}))
        if {b}: st.append(Pair(0.5 * st[-1].u, np.tanh(st[-1].v)))
        s = 0.2 * st[-1].u + 0.1 * np.sum(st[0].v)
        s = 0.2 * sum(o9.u * np.sum(np.sin(o9.v)) for o9 in st) / len(st)
        {n4}[:] = 0.5 * st[-1].v + 0.2 * st[0].u
        for f in halves({n4}): s = 0.5 * s + 0.2 * f
        for i, f in enumerate(halves({n4})): t = 0.5 * t + 0.1 * f * (i + 1)
        for f, o in zip(halves({n4}), {n4}): s = 0.5 * s + 0.2 * f * o
        for o in neighbours({n4}): s = 0.5 * s + 0.1 * np.sum(np.tanh(o) * o)
        s = 0.2 * sum(halves({n4})) + 0.1 * max(halves({n4}))
        s = 0.2 * sum(f * {bounded_s} for f in halves({n4}) if f > CUT)
        new = [f * {bounded_s} for f in halves({n4})] ;; s = 0.2 * sum(new) + 0.1 * len(new)
        if any(f > CUT for f in halves({n4})): s = {bounded_s}
        s = 0.5 * next(halves({n4}), {s})
        with gained({n4}, {bounded_s}) as u9: s = 0.2 * np.sum(np.tanh(u9))
        with Meter({bounded_s}) as m9: m9.add({s}) ;; s = 0.5 * np.tanh(m9.total)
    """, *TAG),
    (
        Nest(4, """\
for f in halves({n4}):
    SOME
    s = 0.5 * s + 0.2 * f
    LEAVE
    {n4}[0] = np.tanh({n4}[0] + 0.1 * f)
""", TAG, {"f": "number"}),
        Nest(3, """\
for f in damped({s}, {n4}):
    if abs(f) < 0.05:
        break
    SOME
    t = 0.5 * t + 0.3 * f
    LEAVE
else:
    t = 0.2 * t
""", TAG, {"f": "number"}),
        Nest(3, """\
for I in {range}:
    for f in filling({n4}, rw, {bounded_s}):
        s = 0.5 * s + 0.2 * f * rw[-1][0]
        SOME
        LEAVE
""", TAG, {"f": "number"}),
        Nest(2, """\
m9 = Meter({bounded_s})
for I in {range}:
    SOME
    with m9 as q9, gained({n4}, {bounded_s}) as u9: q9.add(np.sum(u9))
    LEAVE
s = 0.5 * np.tanh(m9.total)
""", TAG),
        Nest(2, """\
todo9 = [(0, 4, {bounded_s})]
while todo9:
    i9, j9, f = todo9.pop()
    if j9 - i9 < 2:
        s = 0.5 * s + 0.2 * f * {n4}[i9]
    else:
        SOME
        todo9.append((i9, (i9 + j9) // 2, 0.5 * f))
        todo9.append(((i9 + j9) // 2, j9, np.tanh(f + {n4}[i9])))
""", TAG, {"f": "number"}),
    ),
    {
        "s": forms("""
            rw[-1][0]
            rw[0][0]
            rw[p % len(rw)][0]
            st[-1].u
            (0.1 * len(rw))
            (0.2 * sum(f * i for f, i in rw))
            (0.2 * sum(halves({n4})))
        """, 1, *TAG),
        "b": forms("len(rw) > {int}\nany(f > CUT for f in halves({n4}))"),
        "v4": forms("np.array([f * {bounded_s} for f in halves({n4})] + [0.0] * 4)[:4]\nst[0].v"),
    },
    ("rw = [(w, 1), (0.5 * x[1], 2)]", "st = [Pair(w, 0.5 * x)]"),
    {},
    ("sum(f * np.sin(f) * i for f, i in rw)", "sum(o9.u * np.sum(o9.v) for o9 in st)"),
)  # fmt: skip
