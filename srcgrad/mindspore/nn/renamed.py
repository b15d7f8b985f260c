"""Activations and losses with MindSpore's arguments and defaults.

Each is a function of `nn.functional` whose options have other names or values here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.nn import functional
from srcgrad.nn.docstrings import shown_as


def _cell(
    name: str, function: Callable[..., Any], options: dict[str, tuple[str, Any]]
) -> type[Cell]:
    """A cell that holds options of a function: {their name: (the function's, the default)}."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(own, kind, default=value) for own, (_, value) in options.items()]
    )
    names = {own: theirs for own, (theirs, _) in options.items()}

    class Renamed(Cell):
        __signature__ = signature

        def __init__(self, *args: Any, **params: Any) -> None:
            super().__init__()
            try:
                bound = signature.bind(*args, **params)
            except TypeError as error:
                raise ArgumentTypeError(f"For '{name}', {error}") from None
            bound.apply_defaults()
            reduction = bound.arguments.get("reduction", "mean")
            if reduction not in ("mean", "sum", "none"):
                raise ArgumentValueError(
                    f"For '{name}', the 'reduction' must be in ['mean', 'sum', 'none'], but got "
                    f"{reduction}."
                )
            self._options = {names[own]: value for own, value in bound.arguments.items()}

        def construct(self, *inputs: Any) -> Any:
            return function(*inputs, **self._options)

        def extra_repr(self) -> str:
            return ", ".join(f"{own}={self._options[their]}" for own, their in names.items())

    Renamed.__name__ = Renamed.__qualname__ = name
    Renamed.__doc__ = shown_as(function, f"flow.mindspore.nn.{name}")
    return Renamed


REQUIRED = inspect.Parameter.empty


def _gelu(input: Any, approximate: bool) -> Any:
    """x times the normal distribution function, which tanh approximates unless told otherwise.

    >>> import srcgrad as flow
    >>> flow.nn.functional.gelu(flow.tensor([0.0, 100.0]))
    tensor([  0., 100.], dtype=srcgrad.float32)
    """
    return functional.gelu(input, "tanh" if approximate else "none")


def _smooth_l1_loss(input: Any, target: Any, beta: float, reduction: str) -> Any:
    """Half squares of differences below `beta`, over beta; absolute ones less beta / 2 above.

    >>> import srcgrad as flow
    >>> flow.nn.functional.smooth_l1_loss(flow.zeros(1), flow.ones(1), reduction="none")
    tensor([0.5000], dtype=srcgrad.float32)
    """
    return functional.smooth_l1_loss(input, target, reduction, beta)


CELU = _cell("CELU", functional.celu, {"alpha": ("alpha", 1.0)})
ELU = _cell("ELU", functional.elu, {"alpha": ("alpha", 1.0)})
GELU = _cell("GELU", _gelu, {"approximate": ("approximate", True)})
GLU = _cell("GLU", functional.glu, {"axis": ("dim", -1)})
HShrink = _cell("HShrink", functional.hardshrink, {"lambd": ("lambd", 0.5)})
HSigmoid = _cell("HSigmoid", functional.hardsigmoid, {})
HSwish = _cell("HSwish", functional.hardswish, {})
Hardtanh = _cell(
    "Hardtanh", functional.hardtanh, {"min_val": ("min_val", -1.0), "max_val": ("max_val", 1.0)}
)
LeakyReLU = _cell("LeakyReLU", functional.leaky_relu, {"alpha": ("negative_slope", 0.2)})
LogSigmoid = _cell("LogSigmoid", functional.logsigmoid, {})
LogSoftmax = _cell("LogSoftmax", functional.log_softmax, {"axis": ("dim", -1)})
Mish = _cell("Mish", functional.mish, {})
ReLU = _cell("ReLU", functional.relu, {})
ReLU6 = _cell("ReLU6", functional.relu6, {})
SeLU = _cell("SeLU", functional.selu, {})
SiLU = _cell("SiLU", functional.silu, {})
Sigmoid = _cell("Sigmoid", functional.sigmoid, {})
SoftShrink = _cell("SoftShrink", functional.softshrink, {"lambd": ("lambd", 0.5)})
Softmax = _cell("Softmax", functional.softmax, {"axis": ("dim", -1)})
Softmin = _cell("Softmin", functional.softmin, {"axis": ("dim", -1)})
Softplus = _cell(
    "Softplus", functional.softplus, {"beta": ("beta", 1), "threshold": ("threshold", 20)}
)
Softsign = _cell("Softsign", functional.softsign, {})
Tanh = _cell("Tanh", functional.tanh, {})
Tanhshrink = _cell("Tanhshrink", functional.tanhshrink, {})
Threshold = _cell(
    "Threshold", functional.threshold,
    {"threshold": ("threshold", REQUIRED), "value": ("value", REQUIRED)},
)  # fmt: skip

BCEWithLogitsLoss = _cell(
    "BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits,
    {"reduction": ("reduction", "mean"), "weight": ("weight", None),
     "pos_weight": ("pos_weight", None)},
)  # fmt: skip
SmoothL1Loss = _cell(
    "SmoothL1Loss", _smooth_l1_loss,
    {"beta": ("beta", 1.0), "reduction": ("reduction", "none")},
)  # fmt: skip
KLDivLoss = _cell("KLDivLoss", functional.kl_div, {"reduction": ("reduction", "mean")})
