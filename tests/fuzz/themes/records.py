"""Themes of structures: tuples, named tuples, dataclasses, dicts, lists; closures and helpers."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

NAMED = Theme(
    "named tuples",
    moves("""
        st = State({n4}, {bounded_v4}, {bounded_s})
        st = State(st.v, st.u, 0.5 * st.k)
        st = st._replace(k={bounded_s})
        st = st._replace(u={n4})
        st.u[{ix4}] = {bounded_s}
        st.v[1:] += {small_v3}
        s = st.k * st.u[{ix4}]
        st = advance(st, {s})
        st = State(*st)
        u4, v4, s = st ;; u4[{ix4}] = {bounded_s}
        {n4}[:] = np.tanh(st.u * st.v)
        a, b = st.u, st.v
        t = st[2] * st[0][{ix4}]
        st = advance(st, {s}) if {b} else st
        st = st if {b} else State({n4}, st.u, t)
    """, "named tuple"),
    (
        Nest(3, """\
for I in {range}:
    st = State(st.v, st.u, 0.6 * st.k + {small_s})
    st.u[{ix4}] += {small_s}
    SOME
    LEAVE
    st.v[:] = 0.5 * st.v * st.k
""", ("named tuple",)),
        Nest(2, """\
for I in {range}:
    st = advance(st, {s})
    SOME
    if {b}:
        st = st._replace(u=st.v, v=st.u)
    {n4}[{ix4}] = 0.4 * st.u[{ix4}]
""", ("named tuple",)),
    ),
    {"s": forms("st.k\nst.u[{ix4}]\nst.v[{ix4}]", 2), "v4": forms("st.u\nst.v", 2)},
    ("st = State(x.copy(), x * w, 0.3 * w)",),
    {},
    ("np.sum(st.u * np.sin(st.v))", "st.k"),
)  # fmt: skip

CLASSES = Theme(
    "dataclasses",
    moves("""
        body.pos += 0.3 * np.tanh(body.vel)
        body.pos[{ix4}] = {bounded_s}
        body.vel[1:] *= {gain_v3}
        body.vel = {bounded_v4}
        body.pos = np.sin(body.pos)
        body.mass *= {gain_s}
        body.mass = {bounded_s}
        push(body, {s})
        s = 0.3 * body.energy()
        body.step({s})
        body = Body({n4}, {bounded_v4}, {s})
        body.pos, body.vel = body.vel, body.pos
        c = body.pos ;; c[{ix4}] = {bounded_s}
        body.pos = {n4}
        {n4}[:] = np.tanh(body.pos) * body.mass
        a = body.vel
        body = replace(body, mass={bounded_s})
        other = body ;; other.mass = {bounded_s}
    """, "dataclass"),
    (
        Nest(3, """\
for I in {range}:
    push(body, {s})
    SOME
    if {b}:
        body.mass = 0.5 * body.mass + {small_s}
    LEAVE
    body.pos[{ix4}] *= {gain_s}
    body.vel = np.tanh(body.vel + 0.2 * body.pos)
""", ("dataclass",)),
        Nest(2, """\
for I in {range}:
    body.pos, body.vel = body.vel, body.pos
    for J in {range}:
        body.pos[{ix4}] += {small_s}
        SOME
    s = 0.2 * body.energy()
""", ("dataclass",)),
    ),
    {
        "s": forms("body.mass\nbody.pos[{ix4}]\n(0.2 * body.energy())", 2),
        "v4": forms("body.pos\nbody.vel", 2),
    },
    ("body = Body(x.copy(), x * w, 0.4 * w)",),
    {},
    ("np.sum(body.pos * np.sin(body.vel))", "body.mass"),
)  # fmt: skip

DICTS = Theme(
    "dicts and lists",
    moves("""
        dc["u"][{ix4}] = {bounded_s}
        dc["u"] += {small_v4}
        dc["u"] = {bounded_v4}
        dc["k"] = {bounded_s}
        dc["k"] *= {gain_s}
        s = dc["k"] * dc["u"][{ix4}]
        dc["u"], dc["v"] = dc["v"], dc["u"]
        dc = {{**dc, "k": {bounded_s}}}
        dc["u"] = {n4}
        {n4}[:] = sum([0.2 * f * dc["k"] for f in dc["v"]])
        {n4}[:] = 0.5 * dc.get("v")
        dc.update(k={bounded_s})
        mix(dc, {s})
        rows[1][{ix4}] = {bounded_s}
        rows[0], rows[2] = rows[2], rows[0]
        rows[{fixed3}] = {n4}
        rows[{fixed3}] += {small_v4}
        rows = [{n4}, {bounded_v4}, rows[0]]
        rows = rows[::-1]
        rows = [np.tanh(f) for f in rows]
        s = 0.1 * sum([np.sum(f * f) for f in rows])
        m = np.stack(rows)
        m = np.array(rows) * {s}
        a, b, c = rows
        {n4}[:] = np.array([0.5 * f * {s} for f in {n4}])
        {n4}[:] = [{s} for i in range(4)]
        s = sum([0.2 * f * g2 for f, g2 in zip({n4}, {n4})])
        s = max([f * {s} for f in {n4}])
        {n4}[1:] = np.array([{n4}[i] * 0.5 + {small_s} for i in range(3)])
    """, "dict or list"),
    (
        Nest(3, """\
