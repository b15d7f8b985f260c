"""Themes of array functions: sums and sorts, products of matrices, arrays put together."""

from tests.fuzz.themes.theme import Theme, forms, moves

FUNCTIONS = Theme(
    "functions",
    moves("""
        {n4}[:] = np.sort({v4})
        {n4} = np.cumsum({bounded_v4})
        {n4}[1:] = np.diff({bounded_v4})
        {n4}[:] = np.cumprod({gain_v4})
        {n4}[1:] += 0.3 * np.cumsum({n4}[:-1])
        s = np.prod({gain_v4})
        s, t = np.min({v4}), np.max({v4})
        p = int(np.argmax({v4})) % 3
        p = np.argmin({v3})
        a, b = np.minimum(a, b), np.maximum(a, b)
    """, "array functions"),
    (),
    {
        "v4": forms("""
            np.sort({v4})
            np.cumsum({v4})
            np.cumprod({gain_v4})
            np.clip({v4}, -0.3171, 0.7171)
            np.clip({v4}, -0.3171, {s})
            np.roll({v4}, 1)
            np.roll({v4}, {int})
            np.flip({v4})
            np.hypot({v4}, 1.3)
            np.arctan2({v4}, 1.5 + {v4} ** 2)
            np.logaddexp({v4}, {v4})
            np.log1p({v4} ** 2)
            np.expm1(np.tanh({v4}))
            np.power(0.5 + {v4} ** 2, 0.7)
            ((0.6 + {v4} ** 2) ** {s})
            np.abs({v4})
            np.square({v4})
            np.arcsinh({v4})
            np.sinc({v4})
            np.reciprocal(1.5 + {v4} ** 2)
            np.gradient({v4})
            np.nan_to_num({v4})
            (np.sign({v4}) * {v4})
            np.fmax({v4}, {v4})
            np.add.accumulate({v4})
            np.cbrt(1.0 + {v4} ** 2)
        """, 1, "array functions"),
        "s": forms("""
            np.prod(np.cos({v4}))
            np.std({v4} + np.array([0.0, 1.0, 2.0, 4.0]))
            np.var({v4})
            np.min({v4})
            {v4}.max()
            {v3}.mean()
            (0.3 * np.linalg.norm({v4} + 1.5))
            np.ptp({v4})
            np.median({v3})
            np.average({v4}, weights=np.array([1.0, 2.0, 0.5, 1.5]))
            (0.3 * np.trapezoid({v4}, dx=0.5))
            np.interp(0.371, np.arange(4), {v4})
            math.tanh({s})
            math.hypot({s}, 1.1)
            math.exp(-abs({s}))
            np.max(np.abs({v4}))
            (0.2 * np.add.reduce({v4}))
            np.polyval([0.3, 0.2, 0.1], {s})
        """, 1, "array functions"),
        "m": forms("""
            np.cumsum({m}, axis=1)
            np.sort({m}, axis=0)
            np.clip({m}, -0.5171, 0.9171)
            np.roll({m}, 1, axis=1)
            np.where({m} > CUT, {m}, {v4})
            np.maximum({m}, {v3}[:, None])
            ({m} / (1.0 + np.sum({m} ** 2, axis=1, keepdims=True)))
            ({m} - np.max({m}, axis=0))
            np.tril({m})
        """, 1, "array functions"),
        "v3": forms("""
            np.diff({v4})
            np.mean({m}, axis=-1)
            np.cross({v3}, {v3})
            np.prod(np.cos({m}), axis=1)
            np.sort({m}, axis=1)[:, {ix4}]
            np.std({m} + np.arange(4), axis=1)
        """, 1, "array functions"),
    },
)  # fmt: skip

