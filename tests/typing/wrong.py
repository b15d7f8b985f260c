"""Wrong programs: a type checker reports each line that ends in `# wrong`, and no other."""

import numpy as np

import srcgrad as flow


def f(x: float, n: int = 2) -> float:
    return x**n


def g(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x * y


@flow.compile
def h(x: float) -> float:
    return x * x


@flow.compile(target="python")
def k(x: np.ndarray) -> float:
    return float(x.sum())


@flow.custom_vjp
def clipped(x: float) -> float:
    return x


@flow.no_grad()
def evaluated(x: flow.Tensor) -> flow.Tensor:
    return x.exp()


a = np.ones(2)
x = flow.tensor([1.0, 2.0], requires_grad=True)
net = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.ReLU())
relu = flow.nn.ReLU()
loss = flow.nn.MSELoss()
step = flow.optim.SGD(net.parameters(), lr=0.1)

# ---- transforms: arguments of the function ----
flow.grad(f)("nonsense")  # wrong
flow.grad(f)()  # wrong
flow.grad(f)(1.0, 2, 3)  # wrong
flow.grad(f)(1.0, m=2)  # wrong
flow.value_and_grad(f)([1.0])  # wrong
flow.jacobian(g)(a)  # wrong
flow.jacrev(g)(a, "y")  # wrong
flow.hessian(f)(a, a)  # wrong
flow.hvp(f)(1.0)  # wrong
flow.vjp(f, "x")  # wrong
flow.vjp(g, a)  # wrong
h("x")  # wrong
k(1.0)  # wrong
clipped("x")  # wrong
h(2.0).backward()  # wrong
flow.value_and_grad(f)(2.0)[0].backward()  # wrong
flow.grad(flow.grad(f))("x")  # wrong

# ---- transforms: their own arguments ----
flow.grad(3)  # wrong
flow.grad(f, "x")  # wrong
flow.grad(f, has_aux="yes")  # wrong
flow.grad(f, positions=(0,))  # wrong
flow.compile(f, target=3)  # wrong
flow.compile(f, fast=True)  # wrong
flow.jvp(f, (1.0,))  # wrong
flow.vmap("f")  # wrong

# ---- their results ----
value, gradient, rest = flow.value_and_grad(f)(1.0)  # wrong
flow.value_and_grad(f)(1.0) + 1.0  # wrong
flow.value_and_grad(f)(1.0)[0].backward()  # wrong
out, dot, more = flow.jvp(f, (1.0,), (1.0,))  # wrong
flow.vjp(f, 1.0)(1.0)  # wrong
h(1.0).upper()  # wrong
flow.grad(f).sources()  # wrong

# ---- tensors ----
flow.sin("x")  # wrong
flow.sin()  # wrong
flow.sinn(x)  # wrong
x.sinn()  # wrong
x + "1"  # wrong
x["row"]  # wrong
x.sum(dim="rows")  # wrong
x.reshape("2")  # wrong
print(x.shape.rows)  # wrong
print(x.max(0).value)  # wrong
flow.ones(2, dtyp=flow.float32)  # wrong
flow.tensor("abc")  # wrong
flow.cat(x)  # wrong
flow.float32 + 1  # wrong
x.requires_grad = "yes"  # wrong
evaluated(3)  # wrong

# ---- modules ----
flow.nn.Linear("2", 3)  # wrong
flow.nn.Linear(2)  # wrong
flow.nn.Linaer(2, 3)  # wrong
flow.nn.ELU(alfa=1.0)  # wrong
relu("x")  # wrong
relu(x, x)  # wrong
loss(x)  # wrong
flow.nn.functional.relu(3)  # wrong
step.step(1, 2)  # wrong
flow.optim.SGD(net.parameters(), rate=0.1)  # wrong
flow.linalg.inverse(x)  # wrong
