"""The theme of `try`: what raises by run-time integers, divisors, domains, matrices and shapes.

About half of what may raise does so at the arguments of a program (`n` is 3). Names that a body
binds step by step are bound by each handler that reads them; `gl` is a list, `dd` an array that a
body stores to.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("try",)

ATTEMPTS = Theme(
    "attempts",
    moves("""
        gl.append({bounded_s}) ;; s = 0.2 * sum(gl)
        dd[{ix4}] = {bounded_s}
        dd += {small_v4}
        s = {bounded_s} ;; t = w * 0.7
    """, *TAG),
    (
        Nest(5, """\
try:
    s = {risk}
except {err}:
    s = {bounded_s}
except Exception:
    s = 0.3 * t
""", TAG),
        Nest(3, """\
try:
    s = {risk}
    dd[{ix4}] = {bounded_s}
    t = {risk}
    gl.append(0.3 * s)
    SOME
except {err} as e:
    t = {small_s}
    s = 0.2
    SOME
except Exception:
    s = t = 0.5 * w
else:
    s = 0.5 * s + {small_s}
finally:
    p = (p + 1) % n
""", TAG),
        Nest(3, """\
for I in {trips}:
    try:
        SOME
        s = 0.5 * s + {risk}
        dd[{ix4}] += 0.2 * s
    except {err}:
        s = 0.4 * t
        {way}
    except Exception:
        dd[0] = 0.3 * w
        {way}
    t = 0.5 * t + {small_s}
""", TAG),
        Nest(2, """\
for I in {trips}:
    try:
        if I == p:
            {way}
        dd[I] = {risk}
        {way}
    except Exception:
        dd[1] = 0.3 * w
        s = 0.2 * np.sum(dd)
    else:
        t = 0.6 * t
""", TAG),
        Nest(2, """\
try:
    u9 = np.zeros(4)
    for J in {trips}:
        u9[J] = {risk}
        u9[0] += 0.2 * u9[J]
except Exception:
    u9 = 0.5 * x
s = 0.2 * np.sum(u9)
""", TAG),
        Nest(2, """\
try:
    try:
        s = {risk}
    except {err}:
        s = {bounded_s}
        {again}
    except LookupError as e:
        raise Spent("looked up") from e
    t = {risk}
except {err}:
    s = t = 0.3
except Exception:
    s = t = 0.4 * w
""", TAG),
        Nest(2, """\
try:
    s, t = {risk}, {risk}
    v9 = {risk}
    if {b}:
        v9 = {risk}
except {err}:
    s = t = v9 = 0.3 * w
except Exception:
    s = t = v9 = {small_s}
s = 0.4 * s + 0.2 * v9
""", TAG),
        Nest(1.5, """\
try:
    s = {risk}
    return np.sum(a * a) + s
except {err}:
    s = 0.4
except Exception:
    return np.sum(a * b) + 0.3 * w
s = 0.4 * w
""", TAG),
        Nest(1.5, """\
try:
    s = sum([{risk} for v9 in {trips}])
    gl.append({risk})
    gl[0] = {risk}
except Exception:
    gl.append(w)
    s = 0.1 * len(gl)
""", TAG),
        Nest(1.5, """\
k9 = 0
while k9 < n:
    k9 += 1
    try:
        s = 0.3 * {risk}
        try:
            t = {risk}
        except {err}:
            continue
        finally:
            s = 0.5 * w
    except Exception:
        t = 0.2
        {way}
""", TAG),
    ),
    {
        "risk": forms("""
            {n4}[{off}]
            {n4}[{off}] * {bounded_s}
            {nm}[{ix3}, {off}]
            picked({n4}, {off}, CUT)
            picked({n4}, {near}, CUT + 1.0)
            (w / (n - {near}))
            (1.0 / (w * (n - {near})))
            (n // (n - {near}) * w)
            (n % (n - {near}) * w)
            math.sqrt({n4}[{ix4}] - CUT)
            math.sqrt(w - CUT)
            math.log({n4}[{ix4}] - CUT)
            (0.2 * math.log(w - CUT - 0.2))
            math.acos(w + CUT)
            (0.1 * math.exp(w * 10 ** {near}))
            (w * (n - {near})) ** -1.0
            dict(u=w)[{key}]
            np.linalg.solve(np.array([[1.0, 1.0], [1.0, n - {near} + 1.0]]), {n4}[:2])[0]
            np.linalg.inv(np.array([[w, 1.0], [1.0, (n - {near}) * w]]))[0, 0]
            np.linalg.cholesky(np.array([[1.0, w], [w, CUT]]))[1, 1]
            np.sum({n4}[: {off}] * {n4})
            np.max({n4}[{off} :])
            {n4}[: {off}].reshape(2, 2)[0, 1]
            ({n4} @ {n4}[: {off}])
            [w, 0.5, 0.2][{off}]
        """),
        "off": forms("""
            n
            n - 1
            n + 1
            n + p
            p + 2
            -n - 2
            -n
            n - 3
            4
        """),
        "near": forms("1\n2\n3\np"),
        "key": forms('"u"\n"v"'),
        "trips": forms("range(n)\nrange(n + 2)\nrange(2)\nrange(n - 1)"),
        "err": forms("""
            IndexError
            LookupError
            (IndexError, ZeroDivisionError)
            ZeroDivisionError
            ArithmeticError
            ValueError
            (ValueError, KeyError)
            np.linalg.LinAlgError
            Spent
            Empty
            (Empty, OSError)
        """),
        "way": forms("break\ncontinue\npass\ns = 0.3 * s"),
        "again": forms('raise\nraise Empty("again")\nt = 0.2'),
    },
    ("gl = [w]", "dd = 0.5 * x"),
    {},
    ("sum(gl) + len(gl)", "np.sum(dd * np.cos(dd))"),
)  # fmt: skip
