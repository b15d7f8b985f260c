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
from srcgrad.interop.functions import compiled_of, is_fresh, library
from srcgrad.transforms.compiled import Compiled
from srcgrad.tree import leaves, mapped

Run = Callable[[list[Tensor]], list[Tensor]]  # the function on tensors of srcgrad


def to_torch(fn: Callable[..., Any]) -> Callable[..., Any]:
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
        recorded = torch.is_grad_enabled() and any([t.requires_grad for t in inputs])
        if not recorded and torch.autograd.forward_ad._current_level < 0:
            out = run([_shared(t, False) for t in inputs])
            results = _results(torch, [v for v in leaves(out) if isinstance(v, Tensor)])
            return _replaced(out, Tensor, results)
        form = None

        def outputs(tensors: list[Tensor]) -> list[Tensor]:
            nonlocal form
            form = run(tensors)
            return [v for v in leaves(form) if isinstance(v, Tensor)]

        results = node.apply(outputs, [], *inputs)
        return _replaced(form, Tensor, results)

    return call


def _called(
    compiled: Compiled, given: tuple[Any, ...], kind: type[Any], tensors: list[Tensor]
) -> Any:
    args, named = _replaced(given, kind, tensors)
    return compiled(*args, **named)


def _replaced(structure: Any, kind: type[Any], values: Sequence[Any]) -> Any:
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
        def forward(ctx: Any, run: Run, known: list[Tensor], *inputs: Any) -> tuple[Any, ...]:
            n = len(known)  # the first inputs, as tensors of an earlier node
            new = zip(inputs[n:], ctx.needs_input_grad[2 + n :], strict=True)
            given = [*known, *(_shared(t, needed) for t, needed in new)]
            out = run(given)
            results = tuple(_results(torch, out))
            ctx.given, ctx.out = given, out
            ctx.seen = [r.detach() for r in results]  # their versions are those of the results
            ctx.save_for_backward(*inputs)
            ctx.mark_non_differentiable(
                *[r for r, v in zip(results, out, strict=True) if not v.requires_grad]
            )
            ctx.set_materialize_grads(False)
            return results

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
            inputs = ctx.saved_tensors
            wanted = [k for k, needed in enumerate(ctx.needs_input_grad[2:]) if needed]
            pairs = [k for k, g in enumerate(cotangents) if g is not None]
            gradients: list[Any] = [None] * len(inputs)
            if not pairs or not wanted:
                return (None, None, *gradients)
            for v, r in zip(ctx.out, ctx.seen, strict=True):
                if r._version:
                    storage(v).version += 1  # the engine knows whether the value was needed
            given, weights = ctx.given, [cotangents[k] for k in pairs]
            outputs, sources = [ctx.out[k] for k in pairs], [given[k] for k in wanted]
            if torch.is_grad_enabled():
                n = len(given)
                run = lambda tensors: _product(outputs, sources, tensors[n:], True)
                found = SrcgradFunction.apply(run, given, *inputs, *weights)
            else:
                made = _product(outputs, sources, [_shared(g, False) for g in weights], False)
                found = _results(torch, made)
            for k, g in zip(wanted, found, strict=True):
                gradients[k] = g
            return (None, None, *gradients)

    return SrcgradFunction


def _product(
    outputs: list[Tensor], sources: list[Tensor], weights: list[Tensor], create_graph: bool
) -> list[Tensor]:
    """The gradients of the weighted outputs with respect to the sources."""
    with mode.enable_grad():
        made = engine.grad(
            outputs, sources, weights, True, create_graph=create_graph, allow_unused=True
        )
    return [
        make(np.zeros_like(x._a)) if g is None else g for x, g in zip(sources, made, strict=True)
    ]


def _shared(t: Any, needed: bool) -> Tensor:
    """A tensor over the memory of PyTorch's, which nothing stores to."""
    given = t.detach()
    if given.device.type != "cpu":
        made = from_dlpack(given)
    else:
        if given.is_conj() or given.is_neg():
            given = given.resolve_conj().resolve_neg()
        try:
            a = given.numpy()
        except TypeError:
            raise UnsupportedError(
                f"NumPy has no arrays of {given.dtype}", way_out="pass x.float() or x.double()"
            ) from None
        a.flags.writeable = False
        made = make(a)
    if needed and made._a.dtype.kind == "c":
        raise UnsupportedError(
            "complex tensors that require grad have no gradient here",
            way_out="pass z.real and z.imag, and combine them in the function",
        )
    return made.requires_grad_() if needed else made


def _results(torch: Any, tensors: list[Tensor]) -> list[Any]:
    """PyTorch's tensors of results; what is not memory of its own is copied."""
    made: list[Any] = []
    for k, v in enumerate(tensors):
        a = v._a
        if not isinstance(a, np.ndarray):
            made.append(torch.from_dlpack(a))
            continue
        others = [w._a for w in tensors[:k] if isinstance(w._a, np.ndarray)]
        alone = is_fresh(a) and not any([np.may_share_memory(a, b) for b in others])
        made.append(torch.from_numpy(a if alone else a.copy()))
    return made
