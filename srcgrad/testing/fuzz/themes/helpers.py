"""The classes and helper functions of the wide vocabulary, as text, in the order of their needs."""

WIDE = {
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
}

# What has to be imported for a name.
NEEDED = {
    "@dataclass": "from dataclasses import dataclass, replace\n",
    "NamedTuple": "from typing import NamedTuple\n",
}