vals = []
for I in {range}:
    vals.append({bounded_s})
    SOME
    vals.append(0.5 * {s})
s = 0.2 * sum(vals)
""", ("dict or list",)),
        Nest(2, """\
vals = [{s}]
for I in {range}:
    vals.append(0.5 * vals[-1] + {small_s})
    SOME
    LEAVE
    s = 0.2 * sum(vals) * vals[0]
""", ("dict or list",)),
        Nest(2, """\
for f in rows:
    f[{ix4}] = {bounded_s}
    SOME
    s = 0.3 * np.sum(f)
""", ("dict or list",), {"f": "v4"}),
        Nest(2, """\
for I in {range}:
    dc["u"][{ix4}] += {small_s}
    dc["k"] = 0.5 * dc["k"] + {small_s}
    SOME
    dc["u"], dc["v"] = dc["v"], dc["u"]
    LEAVE
""", ("dict or list",)),
        Nest(1, """\
for I in {range}:
    rows = [rows[2], rows[0], rows[1]]
    rows[0][{ix4}] = {bounded_s}
    SOME
    rows[1][:] = 0.5 * rows[2]
""", ("dict or list",)),
    ),
    {
        "fixed3": forms("0\n1\n2\n-1"),
        "s": forms('dc["k"]\ndc["u"][{ix4}]\nrows[1][{ix4}]\n(len(rows) * 0.1)', 2),
        "v4": forms('dc["u"]\ndc["v"]\nrows[{fixed3}]', 2),
    },
    ('dc = {{"u": x.copy(), "v": x * w, "k": 0.3 * w}}', "rows = [x * 0.5, x + w, x * w]"),
    {},
    ('np.sum(dc["u"] * np.sin(dc["v"])) * dc["k"]', "np.sum(rows[0] * rows[1] - rows[2])"),
)  # fmt: skip

CLOSURES = Theme(
    "closures",
    moves("""
        f1 = lambda u: np.tanh(u * s + a[{ix4}]) ;; s = f1({s})
        f2 = lambda u: 0.5 * u * {bounded_s} ;; t *= w ;; s = f2({s}) * f2(t)
        s = fn(t)
        {n4}[:] = fn({v4})
        f3 = (lambda k: lambda u: np.sin(u * k))({s}) ;; {n4}[:] = f3({v4})
        e = np.array([fn(f) for f in {n4}])
        s = apply(fn, {v4}, {s})
        bump({n4}, {s})
        s = 0.3 * bump({n4}, {s})
        t = fn(s) if {b} else bump({n4}, t)
        {n4}[{ix4}] = fn({s})
        (first, *rest) = ({s}, {s}, {s}) ;; s = 0.3 * (first + rest[1])
        s = varied({s}, {n4}, gain={s})
        s = varied({s}, *({n4}, {n4}))
        if (h1 := {bounded_s}) > CUT: s = h1 * t
        {n4}[{ix4}], p = {bounded_s}, (p + 1) % 3
        {n4}[p] = s = {bounded_s}
        c = (a, b, x)[{fixed3}] ;; c[{ix4}] = {bounded_s}
        c = (a if {b} else b)[::-1] ;; c *= {gain_v4}
        s, (t, held) = {bounded_s}, ({bounded_s}, {s})
    """, "closure"),
    (
        Nest(3, """\
for I, f in enumerate(zip({n4}, {n4})):
    s = 0.5 * s + 0.2 * f[0] * f[1]
    {n4}[I] = fn(s)
    SOME
""", ("closure",), {"f": "pair of numbers"}),
        Nest(2, """\
for I in reversed(range(n)):
    bump({n4}, s)
    f4 = lambda u: 0.5 * u * s
    SOME
    s = f4({s}) + 0.1 * I
    LEAVE
""", ("closure",)),
        Nest(2, """\
for f in (a, b, x):
    f[{ix4}] = fn({s})
    SOME
    bump(f, t)
""", ("closure",), {"f": "v4"}),
    ),
    {
        "fixed3": forms("0\n1\n2\n-1"),
        "s": forms("fn({s})\n(0.3 * bump({n4}, {s}))\napply(fn, {v4}, {s})\nvaried({s}, {n4})"),
        "v4": forms("fn({v4})"),
    },
    (
        "fn = lambda u: np.sin(u * w)",
        "def bump(o, k):\n    o[1:] += 0.3 * np.tanh(k * b[:-1])\n    return o[0] * t",
    ),
    {},
    ("fn(s)",),
)  # fmt: skip
