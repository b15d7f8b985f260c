"""Programs for `annotate`, and a parser of its pages."""

import re
from html.parser import HTMLParser

import numpy as np

import srcgrad as flow
from srcgrad import nn

VOID = {"meta", "br"}
RNG = np.random.default_rng(0)


def recurrence(x, w, steps):
    u = x.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + w * (u[i - 1] * u[i + 1])
    total = 0.0
    k = 0
    while k < len(u):
        if u[k] < 0.0:
            break
        total += np.sqrt(u[k] + 1.0)
        k += 1
    return total


def softmax(z):
    e = np.exp(z - np.max(z, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]


def loss(w, x, y):
    return -np.mean(np.sum(np.log(softmax(x @ w)) * y, axis=1)) + 0.01 * np.sum(w**2)


def paths(s, sigma, noise):
    total = 0.0
    for k in flow.prange(noise.shape[0]):
        v = s
        for t in range(noise.shape[1]):
            v = v * (1.0 + sigma * noise[k, t])
        total += max(v - 1.0, 0.0)
    return total


def pendulum(q, p, steps):
    for _ in flow.checkpointed(range(steps)):
        p = p - 0.01 * np.sin(q)
        q = q + 0.01 * p
    return np.sum(q * q)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(flow.tanh(self.first(x)))


def of_net(target):
    net = Net()

    def objective(x, y):
        return flow.mean((net(x) - y) ** 2)

    made = flow.value_and_grad(objective, None, weights=list(net.parameters()), target=target)
    return made, (flow.ones(5, 4), flow.zeros(5, 1))


PROGRAMS = {
    "recurrence": lambda t: (
        flow.value_and_grad(recurrence, (0, 1), target=t),
        (np.ones(8), 0.01, 3),
    ),
    "arrays": lambda t: (
        flow.value_and_grad(loss, target=t),
        (RNG.normal(size=(4, 3)), RNG.normal(size=(6, 4)), np.eye(3)[[0, 1, 2, 0, 1, 2]]),
    ),
    "parallel": lambda t: (
        flow.value_and_grad(paths, (0, 1), target=t, parallel=True),
        (1.0, 0.1, RNG.normal(size=(7, 5))),
    ),
    "checkpoints": lambda t: (flow.value_and_grad(pendulum, (0, 1), target=t), (X, np.zeros(5), 9)),
    "net": of_net,
}


X = RNG.normal(size=5)


class Page(HTMLParser):
    """A page of which every element is closed, and its rows."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.rows: dict[str, dict] = {}
        self.buttons: list[str] = []
        self.tags: set[str] = set()
        self._row = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.add(tag)
        if "id" in values:
            self.ids.append(values["id"])
        self.references |= {values[k] for k in ("aria-labelledby", "for") if k in values}
        if values.get("class", "").split()[:1] == ["row"]:
            self._row = values["id"]
            self.rows[self._row] = {
                "at": values["data-at"].split(), "text": "", "titles": [],
                "parts": values.get("data-part", "").split(),
            }  # fmt: skip
        elif tag == "button" and "data-shows" in values:
            self.references.add(values["data-shows"])
        elif tag == "button":
            self.buttons += values["data-at"].split()
        if self._row and values.get("title"):
            self.rows[self._row]["titles"].append(values["title"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data):
        if self._row and self.open[-1:] and "code" in self.open:
            self.rows[self._row]["text"] += data

    def of(self, prefix: str) -> dict[str, dict]:
        return {k: r for k, r in self.rows.items() if re.fullmatch(prefix + r"\d[\d-]*", k)}


def softmax_sum(z):
    return np.sum(softmax(z) ** 2)
