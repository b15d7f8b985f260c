"""Checks of gradients over ranks, for any number of ranks."""

import numpy as np
import pytest
from scipy.optimize import minimize

import srcgrad as flow
from srcgrad import distributed
from srcgrad.distributed import ranks as ranks_module
from srcgrad.errors import RankError
from tests.distributed.on_ranks import check

RANK, SIZE = distributed.rank(), distributed.size()
RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(23, 3)), RNG.normal(size=23)
PARAMS = {"w": np.array([0.1, -0.2, 0.3]), "b": 0.5, "steps": 3}


@flow.compile(target="python")
def squares(p, x, y):
    s = 0.0
    for i in range(len(y)):
        r = np.dot(x[i], p["w"]) + p["b"] - y[i]
        s += r * r + 0.01 * r**4
    return s


def mean_of_squares(p, x, y):
    return np.mean((x @ p["w"] + p["b"] - y) ** 2)


def everywhere(value):
    """The value; the same bits on every rank."""
    text = repr(flow.tree.map(bits, value))
    assert set(ranks_module.group().told(text)) == {text}
    return value


def bits(v):
    return v if v is None else np.asarray(getattr(v, "_a", v)).tobytes().hex()


def near(found, wanted):
    for a, b in zip(flow.tree.leaves(found), flow.tree.leaves(wanted), strict=True):
        assert type(a) is type(b)
        if a is not None:
            assert np.asarray(a).dtype == np.asarray(b).dtype
            single = np.asarray(a).dtype in (np.float32, np.complex64)
            # sums of terms near 1 round by units of the last place of 1, also where they cancel
            rtol, atol = (1e-5, 1e-6) if single else (1e-13, 1e-13)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


@check
def sum_of_uneven_shares():
    found = everywhere(distributed.value_and_grad(squares, batch=(1, 2))(PARAMS, X, Y))
    near(found, flow.value_and_grad(squares)(PARAMS, X, Y))


@check
def mean_of_uneven_shares():
    step = distributed.value_and_grad(mean_of_squares, reduce="mean", batch=(1, 2))
    near(everywhere(step(PARAMS, X, Y)), flow.value_and_grad(mean_of_squares)(PARAMS, X, Y))


@check
def rows_that_each_rank_has():
    step = distributed.value_and_grad(mean_of_squares, reduce="mean", batch=(1, -1), shares=True)
    mine = distributed.shard({"x": X, "y": Y})
    found = everywhere(step(PARAMS, mine["x"], mine["y"]))
    near(found, flow.value_and_grad(mean_of_squares)(PARAMS, X, Y))
    rows = ranks_module.group().told(mine["y"])
    assert max(map(len, rows)) - min(map(len, rows)) <= 1
    assert np.concatenate(rows).tolist() == Y.tolist()


@check
def calls_that_are_shares():
    found = distributed.value_and_grad(lambda w: w * w * (RANK + 1.0), reduce="mean")(3.0)
    near(everywhere(found), (9.0 * (SIZE + 1) / 2, 6.0 * (SIZE + 1) / 2))


@check
def ranks_without_rows():
    for reduce, f in (("sum", squares), ("mean", mean_of_squares)):
        step = distributed.value_and_grad(f, reduce=reduce, batch=(1, 2))
        near(everywhere(step(PARAMS, X[:1], Y[:1])), flow.value_and_grad(f)(PARAMS, X[:1], Y[:1]))
        near(everywhere(step(PARAMS, X, Y)), flow.value_and_grad(f)(PARAMS, X, Y))
    with pytest.raises(ValueError, match="no rank has a row"):
        step(PARAMS, X[:0], Y[:0])


@check
def keywords_and_positions():
    f = lambda a, x, b, scale: np.sum(np.sin(a * x) * b) * scale
    found = distributed.grad(f, (0, 2), batch=1)(0.3, Y, 2.0, scale=1.5)
    near(everywhere(found), flow.grad(f, (0, 2))(0.3, Y, 2.0, scale=1.5))


@check
def dtypes():
    def loss(p, x):
        z = p["c"] * x
        return np.sum(p["s"] ** 2) * np.sum(z.real**2 + z.imag**2)

    for kinds in ((np.float32, np.complex64), (np.float32, np.complex128), (float, complex)):
        p = {"s": np.array([1.5, 2.0], kinds[0]), "c": np.array([1 + 2j, 3 - 1j], kinds[1])}
        x = np.linspace(0.0, 1.0, 10).astype(kinds[0]).reshape(5, 2)
        single = kinds[1] is np.complex64
        step = distributed.value_and_grad(loss, batch=1)
        found = everywhere(step(p, x))
        near(found, flow.value_and_grad(loss)(p, x))
        assert step._agreed.flat.rows.dtype == (np.float32 if single else np.float64)


@check
def bits_for_any_number_of_ranks():
    made = []
    for reduce, f in (("sum", squares), ("mean", mean_of_squares)):
        for pieces in (True, 5):
            step = distributed.value_and_grad(f, reduce=reduce, batch=(1, 2), deterministic=pieces)
            for n in (23, 23, 2):
                found = everywhere(step(PARAMS, X[:n], Y[:n]))
                near(found, flow.value_and_grad(f)(PARAMS, X[:n], Y[:n]))
                made.append(repr(flow.tree.map(bits, found)))
    return made


