"""MindSpore's other transforms: GradOperation, get_grad, Jacobians, linearize.

All of them call `grad`, `vjp` and `jvp`; nothing is differentiated here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad import hooks
from srcgrad.errors import ArgumentTypeError, TensorError
from srcgrad.tracebacks import entrance
from srcgrad.transforms.entry_points import jvp
from srcgrad.transforms.generic import R
from srcgrad.transforms.snapshot import Moment
from srcgrad.transforms.stacking import gradient_of, taken_apart, tangent_of
from srcgrad.transforms.weighted import Weighted
from srcgrad.transforms.weights import checked_weights
from srcgrad.tree import mapped


def get_grad(gradients: Any, identifier: Any) -> Any:
    """The gradient of a position, or of a Parameter, among those made with `return_ids`.

    RuntimeError if there is none.

    >>> import srcgrad as flow
    >>> g = flow.grad(lambda x, y: x * y, (0, 1), return_ids=True)
    >>> flow.get_grad(g(flow.tensor(2.0), flow.tensor(5.0)), 1)
    tensor(2., dtype=srcgrad.float32)
    """
    known = isinstance(identifier, int) or hasattr(type(identifier), "srcgrad_value")
    if not known:
        raise ArgumentTypeError(
            f"For `get_grad`, the `x` should be an integer or a Parameter, but got {identifier}"
        )
    name = identifier if isinstance(identifier, int) else getattr(identifier, "name", None)
    for found, gradient in _pairs(gradients):
        if type(found) is type(name) and found == name:
            return gradient
    raise TensorError(f"Can not find the gradient for position or Parameter {identifier}")


def _pairs(gradients: Any) -> list[tuple[Any, Any]]:
    if not isinstance(gradients, tuple):
        return []
    if len(gradients) == 2 and isinstance(gradients[0], int | str):
        return [(gradients[0], gradients[1])]
    return [pair for part in gradients for pair in _pairs(part)]


class GradOperation:
    """Gradient functions: by the first input, by all (`get_all`), by Parameters (`get_by_list`).

    `GradOperation(...)(fn, weights)` is the gradient function; without weights those of a cell that
    are trained. With `sens_param` the last argument of a call is the adjoint of the output.

    >>> import srcgrad as flow
    >>> flow.ops.GradOperation(get_all=True)(lambda x: x * x)(flow.tensor(2.0))
    (tensor(4., dtype=srcgrad.float32),)
    """

    get_all: bool
    get_by_list: bool
    sens_param: bool

    def __init__(
        self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False
    ) -> None:
        flags = {"get_all": get_all, "get_by_list": get_by_list, "sens_param": sens_param}
        for name, given in flags.items():
            if not isinstance(given, bool):
                raise ArgumentTypeError(
                    f"For 'GradOperation', the '{name}' should be bool, but got "
                    f"{type(given).__name__}"
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        return self._made(fn, weights, False)

    def with_value(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """The function from arguments to (value, gradient)."""
        return self._made(fn, weights, True)

    def _made(self, fn: Any, weights: Any, with_value: bool) -> Callable[..., Any]:
        if self.get_by_list and weights is None:
            if not hasattr(fn, "trainable_params"):
                raise ArgumentTypeError("get_by_list takes a cell, or a list of weights")
            weights = fn.trainable_params()
        members = checked_weights(weights if self.get_by_list else None)
        positions = None if self.get_all else () if self.get_by_list else (0,)
        if self.sens_param:
            return Weighted(fn, positions, members, False, False, with_value)
        return gradient_of(fn, positions, members, False, False, with_value)


def linearize(fn: Callable[..., R], inputs: Any) -> tuple[R, Callable[..., Any]]:
    """(out, jvp_fn): the value, and the function from tangents to the output's derivative.

    `jvp_fn` sees the arguments as they were; AutogradError if a captured value has changed since.

    >>> import srcgrad as flow
    >>> out, derivative = flow.ops.linearize(lambda x: x * x, flow.tensor(3.0))
    >>> derivative(flow.tensor(1.0))
    tensor(6., dtype=srcgrad.float32)
    """
    kept = hooks.tensor_calls().kept
    args = [mapped(a, kept) for a in (inputs if isinstance(inputs, tuple | list) else (inputs,))]
    compiled = tangent_of(*taken_apart(fn))
    arguments = compiled._bind(tuple(args), {})
    of_arrays = not compiled.has_tensors(arguments)
    moment = Moment(compiled, arguments, "linearize") if of_arrays else None

    @entrance
    def derivative(*tangents: Any) -> Any:
        if moment is not None:
            moment.check()
        given = tangents[0] if len(tangents) == 1 and len(args) > 1 else tangents
        return jvp(fn, tuple(args), tuple(given))[1]

    return fn(*[mapped(a, kept) for a in args]), derivative
