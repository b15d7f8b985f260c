"""The sparsity of a program: of known programs it is exact, and it never misses an element."""

import numpy as np
import pytest
import scipy.fft

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.sparse.probing import probed
from tests.sparse import programs


def dense(fn, args, target):
    """The Jacobian with respect to the first argument, as a matrix."""
    blocks = flow.jacfwd(flow.compile(fn, target=target))(*args)
    if isinstance(blocks, dict):
        rows = [[b["x"].reshape(-1, 4), np.reshape(b["y"], (-1, 1))] for b in blocks.values()]
        blocks = np.block(rows)
    size = np.size(args[0]) if isinstance(args[0], np.ndarray) else 5
    return blocks.reshape(-1, size)


@pytest.mark.parametrize("target", ["python", "cpu"])
@programs.each
def test_known_programs(fn, args, flags, target):
    found = flow.sparsity(flow.compile(fn, target=target), *args)
    assert found.dtype == bool and found.has_sorted_indices
    assert found.toarray().astype(int).tolist() == flags.astype(int).tolist()


@programs.each
def test_nothing_is_missing_at_other_points(fn, args, flags):
    rng = np.random.default_rng(3)
    if isinstance(args[0], dict):
        return
    for _ in range(5):
        x = rng.normal(size=args[0].shape)
        x = abs(x) if fn is programs.newton_of_each else x
        assert not np.any((dense(fn, (x, *args[1:]), "python") != 0) & (flags == 0))


def test_a_stencil_in_two_dimensions_is_exact():
    u = np.random.default_rng(0).normal(size=(5, 6))
    found = flow.sparsity(flow.compile(programs.laplacian, target="python"), u).toarray()
    assert np.array_equal(found, dense(programs.laplacian, (u,), "python") != 0)


def test_second_derivatives():
    def f(x):
        return np.sum(x[1:] ** 2 * x[:-1])

    x = np.arange(1.0, 7.0)
    found = flow.sparsity(flow.grad(flow.compile(f, target="python")), x)
    assert np.array_equal(found.toarray(), flow.hessian(flow.compile(f, target="python"))(x) != 0)


def test_a_straight_through_rule_counts():
    @flow.custom_jvp
    def stepped(x):
        return np.floor(x)

    stepped.defjvp(lambda primals, tangents: (np.floor(primals[0]), tangents[0]))

    def f(x):
        return stepped(x[0]) * np.array([1.0, 0.0])

    assert flow.sparsity(flow.compile(f, target="python"), np.ones(2))[0, 0]


SHAPES = [(7, 5, 0.3), (1, 9, 1.0), (9, 1, 0.5), (40, 64, 0.05), (3, 0, 0)]


@pytest.mark.parametrize(("rows", "columns", "share"), SHAPES)
def test_probing(rows, columns, share):
    matrix = np.random.default_rng(rows).random((rows, columns)) < share
    count, i, j = probed(lambda flags: (matrix & flags).any(1), columns)
    made = np.zeros_like(matrix)
    made[i, j] = True
    assert count == rows and np.array_equal(made, matrix)
    assert np.all(np.diff(i * max(columns, 1) + j) > 0)


def test_a_band_takes_a_product_for_each_color_of_a_level():
    matrix = np.eye(1024, dtype=bool) | np.eye(1024, k=1, dtype=bool)
    calls = []
    probed(lambda flags: calls.append(1) or (matrix & flags).any(1), 1024)
    assert len(calls) <= 1 + 10 * 2 * 3


def refused_shapes(x):
    return x[x > 0]


def refused_buffers(x):
    a, b = np.zeros(2), np.zeros(2)
    chosen = a if x[0] > 0 else b
    chosen[0] = x[1]
    return a + b


def refused_indices(x):
    y = np.zeros(3)
    k = 5
    if x[0] > 9.0:
        y[0] = x[k]
    return y


def refused_loops(x, n=5):
    y = np.zeros(3)
    if x[0] > 100.0:
        while n != 0:
            if n < 0:
                raise ValueError
            n -= 2
            y[0] = x[1]
    return y


def refused_slices(x):
    return (x[1:] if x[0] > 0 else x[2:]) * 2.0


def refused_lengths(x):
    y = np.zeros(int(abs(x[0])) + 1)
    y[0] = x[1]
    return np.sum(y)