@check
def products_with_the_hessian():
    v = {"w": np.array([1.0, 0.0, 2.0]), "b": -1.0, "steps": None}
    for n in (23, 1):
        for deterministic in (False, 7):
            product = distributed.hvp(squares, batch=(1, 2), deterministic=deterministic)
            found = everywhere(product(PARAMS, v, X[:n], Y[:n]))
            near(found, flow.hvp(squares)(PARAMS, v, X[:n], Y[:n]))


@check
def optimizers_of_scipy():
    def loss(w, x, y):
        r = x @ w - y
        return np.sum(np.sqrt(1.0 + r * r))

    step = distributed.value_and_grad(loss, batch=(1, 2), deterministic=True)
    product = distributed.hvp(loss, batch=(1, 2), deterministic=True)
    for method, more in (("L-BFGS-B", {}), ("trust-ncg", {"hessp": product})):
        found = minimize(step, np.zeros(3), (X, Y), method, jac=True, **more)
        everywhere(found.x)
        whole = minimize(flow.value_and_grad(loss), np.zeros(3), (X, Y), "L-BFGS-B", jac=True)
        np.testing.assert_allclose(found.x, whole.x, atol=1e-4)


@check
def one_message_for_each_step():
    step = distributed.value_and_grad(squares, batch=(1, 2))
    step(PARAMS, X, Y)
    sent, memory = [], step._agreed.flat.rows
    ranks = step._ranks
    for name in ("add_up", "told", "of_root"):
        of_class = getattr(ranks_module.Group, name)
        setattr(ranks, name, lambda *a, n=name, f=of_class: (sent.append(n), f(ranks, *a))[1])
    near(step(PARAMS, X, Y), flow.value_and_grad(squares)(PARAMS, X, Y))
    assert sent == ["add_up"]
    assert step._agreed.flat.rows is memory


@check
def failure_of_one_rank():
    last = SIZE - 1

    def loss(w, x, fails):
        if fails:
            raise KeyError("no such key")  # the line that is told
        return np.sum(w * x)

    for how in ({}, {"deterministic": True}):
        step = distributed.grad(loss, batch=1, **how)
        for fails in (True, False, True, False):
            if not fails:
                assert step(2.0, np.arange(9.0), False) == 36.0
                continue
            with pytest.raises(KeyError if last == RANK else RankError) as caught:
                step(2.0, np.arange(9.0), last == RANK)
            if last != RANK:
                text = str(caught.value)
                assert f"rank {last} of {SIZE} raised KeyError" in text
                assert "the line that is told" in text and "checks_of_gradients.py:" in text


@check
def ranks_that_differ():
    if SIZE == 1:
        return
    step = distributed.grad(lambda w, x: np.sum(w * x), reduce="sum")
    step(np.ones(3), np.ones(3))
    n = 3 + (RANK == 1)
    with pytest.raises(
        RankError, match=r"the shape of grad is \(3,\) on rank 0 and \(4,\) on rank 1"
    ):
        step(np.ones(n), np.ones(n))
    step(np.ones(4), np.ones(4))
    one, other = (lambda x: x * x), (lambda x: x * x * x)
    with pytest.raises(RankError, match="the function is"):
        distributed.grad(other if RANK == 1 else one)(1.0)
    with pytest.raises(RankError, match="the options"):
        distributed.grad(one, reduce="mean" if RANK == 1 else "sum")(1.0)
    with pytest.raises(RankError, match="number of rows to divide is 5 on rank 0 and 6 on rank 1"):
        distributed.grad(lambda w, x: np.sum(w * x), batch=1)(1.0, np.ones(5 + (RANK == 1)))
    with pytest.raises(RankError, match="the number of arrays and numbers"):
        distributed.grad(lambda p: p["a"])({"a": 1.0, **({"b": 2.0} if RANK == 1 else {})})


@check
def parameters_of_one_rank():
    mine = {"w": np.full((2, 3), RANK + 1.0).T, "b": RANK + 0.5, "n": RANK, "none": None}
    for root in {0, SIZE - 1}:
        found = everywhere(distributed.broadcast(mine, root=root))
        assert found["w"].tolist() == [[root + 1.0] * 2] * 3 and found["n"] == root
        assert type(found["b"]) is float and type(found["n"]) is int
        assert mine["w"][0, 0] == RANK + 1.0
    flow.manual_seed(RANK)
    module = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.BatchNorm1d(3))
    assert distributed.broadcast(module) is module
    everywhere(list(module.state_dict().values()))
    if SIZE > 1:
        with pytest.raises(RankError, match="shape of params"):
            distributed.broadcast(np.ones(2 + (RANK == 1)))


