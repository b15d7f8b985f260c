"""collections.deque: of known length and growing, bounded, of numbers, arrays and tuples."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tests.cases.registry import case

MIXED = np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])


@case(MIXED)
def mean_of_a_window(x):
    window, total = deque(maxlen=3), 0.0
    for i in range(len(x)):
        window.append(x[i])
        total += sum(window) / len(window) * x[i]
    return total


@case(MIXED, 4)
@case(MIXED, 0)
def delayed(x, n):
    line, total = deque([0.0, x[0] * 2.0, 1.0]), 0.0
    for i in range(n):
        line.append(x[i] * x[i])
        total += line.popleft() * x[i + 1]
    return total + line[-1]


@case(MIXED)
def last_two_arrays(x):
    held, y = deque(maxlen=2), x.copy()
    for _ in range(4):
        y = np.sin(y) * 1.1
        held.append(y)
        if len(held) == 2:
            y = y + 0.5 * (held[1] - held[0])
    return np.sum(y) * np.sum(np.array(held))


@case(MIXED)
def both_ends(x):
    waiting, total = deque(), 0.0
    for v in x:
        if v > 0.5:
            waiting.append(v)
        else:
            waiting.appendleft(v * v)
    waiting.rotate(2)
    while len(waiting) > 2:
        total = total * 0.5 + waiting.pop() * waiting.popleft()
    return total + waiting[0]


@case(MIXED)
def extended_and_turned(x):
    q = deque(x[:3])
    q.rotate(1)
    q += [x[3]]
    q.extendleft([x[4], x[5]])
    q.rotate(-2)
    q.insert(1, x[0] * x[1])
    del q[0]
    q[-1] = q[-1] * 2.0
    twice = deque(q, maxlen=4)
    twice.reverse()
    return sum((k + 1) * v * v for k, v in enumerate(q)) * twice[0] + max(twice) * min(q)


@case(MIXED, 3)
@case(MIXED, 1)
def largest_of_each_window(x, width):
    places, total = deque(), 0.0
    for i in range(len(x)):
        while places and x[places[-1]] <= x[i]:
            places.pop()
        places.append(i)
        if places[0] <= i - width:
            places.popleft()
        total += x[places[0]] * (i + 1)
    return total


@case(MIXED)
def two_loops_of_a_quasi_newton_method(x):
    steps, changes = deque(maxlen=3), deque(maxlen=3)
    w = x.copy()
    g = 2.0 * w + np.cos(w)
    for _ in range(4):
        q, factors = g, []
        for s, y in zip(reversed(steps), reversed(changes), strict=True):
            a = np.dot(s, q) / np.dot(y, s)
            factors.append(a)
            q = q - a * y
        for s, y, a in zip(steps, changes, reversed(factors), strict=True):
            q = q + s * (a - np.dot(y, q) / np.dot(y, s))
        new = w - 0.1 * q
        after = 2.0 * new + np.cos(new)
        steps.append(new - w)
        changes.append(after - g)
        w, g = new, after
    return np.sum(w * w)


@case(MIXED)
def breadth_first(x):
    waiting, total, done = deque([(0, 1.0)]), 0.0, np.zeros(8, dtype=bool)
    while waiting:
        k, weight = waiting.popleft()
        if k > 5 or done[k]:
            continue
        done[k] = True
        total += weight * x[k]
        waiting.append((k + 1, weight * 0.5))
        waiting.append((k + 2, weight * x[k]))
    return total


@dataclass
class Memory:
    size: int = 2
    recent: deque = field(default_factory=deque)
    sums: list = field(default_factory=list)

    def note(self, v):
        self.recent.append(v)
        if len(self.recent) > self.size:
            self.sums.append((self.recent.popleft(), len(self.sums)))


@case(MIXED)
def queue_in_an_object(x):
    memory = Memory()
    for v in x:
        if v > 0.0:
            memory.note(v * v)
    return sum(v * (k + 1) for v, k in memory.sums) * memory.recent[0]


@case(MIXED)
def queue_as_a_list(x):
    q = deque([x[0], x[1], x[0] * 2.0])
    known = isinstance(q, deque) and type(q) is deque and q.maxlen is None and x[1] in q
    same = q == deque([x[0], x[1], x[0] + x[0]]) and q != [x[0], x[1], x[0] * 2.0]
    first, *rest = q
    place = q.index(x[1]) + q.count(x[0]) if known and same else 9
    return (
        np.dot(q, [1.0, place, 2.0]) * first
        + sum(v * w for v, w in zip(q, q.copy(), strict=True))
        + len(rest)
    )
