"""The theme of parallel loops: trips over `prange` that are independent by construction.

Each array has one way in which trips store to it (`yb` backwards, `yc` permuted, `yd` by additions
anywhere), so any of them may stand together in a trip. What trips read elsewhere (`xs`, `ms`, `ws`)
is stored to between loops only. `uu`, `dd`, `kk` and `vv` belong to one trip.
"""

from tests.fuzz.draw import Form
from tests.fuzz.moves import Move
from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms

TAG = ("parallel loop",)

STATE = {
    "xs": "xs = np.sin(np.arange(12) * w + x[0]) + np.repeat(x, 3)",
    "ms": "ms = np.cos(np.arange(36).reshape(12, 3) * 0.3 + w) * x[1]",
    "ws": "ws = x[1:] * w",
    "perm": "perm = np.array([3, 7, 0, 11, 5, 1, 10, 8, 2, 6, 4, 9])",
    "bins": "bins = np.array([1, 0, 3, 3, 1, 2, 0, 0, 2, 1, 3, 1])",
    "ya": "ya = np.zeros(12)",
    "yb": "yb = np.ones(12) * w",
    "yc": "yc = np.zeros(12)",
    "yd": "yd = x * w",
    "ye": "ye = np.ones(24) * x[2]",
    "yn": "yn = np.zeros(14)",
    "yr": "yr = np.ones((12, 3)) * w",
    "yk": "yk = np.zeros((3, 12))",
    "yt": "yt = np.zeros(78)",
    "hi": "hi = -1.0",
    "up": "up = 1.0",
}


def _read(name: str) -> str:
    """A number that tells where in an array each of its elements is."""
    if name in ("perm", "bins"):
        return ""
    if name in ("hi", "up"):
        return name
    return f"np.sum(np.sin({name}) * np.cos(np.arange({name}.size)).reshape({name}.shape))"


def _several(text: str, weight: float = 1) -> tuple[Form, ...]:
    """One form per line, in which ` ;; ` stands between the lines of a trip, `~` indents one."""
    made = (line.strip().replace(" ;; ", "\n").replace("~ ", "    ") for line in text.splitlines())
    return tuple(Form(weight, line) for line in made if line)


# what no trip stores to
GIVEN = forms("""
    xs[i]
    xs[(i + 5) % 12]
    xs[i - 1]
    xs[11 - i]
    xs[::-1][i]
    xs[perm[i]]
    ms[i, 1]
    ms.T[2, i]
    ms[bins[i], 2]
    x[i % 4]
    x[i // 3]
    ws[i % 3]
""")
# what a trip alone stores to, and reads
OWN = forms("ya[i]\nyr[i, 0]\nyb[11 - i]")
ROW = forms("""
    ms[i]
    ms[i, ::-1]
    ms[11 - i]
    ms[perm[i]]
    yr[i]
    (ms[i] * {val})
    np.sin(ms[i] + {val})
    ({val} * ws)
    lifted(ms[i], w)
""")

