"""MindSpore's operator classes: `ops.MatMul()(x, y)`, `ops.ReduceSum(keep_dims=True)(x, 1)`.

An operator holds its options; its call is a function of tensors. Those without options are made of
the table of functions. They work in compiled code, made before or inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions import activations, composed, losses
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import TABLE
from srcgrad.mindspore.ops import assignments, named

_F: dict[str, Callable[..., Any]] = {name: row.function for name, row in TABLE.items()}


class Primitive:
    """The base of operators."""

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
    Operator.__doc__ = f"The operator of `{getattr(function, '__name__', name)}`."
    return Operator


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
    "Tile": lambda x, multiples: _F["tile"](x, multiples), "Transpose": named.transpose,
    "Ones": named.ones, "Zeros": named.zeros, "ZerosLike": create.zeros_like,
    "GeLU": lambda x: activations.gelu(x, "tanh"),
    "DType": lambda x: x.dtype, "Rank": lambda x: x.ndim, "Shape": lambda x: tuple(x.shape),
    "Size": lambda x: x.numel(),
    "L2Loss": lambda x: _F["mul"](_F["sum"](_F["mul"](x, x)), 0.5),
    "SigmoidCrossEntropyWithLogits": lambda logits, label: (
        losses.binary_cross_entropy_with_logits(logits, label, None, "none")
    ),
}  # fmt: skip
MADE = {name: _operator(name, _F[function]) for name, function in OF_TABLE.items()}
MADE |= {name: _operator(name, function) for name, function in OTHERS.items()}
globals().update(MADE)


def __getattr__(name: str) -> Any:  # type checkers know the operators that are made by it
    raise AttributeError(f"there is no operator {name!r}", name=name)


# ---- with options ----
class MatMul(Primitive):
    """The product of matrices, each transposed on request.

    >>> import srcgrad as flow
    >>> flow.ops.MatMul(transpose_b=True)(flow.ones(2, 3), flow.ones(4, 3)).shape
    srcgrad.Size([2, 4])
    """

    transpose_a: bool
    transpose_b: bool

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False) -> None:
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def __call__(self, x: Any, y: Any) -> Any:
        a = _F["transpose"](x, -2, -1) if self.transpose_a else x
        b = _F["transpose"](y, -2, -1) if self.transpose_b else y
        return _F["matmul"](a, b)


class BatchMatMul(MatMul):
    """The products of stacks of matrices, each transposed on request."""


class _Reduction(Primitive):
    """A reduction over axes, or of all elements for none."""

    _function: Callable[..., Any]

    def __init__(self, keep_dims: bool = False) -> None:
        self.keep_dims = keep_dims

    def __call__(self, x: Any, axis: Any = ()) -> Any:
        dims = tuple(range(x.ndim)) if axis == () or axis is None else axis
        return type(self)._function(x, dims, self.keep_dims)


class ReduceSum(_Reduction):
    """The sum over axes.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceSum(keep_dims=True)(flow.ones(2, 3), 1).tolist()
    [[3.0], [3.0]]
    """

    _function = staticmethod(_F["sum"])


class ReduceMean(_Reduction):
    """The mean over axes."""

    _function = staticmethod(_F["mean"])


class ReduceMax(_Reduction):
    """The maximum over axes; equal ones share the gradient."""

    _function = staticmethod(_F["amax"])


class ReduceMin(_Reduction):
    """The minimum over axes; equal ones share the gradient."""

    _function = staticmethod(_F["amin"])


class ReduceProd(_Reduction):
    """The product over one axis, or of all elements."""

    def __call__(self, x: Any, axis: Any = ()) -> Any:
        if axis == () or axis is None:
            made = _F["prod"](x)
            return _F["reshape"](made, (1,) * x.ndim) if self.keep_dims else made
        return _F["prod"](x, axis, self.keep_dims)


class ReduceAll(_Reduction):
    """Whether all elements are true, over axes."""

    _function = staticmethod(_F["all"])


class ReduceAny(_Reduction):
    """Whether any element is true, over axes."""

    _function = staticmethod(_F["any"])


class _Along(Primitive):
    """An operator along an axis, the first one by default."""

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis


class Concat(_Along):
    """Tensors joined along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.Concat(axis=1)((flow.ones(2, 1), flow.ones(2, 3))).shape
    srcgrad.Size([2, 4])
    """

    def __call__(self, tensors: Any) -> Any:
        return _F["cat"](tensors, self.axis)


class Stack(_Along):
    """Tensors of one shape joined along a new axis."""

    def __call__(self, tensors: Any) -> Any:
        return _F["stack"](tensors, self.axis)


class Unstack(_Along):
    """The slices of an axis, as a tuple."""

    def __init__(self, axis: int = 0, num: int | None = None) -> None:
        super().__init__(axis)
        self.num = num

    def __call__(self, x: Any) -> Any:
        return _F["unbind"](x, self.axis)


class Split(_Along):
    """Equal parts of an axis, as a tuple."""

    def __init__(self, axis: int = 0, output_num: int = 1) -> None:
        super().__init__(axis)
        self.output_num = output_num

    def __call__(self, x: Any) -> Any:
        return _F["chunk"](x, self.output_num, self.axis)


class Squeeze(Primitive):
    """The tensor without axes of length 1, all or the given ones."""

    def __init__(self, axis: Any = ()) -> None:
        self.axis = axis

    def __call__(self, x: Any) -> Any:
        return _F["squeeze"](x, None if self.axis == () else self.axis)


class BroadcastTo(Primitive):
    """The tensor broadcast to a shape."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def __call__(self, x: Any) -> Any:
        return _F["broadcast_to"](x, self.shape)


