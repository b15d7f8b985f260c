"""Automatic differentiation of tensors from the first graph to a function of one's own.

The sections of docs/tutorial.md as one program: a loss and its graph, `backward`, gradients that
are kept, accumulated and cleared, what is not recorded, vector-Jacobian products, a `Function`, a
compiled function as one node. `main` compares what comes out with what has to.
Run it: python examples/autograd_tutorial.py
"""

from math import pi
from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.autograd import Function


def loss(y_pred, y):
    return flow.sum(1 / 2 * (y_pred - y) ** 2)


def graph_and_gradients():
    """dl/db is y_pred - y, and so is each row of dl/dw where x is ones."""
    x = flow.ones(1, 5)
    w = flow.randn(5, 3, requires_grad=True)
    b = flow.randn(1, 3, requires_grad=True)
    z = flow.matmul(x, w) + b
    y = flow.zeros(1, 3)
    l = loss(z, y)  # noqa: E741 - the usual name of a loss
    picture = flow.tools.graph(l, names={"x": x, "w": w, "b": b, "l": l})
    print(f"a graph of {picture.count(' -> ')} edges below {l}")
    l.backward()
    print(w.grad)
    print(b.grad)
    return flow.allclose(b.grad, z.detach()) and flow.allclose(w.grad, b.grad.expand(5, 3))


def gradients_that_are_kept():
    """The gradient of an intermediate result, on request."""
    n1 = flow.tensor(pi / 2, requires_grad=True)
    n2 = flow.sin(n1)
    n2.retain_grad()
    n3 = flow.pow(n2, 2)
    n3.backward()
    print(n1.grad)
    print(n2.grad)
    return str(n1.grad).startswith("tensor(-8.7423e-08") and n2.grad.item() == 2.0


def one_graph_several_times():
    """A second pass needs `retain_graph`; gradients add up until they are cleared."""
    n1 = flow.tensor(10.0, requires_grad=True)
    n2 = flow.pow(n1, 2)
    n2.backward()
    try:
        n2.backward()
        refused = False
    except RuntimeError as error:
        refused = True
        print(str(error).splitlines()[-1])
    n1 = flow.tensor(10.0, requires_grad=True)
    n2 = flow.pow(n1, 2)
    n2.backward(retain_graph=True)
    first = n1.grad.item()
    print(n1.grad)
    n2.backward(retain_graph=True)
    second = n1.grad.item()
    print(n1.grad)
    n1.grad.zero_()
    n2.backward()
    print(n1.grad)
    return refused and (first, second, n1.grad.item()) == (20.0, 40.0, 20.0)


def what_is_not_recorded():
    """`no_grad` and `detach`."""
    x, w, b = flow.ones(1, 5), flow.randn(5, 3, requires_grad=True), flow.randn(1, 3)
    z = flow.matmul(x, w) + b
    flags = [z.requires_grad]
    with flow.no_grad():
        flags.append((flow.matmul(x, w) + b).requires_grad)
    flags.append(z.detach().requires_grad)
    print(*flags, sep="\n")
    return flags == [True, False, False]


def roots_that_are_no_scalar():
    """The sum, or a vector-Jacobian product."""
    x = flow.randn(1, 2, requires_grad=True)
    try:
        (3 * x + 1).backward()
        refused = False
    except RuntimeError as error:
        refused = True
        print(error)
    (3 * x + 1).sum().backward()
    by_sum = x.grad
    print(by_sum)
    x = flow.randn(1, 2, requires_grad=True)
    y = 3 * x + 1
    y.backward(flow.ones_like(y))
    print(x.grad)
    return refused and by_sum.tolist() == x.grad.tolist() == [[3.0, 3.0]]


class Exp(Function):
    """exp, whose derivative is its result."""

    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


def a_function_of_ones_own():
    """`apply`, or a call of an instance; held against differences."""
    i = flow.tensor([0.0, 1.0], dtype=flow.float64, requires_grad=True)
    output = Exp()(i)
    output.sum().backward()
    print(output)
    print(i.grad)
    return flow.allclose(i.grad, output.detach()) and flow.autograd.gradcheck(Exp.apply, (i,))


scale = flow.tensor(0.5, dtype=flow.float64, requires_grad=True)


@flow.compile
def energy(x):
    s: Any = 0.0
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            s += np.sin(scale * x[i]) * x[i - 1]
    return s


def a_compiled_function():
    """One node of the graph; the tensor that it captures gets its gradient too."""
    x = flow.tensor([1.0, 3.0, 2.0, 4.0], dtype=flow.float64, requires_grad=True)
    energy(x).backward()
    print(x.grad)
    print(scale.grad)
    want = 3.0 * np.cos(1.5) * 1.0 + 4.0 * np.cos(2.0) * 2.0
    return abs(scale.grad.item() - want) < 1e-12


SECTIONS = (
    graph_and_gradients, gradients_that_are_kept, one_graph_several_times, what_is_not_recorded,
    roots_that_are_no_scalar, a_function_of_ones_own, a_compiled_function,
)  # fmt: skip


def main():
    flow.manual_seed(0)
    wrong = []
    for section in SECTIONS:
        print(f"# {section.__name__.replace('_', ' ')}")
        if not section():
            wrong.append(section.__name__)
    print("as it should be" if not wrong else f"wrong: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