FORMS = {
    "trips": forms("""
        flow.prange(12)
        flow.prange(len(xs))
        flow.prange(xs.shape[0])
    """, 3) + forms("""
        flow.prange(1, 11)
        flow.prange(11, -1, -1)
        flow.prange(10, 0, -3)
        flow.prange(0, 12, 2)
        flow.prange(4 * n)
        flow.prange(n, n + 8)
        flow.prange(np.int32(n), np.int32(12))
        flow.prange(n - 3)
        range(12)
        range(len(xs))
    """),
    "mine": forms("xs[i] > CUT\ni % 2 == 0\ni < n\nbins[i] == 1\nperm[i] > 5\n{val} < CUT"),
    "far": GIVEN + forms("ms[i, j]\nws[j]\nxs[j]\nms[11 - i, 2 - j]") + forms("""
        {far} * {far}
        np.sin({far} + {far})
        settled({far}, w)
    """, 4),
    "val": GIVEN + OWN + forms("""
        0.6 * np.sin({val} + {val})
        0.4 * {val} * {val}
        (0.5 * {val} - 0.3 * {val})
        np.tanh({val} * w)
        np.exp(-{val} ** 2)
        ({val} if {mine} else 0.3 * {val})
        0.3 * np.sum({row} * ws)
        (ms[i] @ ws)
        np.dot({row}, {row})
        np.max(ms[i])
        settled({val}, w)
        0.1 * i * w
        np.mean(ms[:, bins[i] % 3])
        chosen(ms, i, {val})
    """, 2),
    "row": ROW,
    "cell": _several("""
        yr[i, j] = {far}
        yr[i, j] += {far}
        yr[i, j] = 0.5 * yr[i, j] * {far}
        yk[j, i] = {far}
        yk.T[i, j] -= {far}
        yd[j] += {far}
        yd[bins[i]] += {far}
        ye[2 * i + j % 2] += {far}
        s += {far}
        hi = max(hi, {far})
        uu = {far} ;; yr[i, j] = uu * uu
        dd = np.zeros(2) ;; dd[j % 2] = {far} ;; t += dd[0] * w
    """),
    "late": _several("""
        xs[i] = 0.4 * ya[11 - i] + yb[i - 1]
        xs[perm[i]] = 0.3 * yn[i] + ye[23 - i]
        xs[i] += yr[i - 1, 2] * yc[perm[i]]
        ms[i] = 0.5 * yr[i - 1] + yk[:, i]
        ms[i, 1:] += ye[i : i + 2]
        s += yr[11 - i, 0] * ya[i - 1]
        t += np.sum(yk[:, i - 1] * yr[i])
        yd[bins[i]] += ya[i] * yb[perm[i]]
        ya[i] = 0.5 * xs[i] + yn[i] * yn[i + 2]
    """),
    "act": _several("""
        ya[i] = {val}
        ya[i] += {val}
        ya[i] = 0.5 * ya[i] * {val}
        ya[i] *= {val}
        yb[11 - i] = {val}
        yb[::-1][i] += {val}
        yc[perm[i]] = {val}
        yc[perm[i]] = 0.6 * yc[perm[i]] * {val} + w
        yc[perm[i]] += {val}
        yd[bins[i]] += {val}
        yd[bins[i]] -= 0.3 * {val}
        yd[i % 4] += {val}
        yd[2] += {val}
        yd += {val} * x
        yd[1:] += {row}
        ye[2 * i + 1] = {val}
        ye[2 * i : 2 * i + 2] = {val}
        ye[2 * i : 2 * i + 2] += ms[i, :2]
        ye[::2][i] = {val} + ye[2 * i + 1]
        yn[i + 1] += {val}
        yn[i : i + 3] += {row}
        yr[i] = {row}
        yr[i] += {row}
        yr[i, 1] = {val}
        yr[i, 1:] *= {val}
        yr[i][::-1][0] = {val}
        yr.T[:, i] = {row}
        yr[i] = np.linalg.solve(np.eye(3) + 0.1 * np.outer(ws, ws), {row})
        filled(yr[i], {row}, {val})
        swept(yr[i], {row}, w)
        yk[:, i] = {row}
        yk[2, i] += {val}
        yk.T[i] = {row}
        yk[:, ::-1][1, 11 - i] = {val}
        s += {val}
        s = s - 0.2 * {val}
        t += {val} * {val}
        hi = max(hi, {val})
        up *= 1.0 + 0.2 * {val}
    """) + _several("""
        ye[2 * i] = {val} ;; ye[2 * i + 1] = {val}
        yn[i] += {val} ;; yn[i + 1] -= {val} ;; yn[i + 2] += 0.4 * {val}
        yn[i] = yn[i] + {val} ;; yn[i + 2] -= {val}
        for j in range(3): ;; ~ yr[i, j] = {val} * ws[j]
        for j in range(3): ;; ~ yr[i, j] += ws[2 - j] ;; ~ yd[j + 1] += {val} * ms[i, j]
        for j in range(2): ;; ~ ye[i * 2 + j] += {val} * ws[j]
        for j in range(i + 1): ;; ~ yt[i * (i + 1) // 2 + j] = {val} * x[j % 4]
        for j in range(i): ;; ~ s += 0.1 * xs[j] * {val}
        vv = yr[i] ;; vv[0] = {val} ;; vv[1:] += 0.3 * vv[:-1]
        vv = yr[i, :2] ;; uu = vv[0] ;; vv[:] = vv * {val} ;; s += uu
        uu = {val} ;; for j in range(3): ;; ~ uu = np.sin(uu + ms[i, j]) ;; ya[i] = uu
        uu = {val} ;; for j in range(bins[i]): ;; ~ uu = uu * xs[j] ;; ya[i] += uu
        uu = {val} ;; kk = 0 ;; while uu < CUT and kk < 4: ;; ~ uu += w ;; ~ kk += 1 ;; s += uu
        for j in range(3): ;; ~ if ms[i, j] > CUT: ;; ~ ~ break ;; ~ s += ms[i, j] * {val}
        for j in range(3): ;; ~ if ms[i, j] > CUT: ;; ~ ~ continue ;; ~ yk[j, i] += {val}
        for j in range(3): ;; ~ yr[i, j] = {val} ;; ~ if yr[i, j] > CUT: ;; ~ ~ break
        dd = np.zeros(3) ;; dd[0] = {val} ;; dd[1:] += 0.3 * ws[1:] * dd[0] ;; s += np.sum(dd * ws)
        dd = np.empty(3) ;; for j in range(3): ;; ~ dd[j] = {val} * ws[j] ;; yr[i] = dd
        dd = {row} * 1.0 ;; for j in range(1, 3): ;; ~ dd[j] += 0.5 * dd[j - 1] ;; ya[i] = dd[2]
        dd = np.zeros(i + 1) ;; for j in range(i): ;; ~ dd[j] = {val} * w ;; t += dd[0] * dd[i - 1]
        dd = np.outer({row}, ws) ;; yr[i] = dd[1] @ dd
        dd = np.sort({row}) ;; ya[i] = dd[0] * dd[2]
        dd, uu = {row} + w, {val} ;; dd *= uu ;; yk[:, i] = dd
        if {mine}: ;; ~ uu = {val} ;; else: ;; ~ uu = 0.3 * {val} ;; ya[i] = uu * uu
        if {mine}: ;; ~ s += {val} ;; else: ;; ~ s += 0.2 * {val}
        if {mine}: ;; ~ hi = max(hi, {val})
        if i == 5: ;; ~ t += {val}
    """) + _several("""
        ya[i] = flow.grad(bent)({val}, w)
        yr[i] = flow.grad(rolled)({row}, w)
        uu, dd = flow.value_and_grad(rolled)({row}, {val}) ;; yd[:3] += dd ;; s += uu
    """, 3),
}  # fmt: skip

