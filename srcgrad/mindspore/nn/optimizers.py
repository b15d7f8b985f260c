"""`nn.SGD`, `Momentum`, `Adam`, `AdamWeightDecay`, `RMSProp`, `Adagrad`: MindSpore's formulae.

Each writes its formula once, in place, on arrays `a` (the Parameter) and `g` (its gradient).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.optimizer import Optimizer, fraction, positive
from srcgrad.mindspore.parameter import Parameter, ParameterTuple


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * g, a = a - lr * v; v starts as the first g.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0]), name="w")
    >>> flow.nn.SGD([w], learning_rate=0.1)((flow.tensor([2.0]),))
    True
    >>> w.asnumpy()
    array([0.8], dtype=float32)
    """

    momentum: float
    dampening: float
    accum: ParameterTuple | tuple[()]

    def __init__(
        self, params: Any, learning_rate: Any = 0.1, momentum: float = 0.0, dampening: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False, loss_scale: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for what, value in (("momentum", momentum), ("dampening", dampening)):
            if not value >= 0.0:
                raise ArgumentValueError(
                    f"For 'SGD', the argument '{what}' must be at least 0.0, but got {value}."
                )
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ArgumentValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must "
                f"equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}."
            )
        self.momentum, self.dampening = float(momentum), float(dampening)
        self.nesterov = nesterov
        self.accum = self.state_of("accum") if momentum else ()

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        if not self.accum:
            a -= lr * g
            return
        v = self.accum[k]._a
        v *= self.momentum
        v += g if self.global_step._a[0] == 0 else (1.0 - self.dampening) * g
        a -= lr * (g + self.momentum * v) if self.nesterov else lr * v


