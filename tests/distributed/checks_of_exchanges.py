"""Checks of communications inside differentiated code, for any number of ranks."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import distributed
from srcgrad.distributed.ranks import group
from srcgrad.errors import RankError
from tests.distributed.on_ranks import check
from tests.tools import turns

RANK, SIZE = distributed.rank(), distributed.size()
RNG = np.random.default_rng(RANK)
AFTER, BEFORE = (RANK + 1) % SIZE, (RANK - 1) % SIZE
ROWS = 2 * SIZE + 3  # no multiple of the number of ranks
OWN = len(distributed.shard(np.arange(ROWS)))
LAST = SIZE - 1

# the maps, each with the shape of its argument
MAPS = {
    "allreduce": (distributed.allreduce, (3, 2)),
    "reduce": (lambda x: distributed.reduce(x, LAST), (4,)),
    "bcast": (lambda x: distributed.bcast(x, LAST), (2, 2)),
    "scatter": (lambda x: distributed.scatter(x, LAST), (ROWS, 2)),
    "gather": (lambda x: distributed.gather(x, ROWS, LAST), (OWN, 2)),
    "sendrecv": (lambda x: distributed.sendrecv(x, AFTER, BEFORE), (5,)),
    "sendrecv_at_ends": (
        lambda x: distributed.sendrecv(x, RANK + 1 if RANK < LAST else -1, RANK - 1),
        (5,),
    ),
    "halo": (lambda x: distributed.halo_exchange(x, 2), (3, 2)),
    "halo_periodic": (lambda x: distributed.halo_exchange(x, 2, periodic=True), (2,)),
    "halo_of_columns": (lambda x: distributed.halo_exchange(x, 1, True, axis=1), (3, 2)),
    "several": (
        lambda x: distributed.bcast(distributed.allreduce(distributed.halo_exchange(x)), 0),
        (3,),
    ),
}
IN_TURN = [*turns.share(list(MAPS)[:-1]), "several"]
DTYPES = [float, complex, np.float32, np.complex64]


def over_ranks(value):
    """The sum over all ranks."""
    return sum(group().told(float(value)))


def near(a, b, tolerance=1e-13):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def one_of(name):
    """Real or complex numbers, by the commit."""
    return complex if turns.in_one_of(name, 2) else float


def drawn(shape, dtype):
    """Normal numbers; complex ones with both parts."""
    parts = RNG.normal(size=(2, *shape))
    numbers = parts[0] + 1j * parts[1] if np.dtype(dtype).kind == "c" else parts[0]
    return numbers.astype(dtype)


def product(a, b):
    """The inner product over all ranks, of complex numbers as pairs of real ones."""
    return over_ranks(np.vdot(a, b).real)


@check
def adjoints():
    """<y, A x> over all ranks is <A' y, x>, and the tangent of A x is A dx."""
    for name in IN_TURN:
        function, shape = MAPS[name]
        compiled = flow.compile(function, target="python")
        for dtype in DTYPES if name == "several" or turns.everything else [one_of(name)]:
            x, dx = drawn((2, *shape), dtype)
            value, pull = flow.vjp(compiled, x)
            _, tangent = flow.jvp(compiled, (x,), (dx,))
            near(tangent, function(dx))
            assert value.dtype == dtype
            y = drawn(value.shape, dtype)
            adjoint = pull(y)[0]
            assert adjoint.dtype == dtype
            near(
                product(y, tangent),
                product(adjoint, dx),
                1e-12 if dtype in (float, complex) else 1e-4,
            )


@check
def second_order():
    """The Hessian of a sum over ranks is symmetric, and reverse over reverse is `hvp`."""
    for name in IN_TURN:
        function, shape = MAPS[name]

        def loss(x, f=function):
            y = np.sin(f(x) * 0.7)
            return np.sum(y.real + y.imag**2) + np.sum((x**3).real)

        compiled = flow.compile(loss, target="python")
        inner = flow.grad(lambda x, v: np.sum((flow.grad(loss)(x) * np.conj(v)).real))
        again = flow.compile(inner, target="python")
        for dtype in DTYPES[:2] if turns.everything else [one_of(f"{name} again")]:
            x, u, v = drawn((3, *shape), dtype)
            hv = flow.hvp(compiled)(x, v)
            near(product(u, hv), product(v, flow.hvp(compiled)(x, u)), 1e-11)
            near(again(x, v), hv, 1e-12)


