"""Lists that grow and hold arrays of several shapes: which lists do, and what cannot be done."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.linspace(0.3, 1.4, 6)


# ---- which lists may hold arrays of several shapes ----
def trajectory(x, n):
    states = [x]
    for _ in range(n):
        states.append(states[-1] + 0.1 * np.sin(states[-1]))
    return np.sum(np.array(states))


def carried_trajectory(x, n):
    out, s = [], x
    for _ in range(n):
        s = s * 1.1 + x[0]
        out.append(s)
    return np.sum(out[-1])


def windows(x, n):
    out = []
    for i in range(len(x) - 2):
        out.append(x[i : i + 3] * n)
    return np.sum(np.array(out) ** 2)


def rows_of_windows(x, n):
    total = 0.0
    for m in range(2, n):
        rows = []
        for k in range(n):
            rows.append(np.ones(m) * x[k])
        copied = rows[1:]
        copied.append(rows[0] * 2.0)
        total += np.sum(copied[-1]) + np.sum(sum(rows))
    return total


def two_lists(x, n):
    a, b = [x], [x[1:]]
    for k in range(n):
        a.append(np.cos(a[k]))
        b.append(a[-1][1:] + b[-1])
    return np.sum(a[-1]) + np.sum(b[-1])


def branches(x, n):
    out = []
    for k in range(n):
        if k % 2 == 0:
            out.append(x * 2.0)
        else:
            out.append(np.sin(x))
    return np.sum(np.stack(out) ** 2)


def helper(v, out):
    out.append(v[:-1] - v[1:])


def by_a_helper(x, n):
    out = []
    for k in range(n):
        helper(x * k, out)
    return np.sum(out[-1] * out[0])


ONE_SHAPE = [
    trajectory, carried_trajectory, windows, rows_of_windows, two_lists, branches, by_a_helper
]  # fmt: skip


@pytest.mark.parametrize("f", ONE_SHAPE)
def test_arrays_that_are_known_to_have_one_shape_need_no_places(f):
    made = flow.compile(f, target="python")
    assert np.allclose(made(X, 4), f(X, 4))
    text = made.ir("primal", X, 4)
    assert "tape[i64]" not in text, text


def growing_pieces(x, n):
    out = []
    for k in range(n):
        out.append(x[: k + 1])
    return sum(np.sum(v) * len(v) for v in out)


def longer_ones(x, n):
    out = [x]
    for _ in range(n):
        out.append(np.append(out[-1], 2.0 * x[0]))
    return np.sum(out[-1]) * len(out[-1])


def later_another_one(x, n):
    out = []
    for k in range(n):
        out.append(x * k)
    out.append(x[1:])
    return np.sum(out[-1]) + np.sum(out[0])


def length_that_changes(x, n):
    m, total = 1, 0.0
    for k in range(n):
        out = []
        for j in range(3):
            out.append(np.ones(m) * x[j])
            m += k
        total += sum(np.sum(v) for v in out)
    return total


def one_list_of_another(x, n):
    a, b = [], []
    for k in range(n):
        a.append(x[k:])
    for k in range(n):
        b.append(a[k] * 2.0)
    return sum(np.sum(v) * len(v) for v in b)


def replaced_by_another_length(x, n):
    out = []
    for k in range(n):
        out.append(x * k)
    out[n // 2] = x[2:]
    return sum(np.sum(v) * len(v) for v in out)


def end_that_wraps_around(x, w):
    """With w = -1 the first pieces end before they begin."""
    out = []
    for i in range(len(x) - w + 1):
        out.append(x[i : i + w])
    return sum(np.sum(v) * len(v) for v in out)


SEVERAL = [
    growing_pieces, longer_ones, later_another_one, length_that_changes, one_list_of_another,
    replaced_by_another_length,
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", SEVERAL)
def test_arrays_of_several_shapes(f, target):
    made = flow.compile(f, target=target)
    assert np.isclose(made(X, 4), f(X, 4), rtol=1e-12)
    assert np.isclose(made(X[:5], 3), f(X[:5], 3), rtol=1e-12)
    flow.testing.gradcheck(f, (X, 4), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_windows_whose_width_the_run_tells(target):
    made = flow.compile(end_that_wraps_around, target=target)
    for w in (3, 1, 6, -1):
        assert np.isclose(made(X, w), end_that_wraps_around(X, w), rtol=1e-12)


# ---- the order of the elements ----
def test_pieces_that_stay_in_their_order_are_joined_as_one_block():
    def joined(x, n):
        out = []
        for k in range(n):
            out.append(x[k:])
        return np.sum(np.concatenate(out) ** 2)

    text = flow.compile(joined, target="python").ir("primal", X, 4)
    loops = [line for line in text.splitlines() if line.strip().startswith("for ")]
    assert len(loops) == 1, text


# ---- what comes out ----
def of_pairs(x, n):
    out = []
    for k in range(n):
        out.append((k, np.outer(x[k:], x[:2])))
    return out


def of_arrays(x, n):
    out = []
    for k in range(n):
        out.append(x[k:] * x[0])
    return out


def of_places(x, n):
    out = []
    for k in range(n):
        out.append(np.where(x > 0.2 * k)[0])
    return out, x[0]


@pytest.mark.parametrize("target", TARGETS)
def test_returned_lists(target):
    found = flow.compile(of_arrays, target=target)(X, 4)
    assert isinstance(found, list)
    for v, w in zip(found, of_arrays(X, 4), strict=True):
        assert v.shape == w.shape and np.allclose(v, w)
    assert not any(np.shares_memory(found[0], v) for v in found[1:])
    pairs = flow.compile(of_pairs, target=target)(X, 3)
    for (k, v), (m, w) in zip(pairs, of_pairs(X, 3), strict=True):
        assert type(k) is int and k == m and v.shape == w.shape and np.allclose(v, w)
    places, first = flow.compile(of_places, target=target)(X, 3)
    for v, w in zip(places, of_places(X, 3)[0], strict=True):
        assert v.dtype == w.dtype and v.tolist() == w.tolist()
    assert first == X[0]
    assert flow.compile(of_arrays, target=target)(X, 0) == []


def test_tangents_of_returned_lists():
    value, tangent = flow.jvp(of_arrays, (X, 3), (np.ones(6), None))
    for k in range(3):
        assert np.allclose(value[k], X[k:] * X[0])
        assert np.allclose(tangent[k], X[0] + X[k:])
    value, tangent = flow.jvp(of_pairs, (X, 2), (np.ones(6), None))
    assert tangent[1][0] is None and np.allclose(tangent[1][1], X[1:, None] + X[:2])


def test_jacobians_are_refused():
    with pytest.raises(flow.UnsupportedError, match=r"concatenate"):
        flow.jacobian(of_arrays)(X, 3)


# ---- as NumPy raises ----
def stacked(x, n):
    out = []
    for k in range(n):
        out.append(x[k:])
    return np.sum(np.stack(out))


def an_array(x, n):
    out = []
    for k in range(n):
        out.append(x[k:])
    return np.sum(np.array(out))


def of_other_widths(x, n):
    out = []
    for k in range(n):
        out.append(np.outer(x, x[k:]))
    return np.sum(np.concatenate(out))


def broadcast(x, n):
    out = []
    for k in range(n):
        out.append(x[k:])
    return np.sum(sum(out))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [stacked, an_array, of_other_widths, broadcast])
def test_shapes_that_do_not_fit(f, target):
    made = flow.compile(f, target=target)
    assert np.isclose(made(X, 1), f(X, 1))
    for call in (f, made):
        with pytest.raises(ValueError):
            call(X, 3)


def caught(x, n):
    out = []
    for k in range(n):
        try:
            out.append(x[k:] * x[: len(x) - n + 1])
        except ValueError:
            out.append(x[:2])
    return sum(np.sum(v) * len(v) for v in out)


@pytest.mark.parametrize("target", TARGETS)
def test_a_try_around_what_is_appended(target):
    assert np.isclose(flow.compile(caught, target=target)(X, 4), caught(X, 4))


def stored_to_afterwards(x, n):
    out = []
    for k in range(n):
        y = x[: k + 1] * 2.0
        out.append(y)
        y[0] = 5.0
    return np.sum(out[0])


def item_stored_to(x, n):
    out = []
    for k in range(n):
        out.append(x[k:])
    out[0][0] = 5.0
    return np.sum(out[0])


@pytest.mark.parametrize("f", [stored_to_afterwards, item_stored_to])
def test_stores_that_the_list_would_show_are_refused(f):
    with pytest.raises(flow.UnsupportedError, match="the array itself"):
        flow.compile(f, target="python")(X, 3)