class Momentum(Optimizer):
    """v = momentum * v + g, a = a - lr * v; with Nesterov's form a = a - lr * (g + momentum * v).

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0]), name="w")
    >>> flow.nn.Momentum([w], 0.1, 0.9)((flow.tensor([2.0]),))
    True
    >>> w.asnumpy()
    array([0.8], dtype=float32)
    """

    def __init__(
        self, params: Any, learning_rate: Any, momentum: float, weight_decay: float = 0.0,
        loss_scale: float = 1.0, use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not momentum >= 0.0:
            raise ArgumentValueError(
                f"For 'Momentum', the argument 'momentum' must be at least 0.0, but got {momentum}."
            )
        self.momentum: Parameter = Parameter(Tensor(float(momentum)), name="momentum")
        self.use_nesterov = use_nesterov
        self.state_of("moments")

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        m, v = float(self.momentum), self.moments[k]._a
        v *= m
        v += g
        a -= lr * (g + m * v) if self.use_nesterov else lr * v


class Adam(Optimizer):
    """Steps of the mean gradient over the root of the mean square plus epsilon.

    The rate is corrected for the bias of both means, epsilon is not: that is MindSpore's formula,
    and the one at the end of section 2 of Kingma and Ba 2015. `optim.Adam` has the other one.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0]), name="w")
    >>> flow.nn.Adam([w], 0.1)((flow.tensor([2.0]),))
    True
    >>> w.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    beta1: float
    beta2: float
    use_nesterov: bool
    use_amsgrad: bool
    vhat: ParameterTuple | tuple[()]

    def __init__(
        self, params: Any, learning_rate: Any = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
        eps: float = 1e-8, use_locking: bool = False, use_nesterov: bool = False,
        weight_decay: float = 0.0, loss_scale: float = 1.0, use_amsgrad: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2 = fraction("Adam", "beta1", beta1), fraction("Adam", "beta2", beta2)
        self.eps: float = positive("Adam", "eps", eps, strict=True)
        if use_amsgrad and use_nesterov:
            raise ArgumentValueError("For 'Adam', 'use_amsgrad' and 'use_nesterov' exclude another")
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.beta1_power: Parameter = Parameter(np.ones(1, np.float64), name="beta1_power")
        self.beta2_power: Parameter = Parameter(np.ones(1, np.float64), name="beta2_power")
        self.state_of("moment1")
        self.state_of("moment2")
        self.vhat = self.state_of("vhat") if use_amsgrad else ()

    def prepare(self) -> None:
        _scaled(self.beta1_power._a, self.beta1)
        _scaled(self.beta2_power._a, self.beta2)

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        m, v = self.moment1[k]._a, self.moment2[k]._a
        m += (1.0 - self.beta1) * (g - m)
        v += (1.0 - self.beta2) * (g * g - v)
        first, second = float(self.beta1_power._a[0]), float(self.beta2_power._a[0])
        rate = lr * (1.0 - second) ** 0.5 / (1.0 - first)
        top = self.beta1 * m + (1.0 - self.beta1) * g if self.use_nesterov else m
        if self.use_amsgrad:
            most = self.vhat[k]._a
            most[...] = np.maximum(most, v)
            a -= rate * top / (np.sqrt(most) + self.eps)
        else:
            a -= rate * top / (np.sqrt(v) + self.eps)


class AdamWeightDecay(Optimizer):
    """Adam without bias correction; the weight decay is a step of its own.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> optimizer = ms.nn.AdamWeightDecay([w], learning_rate=0.5)
    >>> done = optimizer((flow.tensor([1.0]),))
    >>> w.tolist()[0] < 1.0
    True
    """

    beta1: float
    beta2: float

    decoupled = True

    def __init__(
        self, params: Any, learning_rate: Any = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
        eps: float = 1e-6, weight_decay: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay)
        name = "AdamWeightDecay"
        self.beta1, self.beta2 = fraction(name, "beta1", beta1), fraction(name, "beta2", beta2)
        self.eps: float = positive(name, "eps", eps, strict=True)
        self.state_of("adam_m")
        self.state_of("adam_v")

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        m, v = self.adam_m[k]._a, self.adam_v[k]._a
        m += (1.0 - self.beta1) * (g - m)
        v += (1.0 - self.beta2) * (g * g - v)
        a -= lr * (m / (np.sqrt(v) + self.eps) + self.decays[k] * a)


class RMSProp(Optimizer):
    """Steps of the gradient over the root of its mean square plus epsilon, with momentum.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> optimizer = ms.nn.RMSProp([w], learning_rate=0.5)
    >>> done = optimizer((flow.tensor([1.0]),))
    >>> w.tolist()[0] < 1.0
    True
    """

    mean_grad: ParameterTuple | tuple[()]

    def __init__(
        self, params: Any, learning_rate: Any = 0.1, decay: float = 0.9, momentum: float = 0.0,
        epsilon: float = 1e-10, use_locking: bool = False, centered: bool = False,
        loss_scale: float = 1.0, weight_decay: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(centered, bool):
            raise ArgumentTypeError("For 'RMSProp', the 'centered' must be bool")
        self.decay: float = positive("RMSProp", "decay", decay)
        self.momentum: float = positive("RMSProp", "momentum", momentum)
        self.epsilon: float = positive("RMSProp", "epsilon", epsilon, strict=True)
        self.centered = centered
        self.state_of("mean_square")
        self.state_of("moments")
        self.mean_grad = self.state_of("mean_grad") if centered else ()

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        square, v = self.mean_square[k]._a, self.moments[k]._a
        square += (1.0 - self.decay) * (g * g - square)
        v *= self.momentum
        if self.centered:
            mean = self.mean_grad[k]._a
            mean += (1.0 - self.decay) * (g - mean)
            v += lr * g / np.sqrt(square - mean * mean + self.epsilon)
        else:
            v += lr * g / np.sqrt(square + self.epsilon)
        a -= v


class Adagrad(Optimizer):
    """Steps of the gradient over the root of the sum of its squares so far.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> w = flow.Parameter(flow.tensor([1.0]))
    >>> optimizer = ms.nn.Adagrad([w], learning_rate=0.5)
    >>> done = optimizer((flow.tensor([1.0]),))
    >>> w.tolist()[0] < 1.0
    True
    """

    def __init__(
        self, params: Any, accum: float = 0.1, learning_rate: Any = 0.001,
        update_slots: bool = True, loss_scale: float = 1.0, weight_decay: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = update_slots
        self.state_of("accum", positive("Adagrad", "accum", accum))

    def update(self, k: int, a: Any, g: Any, lr: float) -> None:
        total = self.accum[k]._a
        if self.update_slots:
            total += g * g
        a -= lr * g / np.sqrt(total)


def _scaled(power: Any, beta: float) -> None:
    power *= beta