@check
def numbers():
    def f(x):
        return distributed.allreduce(x * x) * distributed.bcast(x, 0)

    x = RANK + 1.0
    total = SIZE * (SIZE + 1) * (2 * SIZE + 1) / 6
    value, gradient = flow.value_and_grad(flow.compile(f, target="python"))(x)
    near(value, total)
    near(gradient, 2.0 * x * SIZE + (SIZE * total if RANK == 0 else 0.0))

    def squared(z):
        return abs(distributed.allreduce(z)) ** 2

    z = complex(RANK, 1.0)
    whole = complex(SIZE * (SIZE - 1) / 2, SIZE)
    value, gradient = flow.value_and_grad(flow.compile(squared, target="python"))(z)
    near(value, abs(whole) ** 2)
    near(gradient, 2.0 * whole * SIZE)
    assert type(gradient) is complex


def heat(u, k, steps, around):
    for _ in range(steps):
        v = around(u)
        u = u + k * (v[2:] - 2.0 * u + v[:-2]) * (1.0 + 0.1 * u * u)
    return np.sum(u**3 + np.sin(u))


def around_whole(u):
    edge = np.zeros((1, u.shape[1]))
    return np.concatenate((edge, u, edge))


@check
def a_stencil_that_is_divided():
    """Value, gradient and product with the Hessian are those of the whole."""
    rng = np.random.default_rng(3)
    whole, direction = rng.normal(size=(2, 4 * SIZE + 1, 3))
    k, steps = 0.2, 6
    mine = lambda a: distributed.shard(a).copy()
    alone = flow.compile(lambda u, k: heat(u, k, steps, around_whole), target="python")
    divided = lambda u, k: heat(u, k, steps, distributed.halo_exchange)
    value, (by_u, by_k) = flow.value_and_grad(alone, (0, 1))(whole, k)
    product = flow.hvp(alone)(whole, direction, k)
    for target in ("python", "cpu"):
        compiled = flow.compile(divided, target=target)
        own_value, (own_u, own_k) = flow.value_and_grad(compiled, (0, 1))(mine(whole), k)
        near(over_ranks(own_value), value)
        near(over_ranks(own_k), by_k)
        near(own_u, mine(by_u))
        near(flow.hvp(compiled)(mine(whole), mine(direction), k), mine(product))
    found = distributed.value_and_grad(flow.compile(divided, target="python"), 1)(mine(whole), k)
    near(found, (value, by_k))


@check
def messages_of_two_ranks():
    if SIZE == 1:
        return
    rank = RANK  # read at the call: one program for all ranks

    def f(x):
        y = x * 1.0
        for scale in (1.0, 3.0):
            if rank == 0:
                y = distributed.send(y * scale, 1, tag=5)
            elif rank == 1:
                y = y + distributed.recv(x, 0, tag=5) ** 2
        return np.sum(np.sin(y))

    def whole(a, b):
        return np.sum(np.sin(3.0 * a)) + np.sum(np.sin(b + a**2 + (3.0 * a) ** 2))

    x = np.array([0.3, 0.7]) * (RANK + 1)
    a, b = np.array([0.3, 0.7]), np.array([0.3, 0.7]) * 2
    compiled = flow.compile(f, target="python")
    wanted = [*flow.grad(whole, (0, 1))(a, b), *[np.cos(x)] * SIZE][RANK if RANK < 2 else 2]
    near(flow.grad(compiled)(x), wanted)
    near(flow.grad(compiled)(x), wanted)
    _, tangent = flow.jvp(compiled, (x,), (np.ones(2),))
    near(over_ranks(tangent), over_ranks(np.sum(wanted)))

    def twice(x):
        """Equal messages are not one."""
        if rank == 0:
            x = distributed.send(distributed.send(x, 1) * 2.0, 1)
        elif rank == 1:
            x = distributed.recv(x, 0) * distributed.recv(x, 0)
        return np.sum(x)

    found = flow.compile(twice, target="python")(np.ones(2) * (RANK + 1.0))
    assert found == (4.0 if RANK < 2 else 2.0 * (RANK + 1))


