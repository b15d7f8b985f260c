"""Items and slices of ranges, as Python has them."""

import pytest

import srcgrad as flow

CAPTURED = range(3, 9)


def last_of(x, k):
    return x * range(5)[-1] + range(k, 2, -3)[-2]


def at(x, k):
    return x * range(5)[k]


def of_captured(x, k):
    return x * CAPTURED[k] + sum(CAPTURED[1:3])


def backwards(x, k):
    s = 0.0
    for i in range(2, k)[::-1]:
        s = s * x + i
    return s


def parts(x, k):
    s = 0.0
    for i in range(2, 20)[1:k]:
        s = s * x + i
    for i in range(1, 30, 3)[-1:k:-2]:
        s = s * x + i
    return s + range(10)[2:][3] * x + len(range(12)[:k])


@pytest.mark.parametrize("fn", [last_of, at, of_captured, backwards, parts])
@pytest.mark.parametrize("k", [-9, -5, -1, 0, 3, 4, 8, 15])
def test_like_python(fn, k):
    compiled = flow.compile(fn, target="python")
    try:
        expected = fn(1.01, k)
    except IndexError as e:
        with pytest.raises(IndexError, match=str(e)):
            compiled(1.01, k)
    else:
        assert compiled(1.01, k) == pytest.approx(expected, rel=1e-14)


def test_a_constant_place_outside():
    with pytest.raises(IndexError, match="range object index out of range"):
        flow.compile(lambda x: x * range(3, 9)[7], target="python")(2.0)


def test_an_index_that_is_no_integer():
    with pytest.raises(flow.UnsupportedError, match="range indices must be integers or slices"):
        flow.compile(lambda x: x * range(3)[1, 2], target="python")(2.0)
    with pytest.raises(TypeError, match="range indices must be integers or slices"):
        flow.compile(lambda x: x * range(3)[x], target="python")(2.0)
