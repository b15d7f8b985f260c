"""`flow.autograd.functional`: Jacobians, Hessians and products with them.

Arguments, nesting of results and texts of errors are PyTorch's. A plain function of tensors is run
and recorded, and everything computed by `autograd.grad`. Arrays, compiled functions and calls with
`vectorize=True` go to the transforms by the same names (`by_transforms`). Writes no derivative.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import PUBLIC, Tensor, mode
from srcgrad.eager.engine import grad
from srcgrad.errors import ArgumentValueError, TensorError, TensorTypeError
from srcgrad.namespace import publish
from srcgrad.protocols import is_compiled

_zeros_like, _ones_like, _stack = PUBLIC["zeros_like"], PUBLIC["ones_like"], PUBLIC["stack"]


def _by_transforms(
    func: Callable[..., Any], inputs: Any, strict: bool, vectorize: bool = False
) -> Any:
    """The module that computes a call by transforms; None for a call on the tape."""
    given = inputs if isinstance(inputs, tuple | list) else (inputs,)
    tensors = any(isinstance(t, Tensor) for t in given)
    arrays = bool(given) and all(isinstance(t, np.ndarray | np.floating | float) for t in given)
    if strict or not (arrays or (tensors and (vectorize or is_compiled(func)))):
        return None
    return importlib.import_module("srcgrad.autograd.by_transforms")


def _tuple_of(given: Any, what: str, name: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether the argument was a tuple, and the tuple."""
    several = isinstance(given, tuple | list)
    for k, t in enumerate(given if several else (given,)):
        if not isinstance(t, Tensor):
            which = f"the value at index {k}" if several else f"the given {what}"
            raise TensorTypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                f"{which} has type {type(t)}."
            )
    return several, tuple(given) if several else (given,)


