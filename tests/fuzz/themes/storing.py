"""Themes of stores: through masks, through computed indices, into results given by `out=`."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

MASK_FORMS = forms("""
    ({n4} > CUT)
    ({n4} < CUT)
    ({v4} * {s} > CUT)
    (~{mk4})
    ({mk4} & {mk4})
    ({mk4} | {mk4})
    (np.abs({n4}) > CUT)
    (np.arange(4) != {int})
    np.logical_or({mk4}, {mk4})
    np.array([True, False, True, True])
""")

MASKS = Theme(
    "masks",
    moves(
        """
        {n4}[{mk4}] = {bounded_s}
        {n4}[{mk4}] += {small_s}
        {n4}[{mk4}] *= {gain_s}
        {n4}[{n4} > CUT] -= {small_s}
        {n4}[{mk4}] = np.tanh({n4}[{mk4}][:1])
        {n4}[1:][{mk3}] = {bounded_s}
        {n4}[::-1][{mk4}] += {small_s}
        {nm}[{nm} > CUT] *= {gain_s}
        {nm}[{nm} < CUT] = {bounded_s}
        {nm}[{mk3}] = {bounded_v4}
        {nm}[{mk3}] += {small_s}
        {nm}[:, {mk4}] *= {gain_s}
        {nm}[{ix3}, {mk4}] = {bounded_s}
        {nm}[{ix3}][{mk4}] += {small_s}
        {nm}.T[{mk4}] = {bounded_v3}
        {n4}[:] = np.where({mk4}, {bounded_v4}, {n4})
        np.copyto({n4}, {bounded_v4}, where={mk4})
        s = 0.2 * np.sum({n4}, where={mk4})
        p = int(np.sum({mk4})) % 3
        p = np.count_nonzero({mk4}) % n
    """,
        "mask store",
    )
    + moves(
        """
        mask = {mk4}
        mask = {mk4} ;; {n4}[mask] = ({bounded_v4})[mask]
        mask = {mk4} ;; {n4}[mask] += ({small_v4})[mask]
        mask = {mk4} ;; {n4}[mask] *= ({gain_v4})[mask] ;; {n4}[~mask] -= {small_s}
        mask = {mk4} ;; s = 0.3 * np.sum({n4}[mask] * {n4}[mask])
        mask = {mk4} ;; {n4}[mask] = {n4}[mask] * {gain_s} ;; mask[{ix4}] = {b}
        mask = {mk4} ;; mask[1:] = mask[:-1] ;; {n4}[mask] = {bounded_s}
        mask = {mk4} ;; {n4}[mask] = {n4}[mask][::-1]
        mask = {mk4} ;; mask |= {mk4} ;; {n4}[mask] *= {gain_s}
    """,
        "mask store",
        mask="mask",
    )
    + moves(
        """
        where = np.nonzero({mk4})[0] ;; {n4}[where] += {small_s}
        where = np.flatnonzero({mk4}) ;; {n4}[where] = ({bounded_v4})[where]
        where = np.flatnonzero({mk4}) ;; {n4}[where] *= ({gain_v4})[: len(where)]
    """,
        "mask store",
    )
    + moves(
        """
        r = {n4}[1:] ;; r[r > CUT] *= {gain_s}
        r = {nm}[:, {ix4}] ;; r[{mk3}] += {small_s}
    """,
        "mask store",
        "view written through",
        r="v3",
    ),
    (
        Nest(
            2,
            """\
for I in {range}:
    mask = {mk4}
    {n4}[mask] *= {gain_s}
    SOME
    LEAVE
    {n4}[mask] += 0.2 * {n4}[mask]
    s = 0.2 * np.sum({n4}[mask])
