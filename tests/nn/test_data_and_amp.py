"""`utils.data`, `nn.init` and `amp.GradScaler`: PyTorch's behaviour on tensors and arrays."""

import math

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.nn import init
from srcgrad.utils import data


class Squares(data.Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, k):
        return {"x": np.array([k, k**2], np.float32), "k": k}


class Stream(data.IterableDataset):
    def __iter__(self):
        return iter([1.0, 2.0, 3.0])


def test_batches_of_arrays_are_arrays():
    x, y = np.arange(10.0).reshape(5, 2), np.arange(5)
    batches = list(data.DataLoader(data.TensorDataset(x, y), batch_size=2))
    assert [type(a) for a in batches[0]] == [np.ndarray, np.ndarray]
    np.testing.assert_array_equal(np.concatenate([b[0] for b in batches]), x)
    assert [len(b[1]) for b in batches] == [2, 2, 1]


def test_batches_of_tensors_are_tensors():
    x = flow.arange(6.0).reshape(3, 2)
    (one,), (other,) = data.DataLoader(data.TensorDataset(x), 2)
    assert one.tolist() == [[0.0, 1.0], [2.0, 3.0]] and other.shape == (1, 2)


def test_items_are_joined():
    loader = data.DataLoader(Squares(), batch_size=3, drop_last=True)
    batches = list(loader)
    assert len(loader) == len(batches) == 2
    assert batches[0]["x"].shape == (3, 2) and batches[0]["x"].dtype is flow.float32
    assert batches[1]["k"].tolist() == [3, 4, 5]


def test_shuffled():
    flow.manual_seed(1)
    loader = data.DataLoader(Squares(), batch_size=2, shuffle=True)
    first, second = ([k for b in loader for k in b["k"].tolist()] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(7)) and first != second
    order = [
        [k for b in data.DataLoader(Squares(), 7, True, generator=np.random.default_rng(3))
         for k in b["k"].tolist()]
        for _ in range(2)
    ]  # fmt: skip
    assert order[0] == order[1]


def test_other_orders():
    own = data.DataLoader(Squares(), sampler=[5, 1], batch_size=2, collate_fn=lambda b: b)
    assert [[item["k"] for item in b] for b in own] == [[5, 1]]
    lists = data.DataLoader(Squares(), batch_sampler=[[0], [1, 2]])
    assert [b["k"].tolist() for b in lists] == [[0], [1, 2]]
    single = data.DataLoader(Squares(), batch_size=None)
    assert [item["k"] for item in single] == list(range(7))
    assert [b.tolist() for b in data.DataLoader(Stream(), 2)] == [[1.0, 2.0], [3.0]]
    drawn = data.RandomSampler(range(3), replacement=True, num_samples=20)
    assert len(list(drawn)) == 20 and set(drawn) <= {0, 1, 2}


def test_parts_and_joins():
    parts = data.random_split(range(10), [7, 3])
    assert sorted(k for part in parts for k in part) == list(range(10))
    both = Squares() + data.Subset(Squares(), [6, 5])
    assert len(both) == 9 and both[7]["k"] == 6 and both[-1]["k"] == 5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: data.TensorDataset(np.ones(2), np.ones(3)), "Size mismatch"),
        (lambda: data.DataLoader(Squares(), shuffle=True, sampler=[0]), "mutually exclusive"),
        (lambda: data.DataLoader(Squares(), batch_size=0), "positive integer"),
        (lambda: data.random_split(range(3), [1, 1]), "Sum of input lengths"),
        (lambda: data.DataLoader(Stream(), shuffle=True), "its own order"),
        (lambda: data.default_collate([object()]), "must contain tensors"),
    ],
)
def test_errors_of_data(make, text):
    with pytest.raises((TypeError, ValueError), match=text):
        make()


# ---- init ----
@pytest.mark.parametrize(
    ("fill", "deviation"),
    [
        (lambda t: init.xavier_uniform_(t, 2.0), 2.0 * math.sqrt(2.0 / 1400)),
        (init.xavier_normal_, math.sqrt(2.0 / 1400)),
        (lambda t: init.kaiming_uniform_(t, math.sqrt(5)), math.sqrt(1 / 3) / math.sqrt(600)),
        (lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
         math.sqrt(2.0 / 800)),
        (lambda t: init.normal_(t, 1.0, 0.5), 0.5), (lambda t: init.uniform_(t, 0, 3), 3 / 12**0.5),
        (lambda t: init.trunc_normal_(t, std=1.0, a=-1.0, b=1.0), 0.5396),
    ],
)  # fmt: skip
def test_draws(fill, deviation):
    flow.manual_seed(0)
    t = nn.Parameter(flow.zeros(200, 150, 2, 2))
    assert fill(t) is t and t.requires_grad
    assert t.std().item() == pytest.approx(deviation, rel=0.02)


