"""Right programs: a type checker reports nothing."""

import numpy as np

import srcgrad as flow


def f(x: float, n: int = 2) -> float:
    return x**n


class Model:
    @flow.compile
    def energy(self, x: np.ndarray) -> float:
        return float(np.sum(x * x))


value, gradient = flow.value_and_grad(f)(1.0, n=3)
total: float = value + flow.grad(f, argnums=[0])(1.0)[0]
energy: float = Model().energy(np.ones(2))
out, pull = flow.vjp(f, 2.0, n=3)
slopes = flow.vmap(flow.grad(f))(np.ones(3))
product = flow.hvp(f)(1.0, 2.0)
weighted = flow.grad(f, sens_param=True)(1.0, 2.0)

x = flow.tensor([1.0, 2.0], requires_grad=True)
y: flow.Tensor = 2.0 * x.sin().sum() + x[0] ** 2 - np.float64(3.0)
y.backward()
x.grad.zero_()
places: flow.Tensor = flow.max(x.reshape(2, 1), 0).indices
rows, columns = x.expand(3, 2).shape
same: bool = flow.allclose(flow.zeros(2, dtype=flow.float32), flow.zeros((2,)))
net = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.ReLU())
step = flow.optim.SGD(net.parameters(), lr=0.1)
step.zero_grad()
for row in flow.eye(2):
    print(row.tolist(), flow.nn.MSELoss(reduction="sum")(row, flow.nn.functional.relu(row)))
with flow.no_grad():
    x += 1.0


@flow.compile
def length(x, n=2):
    total = 0.0
    for k in range(1, n):
        total += (x[k] - x[k - 1]) ** 2
    return total


@flow.jit(cache=False)
def doubled(x):
    return 2.0 if x is None else 2.0 * x.sum()


length(x, n=2).backward()
doubled(x).backward()
flow.value_and_grad(length)(x)[0].item()