class Softmax(_Along):
    """exp(x) divided by its sum along an axis, the last one by default."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__(axis[0] if isinstance(axis, tuple) else axis)

    def __call__(self, logits: Any) -> Any:
        return composed.softmax(logits, self.axis)


class LogSoftmax(Softmax):
    """The logarithm of softmax along an axis, the last one by default."""

    def __call__(self, logits: Any) -> Any:
        return composed.log_softmax(logits, self.axis)


class OneHot(_Along):
    """Values at an index along a new axis: (indices, depth, on_value, off_value)."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__(axis)

    def __call__(self, indices: Any, depth: int, on_value: Any, off_value: Any) -> Any:
        return named.one_hot(indices, depth, on_value, off_value, self.axis)


class CumSum(Primitive):
    """The sums of the elements up to each along an axis."""

    exclusive: bool
    reverse: bool

    def __init__(self, exclusive: bool = False, reverse: bool = False) -> None:
        self.exclusive, self.reverse = exclusive, reverse

    def __call__(self, x: Any, axis: int) -> Any:
        x = _F["flip"](x, axis) if self.reverse else x
        made = _F["cumsum"](x, axis)
        made = _F["sub"](made, x) if self.exclusive else made
        return _F["flip"](made, axis) if self.reverse else made


class Argmax(_Along):
    """The index of the maximum along an axis, the last one by default."""

    def __init__(self, axis: int = -1, output_type: Any = None) -> None:
        super().__init__(axis)
        self.output_type = output_type

    def __call__(self, x: Any) -> Any:
        made = _F["argmax"](x, self.axis)
        return made if self.output_type is None else cast(made, self.output_type)


class ArgMaxWithValue(_Along):
    """(indices, maxima) along an axis."""

    def __init__(self, axis: int = 0, keep_dims: bool = False) -> None:
        super().__init__(axis)
        self.keep_dims = keep_dims

    def __call__(self, x: Any) -> Any:
        best = _F["amax"](x, self.axis, self.keep_dims)
        return _F["argmax"](x, self.axis, self.keep_dims), best


class SoftmaxCrossEntropyWithLogits(Primitive):
    """(losses, their gradients) of logits against probabilities, along the second axis."""

    def __call__(self, logits: Any, labels: Any) -> Any:
        loss = losses.cross_entropy(logits, labels, reduction="none")
        return loss, _F["sub"](composed.softmax(logits, 1), labels)


class BiasAdd(Primitive):
    """A number for each channel, the second axis, added."""

    def __init__(self, data_format: str = "NCHW") -> None:
        self.data_format = data_format

    def __call__(self, x: Any, bias: Any) -> Any:
        return _F["add"](x, _F["reshape"](bias, (1, -1, *(1,) * (x.ndim - 2))))


class L2Normalize(_Along):
    """The tensor divided by its 2-norm along an axis."""

    def __init__(self, axis: int = 0, epsilon: float = 1e-4) -> None:
        super().__init__(axis)
        self.epsilon = epsilon

    def __call__(self, x: Any) -> Any:
        squares = _F["sum"](_F["mul"](x, x), self.axis, True)
        return _F["div"](x, _F["sqrt"](_F["clamp"](squares, self.epsilon)))


OPERATORS = {
    *MADE, "ArgMaxWithValue", "Argmax", "BatchMatMul", "BiasAdd", "BroadcastTo", "Concat", "CumSum",
    "L2Normalize", "LogSoftmax", "MatMul", "OneHot", "Primitive", "ReduceAll", "ReduceAny",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "Softmax",
    "SoftmaxCrossEntropyWithLogits", "Split", "Squeeze", "Stack", "Unstack",
}  # fmt: skip