def _prepared(inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """The inputs for the function: parts of the caller's graph, or leaves of their own."""
    if create_graph:
        return tuple(
            t.reshape(t.shape) if t.requires_grad else t.detach().requires_grad_() for t in inputs
        )
    return tuple(t.detach().requires_grad_() for t in inputs)


def _called(
    func: Callable[..., Any], inputs: tuple[Tensor, ...], name: str, strict: bool
) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether the function returned a tuple, and its outputs."""
    with mode.enable_grad():
        many, outputs = _tuple_of(func(*inputs), "outputs of the user-provided function", name)
    for k, out in enumerate(outputs):
        if strict and not out.requires_grad:
            raise TensorError(
                f"Output {k} of the user-provided function does not require gradients. The outputs "
                "must be computed in a differentiable manner from the input when running in "
                "strict mode."
            )
    return many, outputs


def _check_slopes(slopes: Sequence[Tensor], strict: bool) -> None:
    for k, g in enumerate(slopes):
        if strict and not g.requires_grad:
            raise TensorError(
                "While computing the hessian, found that the jacobian of the user-provided "
                f"function with respect to input {k} is independent of the input. This is not "
                "allowed in strict mode. You should ensure that your function is twice "
                "differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example)."
            )


def _checked(
    v: Any, others: Sequence[Tensor], several: bool, single: str, name: str
) -> tuple[Any, ...]:
    """The vector of a product, one entry per tensor of `others`."""
    if v is None:
        if len(others) != 1 or others[0].numel() != 1:
            raise TensorError(f"The vector v can only be None if {single}.")
        return (_ones_like(others[0]),)
    _, vs = _tuple_of(v, "v", name)
    if len(vs) != len(others):
        raise TensorError(
            f"v is a tuple of invalid length: should be {len(others)} but got {len(vs)}."
        )
    for k, (a, b) in enumerate(zip(vs, others, strict=True)):
        if tuple(a.shape) != tuple(b.shape):
            entry = f"Entry {k} in " if several else ""
            raise TensorError(f"{entry}v has invalid size: should be {b.shape} but got {a.shape}.")
    return tuple(a.detach() if not a.requires_grad else a for a in vs)


def _gradients(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], weights: Sequence[Any], keep: bool
) -> tuple[Any, ...]:
    """Gradients with respect to all inputs, None where there is none; nothing is released."""
    pairs = [(o, w) for o, w in zip(outputs, weights, strict=True) if o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    out, given = zip(*pairs, strict=True)
    with mode.enable_grad():
        return grad(out, inputs, given, retain_graph=True, create_graph=keep, allow_unused=True)


def _filled(
    grads: Sequence[Any], like: Sequence[Tensor], strict: bool, what: str
) -> tuple[Any, ...]:
    """Gradients with zeros for missing ones; an error in strict mode."""
    for k, g in enumerate(grads):
        if g is None and strict:
            raise TensorError(
                f"The {what} of the user-provided function is independent of input {k}. This is "
                "not allowed in strict mode."
            )
    return tuple(_zeros_like(t) if g is None else g for g, t in zip(grads, like, strict=True))


def _finished(made: tuple[Any, ...], several: bool, create_graph: bool) -> Any:
    if not create_graph:
        made = tuple(t.detach() for t in made)
    return made if several else made[0]


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of a function of tensors or arrays: shape `(*output.shape, *input.shape)`.

    A tuple of inputs gives a tuple per output, a tuple of outputs a tuple of these. With
    `create_graph` the result can be differentiated; RuntimeError in `strict` mode for an output
    that does not depend on an input.

    >>> import srcgrad as flow
    >>> flow.autograd.functional.jacobian(lambda x: x**2, flow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]], dtype=srcgrad.float32)
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentValueError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant.'
        )
    if home := _by_transforms(func, inputs, strict, vectorize):
        return home.jacobian(func, inputs, create_graph, strategy)
    several, given = _tuple_of(inputs, "inputs", "jacobian")
    xs = _prepared(given, create_graph)
    many, outputs = _called(func, xs, "jacobian", strict)
    rows = tuple(_rows(i, out, xs, create_graph, strict) for i, out in enumerate(outputs))
    nested = tuple(_finished(row, several, create_graph) for row in rows)
    return nested if many else nested[0]


def _rows(
    i: int, out: Tensor, xs: tuple[Tensor, ...], create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """The Jacobian of one output with respect to each input."""
    n = out.numel()
    columns: list[list[Any]] = [[] for _ in xs]
    for k in range(n):
        weight = _zeros_like(out.detach())
        weight._a.reshape(-1)[k] = 1
        made = _gradients([out], xs, [weight], create_graph)
        for j, g in enumerate(made):
            if g is None and strict:
                raise TensorError(
                    f"Output {i} of the user-provided function is independent of input {j}. This "
                    "is not allowed in strict mode."
                )
            columns[j].append(_zeros_like(xs[j].detach()) if g is None else g)
    shape = tuple(out.shape)
    return tuple(
        _stack(column, 0).reshape((*shape, *x.shape))
        if column
        else _zeros_like(x.detach()).reshape(-1)[:0].reshape((*shape, *x.shape))
        for column, x in zip(columns, xs, strict=True)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function with one scalar result; a tuple of inputs gives a tuple of tuples.

    RuntimeError where the function returns something else.

    >>> import srcgrad as flow
    >>> flow.autograd.functional.hessian(lambda x: (x**3).sum(), flow.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]], dtype=srcgrad.float32)
    """
    if home := _by_transforms(func, inputs, strict, vectorize):
        return home.hessian(func, inputs, create_graph)
    several, given = _tuple_of(inputs, "inputs", "hessian")

    def slope(*xs: Tensor) -> tuple[Tensor, ...]:
        out = _single(func, xs, "hessian", strict)
        made = _gradients([out], xs, [_ones_like(out.detach())], True)
        _check_slopes([g for g in made if g is not None], strict)
        return _filled(made, xs, strict, "output")

    made = jacobian(slope, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return made if several else made[0][0]


def _single(func: Callable[..., Any], xs: tuple[Tensor, ...], name: str, strict: bool) -> Tensor:
    """The result of a function that has to return one number."""
    many, outputs = _called(func, xs, name, strict)
    if many:
        raise TensorError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise TensorError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return outputs[0].reshape(())


def _values(outputs: tuple[Tensor, ...], several: bool, create_graph: bool) -> Any:
    return _finished(outputs, several, create_graph)


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(outputs, the product of `v` with the Jacobian): `v` has the outputs' shapes.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0])
    >>> flow.autograd.functional.vjp(lambda x: x**2, x, flow.ones(2))[1]
    tensor([2., 4.], dtype=srcgrad.float32)
    """
    if home := _by_transforms(func, inputs, strict):
        return home.vjp(func, inputs, v, create_graph)
    several, given = _tuple_of(inputs, "inputs", "vjp")
    xs = _prepared(given, create_graph)
    many, outputs = _called(func, xs, "vjp", strict)
    single = "the user-provided function returns a single Tensor with a single element"
    weights = _checked(v, outputs, many, single, "vjp")
    made = _filled(_gradients(outputs, xs, weights, create_graph), xs, strict, "output")
    return _values(outputs, many, create_graph), _finished(made, several, create_graph)


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(outputs, the product of the Jacobian with `v`): `v` has the inputs' shapes.

    The reverse pass is linear in its weights, and is differentiated with respect to them.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0])
    >>> flow.autograd.functional.jvp(lambda x: x**2, x, flow.ones(2))[1]
    tensor([2., 4.], dtype=srcgrad.float32)
    """
    if home := _by_transforms(func, inputs, strict):
        return home.jvp(func, inputs, v, create_graph)
    several, given = _tuple_of(inputs, "inputs", "jvp")
    single = "the input to the user-provided function is a single Tensor with a single element"
    directions = _checked(v, given, several, single, "jvp")
    xs = _prepared(given, create_graph)
    many, outputs = _called(func, xs, "jvp", strict)
    weights = [_zeros_like(o.detach()).requires_grad_() for o in outputs]
    slopes = _filled(_gradients(outputs, xs, weights, True), xs, strict, "output")
    made = _gradients(slopes, weights, directions, create_graph)
    made = _filled(made, [o.detach() for o in outputs], False, "output")
    return _values(outputs, many, create_graph), _finished(made, many, create_graph)


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(output, the product of `v` with the Hessian) of a function with one scalar result.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0])
    >>> flow.autograd.functional.vhp(lambda x: (x**3).sum(), x, flow.ones(2))[1]
    tensor([ 6., 12.], dtype=srcgrad.float32)
    """
    return _by_hessian(func, inputs, v, create_graph, strict, "vhp")


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """(output, the product of the Hessian with `v`), which is symmetric: see `vhp`.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0])
    >>> flow.autograd.functional.hvp(lambda x: (x**3).sum(), x, flow.ones(2))[1]
    tensor([ 6., 12.], dtype=srcgrad.float32)
    """
    return _by_hessian(func, inputs, v, create_graph, strict, "hvp")


def _by_hessian(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> tuple[Any, Any]:
    if home := _by_transforms(func, inputs, strict):
        return home.hvp(func, inputs, v, create_graph, name)
    several, given = _tuple_of(inputs, "inputs", name)
    single = "the input to the user-provided function is a single Tensor with a single element"
    directions = _checked(v, given, several, single, name)
    xs = _prepared(given, create_graph)
    out = _single(func, xs, name, strict)
    slopes = _gradients([out], xs, [_ones_like(out.detach())], True)
    slopes = _filled(slopes, xs, strict, "output")
    _check_slopes(slopes, strict)
    made = _filled(_gradients(slopes, xs, directions, create_graph), xs, strict, "jacobian")
    return _values((out,), False, create_graph), _finished(made, several, create_graph)


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
publish(globals())
