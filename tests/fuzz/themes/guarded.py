"""The theme of guards: what has no value or no slope where it is not taken.

`oo` holds exact zeros beside numbers of at least 0.5; logarithms, roots and quotients are read
only where it is positive, by a branch, a mask or a choice.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

GUARDED = Theme(
    "guards",
    moves("""
        oo[{ix4}] = 0.0
        oo[{ix4}] = 0.5 + {bounded_s} ** 2
        oo[:] = np.where({v4} > CUT, 0.5 + {v4} ** 2, 0.0)
        oo[{n4} < CUT] = 0.0
        oo[oo > 0] = 0.5 + np.sqrt(oo[oo > 0])
        oo *= np.where({mk4}, 1.0 + {bounded_s} ** 2, 0.0) ;; oo[oo > 0] += 0.5
        {n4}[:] = np.where(oo > 0, np.tanh(np.log(oo)), {bounded_s})
        {n4}[oo > 0] = np.tanh(np.log(oo[oo > 0]))
        {n4}[oo > 0] /= oo[oo > 0] + 1.0
        {n4} = np.divide({bounded_v4}, oo, out=np.zeros(4), where=oo > 0)
        {n4}[{ix4}] = math.tanh(math.log(oo[p])) if oo[p] > 0 else {bounded_s}
        s = 0.3 * math.sqrt(oo[p]) if oo[p] > 0 else {bounded_s}
        s = 0.2 * np.nansum(np.where(oo > 0, {v4}, np.nan))
        s = 0.2 / oo[p] if oo[p] != 0 else 0.0
        p = np.count_nonzero(oo) % 3
    """, "guards"),
    (
        Nest(2, """\
for I in range(4):
    if oo[I] > 0:
        s = 0.3 * math.log(oo[I])
        SOME
    else:
        {n4}[I] = {bounded_s}
        continue
    {n4}[I] += 0.2 / math.sqrt(oo[I])
""".replace("range(4)", "{range}"), ("guards",)),
        Nest(2, """\
for I in {range}:
    if oo[I] == 0:
        LEAVE
        continue
    t = 0.2 * oo[I] ** s
    SOME
""", ("guards",)),
    ),
    {
        "v4": forms("""
            np.where(oo > 0, np.log(oo), {v4})
            np.where(oo > 0, np.sqrt(oo), 0.0)
            np.where(oo > 0, {v4} / oo, {s})
            np.where(oo == 0, {v4}, oo ** {s})
            np.nan_to_num(np.where(oo > 0, {v4}, np.nan))
            np.fmax({v4}, np.where(oo > 0, {v4}, np.nan))
        """, 1, "guards"),
        "s": forms("""
            (0.2 * np.sum(np.sqrt(oo[oo > 0])))
            np.nanmean(np.where(np.arange(4) < 2, {v4}, np.nan))
            (math.log(oo[p]) if oo[p] > 0 else {s})
            np.nanmax(np.where(np.arange(4) > 1, {v4}, np.nan))
        """, 1, "guards"),
    },
    prelude=("oo = np.where(x > 0.6, x, 0.0)", "oo[1] = 0.0"),
    result=("np.sum(oo)",),
)  # fmt: skip
