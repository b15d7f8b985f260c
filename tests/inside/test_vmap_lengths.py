"""`vmap` of items whose lengths follow from what items before them have left."""

import numpy as np
import pytest

import srcgrad as flow

X, ALONG = np.arange(1.0, 4.0), np.array([0.3, -0.2, 0.7])


def counted(n):
    def item(v):
        nonlocal n
        n = min(n + 1, 2)
        return v * np.ones(n)

    return item


def in_a_list(n):
    last = [n + 1]

    def item(v):
        made = v * np.ones(last[0])
        last[0] = len(made) + (v > 100.0)
        return made

    return item


def joined(n):
    held = np.ones(n)

    def item(v):
        nonlocal held
        held = np.concatenate((held[-1:], np.full(n, v)))
        return held

    return item


def half_of_joined(n):
    item = joined(n)

    def half(v):
        held = item(v)
        return held[: len(held) // 2]

    return half


def of_a_while(n):
    last = 1

    def item(v):
        nonlocal last
        while last < 3:
            last += n
        return np.full(last, v * v)

    return item


@pytest.mark.parametrize("target", ["python", "loops"])
@pytest.mark.parametrize("made", [counted, in_a_list, joined, half_of_joined, of_a_while])
def test_equal_lengths(made, target):
    def batch(x, n):
        item = made(n)
        return flow.vmap(item)(x)

    def in_python(x):
        item = made(1)
        return np.stack([item(v) for v in x])

    fn = flow.compile(batch, target=target)
    np.testing.assert_array_equal(fn(X, 1), in_python(X))
    out, dots = flow.jvp(fn, (X, 1), (ALONG, None))
    bars = flow.vjp(fn, X, 1)[1](np.cos(out))[0]
    np.testing.assert_allclose(bars @ ALONG, np.sum(np.cos(out) * dots))
    ahead, back = in_python(X + 1e-6 * ALONG), in_python(X - 1e-6 * ALONG)
    np.testing.assert_allclose(dots, (ahead - back) / 2e-6, 1e-8, 1e-9)


def test_other_lengths():
    def longer(x):
        n = 1

        def item(v):
            nonlocal n
            n += 1
            return v * np.ones(n)

        return flow.vmap(item)(x)

    with pytest.raises(ValueError, match="different lengths, 2 and 3 along axis 1"):
        flow.compile(longer, target="python")(X)