def test_fixed_values():
    assert init.eye_(flow.zeros(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert init.constant_(flow.zeros(2), 3.0).tolist() == [3.0, 3.0]
    kernel = init.dirac_(flow.zeros(2, 2, 3))
    x = flow.arange(10.0).reshape(1, 2, 5)
    assert nn.functional.conv1d(x, kernel, padding=1).tolist() == x.tolist()
    q = init.orthogonal_(flow.zeros(3, 5, dtype=flow.float64), gain=2.0)
    np.testing.assert_allclose((q @ q.T).numpy(), 4.0 * np.eye(3), atol=1e-12)
    zeros = (init.sparse_(flow.zeros(10, 3), 0.25) == 0).sum(0)
    assert zeros.tolist() == [3, 3, 3]
    assert init.calculate_gain("leaky_relu", 0.5) == pytest.approx(math.sqrt(1.6))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: init.xavier_normal_(flow.zeros(3)), "fewer than 2 dimensions"),
        (lambda: init.kaiming_normal_(flow.zeros(3, 3), mode="fan"), "not supported"),
        (lambda: init.eye_(flow.zeros(3)), "2 dimensions"),
        (lambda: init.calculate_gain("cube"), "Unsupported nonlinearity"),
        (lambda: init.trunc_normal_(flow.zeros(3), a=90.0, b=91.0), "far from the mean"),
    ],
)
def test_errors_of_init(make, text):
    with pytest.raises(ValueError, match=text):
        make()


# ---- amp ----
def test_a_scaler_skips_steps_that_overflow():
    w = nn.Parameter(flow.tensor([1.0, 2.0]))
    optimizer = flow.optim.SGD([w], lr=0.5)
    scaler = flow.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    scales = []
    for factor in (1.0, math.inf, 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [4.0, 2.0, 2.0, 4.0] and w.tolist() == [-0.5, 0.5]


def test_unscaled_once():
    w = nn.Parameter(flow.tensor([3.0]))
    optimizer, scaler = flow.optim.SGD([w], lr=0.0), flow.amp.GradScaler(init_scale=8.0)
    scaler.scale([w.sum(), w.sum()])[0].backward()
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.step(optimizer)
    scaler.update()
    with pytest.raises(RuntimeError, match="No inf checks"):
        scaler.update()
    other = flow.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0


def test_a_scaler_that_is_not_enabled():
    w = nn.Parameter(flow.tensor([1.0]))
    optimizer, scaler = flow.optim.SGD([w], lr=0.5), flow.amp.GradScaler(enabled=False)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0.5] and scaler.get_scale() == 1.0 and scaler.state_dict() == {}


def test_autocast_changes_nothing():
    @flow.amp.autocast("cpu", dtype=flow.float16)
    def product(x):
        return x @ x

    with flow.amp.autocast(device_type="cuda", enabled=False):
        assert product(flow.ones(2, 2)).dtype is flow.float32
    with pytest.raises(ValueError, match="device_type"):
        flow.amp.autocast(flow.float16)


def test_a_training_loop():
    """Everything together: batches, a network, a scaler, a schedule."""
    flow.manual_seed(0)
    x = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
    y = (x @ np.array([1.0, -2.0, 0.5], np.float32))[:, None]
    loader = data.DataLoader(
        data.TensorDataset(flow.tensor(x), flow.tensor(y)), batch_size=16, shuffle=True
    )
    net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    net.apply(lambda m: init.xavier_uniform_(m.weight) if isinstance(m, nn.Linear) else None)
    optimizer = flow.optim.AdamW(net.parameters(), lr=0.05)
    schedule = flow.optim.lr_scheduler.OneCycleLR(
        optimizer, 0.05, epochs=20, steps_per_epoch=len(loader)
    )
    scaler = flow.amp.GradScaler("cpu")
    for _ in range(20):
        for a, b in loader:
            optimizer.zero_grad()
            with flow.amp.autocast("cpu"):
                loss = nn.functional.mse_loss(net(a), b)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
    with flow.no_grad():
        left = nn.functional.mse_loss(net.eval()(flow.tensor(x)), flow.tensor(y)).item()
    assert left < 0.05 * float(np.var(y))