@check
def derivatives_that_another_rank_would_wait_for():
    def unused(x):
        distributed.sendrecv(x, AFTER, BEFORE)
        return np.sum(x)

    def constant(x):
        return np.sum(x * distributed.sendrecv(np.ones(2), AFTER, BEFORE))

    for f in (unused, constant):
        compiled = flow.compile(f, target="python")
        assert compiled(np.ones(2)) == 2.0
        for derivative in (
            lambda c: flow.grad(c)(np.ones(2)),
            lambda c: flow.jvp(c, (np.ones(2),), (np.ones(2),)),
        ):
            with pytest.raises(NotImplementedError, match="exchanges its derivative") as caught:
                derivative(compiled)
            assert "distributed.sendrecv(" in str(caught.value)


@check
def tensors():
    x = RNG.normal(size=4)
    t = flow.tensor(x, requires_grad=True)

    def loss(x):
        y = distributed.halo_exchange(x, 1, True)
        return (y[2:] * y[:-2] * distributed.allreduce(x)).sum()

    loss(t).backward()
    arrays = flow.compile(lambda x: np.sum(loss(x)), target="python")
    near(t.grad.numpy(), flow.grad(arrays)(x))


KINDS = [
    2.0, 3, 1.5j, np.float32(2.0), np.int8(3), np.array(2.0), np.arange(4), np.ones(3, np.float32),
    np.ones(2, np.complex64), np.ones(0), np.ones((0, 3)), np.arange(24.0).reshape(4, 6)[:, ::2],
    np.asfortranarray(np.arange(12.0).reshape(4, 3)),
]  # fmt: skip
KINDS_IN_TURN = turns.share(range(len(KINDS)))


@check
def kinds_of_arguments():
    """Compiled and not, each kind of array and number has its sum, of its dtype."""

    def exchanged(x):
        there = distributed.sendrecv(x, AFTER, BEFORE)
        return distributed.allreduce(x), distributed.bcast(x), distributed.reduce(x, LAST), there

    compiled = flow.compile(exchanged, target="python")
    for k, x in enumerate(KINDS):
        for f in (exchanged, compiled) if k in KINDS_IN_TURN else (exchanged,):
            total, one, on_last, there = f(x)
            wanted = [x * SIZE, x, x * SIZE if RANK == LAST else x * 0, x]
            for a, b in zip((total, one, on_last, there), wanted, strict=True):
                np.testing.assert_array_equal(a, b)
                assert np.asarray(a).dtype == np.asarray(x).dtype
                assert isinstance(a, np.ndarray) == isinstance(x, np.ndarray)
            assert isinstance(x, np.ndarray | np.generic) or type(total) is type(x)

    def rows(x):
        own = distributed.scatter(x, LAST)
        return distributed.gather(own, len(x), LAST), distributed.halo_exchange(own, 0)

    compiled_rows = flow.compile(rows, target="python")
    for k, x in ((k, x) for k, x in enumerate(KINDS) if np.ndim(x)):
        for f in (rows, compiled_rows) if k in KINDS_IN_TURN else (rows,):
            whole, own = f(x)
            np.testing.assert_array_equal(whole, x if RANK == LAST else x * 0)
            np.testing.assert_array_equal(own, distributed.shard(x))
            assert whole.dtype == own.dtype == x.dtype


