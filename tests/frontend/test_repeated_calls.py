"""Functions of numbers that are called often: interpreted a few times, then copied."""

import math

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend import repeated_calls

TOTAL = [0.0]
calls = 0


def settled(x, k, damp=0.5):
    """A number by branches that return, a loop until it settles, and a few powers."""
    if x < -4.0:
        return x * 0.25
    if k == 1:
        x = x + 0.5
    y, n = x, 0
    while abs(y) > 1e-3 and n < 30:
        y = y * damp if y > 0.0 else -0.75 * y
        n += 1
    if x > 2.0:
        return math.sqrt(x) + y
    z = math.sin(x) * math.exp(-0.5 * x * x) + 0.25 * x
    z = z + x * (0.1 + x * (0.2 + x * (0.3 + x * (0.4 + 0.5 * x))))
    return z + 0.1 * y + n * 0.01


def both(x, y):
    """A tuple of numbers, of a function that calls others."""
    a, b = settled(x, 1), settled(y, 2)
    s = math.cos(a) * b + a * (0.3 + a * (0.2 + 0.1 * a))
    t = math.sin(b) * a + b * (0.4 + b * (0.1 + 0.2 * b))
    return s, (t, a - b), 3.0


def twelve(x, y):
    s = x
    for _ in range(2):
        s = settled(s, 1) + settled(s + y, 1) + settled(y - s, 2) + settled(0.5 * s, 2)
    p, (q, r), c = both(s, y)
    u, (v, w), _ = both(p, q)
    g, (h, o), _ = both(u - v, r)
    m, (_, _), _ = both(g, w + h)
    return s + c * (p + q * r) + u * v - w + g * o + m


def in_branches(x, y):
    """Calls in a loop, and where a test is known that the function makes as well."""
    s = 0.0
    k = 0
    while k < 4:
        if x > 2.0:
            s = s + settled(x, 1)
        elif y < -4.0:
            s = s - settled(y, 1)
        else:
            s = s + settled(x * y, 2, 0.25) - settled(y, 1)
        x, y, k = 0.9 * x + 0.1, y - 0.2 * x, k + 1
    return s + settled(s, 1)


def of_numbers_of_numpy(x, y):
    """Python's numbers and NumPy's are of two classes, which results keep."""
    a, b = settled(x, 1), settled(np.float64(y), 1)
    c, d = settled(a, 1), settled(np.sqrt(np.abs(b)), 1)
    e, f = settled(c, 1), settled(np.float64(d), 1)
    return a + b + c + d + e + f + settled(-x, 1) + settled(1, 1) + settled(1.0, 1)


def scaled(x, table, i):
    """Reads an array and an integer, which have to be the same in each call that is copied."""
    s = x + table[i]
    for k in range(table.shape[0]):
        s = s * 0.5 + table[k] * math.sin(s) - 0.1 * x
    return s * (0.2 + s * (0.1 + s * (0.3 + s * (0.05 + 0.02 * s)))) + math.cos(x) * math.exp(
        -x * x
    )


def of_arrays(x, y):
    one, two = np.array([x, y, 0.3]), np.array([y, 0.2])
    s = x
    for i in range(3):
        s = scaled(s, one, i) + scaled(y - s, one, i) + scaled(s, two, 0) - scaled(x, two, 1)
        s = s + scaled(s * y, one, i) * scaled(s, two, 1) + scaled(0.1 * s, two, 1)
        one[1] = one[1] + 0.1 * s
    return s + scaled(s, one, 0) + one[1]


def weighted(x, pair, weights):
    """Numbers in a tuple and a list: they are others in each call."""
    (a, b), (c,) = pair, weights
    y = x * (a + x * (b + x * (c + x * (0.05 + 0.02 * x)))) + math.cos(x) * math.exp(-x * x)
    y = math.sin(y)
    return y * (a + y * (0.1 + y * (b + y * (c + 0.02 * y)))) + math.cos(y) * math.exp(-y * y)


def of_containers(x, y):
    s = weighted(x, (x, y), [y]) + weighted(y, (y, x), [x]) + weighted(x, (0.5 * y, 0.1), [0.2])
    s = s + weighted(0.1 * s, (0.1 * s, y), [x * y]) + weighted(y, (0.3 * x, 0.1 * s), [0.1 * y])
    kept = [0.1 * x]
    for _ in range(3):
        s = 0.1 * s + weighted(0.1, (s, x), kept) - weighted(x, (y, s), kept)
        kept[0] = kept[0] + 0.1 * s
    return s


def limited(x):
    """Raises on one path."""
    y = x * (0.2 + x * (0.1 + x * (0.3 + x * (0.05 + 0.02 * x)))) + math.cos(x) * math.exp(-x * x)
    z = y * (0.2 + y * (0.1 + y * (0.3 + y * (0.05 + 0.02 * y)))) + math.cos(y) * math.exp(-y * y)
    if z > 1e12:
        raise ValueError("too large")
    return y + z


def often_limited(x, y):
    s = limited(x) + limited(y) + limited(x - y)
    return s + limited(x + y) + limited(x * y)


