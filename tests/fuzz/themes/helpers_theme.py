"""The classes and helper functions of the wide vocabulary, as text, in the order of their needs."""

WIDE = {
    "Empty": """\
class Empty(Exception):
    pass
""",
    "Spent": """\
class Spent(Empty):
    pass
""",
    "picked": """\
def picked(a, k, level):
    if k < 0:
        raise Empty("nothing")
    s = 0.0
    for i in range(k):
        s = 0.5 * s + 0.3 * a[i % 4]
        if a[i % 4] > level:
            raise Spent("all")
    return s + 0.2 * a[k - 1]
""",
    "State": """\
class State(NamedTuple):
    u: np.ndarray
    v: np.ndarray
    k: float
""",
    "advance": """\
def advance(st, k):
    st.u[1:] += 0.3 * np.tanh(k * st.v[:-1])
    if st.k > 0.3371:
        return State(st.v, st.u, 0.7 * st.k)
    return st._replace(k=0.5 * st.k + 0.2 * k)
""",
    "Body": """\
@dataclass
class Body:
    pos: np.ndarray
    vel: np.ndarray
    mass: float

    def energy(self):
        return self.mass * np.sum(self.vel * np.sin(self.pos))

    def step(self, k):
        self.pos[1:] += 0.2 * np.tanh(k * self.vel[:-1])
        self.vel = 0.7 * self.vel - 0.1 * self.pos
        self.mass *= np.cos(k)
""",
    "push": """\
def push(body, k):
    for i in range(len(body.pos)):
        if body.vel[i] > 0.4171:
            body.mass = 0.5 * (body.mass + k)
        body.pos[i] = np.sin(body.pos[i] + 0.2 * body.vel[i - 1])
    body.vel = np.tanh(body.vel * k)
""",
    "mix": """\
def mix(dc, k):
    dc["u"][1:] *= np.cos(k * dc["v"][:-1])
    dc["k"] = 0.5 * dc["k"] + 0.2 * np.tanh(k)
""",
    "trimmed": """\
def trimmed(a, level):
    while len(a) > 1:
        if a[0] > level:
            return a
        a[1] += 0.2 * a[0]
        a = a[1:]
    return a * 0.5
""",
    "apply": """\
def apply(fn, a, k):
    total = 0.0
    for v in a:
        total += 0.2 * fn(v * k)
    return total
""",
    "varied": """\
def varied(k, *arrays, gain=0.5):
    for o in arrays:
        o[0] = np.tanh(gain * o[-1] + k)
        k = 0.5 * k + 0.2 * o[1]
    return k
""",
    "softmax": """\
def softmax(z):
    z = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return z / np.sum(z, axis=-1, keepdims=True)
""",
    "log_sum_exp": """\
def log_sum_exp(z):
    top = np.max(z)
    return top + np.log(np.sum(np.exp(z - top)))
""",
    "larger": """\
def larger(u, v):
    return np.where(u > v, u, v)
""",
    "rectified": """\
def rectified(z, k):
    return np.where(z * k > 0.0, z * k, 0.0)
""",
    "ordered": """\
def ordered(z, k):
    return z[np.argsort(z * k)]
""",
    "best_of": """\
def best_of(z, k):
    return z[np.argmax(z * k)]
""",
    "best_of_rows": """\
def best_of_rows(g, k):
    return g[np.arange(3), np.argmax(g * k, axis=1)]
""",
    "mean_of_largest": """\
def mean_of_largest(z, k):
    u = np.where(z * k == np.max(z * k), 1.0, 0.0)
    return np.sum(z * u) / np.sum(u)
""",
    "beside_itself": """\
def beside_itself(z):
    return np.max(np.stack((z, z)), axis=0)
""",
    "near_itself": """\
def near_itself(z):
    return np.maximum(z, z * (1 + 1e-13))
""",
    "between_its_extrema": """\
def between_its_extrema(z):
    return np.clip(z, np.min(z), np.max(z))
""",
    "doubled_and_sorted": """\
def doubled_and_sorted(z):
    return np.sort(np.repeat(z, 2))[::2]
""",
    "settled": """\
def settled(v, k):
    for _ in range(3):
        if v > 0.9171:
            return v
        v = v + 0.3 * np.cos(v * k)
    return 0.7 * v
""",
    "lifted": """\
def lifted(row, k):
    new = np.zeros(len(row))
    for j in range(len(row)):
        new[j] += np.sin(row[j] * k) + 0.3 * new[j - 1]
    return new
""",
    "filled": """\
def filled(out, row, k):
    out[:] = 0.5 * out + k * row
    for j in range(1, len(out)):
        out[j] *= np.cos(out[j - 1])
""",
    "chosen": """\
def chosen(m, i, k):
    row = m[i]
    if k > 0.3171:
        return row[1] * k
    return np.sum(row)
""",
    "bent": """\
def bent(v, k):
    h = 0.3
    for j in range(4):
        h = np.tanh(h * v + 0.1 * j * k)
    return h * h
""",
    "rolled": """\
def rolled(row, k):
    h, u, j = row * 0.5, 1.0, 0
    while j < 3 and u > 0.4171:
        h = np.sin(h * row + k * h[::-1])
        if h[0] > 0.2171:
            u *= 0.7 + 0.1 * np.cos(h[1])
        j += 1
    return np.sum(h * h) * u
""",
    "Pair": """\
@dataclass
class Pair:
    u: float
    v: np.ndarray
""",
    "halves": """\
def halves(a):
    for o in a:
        yield 0.5 * o
        if o > 0.6171:
            yield np.sin(o)
""",
    "filling": """\
def filling(a, rows, k):
    for o in a:
        if len(rows) < 20:
            rows.append((k * o, 1))
        yield o * k
        if o > 0.5171:
            return
""",
    "neighbours": """\
def neighbours(a):
    for k in range(len(a) - 1):
        yield a[k : k + 2]
""",
    "damped": """\
def damped(u, a):
    k = 0
    while k < 40:
        u = 0.6 * np.tanh(u) * (1.0 - 0.1 * a[k % 4])
        yield u
        k += 1
""",
    "gained": """\
@contextmanager
def gained(a, k):
    held = a[0]
    a[0] = np.tanh(k * held)
    yield a * k
    a[0] = 0.5 * a[0] + 0.5 * held
""",
    "Meter": """\
class Meter:
    def __init__(self, total):
        self.total = total

    def __enter__(self):
        self.total *= 0.5
        return self

    def __exit__(self, kind, error, trace):
        self.total = np.tanh(self.total + 0.1)

    def add(self, v):
        self.total += 0.3 * v
""",
    "swept": """\
def swept(out, row, k):
    for j in flow.prange(len(out)):
        out[j] = 0.6 * out[j] + np.sin(row[j]) * k
""",
}

# What has to be imported for a name.
NEEDED = {
    "@dataclass": "from dataclasses import dataclass, replace\n",
    "@contextmanager": "from contextlib import contextmanager\n",
    "NamedTuple": "from typing import NamedTuple\n",
    "flow.": "import srcgrad as flow\n",
}