PRODUCTS = Theme(
    "products",
    moves("""
        {n4}[:] = 0.3 * (np.tanh({v3}) @ {m})
        {n3}[:] = 0.3 * {m} @ np.tanh({v4})
        {nm}[:] = np.outer({bounded_v3}, {bounded_v4})
        {nm} += 0.3 * np.outer({bounded_v3}, {bounded_v4})
        {nm}[:, :3] = 0.2 * np.tanh({m}) @ np.tanh({nm}.T)
        {nm}[1:] += 0.2 * np.tanh({nm}[:2] @ {nm}.T) @ np.tanh({nm}[:])
        m = 0.2 * np.tanh({m} @ {nm}.T) @ {m}
        m[:, :3] = np.linalg.inv(4.0 * np.eye(3) + np.tanh({m}[:, 1:]))
        {n3}[:] = np.linalg.solve(4.0 * np.eye(3) + np.tanh({m}[:, :3]), {bounded_v3})
    """, "products of matrices"),
    (),
    {
        "v4": forms("""
            (0.3 * np.dot({v3}, {m}))
            (0.3 * {nm}.T @ {v3})
            (0.3 * np.einsum('ij,i->j', {m}, {v3}))
            (0.3 * np.einsum('i,ij,j->j', {v3}, {m}, {v4}))
            np.convolve({v3}, {v2})
            (0.2 * np.kron({v2}, {v2}))
        """, 1, "products of matrices"),
        "s": forms("""
            (0.2 * {v4} @ {v4})
            (0.2 * np.inner({v4}, {v4}))
            (0.2 * np.vdot({v3}, {v3}))
            (0.1 * {v3} @ {m} @ {v4})
            (0.2 * np.trace({nm}[:, :3]))
            (0.2 * np.einsum('ij,ij->', {m}, {m}))
            (0.1 * np.sum(np.tensordot({m}, {m}, axes=([0, 1], [0, 1]))))
            (0.1 * np.linalg.det(2.0 * np.eye(2) + np.outer({v2}, {v2})))
        """, 1, "products of matrices"),
        "m": forms("""
            np.outer({v3}, {v4})
            np.einsum('i,j->ij', {v3}, {v4})
            (0.2 * np.outer({v3}, {v3}) @ {m})
            np.multiply.outer({v3}, {v4})
        """, 1, "products of matrices"),
        "v3": forms("""
            (0.3 * {m} @ {v4})
            (0.3 * np.einsum('ij,j->i', {m}, {v4}))
            (0.3 * np.dot({nm}, {nm}[0]))
        """, 1, "products of matrices"),
    },
)  # fmt: skip

JOINING = Theme(
    "joined arrays",
    moves("""
        {n4} = np.concatenate(({bounded_v2}, {n2}))
        {n4}[:] = np.concatenate([{bounded_v3}, np.array([{s}])])
        m = np.stack([{v4}, {v4}, {v4}])
        m = np.vstack(({v4}, {nm}[1:]))
        m = np.array([{v4}, {v4}, {n4}])
        m = np.column_stack(({v3}, {v3}, {v3}, {v3}))
        {n4} = np.append({bounded_v3}, {s})
        m = np.pad({nm}[1:], ((1, 0), (0, 0)))
        q, u = np.split({n4}, 2) ;; q *= {gain_v2} ;; u[0] = {bounded_s}
        {n4}[:] = np.insert({v3}, 1, {s})
        {n4}[1:] = np.delete({v4}, {int})
        m = np.broadcast_to({v4}, (3, 4)) * {v3}[:, None]
    """, "joined arrays"),
    (),
    {
        "v4": forms("""
            np.concatenate(({v2}, {v2}))
            np.concatenate([[{s}], {v3}])
            np.append({v3}, {s})
            np.hstack(({v2}, {v2}))
            np.tile({v2}, 2)
            np.repeat({v2}, 2)
            np.array([{s}, {s}, {s}, {s}])
            np.full(4, {s})
            np.linspace({s}, {s}, 4)
            np.stack(({v4}, {v4}), axis=1)[:, {ix2}]
            np.pad({v2}, 1)
            (np.ones_like({v4}) * {s})
            np.diag({nm}[:, :3])[[0, 1, 2, 0]]
            (np.broadcast_to({s}, (4,)) * {v4})
            np.array([[{s}, {s}], [{s}, 0.3]]).reshape(4)
        """, 1, "joined arrays"),
        "m": forms("""
            np.stack([{v4}, {v4}, {v4}])
            np.concatenate(({m}[:, :2], {m}[:, 2:]), axis=1)
            np.concatenate(({m}[:1], {m}[1:]))
            np.c_[{v3}, {m}[:, 1:]]
            (np.c_[{m}, {v3}] * {s})[:, 1:]
            np.concatenate(({m}.T, {nm}.T[:1]))[1:].T
            np.array([[{s}, {s}, {s}, {s}], {v4}, [{s}, 0.0, 1.0, {s}]])
            np.vstack(({v4}, {v4}, {v4}))
            np.concatenate(({nm}[1:], {nm}[:1]))
            np.hstack(({nm}[:, 2:], {nm}[:, :2]))
            np.tile({v4}, (3, 1))
            np.repeat({v4}[None], 3, axis=0)
            np.stack([{v3}, {v3}, {v3}, {v3}], axis=-1)
        """, 1, "joined arrays"),
    },
)  # fmt: skip
