"""MindSpore's operator classes: `ops.MatMul()(x, y)`, `ops.ReduceSum(keep_dims=True)(x, 1)`.

An operator holds its options; its call is a function of tensors. Those without options are made of
the table of functions. They work in compiled code, made before or inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager.functions import composed, losses
from srcgrad.eager.functions.pointwise import cast
from srcgrad.mindspore.ops import named
from srcgrad.mindspore.ops.plain import FUNCTIONS, MADE, Primitive

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
        a = FUNCTIONS["transpose"](x, -2, -1) if self.transpose_a else x
        b = FUNCTIONS["transpose"](y, -2, -1) if self.transpose_b else y
        return FUNCTIONS["matmul"](a, b)


class BatchMatMul(MatMul):
    """The products of stacks of matrices, each transposed on request.

    >>> import srcgrad as flow
    >>> flow.ops.BatchMatMul()(flow.ones(4, 2, 3), flow.ones(4, 3, 5)).shape
    srcgrad.Size([4, 2, 5])
    """


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

    _function = staticmethod(FUNCTIONS["sum"])


class ReduceMean(_Reduction):
    """The mean over axes.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceMean()(flow.tensor([1.0, 5.0]))
    tensor(3., dtype=srcgrad.float32)
    """

    _function = staticmethod(FUNCTIONS["mean"])


class ReduceMax(_Reduction):
    """The maximum over axes; equal ones share the gradient.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceMax()(flow.tensor([1.0, 5.0]))
    tensor(5., dtype=srcgrad.float32)
    """

    _function = staticmethod(FUNCTIONS["amax"])


class ReduceMin(_Reduction):
    """The minimum over axes; equal ones share the gradient.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceMin()(flow.tensor([1.0, 5.0]))
    tensor(1., dtype=srcgrad.float32)
    """

    _function = staticmethod(FUNCTIONS["amin"])


class ReduceProd(_Reduction):
    """The product over one axis, or of all elements.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceProd()(flow.tensor([2.0, 5.0]))
    tensor(10., dtype=srcgrad.float32)
    """

    def __call__(self, x: Any, axis: Any = ()) -> Any:
        if axis == () or axis is None:
            made = FUNCTIONS["prod"](x)
            return FUNCTIONS["reshape"](made, (1,) * x.ndim) if self.keep_dims else made
        return FUNCTIONS["prod"](x, axis, self.keep_dims)


class ReduceAll(_Reduction):
    """Whether all elements are true, over axes.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceAll()(flow.tensor([True, False]))
    tensor(False, dtype=srcgrad.bool)
    """

    _function = staticmethod(FUNCTIONS["all"])


class ReduceAny(_Reduction):
    """Whether any element is true, over axes.

    >>> import srcgrad as flow
    >>> flow.ops.ReduceAny()(flow.tensor([True, False]))
    tensor(True, dtype=srcgrad.bool)
    """

    _function = staticmethod(FUNCTIONS["any"])


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
        return FUNCTIONS["cat"](tensors, self.axis)


class Stack(_Along):
    """Tensors of one shape joined along a new axis.

    >>> import srcgrad as flow
    >>> flow.ops.Stack()([flow.tensor([1, 2]), flow.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """

    def __call__(self, tensors: Any) -> Any:
        return FUNCTIONS["stack"](tensors, self.axis)


class Unstack(_Along):
    """The slices of an axis, as a tuple.

    >>> import srcgrad as flow
    >>> flow.ops.Unstack()(flow.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3, 4], dtype=srcgrad.int64))
    """

    def __init__(self, axis: int = 0, num: int | None = None) -> None:
        super().__init__(axis)
        self.num = num

    def __call__(self, x: Any) -> Any:
        return FUNCTIONS["unbind"](x, self.axis)


class Split(_Along):
    """Equal parts of an axis, as a tuple.

    >>> import srcgrad as flow
    >>> flow.ops.Split(0, 2)(flow.tensor([1, 2]))
    (tensor([1], dtype=srcgrad.int64), tensor([2], dtype=srcgrad.int64))
    """

    def __init__(self, axis: int = 0, output_num: int = 1) -> None:
        super().__init__(axis)
        self.output_num = output_num

    def __call__(self, x: Any) -> Any:
        return FUNCTIONS["chunk"](x, self.output_num, self.axis)


class Squeeze(Primitive):
    """The tensor without axes of length 1, all or the given ones.

    >>> import srcgrad as flow
    >>> flow.ops.Squeeze()(flow.ones(1, 3)).shape
    srcgrad.Size([3])
    """

    def __init__(self, axis: Any = ()) -> None:
        self.axis = axis

    def __call__(self, x: Any) -> Any:
        return FUNCTIONS["squeeze"](x, None if self.axis == () else self.axis)


class BroadcastTo(Primitive):
    """The tensor broadcast to a shape.

    >>> import srcgrad as flow
    >>> flow.ops.BroadcastTo((2, 2))(flow.tensor([1, 2]))
    tensor([[1, 2],
            [1, 2]], dtype=srcgrad.int64)
    """

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def __call__(self, x: Any) -> Any:
        return FUNCTIONS["broadcast_to"](x, self.shape)


class Softmax(_Along):
    """exp(x) divided by its sum along an axis, the last one by default.

    >>> import srcgrad as flow
    >>> flow.ops.Softmax()(flow.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000], dtype=srcgrad.float32)
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(axis[0] if isinstance(axis, tuple) else axis)

    def __call__(self, logits: Any) -> Any:
        return composed.softmax(logits, self.axis)


