"""Themes of what only run time knows: lengths of arrays, and names bound on some paths only."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

# `lg` is a vector and `mm` a matrix of at least one row and column; no expression may assume more.
LENGTHS = Theme(
    "run-time lengths",
    moves("""
        lg = {n4}[{int}:]
        lg = {n4}[: {int} + 1]
        lg = ({bounded_v4})[{int}:]
        lg = {n4}[1:] if {b} else {n4}
        lg = {n4}[p:][::-1]
        lg = lg[1:] if len(lg) > 1 else {n4}
        lg = np.tanh(lg * {s})
        lg = lg[::-1].copy()
        lg = lg[:: {int} + 1]
        lg = np.append(lg[-2:], {s})
        lg = np.concatenate((lg[:2], {n4}[: p + 1]))
        lg = trimmed(lg, CUT)
        lg = np.cumsum(0.3 * lg)
        lg = np.append({n4}[{n4} > CUT], {s})
        lg = np.sort(lg)
        lg *= {gain_s}
        lg += 0.3 * np.sin(lg[::-1])
        lg[0] = {bounded_s}
        lg[-1] += {small_s}
        lg[:] = lg[::-1]
        lg[1:] = 0.5 * lg[:-1]
        lg[{int}:] = {bounded_s}
        lg[lg > CUT] *= {gain_s}
        {n4}[:1] = lg[:1]
        {n4}[{ix4}] = 0.5 * np.max(lg)
        {nm}[{ix3}, : len(lg[:4])] = lg[:4]
        for j in range(len(lg)): lg[j] = np.sin(lg[j] + lg[j - 1])
        s = 0.2 * np.dot(lg, lg[::-1])
        a, lg = np.tanh(a), a[{int}:]
    """, "run-time lengths")
    + moves("""
        mm = {nm}[p:, : {int} + 1]
        mm = {nm}[: p + 1].T
        mm = {nm}[::-1][p:]
        mm = np.outer(lg[:3], lg[:3])
        mm = 0.3 * np.tanh(mm) @ np.tanh(mm.T)
        mm = np.tanh(mm - mm[:1])
        mm = np.tanh(mm * mm[:, :1])
        mm = np.tanh(mm - np.mean(mm, axis=1, keepdims=True))
        mm = mm.T
        mm = mm[:, ::-1]
        mm = np.tanh(lg[:, None] + {n4}[{int}:])
        mm *= {gain_s}
        mm[0] = {bounded_s}
        mm[:, 0] += {small_s}
        mm[0, -1] = {bounded_s}
        mm[:, 1:] = 0.5 * mm[:, :-1]
        mm[1:] *= np.cos(mm[:1])
        mm += 0.2 * mm[:, :1]
        lg = mm[0]
        lg = mm[:, -1]
        lg = np.sum(mm, axis=0) * 0.3
        lg = np.max(mm, axis=1)
        lg = 0.3 * mm @ mm[0]
        s = 0.1 * np.sum(mm * mm)
    """, "run-time lengths"),
    (
        Nest(3, """\
for I in {range}:
    lg = {n4}[I:] if I < 4 else {n4}
    lg[0] += {small_s}
    SOME
    LEAVE
    s = 0.2 * np.sum(lg * lg)
""", ("run-time lengths",)),
        Nest(2, """\
lg = {n4}[:1]
for I in {range}:
    lg = np.append(lg, {bounded_s})
    SOME
    LEAVE
    lg[0] = 0.4 * np.sum(lg)
lg = np.tanh(lg)
""", ("run-time lengths",)),
        Nest(2, """\
for I in range(1, n + 1):
    mm = np.zeros((I, 4))
    for J in range(I):
        mm[J] = {bounded_v4}
        mm[:, J] += 0.2 * mm[J, J] * {s}
        SOME
    s = 0.1 * np.sum(mm[-1] * mm[0])
""", ("run-time lengths",)),
    ),
    {
        "s": forms("""
            (0.2 * np.sum(lg))
            lg[0]
            lg[-1]
            np.max(lg)
            np.mean(mm)
            mm[0, -1]
            (0.1 * np.sum(mm, axis=1)[0])
            (0.1 * len(lg))
            (0.3 * np.dot(lg, lg))
        """, 1, "run-time lengths"),
        "v4": forms("({v4} * lg[:1])\n({v4} + mm[:1, :1].reshape(-1))"),
        "b": forms("len(lg) > 2\nmm.shape[0] > {int}"),
        "range": forms("range(min(len(lg), 4))\nrange(min(mm.shape[0], 3))"),
    },
    ("lg = x[p + 1:] * w", "mm = m[:, p + 1:] * w"),
    {},
    ("np.sum(lg * np.sin(lg[::-1]))", "np.sum(np.cos(mm) * mm)"),
)  # fmt: skip

LATE = Theme(
    "names bound on some paths",
    moves("""
        flag = {b}
        flag = not flag
        if flag: late = {bounded_v4}; known = True
        if known: late[{ix4}] = {bounded_s}
        if known: late *= {gain_v4}
        if known and {b}: {n4}[:] = np.tanh(late)
        if known: s = 0.3 * np.sum(late * late)
        if known: late = late[::-1]
        if {b}: late = {n4}; known = True
        if flag: seen = {bounded_s}; counted = True
        if counted: s = 0.5 * seen
        if counted: seen *= {gain_s}
        if flag: tail = {n4}[{int}:]; cut = True
        if cut: tail[0] = {bounded_s}
        if cut: s = 0.2 * np.sum(tail)
        t = s if not counted else 0.5 * seen
    """, "name bound on some paths"),
    (
        Nest(3, """\
for I in {range}:
    if {b}:
        tail = {n4}[I % 4:]
        cut = True
        LEAVE
    SOME
    if cut:
        tail[-1] += {small_s}
        s = 0.2 * np.sum(tail)
""", ("name bound on some paths",)),
        Nest(3, """\
if {b}:
    t = {bounded_s}
    if flag:
        late = {n4}[::-1]
        known = True
        SOME
for I in {range}:
    if known:
        late[{ix4}] += {small_s}
        SOME
        LEAVE
    else:
        late = {bounded_v4}
        known = flag
""", ("name bound on some paths",)),
        Nest(3, """\
for I in {range}:
    LEAVE
    for J in {range}:
        LEAVE
        if {b}:
            tail = np.tanh({n4}[{int}:] * s)
            cut = True
        SOME
    if cut:
        s = 0.3 * tail[0] * tail[-1]
""", ("name bound on some paths",)),
        Nest(2, """\
for I in {range}:
    found = -1
    for J in range(4):
        if {n4}[J] > CUT:
            found = J
            break
        SOME
    if found < 0:
        late = {bounded_v4}
        known = True
    if found >= 0:
        {n4}[found] *= {gain_s}
""", ("name bound on some paths",)),
    ),
    {"b": forms("flag\nknown\n(counted and seen > CUT)\n(not cut)", 1)},
    ("flag = x[1] > 0.7171", "known = counted = cut = False"),
    {},
    ("(np.sum(late) if known else 0.0)", "(seen if counted else w)", "(tail[0] if cut else t)"),
)  # fmt: skip
