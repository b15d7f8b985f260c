"""MindSpore's page on gradient derivation, on srcgrad: grads 1 to 8, value_and_grad, loss scale.

    python examples/mindspore_gradients.py

What is printed are the numbers of the page "Gradient Derivation" of MindSpore's migration guide
(mindspore.cn/docs, "Differences with PyTorch"). `main` returns 0 if the last one is the page's.
"""

from typing import Any

import srcgrad.mindspore as ms
from srcgrad.mindspore import nn, ops
from srcgrad.mindspore.amp import StaticLossScaler, all_finite


def functions() -> None:
    """Gradients of a function, with one output and with two."""
    x, y = ms.Tensor(1.0), ms.Tensor(2.0)

    def one(x, y):
        return x**2 + y

    def two(x, y):
        return x**2 + y, x

    print("=== grad ===")
    print("out", ms.grad(one, grad_position=0)(x, y))
    print("out1", ms.grad(one, grad_position=1)(x, y))
    print("=== grad multiple outputs ===")
    print("out", ms.grad(two, grad_position=0)(x, y))
    print("out1", ms.grad(two, grad_position=1)(x, y))
    print("=== grad has_aux ===")
    for position in (0, 1):
        out, _ = ms.grad(two, grad_position=position, has_aux=True)(x, y)
        print("out", out)


class Gradient(nn.Cell):
    """The gradient of a cell as a cell."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        return ms.grad(self.net)(x, y)


class Net(nn.Cell):
    """A linear map with its loss: (loss, logits)."""

    def __init__(self, in_channel, out_channel):
        super().__init__()
        self.fc = nn.Dense(in_channel, out_channel, has_bias=False)
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        loss = self.loss(logits, y)
        return loss, logits


class Sum(Net):
    """The same with one output, the sum of both."""

    def construct(self, x, y):
        loss, logits = super().construct(x, y)
        return loss + logits


def network(kind=Net):
    """A network with a fixed weight."""
    net = kind(3, 1)
    net.fc.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
    return net


def cells(net, x, y) -> None:
    """Gradients of a cell by its inputs and by its Parameters."""
    print("=== weight ===")
    for param in net.trainable_params():
        print("name:", param.name, "data:", param.data.asnumpy())
    loss, logits = net(x, y)
    print("=== output ===")
    print(loss.detach(), logits.detach())
    weights = net.trainable_params()
    rows: list[Any] = [
        (0, None),
        (1, None),
        ((0, 1), None),
        (None, weights),
        (0, weights),
        ((0, 1), weights),
    ]
    for k, (position, by) in enumerate(rows, 1):
        print(f"=== grads {k} ===")
        grad, logit = ms.grad(net, grad_position=position, weights=by, has_aux=True)(x, y)
        print("grad", grad)
        print("logit", logit)
    print("=== grads 7 ===")
    print("grad", ms.grad(net, grad_position=0, weights=None, has_aux=False)(x, y))
    print("grad", ms.grad(network(Sum), grad_position=0)(x, y))
    print("=== grads 8 ===")
    try:
        ms.grad(net, grad_position=None, weights=None, has_aux=True)
    except ValueError as error:
        print("ValueError:", error)
    print("=== value and grad ===")
    value, grad = ms.value_and_grad(net, (0, 1), weights, has_aux=True)(x, y)
    print("value", value)
    print("grad", grad)


def loss_scale(net, x, y):
    """A loss scaled before it is differentiated, and everything divided again: the gradient."""
    scaler = StaticLossScaler(1024.0)

    def forward_fn(x, y):
        loss, logits = net(x, y)
        print("loss", loss)
        return scaler.scale(loss), logits

    function = ms.value_and_grad(forward_fn, None, net.trainable_params(), has_aux=True)
    (loss, _), grad = function(x, y)
    print("=== loss scale ===")
    print("loss", loss)
    print("grad", grad)
    print("=== unscale ===")
    loss, grad = scaler.unscale(loss), scaler.unscale(grad)
    print("loss", loss)
    print("grad", grad)
    print("finite", bool(all_finite(grad)))
    print("clipped", ops.clip_by_global_norm(grad))
    return grad[0].tolist()


def main() -> int:
    functions()
    x, y = ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)
    cells(network(), x, y)
    print("=== grad of a cell, in a cell ===")
    print(Gradient(network(Sum))(x, y))
    return 0 if loss_scale(network(), x, y) == [[2.0, 4.0, 6.0]] else 1


if __name__ == "__main__":
    raise SystemExit(main())
