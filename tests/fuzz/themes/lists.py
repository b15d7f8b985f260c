"""The theme of lists that grow: appended to in loops and branches, made anew in every trip.

`gl` and `ll` are lists of numbers and never empty: `gl` is changed in place only, `ll` is bound
anew only. They have up to a few dozen items, so that what reads all of them stays bounded.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

GROWING = Theme(
    "growing lists",
    moves("""
        gl.append({bounded_s})
        gl.append(0.5 * gl[-1] + {small_s})
        gl.append(gl[0] * np.tanh(gl[p % len(gl)]))
        if {b}: gl.append({bounded_s})
        if len(gl) > 2: s = 0.3 * gl.pop() * gl[-1]
        if len(gl) > 20: gl.clear(); gl.append({bounded_s})
        if len(gl) < 20: gl.extend(np.tanh(f) for f in {n4} if f > CUT)
        if len(gl) < 20: gl += [f * {bounded_s} for f in {n4}]
        if len(gl) < 20: gl.extend({n4}[p:])
        gl[-1] = {bounded_s}
        gl[0] *= {gain_s}
        gl[len(gl) // 2] += {small_s}
        for i in range(1, len(gl)): gl[i] = np.tanh(gl[i] + 0.5 * gl[i - 1])
        for f in gl: s = 0.5 * s + 0.2 * f
        for i, f in enumerate(gl): t = 0.5 * t + 0.1 * f * (i + 1)
        for f, o in zip(gl, {n4}): s = 0.5 * s + 0.2 * f * o
        s = 0.2 * sum(np.tanh(f) for f in gl)
        s = 0.2 * sum(f * {bounded_s} for f in {n4} if f > CUT)
        s = max(np.sin(f) for f in gl) * {bounded_s}
        s = 0.3 * min(gl) + 0.1 * len(gl)
        s = np.mean(np.array(gl)) * {bounded_s}
        new = [f * {bounded_s} for f in {n4} if f < CUT] ;; s = 0.2 * sum(new) + 0.1 * len(new)
        new = [np.tanh(f) * u for u in gl[:2] for f in {n4} if f > u] ;; s = 0.2 * sum(new)
        new = list(gl) ;; new[0] = {bounded_s} ;; gl[-1] = 0.5 * sum(new) / len(new)
        {n4}[0], {n4}[-1] = gl[0], np.tanh(gl[-1])
        {n4}[:] = 0.5 * sum([f * {n4} for f in gl[:2]])
        ll = [np.tanh(f) * {bounded_s} for f in {n4} if f > CUT] + [{s}]
        ll = [f * {bounded_s} for f in ll]
        ll = ll[1:] + [{s}]
        ll = ll if {b} else list(gl)
        if {b}: ll = [{s}]
        if len(ll) < 9: ll = gl[:2] + ll
        ll = [0.0] * p + [{s}, {s}]
        s = 0.3 * ll[-1] * ll[p % len(ll)]
        if any(f > CUT for f in gl): {n4}[{ix4}] = {bounded_s}
        if all(abs(f) < CUT for f in {n4}): s = {bounded_s}
    """, "growing list"),
    (
        Nest(3, """\
for I in {range}:
    new = [{bounded_s}]
    for J in range(I + 1):
        new.append(0.5 * new[-1] + {small_s})
        SOME
        LEAVE
    s = 0.2 * sum(new) * new[0]
    gl[0] = new[-1]
""", ("growing list",)),
        Nest(3, """\
for I in {range}:
    new = [np.sin(f) * {bounded_s} for f in {n4} if f > 0.3 * I]
    SOME
    if len(new) > 1:
        s = 0.3 * new[-1] * new[0]
        LEAVE
    {n4}[:] = np.tanh(np.array([f * u for f, u in zip({n4}, {n4})]))
""", ("growing list",)),
        Nest(2, """\
while len(gl) > 1:
    s = np.tanh(gl.pop() + 0.5 * s)
    if {b}:
        LEAVE
        t = {bounded_s}
    {n4}[len(gl) % 4] += {small_s}
""", ("growing list",)),
        Nest(2, """\
for I in {range}:
    new = [ll[0] * {bounded_s}]
    for f in {n4}:
        new.append(0.5 * new[-1] + min(f, ll[-1]))
        SOME
    ll = new
""", ("growing list",), {"f": "number"}),
        Nest(2, """\
for I in {range}:
    kept = []
    for J in range(I + 1):
        kept.append({n4} * {bounded_s})
        SOME
    {n4}[:] = 0.5 * np.sum(np.array(kept) ** 2, axis=0) / (I + 1) + 0.2 * kept[-1]
""", ("growing list",)),
    ),
    {
        "s": forms("""
            gl[-1]
            gl[0]
            gl[p % len(gl)]
            ll[-1]
            ll[p % len(ll)]
            (0.1 * sum(ll))
            (0.1 * sum(gl))
            (0.1 * len(gl))
            (0.2 * sum(f * f for f in gl))
            np.max(gl)
            (0.2 * sum(f * u for f, u in zip({n4}, {n4})))
        """, 1, "growing list"),
        "b": forms("len(gl) > {int}\nany(f > CUT for f in {n4})\nall(f < CUT for f in gl)"),
        "v4": forms("np.array([f * {bounded_s} for f in {n4}])\n({v4} * gl[-1])"),
    },
    ("gl = [w, 0.5 * x[1]]", "ll = [w, 0.3 * x[2]]"),
    {},
    ("sum(f * np.sin(f) for f in gl)", "sum(f * np.sin(f) for f in ll)"),
)  # fmt: skip
