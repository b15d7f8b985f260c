"""Themes of shapes: arrays of three dimensions, transposes and reshapes, views of views."""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

CUBE = Theme(
    "three dimensions",
    moves("""
        {nk}[{ix2}, {ix3}, {ix4}] = {bounded_s}
        {nk}[{ix2}, {ix3}, {ix4}] += {small_s}
        {nk}[{ix2}] = {bounded_m}
        {nk}[{ix2}] *= {gain_m}
        {nk}[:, {ix3}] += {small_v4}
        {nk}[..., {ix4}] *= {gain_v3}
        {nk}[:, :, {ix4}] = {bounded_v3}
        {nk}[{ix2}, :, {ix4}] -= {small_v3}
        {nk}[:, :, 1:] -= 0.3 * {nk}[:, :, :-1]
        {nk}[:, 1:] = 0.5 * {nk}[:, :-1]
        {nk} *= {gain_v4}
        {nk} += {small_v3}[:, None]
        {nk} += {small_v2}[:, None, None] * {gain_v4}
        {nk}[:] = {bounded_m}
        {nk}[::-1, ::2, ::-1][{ix2}, 0, {ix4}] *= {gain_s}
        {nk}[{nk} > CUT] *= {gain_s}
        {nk}[:, {ix3}, 1:3] = {bounded_v2}[:, None]
        {nk}[np.array([1, 0, 1]), np.array([2, 0, 2])] += {small_v4}
        np.add.at({nk}, (slice(None), np.array([2, 0, 2])), {small_v4})
        {nm}[:] = np.sum({nk}, axis=0)
        {nm} = np.mean({nk}, axis=0) * {gain_s}
        {n4}[:] = 0.3 * np.sum({nk}, axis=(0, 1))
        k = np.tanh({nk} - np.mean({nk}, axis=1, keepdims=True))
        k = np.tanh({nk} * np.sum({nk}, axis=(0, 2), keepdims=True))
        k = np.stack([{m}, {nk}[0]])
        k = np.cumsum({nk}, axis={ax}) * 0.3
        k = {nk}[::-1]
        k = {nk}[:, ::-1].copy()
        m = {nk}[{ix2}]
        m = {nk}.sum(axis=0) * 0.3
    """, "three dimensions")
    + moves("""
        {nk}.transpose(2, 0, 1)[{ix4}, {ix2}] = {bounded_v3}
        {nk}.T[{ix4}] += {small_v2}
        {nk}.swapaxes(0, 1)[{ix3}, 1:] *= {gain_v4}
        np.swapaxes({nk}, 1, 2)[{ix2}, {ix4}] = {bounded_v3}
        np.moveaxis({nk}, 0, -1)[{ix3}, {ix4}] += {small_v2}
        np.transpose({nk}, (1, 2, 0))[{ix3}] *= {gain_s}
        np.squeeze({nk}[:1])[{ix3}] += {small_v4}
        {nk}[0, :, None][{ix3}] *= {gain_v4}
        np.expand_dims({nk}[1], 0)[0, {ix3}] = {bounded_v4}
    """, "three dimensions", "view written through")
    + moves("""
        c = {nk}[{ix2}].T[::-1][:, {ix3}] ;; c[{ix4}] = {bounded_s}
        c = {nk}.transpose(1, 0, 2)[{ix3}][{ix2}] ;; c *= {gain_v4}
        c = {nk}.reshape(6, 4)[{int} + 1] ;; c += {small_v4}
        c = {nk}.reshape(-1)[4:20][::4] ;; c[{ix4}] = {bounded_s}
        c = {nk}.ravel()[{int}:][:4] ;; c[1:] -= {small_v3}
    """, "three dimensions", "view of a view", c="v4"),
    (
        Nest(2, """\
for I in range(1, 3):
    for J in range(2):
        {nk}[J, I] = np.tanh({nk}[J, I - 1] + {nk}[1 - J, I])
        SOME
    s = 0.1 * np.sum({nk}[:, I])
""", ("three dimensions",)),
        Nest(2, """\
for m in {nk}:
    m[{ix3}] = {bounded_v4}
    SOME
    s = 0.2 * np.sum(m)
""", ("three dimensions",), {"m": "m"}),
    ),
    {
        "ax": forms("0\n1\n2\n-1"),
        "m": forms("""
            {nk}[{ix2}]
            np.max({nk}, axis=0)
            np.sum({nk}, axis=0)
            np.einsum('ijk,ij->jk', {nk}, {nk}[:, :, 0])
        """),
        "v4": forms("""
            np.mean({nk}, axis=(0, 1))
            {nk}[{ix2}, {ix3}]
            (0.3 * np.einsum('ijk,j->k', {nk}, {v3}))
            (({nk} @ {v4})[0, 0] * {v4})
        """),
        "v3": forms("""
            np.sum({nk}, axis=(0, 2))
            {nk}[{ix2}, :, {ix4}]
            np.max({nk}[{ix2}], axis=-1)
            (0.3 * {nk} @ {v4})[{ix2}]
        """),
        "v2": forms("{nk}[:, {ix3}, {ix4}]\nnp.mean({nk}, axis=(1, 2))"),
        "s": forms("{nk}[{ix2}, {ix3}, {ix4}]\nnp.mean({nk})\nnp.max({nk})"),
    },
    ("k = np.ones((2, n, 4)) * x", "k[1] *= w", "k[:, 1] += 0.3"),
    {"k": "k"},
    ("np.sum(np.sin(k) * a)",),
)  # fmt: skip

