"""Loops to be reversed by a schedule: `part` is what their `for` runs over, made of a range."""

import numpy as np


def values(part, u, k, n):
    """Carried values."""
    for _ in part(range(n)):
        u = u + 0.01 * np.sin(k * u)
    return np.sum(u**2)


def in_place(part, u, k, n):
    """An array that is stored to and not carried, element by element."""
    u = u.copy()
    for t in part(range(n)):
        for i in range(1, len(u)):
            u[i] += 0.1 * k * np.sin(u[i - 1]) - 0.001 * t
    return np.sum(u**2)


def stored_before_and_after(part, u, k, n):
    """Contents that are read before the loop, and changed after it."""
    a = u * u
    before = np.sum(np.sin(a))
    for t in part(range(n)):
        a[t % len(a)] = a[t % len(a)] * k + 0.1
    a[0] = a[0] * a[1]
    return before * np.sum(a**3)


def made_in_the_trip(part, u, k, n):
    """An array made in each trip, stored to and carried."""
    for _ in part(range(n)):
        new = np.empty_like(u)
        for i in range(len(u)):
            new[i] = 0.9 * u[i] + 0.1 * k * np.cos(u[i - 1])
        u = new
    return np.sum(u**2)


def swapped(part, u, k, n):
    """Two buffers that swap their names."""
    a, b = u.copy(), np.zeros_like(u)
    for _ in part(range(n)):
        for i in range(len(u)):
            b[i] = 0.9 * a[i] + 0.1 * k * np.cos(a[i - 1])
        a, b = b, a
    return np.sum(a**2) + np.sum(b)


def recorded(part, u, k, n):
    """Arrays over all trips: one is read, one is only stored to."""
    source, seen = np.sin(k * np.arange(n)), np.zeros(n)
    for t in part(range(n)):
        u = 0.9 * u + source[t] * np.roll(u, 1)
        seen[t] = u[0] * k
    return np.sum(seen**2) + np.sum(seen[n // 2 :] * u[1])


def scalars(part, u, k, n):
    """Numbers, among them integers that decide."""
    x, y, count = u[0], u[1], 0
    for t in part(range(n)):
        if x * y > 0.2 and t % 3 == 0:
            x, count = x - k * y, count + 2
        else:
            x, y = x + 0.1 * y * u[count % len(u)], y + 0.05 * x
    return x * y + 0.01 * count * x


def structures(part, u, k, n):
    """Dicts and tuples."""
    state, total = {"u": u, "v": (np.zeros_like(u), 1.0)}, 0.0
    for t in part(range(n)):
        v, w = state["v"]
        v = 0.9 * v - k * 0.1 * state["u"]
        state = {"u": state["u"] + 0.1 * v, "v": (v, w * 0.99)}
        total += state["v"][1] * np.sum(state["u"] ** 2) * (t + 1)
    return total + np.sum(state["v"][0])


def broken(part, u, k, n):
    """A loop that is left early."""
    steps = 0
    for t in part(range(n)):
        u = u + 0.05 * k * np.sin(u + t)
        steps = t
        if np.sum(u) > 1.5:
            break
        u = u * 1.02
    else:
        u = u * 3.0
    return np.sum(u**2) * (1 + steps)


def continued(part, u, k, n):
    for t in part(range(n)):
        if t % 4 == 1:
            continue
        u = u + 0.05 * k * np.sin(u + t)
    return np.sum(u**2)


def returned(part, u, k, n):
    """A return from the loop."""
    for t in part(range(n)):
        u = u + 0.05 * k * np.sin(u + t)
        if u[0] * t > 5.0:
            return np.sum(u**3)
    return np.sum(u**2)


def backwards(part, u, k, n):
    for t in part(range(n - 1, -1, -1)):
        u = u + 0.01 * t * np.sin(k * u)
    return np.sum(u**2)


def by_steps(part, u, k, n):
    for t in part(range(3, 3 * n, 2)):
        u = u + 0.01 * t * np.sin(k * u)
    return np.sum(u**2)


def over_items(part, u, k, n):
    """The items of an array, and pairs."""
    s = k
    for row in part(np.outer(np.arange(n) * 0.1, u)):
        s = s + 0.1 * np.sum(np.sin(s * row))
    for x, y in part(zip(u, u[::-1], strict=True)):
        s = s * (1.0 + x * y * 0.1)
    return s * s


def views(part, u, k, n):
    """Views of one array that a trip stores through."""
    a = np.zeros((3, len(u)))
    a[0] = u
    first, rest = a[0], a[1:]
    for t in part(range(n)):
        rest[t % 2] = 0.9 * rest[t % 2] + k * first
        first[t % len(u)] *= 0.9
    return np.sum(a**2)


def nested(part, u, k, n):
    """A schedule inside of one."""
    for t in part(range(n)):
        for r in part(range(t % 4 + 1)):
            u = u + 0.01 * r * np.sin(k * u)
        u = u * 1.01
    return np.sum(u**2)


def inside_loops(part, u, k, n):
    """A schedule in a loop that has none, of differing length."""
    total = 0.0
    for shot in range(3):
        v, w = u * (shot + 1), u.copy()
        for t in part(range(n - shot)):
            v = v + 0.01 * np.sin(k * v)
            w[t % len(w)] += 0.1 * v[0] * w[0]
        total += np.sum(v * w)
    return total


def in_branches(part, u, k, n):
    if k > 0.5:
        for _ in part(range(n)):
            u = u * np.cos(0.01 * u * k)
    else:
        for _ in part(range(n)):
            u = u + k
    return np.sum(u**2)


def inner_while(part, u, k, n):
    """Trips with a loop of unknown length."""
    for t in part(range(n)):
        s = 1.0
        while s > 0.1:
            s = s * 0.5 * (1.0 + 0.1 * np.sin(u[0] * k + t))
        u = u + 0.01 * s * u
    return np.sum(u**2)


def joined_lengths(part, u, k, n):
    """An array that is put together anew in each trip."""
    for t in part(range(n)):
        u = np.concatenate([u[1:] * k, u[:1] + 0.1 * t])
    return np.sum(u**2)


def growing(part, u, k, n):
    """An array whose length changes."""
    v = u[:1]
    for t in part(range(n)):
        v = np.concatenate([v, v[:1] * k + 0.01 * t])
    return np.sum(v**2)


def helper(part, u, k, n):
    def step(v, t):
        w = np.zeros_like(v)
        w[1:] = v[:-1] * k
        w[0] = v[-1] + 0.01 * t
        return w

    for t in part(range(n)):
        u = step(u, t)
    return np.sum(u**2)


def kept_local(part, u, k, n):
    """A buffer made in the trip that does not leave it."""
    for _ in part(range(n)):
        flux = np.zeros(len(u) + 1)
        for i in range(1, len(u)):
            flux[i] = k * (u[i - 1] - u[i])
        u = u + 0.1 * (flux[:-1] - flux[1:]) * np.sin(u)
    return np.sum(u**2)


LOOPS = [
    values, in_place, stored_before_and_after, made_in_the_trip, swapped, recorded, scalars,
    structures, broken, continued, returned, backwards, by_steps, over_items, views, nested,
    inside_loops, in_branches, inner_while, joined_lengths, growing, helper, kept_local,
]  # fmt: skip