class LogSoftmax(Softmax):
    """The logarithm of softmax along an axis, the last one by default.

    >>> import srcgrad as flow
    >>> flow.ops.LogSoftmax()(flow.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931], dtype=srcgrad.float32)
    """

    def __call__(self, logits: Any) -> Any:
        return composed.log_softmax(logits, self.axis)


class OneHot(_Along):
    """Values at an index along a new axis: (indices, depth, on_value, off_value).

    >>> import srcgrad as flow
    >>> flow.ops.OneHot()(flow.tensor([0, 1]), 2, 1.0, 0.0)
    tensor([[1., 0.],
            [0., 1.]], dtype=srcgrad.float32)
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(axis)

    def __call__(self, indices: Any, depth: int, on_value: Any, off_value: Any) -> Any:
        return named.one_hot(indices, depth, on_value, off_value, self.axis)


class CumSum(Primitive):
    """The sums of the elements up to each along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.CumSum()(flow.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6], dtype=srcgrad.int64)
    """

    exclusive: bool
    reverse: bool

    def __init__(self, exclusive: bool = False, reverse: bool = False) -> None:
        self.exclusive, self.reverse = exclusive, reverse

    def __call__(self, x: Any, axis: int) -> Any:
        x = FUNCTIONS["flip"](x, axis) if self.reverse else x
        made = FUNCTIONS["cumsum"](x, axis)
        made = FUNCTIONS["sub"](made, x) if self.exclusive else made
        return FUNCTIONS["flip"](made, axis) if self.reverse else made


class Argmax(_Along):
    """The index of the maximum along an axis, the last one by default.

    >>> import srcgrad as flow
    >>> flow.ops.Argmax()(flow.tensor([1.0, 5.0, 3.0]))
    tensor(1, dtype=srcgrad.int64)
    """

    def __init__(self, axis: int = -1, output_type: Any = None) -> None:
        super().__init__(axis)
        self.output_type = output_type

    def __call__(self, x: Any) -> Any:
        made = FUNCTIONS["argmax"](x, self.axis)
        return made if self.output_type is None else cast(made, self.output_type)


class ArgMaxWithValue(_Along):
    """(indices, maxima) along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.ArgMaxWithValue()(flow.tensor([1.0, 5.0, 3.0]))
    (tensor(1, dtype=srcgrad.int64), tensor(5., dtype=srcgrad.float32))
    """

    def __init__(self, axis: int = 0, keep_dims: bool = False) -> None:
        super().__init__(axis)
        self.keep_dims = keep_dims

    def __call__(self, x: Any) -> Any:
        best = FUNCTIONS["amax"](x, self.axis, self.keep_dims)
        return FUNCTIONS["argmax"](x, self.axis, self.keep_dims), best


class SoftmaxCrossEntropyWithLogits(Primitive):
    """(losses, their gradients) of logits against probabilities, along the second axis.

    >>> import srcgrad as flow
    >>> cross_entropy = flow.ops.SoftmaxCrossEntropyWithLogits()
    >>> losses, grads = cross_entropy(flow.tensor([[0.0, 0.0]]), flow.tensor([[1.0, 0.0]]))
    >>> grads
    tensor([[-0.5000,  0.5000]], dtype=srcgrad.float32)
    """

    def __call__(self, logits: Any, labels: Any) -> Any:
        loss = losses.cross_entropy(logits, labels, reduction="none")
        return loss, FUNCTIONS["sub"](composed.softmax(logits, 1), labels)


class BiasAdd(Primitive):
    """A number for each channel, the second axis, added.

    >>> import srcgrad as flow
    >>> flow.ops.BiasAdd()(flow.zeros(1, 2), flow.tensor([1.0, 2.0]))
    tensor([[1., 2.]], dtype=srcgrad.float32)
    """

    def __init__(self, data_format: str = "NCHW") -> None:
        self.data_format = data_format

    def __call__(self, x: Any, bias: Any) -> Any:
        return FUNCTIONS["add"](x, FUNCTIONS["reshape"](bias, (1, -1, *(1,) * (x.ndim - 2))))


class L2Normalize(_Along):
    """The tensor divided by its 2-norm along an axis.

    >>> import srcgrad as flow
    >>> flow.ops.L2Normalize()(flow.tensor([3.0, 4.0]))
    tensor([0.6000, 0.8000], dtype=srcgrad.float32)
    """

    def __init__(self, axis: int = 0, epsilon: float = 1e-4) -> None:
        super().__init__(axis)
        self.epsilon = epsilon

    def __call__(self, x: Any) -> Any:
        squares = FUNCTIONS["sum"](FUNCTIONS["mul"](x, x), self.axis, True)
        return FUNCTIONS["div"](x, FUNCTIONS["sqrt"](FUNCTIONS["clamp"](squares, self.epsilon)))


OPERATORS = {
    *MADE, "ArgMaxWithValue", "Argmax", "BatchMatMul", "BiasAdd", "BroadcastTo", "Concat", "CumSum",
    "L2Normalize", "LogSoftmax", "MatMul", "OneHot", "Primitive", "ReduceAll", "ReduceAny",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "Softmax",
    "SoftmaxCrossEntropyWithLogits", "Split", "Squeeze", "Stack", "Unstack",
}  # fmt: skip