RESHAPED = Theme(
    "reshapes",
    moves("""
        {nm}.T[{ix4}, {ix3}] = {bounded_s}
        {nm}.T[1:3] *= {gain_v3}
        {nm}.transpose()[:, {ix3}] -= {small_v4}
        {nm}[::-1].T[{ix4}] = {bounded_v3}
        {nm}.T[::-1][{ix4}] += {small_v3}
        {nm}[1:, 1:][{ix2}] *= {gain_v3}
        {nm}[1:, ::-1][:, 1:][{ix2}, 0] = {bounded_s}
        {nm}.reshape(4, 3)[{ix4}] = {bounded_v3}
        {nm}.reshape(4, 3).T[{ix3}] += {small_v4}
        {nm}.reshape(2, -1)[{ix2}, 1:5] *= {gain_v4}
        {nm}.reshape(-1)[{int}::4] = {bounded_v3}
        {nm}.ravel()[3:7] += {small_v4}
        {nm}.flat[{int}] = {bounded_s}
        {nm}[:, None][{ix3}, 0] *= {gain_v4}
        {nm}[..., None][{ix3}, :, 0] += {small_v4}
        {nm}[np.newaxis][0, {ix3}] = {bounded_v4}
        {nm}[{ix3}][1:][::-1] *= {gain_v3}
        {nm}[:, 1:3].T[{ix2}] = {bounded_v3}
        {nm}[:2, :2][:] = {nm}[1:, 2:]
        {nm}[1:] = {nm}[:-1]
        {nm}[:, ::-1] = {nm}
        {nm}[::-1] += 0.3 * {nm}
        {nm}.T[:] = {nm}.T[::-1]
        {n4}.reshape(2, 2)[:, {ix2}] *= {gain_v2}
        {n4}.reshape(2, 2).T[{ix2}] = {bounded_v2}
        {n4}[:, None][{ix4}, 0] = {bounded_s}
        {n4}.reshape(2, 2)[::-1, ::-1][{ix2}] -= {small_v2}
        np.atleast_2d({n4})[0, {ix4}] += {small_s}
        np.flip({n4})[{ix4}] = {bounded_s}
        np.flipud({nm})[{ix3}] *= {gain_v4}
        np.fliplr({nm})[:, {ix4}] = {bounded_v3}
        m = {nm}.reshape(4, 3).T.copy()
        m = {nm}[::-1]
        m = {nm}[:, ::-1]
        m = {nm}.reshape(4, 3)[::-1].reshape(3, 4)
    """, "reshape")
    + moves("""
        c = {nm}.T[:, {ix3}] ;; c[{ix4}] = {bounded_s}
        c = {nm}[{ix3}][::-1] ;; c[1:] = {bounded_v3} ;; c[::2] *= {gain_v2}
        c = {nm}.reshape(12)[::-1][4:8] ;; c += {small_v4}
        c = {nm}.diagonal().sum() * {nm}[0] ;; c[{ix4}] = {bounded_s}
        c, m = m[{ix3}], m[::-1] ;; c *= {gain_v4}
    """, "view of a view", c="v4")
    + moves("""
        r = {nm}.T[{ix4}][::-1] ;; r *= {gain_v3}
        r = {n4}[::-1][1:] ;; q = r[::-1][:2] ;; q += {small_v2} ;; r[0] = {bounded_s}
        r = {nm}[:, {ix4}] ;; r[:] = r[::-1] ;; r[1] = {bounded_s}
        r = {nm}.T[1:][{ix3}] ;; q = r[1:] ;; q *= {gain_v2} ;; s = 0.5 * r[1] * q[0]
    """, "view of a view", r="v3"),
    (
        Nest(2, """\
for c in {nm}:
    c[1:] += 0.3 * c[:-1]
    SOME
    t = 0.3 * np.sum(c) * c[{ix4}]
""", ("reshape",), {"c": "v4"}),
        Nest(2, """\
for r in {nm}.T:
    r *= {gain_v3}
    SOME
    s = 0.4 * s + 0.2 * r[0] * r[-1]
""", ("reshape",), {"r": "v3"}),
        Nest(2, """\
for I in range(3):
    r = {nm}.T[-({ix4}) - 1]
    r[I] = np.tanh(r[-I - 1] * {nm}[I, -1] + r[I])
    SOME
    s = 0.3 * s + 0.2 * {nm}.T[{ix4}][I - 1] * {nm}[:, None][-I - 1, 0, {ix4}]
""", ("reshape", "view of a view"), {"r": "v3"}),
        Nest(2, """\
for I in range(4):
    c = {nm}.T[:, None][I, 0]
    c[-1] = np.tanh({nm}[-2, I] * c[0]) + {small_s}
    SOME
    {nm}[::-1, -I - 1][1:][0] += 0.2 * c[-1]
""", ("reshape", "view of a view"), {"c": "v3"}),
        Nest(1, """\
for I in {range}:
    m = m[::-1]
    m[0, {ix4}] = {bounded_s}
    SOME
    m[:, 1:] += 0.2 * m[:, :-1]
""", ("reshape",)),
    ),
    {
        "m": forms("""
            {nm}.reshape(4, 3).T
            {nm}[::-1]
            {nm}[:, ::-1]
            np.reshape({nm}, (3, 4))
            ({v4}.reshape(1, 4) * {nm})
            ({nm}.T + {v3}).T
        """),
        "v4": forms("""
            {nm}.reshape(-1)[2:6]
            {nm}.ravel()[::3]
            np.sum({nm}.T, axis=-1)
            np.squeeze({v4}[None])
            {nm}.T[:, {ix3}]
        """),
        "v3": forms("{nm}.T[{ix4}]\n{nm}[:, ::2][:, 1]\nnp.diagonal({nm})"),
    },
)  # fmt: skip