""",
            ("mask store",),
            {"mask": "mask"},
        ),
    ),
    {
        "mk4": MASK_FORMS + forms("{mask}", 4),
        "mk3": forms(
            "({n3} > CUT)\n({n4}[:-1] < CUT)\n({n3} != {n4}[1:])\n(np.arange(3) == {ix3})"
        ),
        "s": forms("(0.3 * np.sum({n4}[{mk4}]))\nnp.mean(np.where({mk4}, {v4}, {s}))"),
        "v4": forms(
            """
                np.where({mk4}, {v4}, {v4})
                ({mk4} * {v4})
                np.select([{mk4}, {mk4}], [{v4}, {v4}], {s})
            """
        ),
        "b": forms("np.any({mk4})\n{mk4}.all()"),
    },
)

INDEXED = Theme(
    "indices",
    moves("""
        {n4}[{ia}] = {bounded_v4}
        {n4}[{ia}] += {small_v4}
        {n4}[{ia}] *= {gain_v4}
        {n4}[{ia}] -= {small_s}
        {n4}[{ia}] = {n4}[{ia}]
        {n4}[[{int}, {ix4}]] = {bounded_v2}
        {n4}[[0, 2, 0]] += {small_v3}
        {n4}[::-1][{ia}] += {small_v4}
        {n4}[1:][{ia3}] *= {gain_v3}
        np.add.at({n4}, {ia}, {small_v4})
        np.add.at({n4}, {ia}, {small_s})
        np.add.at({n4}[1:], {ia3}, {small_v3})
        np.add.at({nm}, {ia3}, {small_v4})
        np.add.at({nm}, ({ia3}, {ia3}), {small_v3})
        np.add.at({nm}, (slice(None), {ia}), {small_v4})
        {nm}[{ia3}] = {bounded_m}
        {nm}[{ia3}] += {small_v4}
        {nm}[:, {ia}] *= {gain_v4}
        {nm}[1:, {ia}] = {bounded_s}
        {nm}[{ia3}, {ix4}] = {bounded_v3}
        {nm}[{ix3}, {ia}] += {small_v4}
        {nm}[{ia3}, {ia3}] -= {small_v3}
        {nm}[{ia3}[:, None], {ia}] = {bounded_m}
        {nm}[np.ix_([0, 2], [1, 3])] += {small_s}
        {nm}.T[{ia}] += {small_v3}
    """, "index store")
    + moves("""
        idx = ({ia} * 2 + 1) % 4
        idx = ({ia} + {int}) % 4
        idx = np.argsort({n4})
        idx = np.array([(i * 3 + {int}) % 4 for i in range(4)])
        idx = np.roll(np.arange(4), {int})
        idx = np.arange(4) ;; idx[1:] = idx[:-1] ;; {n4}[idx] += {small_v4}
        idx = np.where({n4} > CUT, 3, {int})
        idx = np.minimum({ia} % 4, {int})
    """, idx="idx"),
    (
        Nest(2, """\
idx = np.array([1, 3, 0, 2])
for I in {range}:
    {n4}[idx] += {small_v4}
    idx = (idx * 3 + I) % 4
    SOME
    {n4}[idx[I]] *= {gain_s}
    s = 0.3 * {n4}[idx[-1]] * {n4}[idx][I]
""", ("index store",)),
        Nest(1, """\
for I in {ia}:
    {n4}[I] = 0.5 * {n4}[I - 1] + {small_s}
    SOME
""", ("index store",)),
    ),
    {
        "ia": forms("""
            (({ia} % 4 * 3 + 1) % 4)
            (3 - {ia} % 4)
            ({ia} % 4 - 1)
            np.array([{int}, 1, {int}, 2])
            np.arange(4)[::-1]
            (({idx} + {int}) % 4)
        """),
        "ia3": forms("""
            np.array([2, 0, 1])
            np.array([0, 0, -1])
            np.array([{ix3}, 1, {ix3}])
            ({idx}[1:] % 3)
            (np.arange(3) // 2)
        """),
        "v4": forms("""
            np.take({n4}, {ia})
            {nm}[{ix3}, {ia}]
            {nm}[{ia} % 3, {ia}]
            np.take_along_axis({n4}, {ia} % 4, 0)
        """),
        "m": forms("""
            {nm}[{ia3}]
            {nm}[:, {ia}]
            {nm}[{ia3}[:, None], {ia}]
            np.take({nm}, {ia}, axis=1)
        """),
        "v3": forms("{n4}[{ia3}]\n{nm}[{ia3}, {ia3}]"),
    },
)  # fmt: skip

OUT = Theme(
    "out",
    moves("""
        np.add({bounded_v4}, {bounded_v4}, out={n4})
        np.multiply({n4}, {gain_v4}, out={n4})
        np.sin({v4}, out={n4})
        np.tanh({n4}, {n4})
        np.add({n4}, {small_v4}, {n4})
        np.multiply(a[:-1], {gain_v3}, out=a[1:])
        np.subtract(b[1:], 0.3 * b[:-1], out=b[:-1])
        np.maximum({n4}, CUT, out={n4})
        np.clip({n4}, -0.4171, 0.8171, out={n4})
        np.negative({n4}, out={n4})
        np.cumsum(0.3 * {n4}, out={n4})
        np.sum({m}, axis=0, out={n4})
        np.dot({bounded_v3}, {m}, out={n4})
        np.matmul({bounded_v3}, {m}, out={n4})
        np.exp(-{n4} ** 2, out={n4})
        np.multiply({nm}, {gain_v4}, out={nm})
        np.add({nm}, {small_v3}[:, None], out={nm})
        np.sin({n4}, out={nm}[{ix3}])
        np.tanh({nm}[:, {ix4}], out={nm}[:, {ix4}])
        np.copyto({n4}, {bounded_v4})
        np.copyto({nm}, {bounded_v4})
        {n4}.sort()
        {n4}.fill({bounded_s})
        {nm}.fill({bounded_s})
        {nm}[{ix3}].fill({bounded_s})
        np.fill_diagonal({nm}, {bounded_s})
    """, "result given")
    + moves("""
        c = np.tanh({v4}, out={n4}) ;; c[{ix4}] = {bounded_s}
        c = np.add({n4}, {small_s}, out={n4}) ;; c *= {gain_s}
        c = np.empty(4) ;; np.cos({v4}, out=c) ;; c[{ix4}] *= {gain_s}
    """, "result given", c="v4"),
)  # fmt: skip
