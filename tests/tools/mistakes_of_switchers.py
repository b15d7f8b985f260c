"""Mistakes of users who come from another library, and the ways out followed."""

from tests.tools.followed import followed

PYTORCH = [
    followed("torch_twice", """
x = flow.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()""", "", "retain_graph=True", """
x = flow.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
x.grad.tolist()""", [4.0, 8.0]),
    followed("torch_leaf_in_place", """
w = flow.ones(2, requires_grad=True)
w -= 0.1 * w""", "", "no_grad", """
w = flow.ones(2, requires_grad=True)
with flow.no_grad():
    w -= 0.5 * w
w.tolist()""", [0.5, 0.5]),
    followed("torch_numpy", """
x = flow.ones(2, requires_grad=True)
(x * 2).numpy()""", "", "tensor.detach().numpy()", """
x = flow.ones(2, requires_grad=True)
(x * 2).detach().numpy().tolist()""", [2.0, 2.0]),
    followed("torch_not_scalar", """
x = flow.ones(2, requires_grad=True)
(x * x).backward()""", "", "y.sum().backward()", """
x = flow.ones(2, requires_grad=True)
(x * x).sum().backward()
x.grad.tolist()""", [2.0, 2.0]),
    followed("torch_cuda", "flow.ones(2).cuda()", "", "need CuPy",
        "flow.ones(2).cpu().tolist()", [1.0, 1.0]),
    followed("torch_integer", "flow.tensor([1, 2], requires_grad=True)", "",
        "write floats, such as 1.0",
        "flow.tensor([1.0, 2.0], requires_grad=True).requires_grad", True),
    followed("torch_shape", """
net = flow.nn.Linear(3, 1, bias=False)
net(flow.ones(4))""", "", "(4 and 3x1)", """
net = flow.nn.Linear(4, 1, bias=False)
tuple(net(flow.ones(4)).shape)""", (1,)),
    followed("torch_unused", """
x, y = flow.ones(1, requires_grad=True), flow.ones(1, requires_grad=True)
flow.autograd.grad(x * x, y)""", "", "allow_unused=True", """
x, y = flow.ones(1, requires_grad=True), flow.ones(1, requires_grad=True)
flow.autograd.grad(x * x, y, allow_unused=True)""", (None,)),
    followed("torch_modified", """
x = flow.ones(2, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()""", "", "modified by an inplace operation", """
x = flow.zeros(2, requires_grad=True)
y = x.exp()
y = y + 1
y.sum().backward()
x.grad.tolist()""", [1.0, 1.0]),
    followed("torch_not_recorded", """
x = flow.ones(2, requires_grad=True)
with flow.no_grad():
    y = (x * x).sum()
y.backward()""", "", "outside of no_grad()", """
x = flow.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
x.grad.tolist()""", [2.0, 2.0]),
]  # fmt: skip
ONEFLOW = [
    followed("oneflow_zeros", """
x = flow.tensor(10.0, requires_grad=True)
(x * x).backwad()""", "", "Did you mean: 'backward'", """
x = flow.tensor(10.0, requires_grad=True)
(x * x).backward()
x.grad.item()""", 20.0),
    followed("oneflow_function_count", """
class Scale(flow.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * 3.0
Scale.apply(flow.ones(2, requires_grad=True), 3.0).sum().backward()""", "", "expected 2, got 1", """
class Scale(flow.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * 3.0, None
x = flow.ones(2, requires_grad=True)
Scale.apply(x, 3.0).sum().backward()
x.grad.tolist()""", [3.0, 3.0]),
    followed("oneflow_save", """
class Scale(flow.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x, k)
        return x * k
Scale.apply(flow.ones(2, requires_grad=True), 3.0)""", "ctx.save_for_backward(x, k)",
        "argument 1 is of type float", """
class Scale(flow.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
x = flow.ones(2, requires_grad=True)
Scale.apply(x, 3.0).sum().backward()
x.grad.tolist()""", [3.0, 3.0]),
    followed("oneflow_grad_tensors", """
x = flow.ones(2, requires_grad=True)
flow.autograd.backward([x * x], [flow.ones(3)])""", "", "shape must be same as output", """
x = flow.ones(2, requires_grad=True)
flow.autograd.backward([x * x], [flow.ones(2)])
x.grad.tolist()""", [2.0, 2.0]),
    followed("oneflow_device", "flow.ones(2, device='cuda')", "", "need CuPy",
        "flow.ones(2).tolist()", [1.0, 1.0]),
    followed("oneflow_load", """
import pickle
pickle.dump({"w": [1.0]}, open("oneflow.pt", "wb"))
flow.load("oneflow.pt")""", "", "save its arrays by flow.save", """
flow.save({"w": flow.ones(1)}, "oneflow.npz")
flow.load("oneflow.npz")["w"].tolist()""", [1.0]),
    followed("oneflow_state", """
net = flow.nn.Linear(2, 1)
net.load_state_dict({"weights": flow.ones(1, 2)})""", "", "Unexpected key(s)", """
net = flow.nn.Linear(2, 1)
net.load_state_dict({"weight": flow.ones(1, 2), "bias": flow.zeros(1)})
net(flow.ones(2)).tolist()""", [2.0]),
    followed("oneflow_optimizer", """
net = flow.nn.Linear(2, 1)
flow.optim.SGD(net.weight, lr=0.1)""", "", "iterable of Tensors", """
net = flow.nn.Linear(2, 1)
len(flow.optim.SGD([net.weight], lr=0.1).param_groups)""", 1),
    followed("oneflow_init", """
class Net(flow.nn.Module):
    def __init__(self):
        self.layer = flow.nn.Linear(2, 1)
Net()""", "self.layer", "before Module.__init__() call", """
class Net(flow.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = flow.nn.Linear(2, 1)
len(list(Net().parameters()))""", 2),
    followed("oneflow_dim", "flow.ones(2, 3).sum(dim=2)", "", "[-2, 1]",
        "flow.ones(2, 3).sum(dim=1).tolist()", [3.0, 3.0]),
]  # fmt: skip
MINDSPORE = [
    followed("mindspore_value", """
def loss(x):
    return (x * x).sum()
flow.grad(loss(flow.ones(2)))""", "", "grad(f), not grad(f(x))", """
def loss(x):
    return (x * x).sum()
flow.grad(loss)(flow.ones(2)).tolist()""", [2.0, 2.0]),
    followed("mindspore_integer", """
def loss(x):
    return x * x
flow.grad(loss)(flow.tensor(3))""", "", ".astype(float)", """
def loss(x):
    return x * x
flow.grad(loss)(flow.tensor(3).astype(float)).item()""", 6.0),
    followed("mindspore_position", """
def loss(x, y):
    return x * y
flow.grad(loss, [0, 1])(flow.ones(1), flow.ones(1))""", "", "write a tuple: (0, 1)", """
def loss(x, y):
    return x * y
tuple(g.tolist() for g in flow.grad(loss, (0, 1))(flow.ones(1), flow.ones(1)))""", ([1.0], [1.0])),
    followed("mindspore_weight", """
w = flow.tensor(2.0)
flow.grad(lambda x: x * w, None, [w])(flow.tensor(3.0))""", "", "flow.Parameter(x, name='w')", """
w = flow.Parameter(flow.tensor(2.0), name="w")
flow.grad(lambda x: x * w, None, [w])(flow.tensor(3.0))[0].item()""", 3.0),
    followed("mindspore_aux", """
def forward(x):
    return x * x
flow.grad(forward, has_aux=True)(flow.tensor(3.0))""", "", "more than one outputs", """
def forward(x):
    return x * x, x
flow.grad(forward, has_aux=True)(flow.tensor(3.0))[0].item()""", 6.0),
    followed("mindspore_none", """
def loss(x):
    y = (x * x).sum()
flow.grad(loss)(flow.ones(2))""", "", "is a return missing?", """
def loss(x):
    return (x * x).sum()
flow.grad(loss)(flow.ones(2)).tolist()""", [2.0, 2.0]),
    followed("mindspore_construct", """
from srcgrad.mindspore import nn
class Net(nn.Cell):
    def forward(self, x):
        return x * x
Net()(flow.ones(2))""", "", "rename forward() to construct()", """
from srcgrad.mindspore import nn
class Net(nn.Cell):
    def construct(self, x):
        return x * x
Net()(flow.ones(2)).tolist()""", [1.0, 1.0]),
    followed("mindspore_scale", """
from srcgrad.mindspore import amp
amp.StaticLossScaler(0)""", "", "must be > 1", """
from srcgrad.mindspore import amp
amp.StaticLossScaler(4.0).scale(flow.ones(1)).tolist()""", [4.0]),
    followed("mindspore_rate", """
from srcgrad.mindspore import nn
nn.Momentum(nn.Dense(2, 1).trainable_params(), -0.1, 0.9)""", "", "must be float and must >= 0", """
from srcgrad.mindspore import nn
type(nn.Momentum(nn.Dense(2, 1).trainable_params(), 0.1, 0.9)).__name__""", "Momentum"),
    followed("mindspore_target", "flow.set_context(device_target='GPU')", "",
        "leave device_target out", """
flow.set_context(mode=None)
flow.get_context("device_target")""", "CPU"),
]  # fmt: skip
JAX = [
    followed("jax_at", """
def loss(x):
    return np.sum(x.at[0].set(2.0) ** 2)
flow.grad(loss)(np.ones(3))""", "x.at[0].set(2.0)", "y = x.copy(); y[0] = 2.0", """
def loss(x):
    y = x.copy()
    y[0] = 2.0
    return np.sum(y ** 2)
flow.grad(loss)(np.ones(3)).tolist()""", [0.0, 2.0, 2.0]),
    followed("jax_numpy", "flow.numpy.sin(1.0)", "", "import numpy as np",
        "flow.grad(np.sin)(0.0)", 1.0),
    followed("jax_scan", "flow.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))", "",
        "write a loop", """
def total(xs):
    c = 0.0
    for x in xs:
        c = c + x
    return c
flow.grad(total)(np.ones(3)).tolist()""", [1.0, 1.0, 1.0]),
    followed("jax_static", "flow.compile(lambda x, n: x * n, static_argnums=1)", "",
        "leave it out", """
flow.grad(flow.compile(lambda x, n: x ** n))(2.0, 3)""", 12.0),
    followed("jax_random", """
def noisy(x):
    return x * len(np.random.bytes(3))
flow.grad(noisy)(2.0)""", "np.random.bytes(3)", "draw them outside", """
def noisy(x, noise):
    return x * noise
flow.grad(noisy)(2.0, 3.0)""", 3.0),
    followed("jax_list", """
def loss(p):
    return p[0] * p[1]
flow.grad(loss)([1.0, "a"])""", "p[0] * p[1]", "arithmetic with a string", """
def loss(p):
    return p[0] * p[1]
flow.grad(loss)([1.0, 2.0])""", [2.0, 1.0]),
    followed("jax_key", """
def loss(p):
    return p["W"] ** 2
flow.grad(loss)({"w": 1.0})""", 'p["W"]', "its keys are 'w'", """
def loss(p):
    return p["w"] ** 2
flow.grad(loss)({"w": 1.0})""", {"w": 2.0}),
    followed("jax_axes", "flow.vmap(lambda x, y: x * y)(np.ones(3), np.ones(4))", "",
        "axis 0 of y has size 4", """
flow.vmap(lambda x, y: x * y)(np.ones(3), np.ones(3)).tolist()""", [1.0, 1.0, 1.0]),
    followed("jax_tangent", """
def f(x):
    return x * x
flow.jvp(f, (np.ones(2),), (np.ones(3),))""", "", "x has (2,)", """
def f(x):
    return x * x
flow.jvp(f, (np.ones(2),), (np.ones(2),))[1].tolist()""", [2.0, 2.0]),
    followed("jax_pmap", "flow.pmap(lambda x: x * x)(np.ones(3))", "", "parallel=True", """
flow.compile(lambda x: x * x, parallel=True)(np.ones(3)).tolist()""", [1.0, 1.0, 1.0]),
]  # fmt: skip