@check
def optimizers_of_both_faces():
    w = flow.nn.Parameter(flow.zeros(3, dtype=flow.float64))
    frozen = flow.nn.Parameter(flow.zeros(1))
    optimizer = distributed.DistributedOptimizer(flow.optim.Adam([w, frozen], lr=0.1), reduce="sum")
    x, y = distributed.shard((flow.tensor(X), flow.tensor(Y)))
    alone = flow.nn.Parameter(flow.zeros(3, dtype=flow.float64))
    whole = flow.optim.Adam([alone], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).sum().backward()
        optimizer.step()
        whole.zero_grad()
        ((flow.tensor(X) @ alone - flow.tensor(Y)) ** 2).sum().backward()
        whole.step()
    np.testing.assert_allclose(everywhere(w.detach().numpy()), alone.detach().numpy(), rtol=1e-12)
    assert frozen.grad is None

    p = flow.Parameter(flow.tensor([1.0, 2.0]), name="p")
    cell = distributed.DistributedOptimizer(flow.mindspore.nn.SGD([p], learning_rate=0.5))
    cell((flow.tensor([RANK + 1.0, 0.0]),))
    np.testing.assert_allclose(
        everywhere(p.detach().numpy()), [1.0 - 0.25 * (SIZE + 1), 2.0], rtol=1e-6
    )

    arrays = {"w": np.ones(2)}
    steps = distributed.DistributedOptimizer(flow.optim.SGD(arrays, lr=1.0))
    steps.step({"w": np.array([1.0, RANK])})
    assert everywhere(arrays["w"]).tolist() == [0.0, 1.0 - (SIZE - 1) / 2]
    with pytest.raises(TypeError, match="closure"):
        steps.step(lambda: 0.0)
    with pytest.raises(TypeError, match="has no step"):
        cell.step()
    with pytest.raises(ValueError, match="rows=-1"):
        steps.step({"w": np.ones(2)}, rows=-1)


@check
def optimizers_with_uneven_shares():
    """Means are weighted by the rows, and ranks without rows take the gradients of the others."""
    for n in (23, 1):
        x, y = flow.tensor(X[:n]), flow.tensor(Y[:n])
        mine = distributed.shard((x, y))
        rows = len(mine[1])

        def loss(w, x, y):
            return ((x @ w - y) ** 2).mean()

        w, whole = (flow.nn.Parameter(flow.zeros(3, dtype=flow.float64)) for _ in range(2))
        optimizer = distributed.DistributedOptimizer(flow.optim.SGD([w], lr=0.1))
        alone = flow.optim.SGD([whole], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=True)
            if rows:
                loss(w, *mine).backward()
            optimizer.step(rows=rows)
            alone.zero_grad()
            loss(whole, x, y).backward()
            alone.step()
        found = everywhere(w.detach().numpy())
        np.testing.assert_allclose(found, whole.detach().numpy(), rtol=1e-12)

        arrays = {"w": np.zeros(3)}
        optimizer = distributed.DistributedOptimizer(flow.optim.SGD(arrays, lr=0.1))
        own = flow.grad(lambda p, x, y: np.mean((x @ p["w"] - y) ** 2))
        for _ in range(2):
            mine_of_arrays = distributed.shard((X[:n], Y[:n]))
            optimizer.step(own(arrays, *mine_of_arrays) if rows else None, rows=rows)
        np.testing.assert_allclose(everywhere(arrays["w"]), found, rtol=1e-12)

        cell_weights = flow.Parameter(flow.zeros(3, dtype=flow.float64), name="w")
        cell = distributed.DistributedOptimizer(flow.mindspore.nn.SGD([cell_weights], 0.1))
        for _ in range(2):
            given = flow.grad(loss)(cell_weights, *mine) if rows else None
            cell((given,) if rows else None, rows=rows)
        np.testing.assert_allclose(everywhere(cell_weights.detach().numpy()), found, rtol=1e-6)


@check
def tensors_and_cells():
    """Gradients of tensors, and of the Parameters of a cell, of uneven shares and of one row."""
    flow.manual_seed(RANK)
    net = distributed.broadcast(flow.mindspore.nn.Dense(3, 1))
    loss = lambda x, y: ((net(x)[:, 0] - y) ** 2).mean()
    weights = net.trainable_params()
    of_tensors = lambda w, x, y: ((x @ w - y) ** 2).mean()
    w = flow.tensor([0.1, -0.2, 0.3], dtype=flow.float64)
    for n in (23, 1):
        x, y = flow.tensor(X[:n]), flow.tensor(Y[:n])
        x32, y32 = x.float(), y.float()
        for deterministic in (False, True):
            how = {"reduce": "mean", "deterministic": deterministic}
            step = distributed.value_and_grad(loss, None, weights, batch=(0, 1), **how)
            found = everywhere(step(x32, y32))
            wanted = flow.value_and_grad(loss, None, weights)(x32, y32)
            near(flow.tree.map(numbers, found), flow.tree.map(numbers, wanted))
            for name in ("grad", "value_and_grad"):
                found = getattr(distributed, name)(of_tensors, batch=(1, 2), **how)(w, x, y)
                wanted = getattr(flow, name)(of_tensors)(w, x, y)
                near(flow.tree.map(numbers, everywhere(found)), flow.tree.map(numbers, wanted))


def numbers(t):
    return t.detach().numpy() if hasattr(t, "detach") else t
