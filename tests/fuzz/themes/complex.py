"""The theme of complex numbers: a vector `zz` of them, and `Z` where it is an argument too.

What goes in and comes out through real and imaginary parts, magnitudes and transforms is real like
the rest.  Values stay of order one: factors have magnitude one or are divided by a magnitude.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

COMPLEX = Theme(
    "complex numbers",
    moves("""
        {nz}[{ix4}] = {bounded_s} + 1j * {bounded_s}
        {nz}[{ix4}] += 1j * {small_s}
        {nz}[{ix4}] *= np.exp(1j * {s})
        {nz}[:] = {bounded_v4} * np.exp(1j * {v4})
        {nz}[:] = {v4}
        {nz} *= np.exp(1j * {v4})
        {nz} *= {gain_v4}
        {nz} -= 1j * {small_v4}
        {nz} /= 1.2 + np.abs({nz}) ** 2
        {nz}[1:] = 0.5j * {nz}[:-1]
        {nz}[1:] += 0.3 * {nz}[:-1].conj()
        {nz}[::-1][{ix4}] *= {gain_s}
        {nz}[{n4} > CUT] *= 1j
        {nz}[{ia}] = {small_z4}
        {nz}[{ix4}], {nz}[{ix4}] = {nz}[{ix4}], {nz}[{ix4}]
        {nz}.real[{ix4}] = {bounded_s}
        {nz}.imag *= {gain_v4}
        {nz}[:] = 0.5 * np.fft.fft({small_z4})
        {nz}[:3] = 0.5 * np.fft.rfft({bounded_v4})
        {nz}[:3] = 0.2 * (np.tanh({m}) @ {nz})
        {nz}[:3] = np.linalg.solve(4.0 * np.eye(3) + 1j * np.tanh({m}[:, :3]), {nz}[1:])
        zz = np.fft.ifft({z4})
        zz = {small_z4}
        zz = np.where({mk4}, {small_z4}, {nz})
        {n4}[:] = np.fft.irfft({small_z4}[:3], 4)
        {n4}[:] = {small_z4}.real
        {n4}[{ix4}] = abs({zs}) / (1.0 + abs({zs}))
        s = 0.2 * np.vdot({nz}, {nz}).real
        s, t = np.angle(3.0 + {small_z4}[0]), {zs}.imag * 0.3
    """, "complex numbers")
    + moves("""
        zc = {nz}[1:] ;; zc *= {gain_s} ;; zc[0] += 1j * {small_s}
        zc = {nz}[::2] ;; zc[:] = {small_z4}[:2]
        zc = {nz}.copy() ;; zc[{ix4}] = {zs} / (1.0 + abs({zs})) ;; {nz}[:] = zc[::-1]
    """, "complex numbers", "view written through"),
    (
        Nest(2, """\
for I in {range}:
    {nz}[I] = {nz}[I - 1] * np.exp(1j * {s})
    SOME
    LEAVE
    s = 0.3 * {nz}[I].real
""", ("complex numbers",)),
        Nest(2, """\
zh = 0.5 + 0.2j
for I in {range}:
    zh = zh * {nz}[I] / (1.0 + abs(zh))
    SOME
{nz}[0] = zh
""", ("complex numbers",)),
    ),
    {
        "z4": forms("""
            ({nz} * {v4})
            ({z4} * {z4})
            ({z4} + {z4})
            ({z4} - {s})
            ({z4} * {zs})
            ({z4} / (1.5 + np.abs({z4}) ** 2))
            ({v4} + 1j * {v4})
            np.exp(1j * {v4})
            np.exp({small_z4})
            np.sqrt(3.0 + {small_z4})
            np.conj({z4})
            {z4}.conj()
            (1j * {z4})
            (-{z4})
            ({small_z4} ** 2)
            {nz}[::-1]
            {nz}[{ia}]
            np.roll({z4}, 1)
            np.concatenate(({nz}[2:], {nz}[:2]))
            np.where({mk4}, {z4}, {z4})
            (0.5 * np.fft.fft({z4}))
            np.fft.ifft({z4})
            np.cumsum({small_z4})
            ({m}.T @ ({nz}[1:] * 0.3))
        """),
        "small_z4": forms("""
            (0.5 * {z4} / (1.0 + np.abs({z4})))
            (0.4 * {nz} / (1.0 + np.abs({nz}) ** 2))
            (0.4 * np.exp(1j * {v4}))
        """),
        "zs": forms("""
            {nz}[{ix4}]
            ({s} + 1j * {s})
            complex({s}, {s})
            ({zs} * {zs})
            np.exp(1j * {s})
            (0.2 * np.sum({z4}))
            {zs}.conjugate()
            ({zs} / (2.0 + abs({zs})))
            (0.2 * np.vdot({z4}, {z4}))
            (0.2 * {z4} @ {z4})
        """),
        "v4": forms("""
            np.real({z4})
            {z4}.imag
            np.abs(2.5 + {small_z4})
            (np.abs({z4}) ** 2)
            ({z4} * np.conj({z4})).real
            np.angle(3.0 + {small_z4})
            np.fft.irfft({z4}[:3], 4)
        """, 1, "complex numbers"),
        "s": forms("""
            {zs}.real
            {zs}.imag
            abs(2.5 + {zs} / (1.0 + abs({zs})))
            (0.2 * np.sum(np.abs({z4}) ** 2))
            (0.2 * np.vdot({z4}, {z4}).real)
        """, 1, "complex numbers"),
    },
    prelude=("zz = a + 1j * b",),
    scope={"zz": "z4"},
    result=("np.sum(np.abs(zz) ** 2)", "0.3 * zz[1].imag"),
)  # fmt: skip
