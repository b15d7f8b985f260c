"""Cells for training: a network with its loss, one step of an optimizer, gradients of a network."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.parameter import ParameterTuple


def _scaled(loss: Any, sens: Any) -> Any:
    """An output, or several, times its adjoint."""
    if isinstance(loss, tuple):
        return tuple([_scaled(x, sens) for x in loss])
    return loss * sens


class WithLossCell(Cell):
    """The loss of a network: `loss_fn(backbone(data), label)`.

    >>> import srcgrad as flow
    >>> net = flow.nn.Dense(1, 1, weight_init="ones", has_bias=False)
    >>> loss = flow.nn.WithLossCell(net, flow.nn.MSELoss())
    >>> loss(flow.tensor([[3.0]]), flow.tensor([[1.0]])).item()
    4.0
    """

    def __init__(self, backbone: Any, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Any:
        return self._backbone


class TrainOneStepCell(Cell):
    """One step: a network's loss, its gradients for the optimizer's Parameters, the update.

    Returns the loss before the update; with `return_grad` the gradients too. `sens` is the adjoint
    of the loss.

    >>> import srcgrad as flow
    >>> net = flow.nn.Dense(1, 1, weight_init="ones", has_bias=False)
    >>> loss = flow.nn.WithLossCell(net, flow.nn.MSELoss())
    >>> step = flow.nn.TrainOneStepCell(loss, flow.nn.SGD(net.trainable_params(), 0.1))
    >>> step(flow.tensor([[1.0]]), flow.tensor([[0.0]])).item(), net.weight.item()
    (1.0, 0.800000011920929)
    """

    network: Any
    optimizer: Any

    def __init__(
        self, network: Any, optimizer: Any, sens: float | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        if sens is not None and sens == 0:
            raise ArgumentValueError("The input argument of 'sens' can not be 0.")
        self.network, self.optimizer = network, optimizer
        self.weights: Any = optimizer.parameters
        self.sens: float = 1.0 if sens is None else float(sens)
        self.return_grad = return_grad
        self._gradient = _gradient_of(network, self.weights)

    def construct(self, *inputs: Any) -> Any:
        (_, loss), grads = self._gradient(self.sens, *inputs)
        self.optimizer(grads)
        return (loss, grads) if self.return_grad else loss


def _gradient_of(network: Any, weights: ParameterTuple) -> Any:
    """Maps an adjoint and inputs to ((scaled loss, loss), gradients)."""
    from srcgrad.api import value_and_grad

    def forward(sens: Any, *inputs: Any) -> Any:
        loss = network(*inputs)
        return _scaled(loss, sens), loss

    return value_and_grad(forward, None, weights, has_aux=True)


class ForwardValueAndGrad(Cell):
    """A network's value, and its gradients with respect to inputs (`get_all`), `weights` or both.

    With `sens_param` the last input is the adjoint of the output.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> net = ms.nn.ForwardValueAndGrad(ms.nn.Dense(2, 1), get_all=True)
    >>> value, grads = net(flow.ones(1, 2))
    >>> grads[0].shape
    srcgrad.Size([1, 2])
    """

    network: Any
    weights: Any

    def __init__(
        self, network: Any, weights: Any = None, get_all: bool = False, get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:  # fmt: skip
        from srcgrad.api import GradOperation

        super().__init__(auto_prefix=False)
        self.network, self.weights = network, weights
        self._gradient = GradOperation(get_all, get_by_list, sens_param).with_value(
            network, weights
        )

    def construct(self, *inputs: Any) -> Any:
        return self._gradient(*inputs)


class WithGradCell(Cell):
    """The gradients of a network, or of its loss, with respect to the network's Parameters.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> net = ms.nn.WithGradCell(ms.nn.Dense(2, 1, has_bias=False), ms.nn.MSELoss())
    >>> net(flow.ones(1, 2), flow.ones(1, 1))[0].shape
    srcgrad.Size([1, 2])
    """

    network: Any
    sens: Any

    def __init__(self, network: Any, loss_fn: Any = None, sens: Any = None) -> None:
        from srcgrad.api import GradOperation

        super().__init__(auto_prefix=False)
        self.network, self.sens = network, sens
        whole = network if loss_fn is None else WithLossCell(network, loss_fn)
        self._gradient = GradOperation(False, True, sens is not None)(
            whole, network.trainable_params()
        )

    def construct(self, *inputs: Any) -> Any:
        given = inputs if self.sens is None else (*inputs, _adjoint(self.sens))
        return self._gradient(*given)


def _adjoint(sens: Any) -> Any:
    return sens if isinstance(sens, Tensor) else Tensor(float(sens))
