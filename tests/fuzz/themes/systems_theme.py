"""The theme of systems: loops that solve equations by matrices that stay, change or take turns.

What a loop carries is bound anew in most of them, to arrays whose lengths only checks tell.
"""

from itertools import cycle, product

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme

TAG = ("system",)
TRIPS = ("range(3)", "range(n)", "range(3, -1, -1)", "range(0)", "range(1, 3)")
STEPS = (
    "r = np.linalg.solve(a, r)",
    "r = np.linalg.solve(a.T, d) + 0.1 * r",
    "d = np.linalg.solve(q, np.stack([r, d], axis=1))[:, 1]",
    "t += 0.1 * np.linalg.solve(a.T, r) @ np.linalg.solve(a, d)",
    "q[:] = np.linalg.solve(a, q) + 3 * np.eye(4)",
    "q = np.linalg.inv(a) + 2 * np.eye(4)",
    "a[J, 0] += 0.1 * np.tanh(r[0])",
    "a, q = q, a",
    "a = a.T",
    "a = a + 0.1 * np.outer(np.tanh(r), np.tanh(d))",
    "q = 3 * np.eye(4) + 0.3 * np.tanh(q @ a)",
    "r, d = d, r",
    "r = np.tanh(a @ r)",
    "d = np.linalg.cholesky(q @ q.T + np.eye(4))[1]",
    "t += 0.1 * np.linalg.slogdet(a @ a.T + np.eye(4))[1]",
    "d = np.einsum('ij,j->i', q, np.sin(r))",
    "r = r.copy()\n    r[1:] = 0.5 * d[J]",
    "if t > 0.2:\n        r = np.linalg.solve(a, r[::-1])",
    "for K in range(2):\n        d = np.linalg.solve(q[:4, :], 0.5 * d + r)",
)
STATE = {
    "a": (
        "a = 4 * np.eye(len(x)) + 0.5 * np.tanh(np.outer(x, np.cos(x) + w))",
        "np.sum(np.sin(a) * np.arange(16.0).reshape(4, 4))",
    ),
    "q": (
        "q = 4 * np.eye(4) + 0.4 * np.cos(np.arange(16.0) + np.sum(x * w)).reshape(4, 4)",
        "0.3 * np.sum(np.cos(q) * np.arange(16.0).reshape(4, 4))",
    ),
    "r": ("r = 0.4 * np.sin(x * w)", "np.sum(np.tanh(r) * np.arange(1, 5))"),
    "d": ("d = 0.3 * np.cos(x[::-1])", "np.sum(np.tanh(d) * np.arange(4, 0, -1))"),
}


def _loops() -> tuple[Nest, ...]:
    """Every step with every other, and two more at distances that vary."""
    trips, made = cycle(TRIPS), list[Nest]()
    for j, k in product(range(len(STEPS)), repeat=2):
        places = (j, k, j + 2 * k + 1, 3 * j + k + 2)
        steps = "\n    ".join(STEPS[p % len(STEPS)] for p in places)
        made.append(Nest(0.1, f"J = 1\nfor I in {next(trips)}:\n    J = I % 3\n    {steps}\n", TAG))
    return tuple(made)


SYSTEMS = Theme("systems", (), _loops(), state=STATE, largest=160)
