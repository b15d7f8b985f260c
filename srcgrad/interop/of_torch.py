"""`to_torch`: a compiled function as a node of PyTorch's graph.

PyTorch's tensors become tensors over the same memory; the tape of these is what the node runs
backward. A second derivative is the same node again, of the product with the Jacobian.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import engine, mode
from srcgrad.eager.create import from_dlpack
from srcgrad.eager.tensor import Tensor, make, storage
from srcgrad.errors import UnsupportedError
from srcgrad.interop.functions import compiled_of, library
from srcgrad.transforms.compiled import Compiled
from srcgrad.tree import leaves, mapped

Run = Callable[[list[Tensor]], list[Tensor]]  # the function on tensors of srcgrad


def to_torch(fn: Callable) -> Callable:
    """A function of PyTorch's tensors that has the values and derivatives of `fn`.

    `fn` is a function of arrays, compiled or to be compiled. Its arguments and results are
    tensors, structures of them, and whatever else it takes; memory is shared, not copied.
    Derivatives of any order go through PyTorch's graph. A function that stores to its arguments is
    refused.

    >>> import numpy as np, srcgrad as flow, torch
    >>> f = flow.to_torch(lambda x: np.sum(np.sin(x)))
    >>> x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    >>> f(x).backward()
    >>> x.grad
    tensor([1., 1.], dtype=torch.float64)
    """
    torch, compiled = library("torch"), compiled_of(fn)
    node = _node_class(torch)

    @functools.wraps(fn)
    def call(*args: Any, **named: Any) -> Any:
        if not named and all([isinstance(a, torch.Tensor) for a in args]):
            inputs, run = args, lambda tensors: compiled(*tensors)
        else:
            given = (args, named)
            inputs = [v for v in leaves(given) if isinstance(v, torch.Tensor)]
            run = lambda tensors: _called(compiled, given, torch.Tensor, tensors)
        if not torch.is_grad_enabled() or not any([t.requires_grad for t in inputs]):
            out = run([_shared(t, False) for t in inputs])
            return mapped(out, lambda v: _result(torch, v) if isinstance(v, Tensor) else v)
        form = None

        def outputs(tensors: list[Tensor]) -> list[Tensor]:
            nonlocal form
            form = run(tensors)
            return [v for v in leaves(form) if isinstance(v, Tensor)]

        results = node.apply(outputs, *inputs)
        return _replaced(form, Tensor, results)

    return call


def _called(compiled: Compiled, given: tuple, kind: type, tensors: list[Tensor]) -> Any:
    args, named = _replaced(given, kind, tensors)
    return compiled(*args, **named)


def _replaced(structure: Any, kind: type, values: Sequence) -> Any:
    """The structure with its leaves of a kind replaced, in order."""
    if isinstance(structure, kind):
        return values[0]
    left = iter(values)
    return mapped(structure, lambda v: next(left) if isinstance(v, kind) else v)


@functools.cache
def _node_class(torch: Any) -> Any:
    """The node of PyTorch's graph that runs a function on tensors of srcgrad."""

    class SrcgradFunction(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, run: Run, *inputs: Any) -> tuple:
            given = [
                _shared(t, needed)
                for t, needed in zip(inputs, ctx.needs_input_grad[1:], strict=True)
            ]
            out = run(given)
            results = tuple([_result(torch, v) for v in out])
            ctx.run, ctx.given, ctx.out = run, given, out
            ctx.seen = [r.detach() for r in results]  # their versions are those of the results
            ctx.save_for_backward(*inputs)
            ctx.mark_non_differentiable(
                *[r for r, v in zip(results, out, strict=True) if not v.requires_grad]
            )
            ctx.set_materialize_grads(False)
            return results

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> tuple:
            inputs = ctx.saved_tensors
            wanted = [k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
            pairs = [k for k, g in enumerate(cotangents) if g is not None]
            gradients: list[Any] = [None] * len(inputs)
            if not pairs or not wanted:
                return (None, *gradients)
            weights = [cotangents[k] for k in pairs]
            if torch.is_grad_enabled():
                run = _product(ctx.run, len(inputs), wanted, pairs)
                found = SrcgradFunction.apply(run, *inputs, *weights)
            else:
                for v, r in zip(ctx.out, ctx.seen, strict=True):
                    if r._version:
                        storage(v).version += 1  # the engine knows whether the value was needed
                out = [ctx.out[k] for k in pairs]
                made = engine.grad(
                    out, [ctx.given[k] for k in wanted], [_shared(g, False) for g in weights],
                    retain_graph=True, allow_unused=True,
                )  # fmt: skip
                found = [None if g is None else _result(torch, g) for g in made]
            for k, g in zip(wanted, found, strict=True):
                gradients[k] = g
            return (None, *gradients)

    return SrcgradFunction


def _product(run: Run, count: int, wanted: list[int], pairs: list[int]) -> Run:
    """The product of cotangents with the Jacobian, as a function of the inputs and of both."""

    def product(tensors: list[Tensor]) -> list[Tensor]:
        xs, weights = list(tensors[:count]), tensors[count:]
        with mode.enable_grad():
            for k in wanted:
                if not xs[k].requires_grad:
                    xs[k] = make(xs[k]._a).requires_grad_()
            out = run(xs)
            made = engine.grad(
                [out[k] for k in pairs], [xs[k] for k in wanted], weights,
                create_graph=True, allow_unused=True,
            )  # fmt: skip
        return [
            make(np.zeros_like(xs[k]._a)) if g is None else g
            for k, g in zip(wanted, made, strict=True)
        ]

    return product


def _shared(t: Any, needed: bool) -> Tensor:
    """A tensor over the memory of PyTorch's, which nothing stores to."""
    if t.device.type == "cpu":
        a = (t.detach().resolve_conj() if t.is_complex() else t.detach()).numpy()
        a.flags.writeable = False
        made = make(a)
    else:
        made = from_dlpack(t.detach())
    if needed and made._a.dtype.kind == "c":
        raise UnsupportedError(
            "complex tensors that require grad have no gradient here",
            way_out="pass z.real and z.imag, and combine them in the function",
        )
    return made.requires_grad_() if needed else made


def _result(torch: Any, v: Tensor) -> Any:
    """PyTorch's tensor of a result; a copy of what has the memory of an argument."""
    a = v._a
    if not isinstance(a, np.ndarray):
        return torch.from_dlpack(a)
    shared = not a.flags.writeable or min(a.strides, default=0) < 0
    return torch.from_numpy(a.copy() if shared else a)