def down(x, k):
    """Calls itself, and a function that calls it."""
    y = x * (0.2 + x * (0.1 + x * (0.3 + x * (0.05 + 0.02 * x)))) + math.cos(x) * math.exp(-x * x)
    if k == 0:
        return y
    return 0.5 * y + down(0.5 * x, k - 1) + (0.1 * beside(y, k - 1) if k > 1 else 0.0)


def beside(x, k):
    return down(x, k - 1) + settled(x, 1) if k > 0 else settled(x, 2)


def recursive(x, y):
    return down(x, 3) + down(y, 3) + down(x - y, 3) + beside(x, 2) + beside(y, 2) + beside(x * y, 2)


PROGRAMS = [
    twelve,
    in_branches,
    of_numbers_of_numpy,
    of_arrays,
    of_containers,
    often_limited,
    recursive,
]
POINTS = [(0.3, 0.7), (2.5, -0.4), (-5.0, 0.1), (0.2, -6.0)]


def program_of(function):
    """The gradient of a function, compiled anew: what was built is shared by code objects."""
    scope = function.__globals__
    return flow.value_and_grad(
        type(function)(function.__code__.replace(), scope, function.__name__),
        argnums=(0, 1), target="python",
    )  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_copies_compute_what_the_calls_do(program, monkeypatch):
    copied = []
    copy = repeated_calls._copy
    monkeypatch.setattr(repeated_calls, "_copy", lambda *args: copied.append(0) or copy(*args))
    some = program_of(program)
    found = [some(*p) for p in POINTS]
    assert bool(copied) == (program is not of_containers)
    monkeypatch.setattr(repeated_calls, "ALIKE", 10**6)
    copied.clear()
    none = program_of(program)
    for point, (value, slopes) in zip(POINTS, found, strict=True):
        plain, plain_slopes = none(*point)
        assert value == plain
        assert type(value) is type(plain)
        # NumPy's functions round otherwise than those of math on some processors
        assert math.isclose(value, program(*point), rel_tol=1e-11)
        assert slopes == plain_slopes
    assert not copied


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_differences(program):
    x, y = 0.3, 0.7
    _, slopes = flow.value_and_grad(program, argnums=(0, 1))(x, y)
    h = 1e-6
    by_x = (program(x + h, y) - program(x - h, y)) / (2 * h)
    by_y = (program(x, y + h) - program(x, y - h)) / (2 * h)
    np.testing.assert_allclose(slopes, (by_x, by_y), rtol=2e-5)


def interpretations(monkeypatch, function, *args):
    """How often the functions that a program calls are interpreted."""
    found = []
    inline = repeated_calls.inline
    with monkeypatch.context() as m:
        m.setattr(
            repeated_calls, "inline",
            lambda it, source, *rest: found.append(source.title) or inline(it, source, *rest),
        )  # fmt: skip
        flow.compile(function, target="python")(*args)
    return found.count("settled")


def five(x):
    s = settled(x, 1) + settled(x + 0.1, 1) + settled(x + 0.2, 1)
    return s + settled(x + 0.3, 1) + settled(x + 0.4, 1)


def forty(x):
    s = 0.0
    for k in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        s += five(x + k)
    return s


def with_other_constants(x):
    return settled(x, 0) + settled(x, 0.0) + settled(x, -0.0) + settled(x, False) + settled(x, 2)


def test_further_calls_are_not_interpreted(monkeypatch):
    assert interpretations(monkeypatch, five, 0.3) == repeated_calls.ALIKE + 1
    assert interpretations(monkeypatch, forty, 0.3) == repeated_calls.ALIKE + 1


def test_calls_with_other_constants_are_others(monkeypatch):
    assert interpretations(monkeypatch, with_other_constants, 0.3) == 5


def test_short_functions_are_interpreted_where_they_are(monkeypatch):
    monkeypatch.setattr(repeated_calls, "SHORTEST", 1000)
    assert interpretations(monkeypatch, five, 0.3) == 5


def counted(x):
    global calls
    calls += 1
    y = x * (0.2 + x * (0.1 + x * (0.3 + x * (0.05 + 0.02 * x)))) + math.cos(x) * math.exp(-x * x)
    return y * (0.2 + y * (0.1 + y * (0.3 + y * (0.05 + 0.02 * y)))) + math.cos(y) * calls


def counts(x):
    return counted(x) + counted(2 * x) + counted(3 * x) + counted(4 * x) + counted(5 * x)


def test_a_function_that_stores_to_a_name_outside_is_called_each_time():
    global calls
    calls = 0
    plain = counts(0.3)
    assert calls == 5
    calls = 0
    assert flow.compile(counts, target="python")(0.3) == plain
    assert calls == 5


def test_an_exception_of_a_copy_is_raised():
    f = flow.compile(often_limited)
    assert f(0.3, 0.7) == pytest.approx(often_limited(0.3, 0.7), rel=1e-13)
    with pytest.raises(ValueError, match="too large"):
        f(30.0, 1.0)
