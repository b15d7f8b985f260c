"""Programs that draw, beside plain Python: the same numbers, and generators in the same state."""

import random

import numpy as np

import srcgrad as flow

MAKERS = {
    "default_rng": np.random.default_rng,
    "RandomState": np.random.RandomState,
    "Philox": lambda seed: np.random.Generator(np.random.Philox(seed)),
}


def state_of(g):
    """A generator's state, comparable."""
    if isinstance(g, random.Random):
        return g.getstate()
    found = g.bit_generator.state if hasattr(g, "bit_generator") else g.get_state(legacy=False)
    return repr(found)


def seeded(seed):
    np.random.seed(seed)
    random.seed(seed)


def global_state():
    return state_of(np.random.mtrand._rand), random.getstate()


def same(a, b):
    """Whether two results are equal to the last bit, in class, dtype and shape."""
    if isinstance(b, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    one, other = np.asarray(a), np.asarray(b)
    alike = type(a) is type(b) and one.dtype == other.dtype and one.shape == other.shape
    return alike and one.tobytes() == other.tobytes()


def check(f, *args, target="python", maker=None, calls=2):
    """Compares a compiled function with plain Python, call by call.

    With a `maker` the last argument is a generator that it makes, else the global ones are used.
    """
    compiled = flow.compile(f, target=target)
    for seed in (1, 2):
        if maker is None:
            seeded(seed)
            wanted = [(f(*args), global_state()) for _ in range(calls)]
            seeded(seed)
            found = [(compiled(*args), global_state()) for _ in range(calls)]
        else:
            plain, ours = maker(seed), maker(seed)
            wanted = [(f(*args, plain), state_of(plain)) for _ in range(calls)]
            found = [(compiled(*args, ours), state_of(ours)) for _ in range(calls)]
        for (value, state), (right, after) in zip(found, wanted, strict=True):
            assert same(value, right), (value, right)
            assert state == after


def check_gradient(f, x, maker, *others, target="python", step=1e-6, rtol=1e-6):
    """Compares gradients with differences between runs that draw the same numbers."""

    def value(at):
        return f(at, *others, maker(3))

    given = maker(3)
    found = flow.grad(flow.compile(f, target=target))(x, *others, given)
    left = maker(3)
    f(x, *others, left)
    assert state_of(given) == state_of(left)
    if isinstance(x, float):
        wanted = (value(x + step) - value(x - step)) / (2.0 * step)
    else:
        units = np.eye(x.size).reshape(x.size, *x.shape) * step
        wanted = np.array([(value(x + e) - value(x - e)) / (2.0 * step) for e in units])
        wanted = wanted.reshape(x.shape)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-7)
