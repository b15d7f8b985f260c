"""MindSpore's operators without options: `ops.Sin()(x)`, made of the table of functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions import activations, losses
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import TABLE
from srcgrad.mindspore.ops import assignments, named
from srcgrad.tracebacks import within

CALL = re.compile(r"^>>> flow\.(?!ops)[\w.]+\(", re.M)  # in the example of a function
FUNCTIONS: dict[str, Callable[..., Any]] = {name: row.function for name, row in TABLE.items()}


class Primitive:
    """The base of operators.

    >>> import srcgrad as flow
    >>> isinstance(flow.ops.Sin(), flow.ops.Primitive)
    True
    """

    @property
    def name(self) -> str:
        """The name of the operator."""
        return type(self).__name__

    def __call__(self, *inputs: Any) -> Any:
        raise NotImplementedError  # each operator has its own

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v}" for k, v in vars(self).items())
        return f"Prim[{self.name}]<{options}>" if options else f"Prim[{self.name}]"


def _operator(name: str, function: Callable[..., Any]) -> type[Primitive]:
    """An operator without options."""

    class Operator(Primitive):
        def __call__(self, *inputs: Any) -> Any:
            return function(*inputs)

    Operator.__name__ = Operator.__qualname__ = name
    text = inspect.cleandoc(str(within(function).__doc__))
    Operator.__doc__ = CALL.sub(lambda _: f">>> flow.ops.{name}()(", text, count=1)
    return Operator


# ---- what no function of the table computes ----
def _tile(x: Any, multiples: Any) -> Any:
    """The elements repeated along each axis.

    >>> import srcgrad as flow
    >>> flow.ops.Tile()(flow.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2], dtype=srcgrad.int64)
    """
    return FUNCTIONS["tile"](x, multiples)


def _gelu(x: Any) -> Any:
    """x times the normal distribution function, by its approximation with tanh.

    >>> import srcgrad as flow
    >>> flow.ops.GeLU()(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8412], dtype=srcgrad.float32)
    """
    return activations.gelu(x, "tanh")


def _dtype(x: Any) -> Any:
    """The dtype of a tensor.

    >>> import srcgrad as flow
    >>> flow.ops.DType()(flow.tensor([1.0]))
    srcgrad.float32
    """
    return x.dtype


def _rank(x: Any) -> int:
    """The number of axes of a tensor.

    >>> import srcgrad as flow
    >>> flow.ops.Rank()(flow.ones(2, 3))
    2
    """
    return x.ndim


def _shape(x: Any) -> tuple[int, ...]:
    """The lengths of the axes of a tensor.

    >>> import srcgrad as flow
    >>> flow.ops.Shape()(flow.ones(2, 3))
    (2, 3)
    """
    return tuple(x.shape)


def _size(x: Any) -> int:
    """The number of elements of a tensor.

    >>> import srcgrad as flow
    >>> flow.ops.Size()(flow.ones(2, 3))
    6
    """
    return x.numel()


def _l2_loss(x: Any) -> Any:
    """Half the sum of squares.

    >>> import srcgrad as flow
    >>> flow.ops.L2Loss()(flow.tensor([3.0, 4.0]))
    tensor(12.5000, dtype=srcgrad.float32)
    """
    return FUNCTIONS["mul"](FUNCTIONS["sum"](FUNCTIONS["mul"](x, x)), 0.5)


def _cross_entropy(logits: Any, label: Any) -> Any:
    """The cross entropy of sigmoid(logits) against labels, for each element.

    >>> import srcgrad as flow
    >>> flow.ops.SigmoidCrossEntropyWithLogits()(flow.tensor([0.0]), flow.tensor([1.0]))
    tensor([0.6931], dtype=srcgrad.float32)
    """
    return losses.binary_cross_entropy_with_logits(logits, label, None, "none")


# operators without options: the function of the table
OF_TABLE = {
    "ACos": "acos", "Abs": "abs", "Acosh": "acosh", "Add": "add", "Asin": "asin", "Asinh": "asinh",
    "Atan": "atan", "Atan2": "atan2", "Atanh": "atanh", "Ceil": "ceil", "Cos": "cos",
    "Cosh": "cosh", "Div": "div", "Equal": "eq", "Erf": "erf", "Erfc": "erfc", "Exp": "exp",
    "Expm1": "expm1", "ExpandDims": "unsqueeze", "Floor": "floor", "FloorDiv": "floor_divide",
    "FloorMod": "remainder", "Greater": "gt", "GreaterEqual": "ge", "IsFinite": "isfinite",
    "IsInf": "isinf", "IsNan": "isnan", "Less": "lt", "LessEqual": "le", "Log": "log",
    "Log1p": "log1p", "LogicalAnd": "logical_and", "LogicalNot": "logical_not",
    "LogicalOr": "logical_or", "Maximum": "maximum", "Minimum": "minimum", "Mish": "mish",
    "Mul": "mul", "Neg": "neg", "NotEqual": "ne", "Pow": "pow", "RealDiv": "div",
    "Reciprocal": "reciprocal", "ReLU": "relu", "Reshape": "reshape", "Round": "round",
    "Rsqrt": "rsqrt", "Select": "where", "SeLU": "selu", "Sigmoid": "sigmoid", "Sign": "sign",
    "Sin": "sin", "Sinh": "sinh", "Softplus": "softplus", "Softsign": "softsign", "Sqrt": "sqrt",
    "Square": "square", "Sub": "sub", "Tan": "tan", "Tanh": "tanh", "Trunc": "trunc",
    "Xlogy": "xlogy",
}  # fmt: skip
# operators without options that are other functions
OTHERS: dict[str, Callable[..., Any]] = {
    "Assign": assignments.assign, "AssignAdd": assignments.assign_add,
    "AssignSub": assignments.assign_sub, "Cast": cast, "Depend": assignments.depend,
    "Eye": create.eye, "Gather": named.gather, "HSigmoid": activations.hardsigmoid,
    "HSwish": activations.hardswish, "OnesLike": create.ones_like, "ReLU6": activations.relu6,
    "Tile": _tile, "Transpose": named.transpose,
    "Ones": named.ones, "Zeros": named.zeros, "ZerosLike": create.zeros_like,
    "GeLU": _gelu,
    "DType": _dtype, "Rank": _rank, "Shape": _shape, "Size": _size, "L2Loss": _l2_loss,
    "SigmoidCrossEntropyWithLogits": _cross_entropy,
}  # fmt: skip
MADE = {name: _operator(name, FUNCTIONS[function]) for name, function in OF_TABLE.items()}
MADE |= {name: _operator(name, function) for name, function in OTHERS.items()}