@pytest.mark.parametrize(("fn", "said"), [
    (refused_slices, "the length of an array depends on the inputs"),
    (refused_lengths, "the length of an array depends on the inputs"),
    (refused_loops, "a loop in a branch that may not be taken may not end"),
    (refused_indices, "a branch that may not be taken raises"),
    (programs.cursor, "which part of an array is stored to depends on the inputs"),
    (programs.row_of_a_flag, "which part of an array is stored to depends on the inputs"),
    (programs.item_of_a_list, "an index into a list that grows depends on the inputs"),
    (refused_shapes, "the length of an array depends on the inputs"),
    (refused_buffers, "which array is stored to depends on the inputs"),
])  # fmt: skip
def test_what_cannot_be_found_is_refused_at_its_line(fn, said):
    args = (np.ones(4), True) if fn is programs.row_of_a_flag else (np.ones(4),)
    with pytest.raises(UnsupportedError, match=said) as caught:
        flow.sparsity(flow.compile(fn, target="python"), *args)
    assert caught.value.location is not None and "jacfwd" in caught.value.way_out


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_lengths_are_compared_where_they_are_those_of_the_result(target):
    """Arrays of different lengths on both sides of an unknown condition, whose sum is constant."""

    def f(x, n, m):
        ones = np.ones(n) if x[0] > 0 else np.ones(m)
        sides = x[:n] if x[1] > 0 else x[:m]
        return np.sum(ones) * sides

    fn = flow.compile(f, target=target)
    assert np.array_equal(flow.sparsity(fn, np.ones(4), 3, 3).toarray(), np.eye(4)[:3] != 0)
    with pytest.raises(UnsupportedError, match="length of an array depends") as caught:
        flow.sparsity(fn, np.ones(4), 3, 2)
    assert caught.value.location.text.strip().startswith(("sides", "return"))

    def g(x, n, m):
        return np.sum(np.ones(n) if x[0] > 0 else np.ones(m)) * x

    assert flow.sparsity(flow.compile(g, target=target), np.ones(4), 3, 2).nnz == 4


def test_complex_arguments_are_refused():
    with pytest.raises(ArgumentTypeError, match="one of real numbers"):
        flow.sparsity(flow.compile(lambda z: z * 2, target="python"), np.ones(2, complex))
    with pytest.raises(ArgumentTypeError, match="the result is complex"):
        flow.sparsity(flow.compile(lambda x: x * 2j, target="python"), np.ones(2))


def test_complex_values_inside_are_not():
    def f(x):
        return np.abs(np.exp(1j * x[:2]) + x[1])

    found = flow.sparsity(flow.compile(f, target="python"), np.arange(3.0))
    assert found.toarray().astype(int).tolist() == [[1, 1, 0], [0, 1, 0]]


OF_A_LINE = {
    "real of fft": lambda x, m: np.real(m.fft(x)),
    "ifft of fft": lambda x, m: np.real(m.ifft(m.fft(x))),
    "abs of rfft": lambda x, m: np.abs(m.rfft(x)),
    "irfft of rfft": lambda x, m: m.irfft(m.rfft(x)),
    "irfft of another length": lambda x, m: m.irfft(m.rfft(x), 5),
    "irfft of numbers": lambda x, m: m.irfft(x),
    "hfft of ihfft": lambda x, m: m.hfft(m.ihfft(x)),
    "power": lambda x, m: m.irfft(np.abs(m.rfft(x)) ** 2),
}


@pytest.mark.parametrize("module", [np.fft, scipy.fft], ids=["numpy", "scipy"])
@pytest.mark.parametrize("name", OF_A_LINE)
def test_transforms_depend_on_whole_lines(name, module):
    def f(x):
        return OF_A_LINE[name](x, module)

    x = np.random.default_rng(1).normal(size=(2, 6))
    fn = flow.compile(f, target="python")
    length = f(x[0]).shape[0]
    assert flow.sparsity(fn, x[0]).toarray().all()
    lines = np.kron(np.eye(2), np.ones((length, 6)))
    assert np.array_equal(flow.sparsity(fn, x).toarray(), lines != 0)
    assert np.array_equal(
        flow.sparsity(fn, x.astype(np.float32)[:1]).toarray(), np.ones((length, 6))
    )


@pytest.mark.parametrize("module", [np.fft, scipy.fft], ids=["numpy", "scipy"])
def test_transforms_of_several_axes(module):
    x = np.random.default_rng(1).normal(size=(2, 2, 4))
    whole = np.kron(np.eye(2), np.ones((8, 8)))
    for there, back in (("rfft2", "irfft2"), ("fft2", "ifft2")):
        there, back = getattr(module, there), getattr(module, back)
        fn = flow.compile(lambda x: np.real(back(there(x) * 2.0)), target="python")  # noqa: B023  (called here)
        assert np.array_equal(flow.sparsity(fn, x).toarray(), whole != 0)
    fn = flow.compile(lambda x: module.irfftn(module.rfftn(x)), target="python")
    assert flow.sparsity(fn, x).toarray().all()


def test_the_arguments_stay_as_they_are():
    def f(x):
        x[0] = 2.0
        return x * x

    x = np.ones(3)
    assert flow.sparsity(flow.compile(f, target="python"), x).nnz == 2 and x.tolist() == [1, 1, 1]