NESTS = (
    (4, """\
for i in {trips}:
    {act}
"""),
    (4, """\
for i in {trips}:
    {act}
    {act}
"""),
    (2, """\
for i in {trips}:
    {act}
    {act}
    {act}
"""),
    (2, """\
for i in {trips}:
    if {mine}:
        {act}
    else:
        {act}
"""),
    (2, """\
for i in {trips}:
    {act}
    if {mine}:
        continue
    {act}
"""),
    (2, """\
for I in {range}:
    for i in {trips}:
        {act}
    xs = 0.5 * xs + 0.3 * np.sin(ya)
"""),
    (2, """\
for I in {range}:
    for i in {trips}:
        {act}
        {act}
    xs, ya = ya, xs
    s = 0.5 * s
"""),
    (1, """\
while COND:
    for i in {trips}:
        {act}
    xs[1:] *= 0.9 * np.cos(xs[:-1])
"""),
    (3, """\
for i in {trips}:
    {act}
for i in {trips}:
    {late}
"""),
    (2, """\
for I in {range}:
    for i in {trips}:
        {act}
    for i in flow.prange(12):
        {late}
"""),
    (2, """\
for i in {trips}:
    for j in flow.prange(3):
        {cell}
        {cell}
"""),
    (1, """\
for j in flow.prange(3):
    for i in range(12):
        {cell}
"""),
    (1, """\
for j in range(3):
    for i in {trips}:
        {cell}
"""),
    (1, """\
swept(ya, xs, w)
swept(yr[1], ms[2], s)
for i in {trips}:
    {late}
"""),
    (1, """\
if {b}:
    for i in {trips}:
        {act}
else:
    for i in flow.prange(12):
        {act}
"""),
)  # fmt: skip

PARALLEL = Theme(
    "parallel",
    # in other programs: of arrays that are always there, no matter what shares their memory
    (
        Move(1, ("for i in flow.prange(4):\n    a[i] = 0.6 * a[i] * w + 0.1 * i",), TAG),
        Move(1, ("for i in flow.prange(4):\n    b[3 - i] += s * np.sin(b[3 - i])",), TAG),
        Move(1, ("for i in flow.prange(len(x)):\n    t += 0.2 * x[i] * x[i - 1]",), TAG),
        Move(1, ("swept(m[1], 0.3 * a, w)",), TAG),
    ),
    tuple(Nest(weight, text, TAG) for weight, text in NESTS),
    FORMS,
    state={name: (line, _read(name)) for name, line in STATE.items()},
)