@check
def gradients_of_strided_and_empty_arrays():
    def loss(x):
        return np.sum(distributed.allreduce(x) * distributed.bcast(x) ** 2)

    gradient = flow.grad(flow.compile(loss, target="python"))
    arrays = [x for x in KINDS if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
    for x in turns.share(arrays):
        found = gradient(x)
        near(found, SIZE * x**2 + (2 * SIZE**2 * x**2 if RANK == 0 else 0.0), 1e-6)
        assert found.dtype == x.dtype and found.shape == x.shape


@check
def arguments_of_other_kinds():
    flags = np.ones(2, bool)
    assert distributed.bcast(flags).dtype == bool
    for wrong, text in (
        (lambda x: distributed.allreduce(x > 0.0), "allreduce of bool"),
        (lambda x: distributed.allreduce({"a": x}), "allreduce of a? ?dict"),
        (lambda x: distributed.sendrecv((x, x), AFTER, BEFORE), "sendrecv of a? ?tuple"),
        (lambda x: distributed.halo_exchange([1.0, 2.0]), "halo_exchange of a? ?list"),
    ):
        for f in (wrong, flow.compile(wrong, target="python")):
            with pytest.raises(TypeError, match=text):
                f(np.ones(2))


@check
def ranks_that_differ():
    """Each rank has the error, and may go on."""
    if SIZE == 1:
        return
    odd = RANK == 1
    x = np.ones(3 + odd)
    narrow = np.ones(3, np.float32 if odd else np.float64)

    def fails(x):
        return distributed.allreduce(x > 0.0 if odd else x)

    with pytest.raises(TypeError if odd else RankError, match="allreduce of bool"):
        fails(np.ones(2))
    for call, text in (
        (lambda: distributed.allreduce(x), r"the shape is \(3,\) on rank 0 and \(4,\) on rank 1"),
        (lambda: distributed.bcast(narrow), "the dtype is float64 on rank 0 and float32 on rank 1"),
        (lambda: distributed.reduce(np.ones(2), int(odd)), "root is 0 on rank 0 and 1 on"),
        (lambda: distributed.scatter(np.ones((6 + odd, 2))), "the shape is"),
        (lambda: distributed.gather(np.ones(OWN), ROWS + SIZE * odd), "gather of|the shape"),
        (lambda: (distributed.bcast if odd else distributed.allreduce)(1.0), "is allreduce on"),
        (lambda: distributed.gather(np.ones(OWN + odd), ROWS), "gather of"),
    ):
        for f in (call, flow.compile(call, target="python")):
            with pytest.raises((RankError, ValueError), match=text):
                f()
            assert distributed.allreduce(1.0) == SIZE
    if SIZE > 2:
        return  # messages between other ranks are as they should be
    wide = np.ones((3, 2 + odd))
    for call, text in (
        (lambda: distributed.sendrecv(x, AFTER, BEFORE), "an array of shape"),
        (lambda: distributed.sendrecv(narrow, AFTER, BEFORE), "and float"),
        (lambda: distributed.halo_exchange(wide), r"an array of shape \(1, 2\) and|\(1, 3\) and"),
        (lambda: distributed.halo_exchange(np.ones(4 - 2 * odd), 3), "a halo of 3 rows around 2"),
    ):
        for f in (call, flow.compile(call, target="python")):
            with pytest.raises((RankError, ValueError), match=text):
                f()
            assert distributed.allreduce(1.0) == SIZE


@check
def wrong_arguments():
    for wrong, text in (
        (lambda x: distributed.bcast(x, SIZE), f"root={SIZE}, and there are {SIZE} ranks"),
        (lambda x: distributed.gather(x, 20 * SIZE), "gather of"),
        (lambda x: distributed.halo_exchange(x, 5), "a halo of 5 rows around 2"),
        (lambda x: distributed.halo_exchange(x, -1), "a halo of -1 rows"),
        (lambda x: distributed.send(x, RANK), "sends to itself"),
        (lambda x: distributed.recv(x, -1), "rank -1 of a message"),
        (lambda x: distributed.sendrecv(x, SIZE, SIZE), f"rank {SIZE} of a message"),
        (lambda x: distributed.sendrecv(x, 0, 0, tag=40_000), "tag=40000"),
    ):
        for f in (wrong, flow.compile(wrong, target="python")):
            with pytest.raises(ValueError, match=text):
                f(np.ones(2))
