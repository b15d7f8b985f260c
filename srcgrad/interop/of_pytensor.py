"""`to_pytensor`: a compiled function as an operation of PyTensor, and so of PyMC's models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.api import compile
from srcgrad.errors import ReturnTypeError, UnsupportedError
from srcgrad.interop.functions import checked, compiled_of, library, product_of, tupled
from srcgrad.transforms.compiled import Compiled


def to_pytensor(fn: Callable[..., Any], result: Any = None) -> Any:
    """An operation of PyTensor that has the values and reverse-mode derivatives of `fn`.

    `fn` is a function of arrays by position, compiled or to be compiled, that returns an array or
    a tuple of them. `result` states their types, or is a function from the types of the arguments
    to them; by default a number of the arguments' float dtype. Gradients of any order.

    >>> import numpy as np, pytensor, srcgrad as flow
    >>> f = flow.to_pytensor(lambda x: np.sum(np.sin(x)))
    >>> x = pytensor.tensor.dvector()
    >>> pytensor.grad(f(x), x).eval({x: np.zeros(2)})
    array([1., 1.])
    """
    compiled = compiled_of(fn)
    return _operation_class()(compiled, result)


@functools.cache
def _operation_class() -> Any:
    pytensor = library("pytensor")
    pt, gradient, graph = pytensor.tensor, pytensor.gradient, pytensor.graph

    class SrcgradOp(graph.op.Op):
        """Calls a compiled function; its gradient is the same operation of the product."""

        def __init__(self, compiled: Compiled, result: Any):
            self.compiled, self.result = compiled, result

        def make_node(self, *inputs: Any) -> Any:
            variables = [pt.as_tensor_variable(v) for v in inputs]
            if any(v.type.dtype.startswith("complex") for v in variables):
                raise UnsupportedError(
                    "complex numbers have no gradient here",
                    way_out="pass z.real and z.imag, and combine them in the function",
                )
            types = self._stated([v.type for v in variables])
            return graph.basic.Apply(self, variables, [t() for t in types])

        def _stated(self, types: list[Any]) -> Sequence[Any]:
            if self.result is None:
                floats = [t.dtype for t in types if _is_float(t)]
                return [pt.TensorType(np.result_type(*floats) if floats else "float64", ())]
            stated = isinstance(self.result, graph.type.Type) or not callable(self.result)
            made = self.result if stated else self.result(*types)
            return made if isinstance(made, list | tuple) else [made]

        def perform(self, node: Any, inputs: Sequence[Any], output_storage: list[Any]) -> None:
            out = self.compiled(*map(_protected, inputs))
            made = [v for v in (out if isinstance(out, tuple) else (out,)) if v is not None]
            types, name = [v.type for v in node.outputs], self.compiled.__name__
            if len(made) != len(types):
                raise ReturnTypeError(
                    f"{name}() returned {len(made)} results, but `result` states {len(types)}"
                )
            arrays = [checked(v, name, t.dtype, t.shape) for v, t in zip(made, types, strict=True)]
            for k, (place, a) in enumerate(zip(output_storage, arrays, strict=True)):
                shared = any([np.may_share_memory(a, b) for b in arrays[:k]])
                place[0] = a.copy() if shared else a

        def pullback(
            self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
        ) -> list[Any]:
            weights = [
                v.zeros_like() if isinstance(g.type, gradient.DisconnectedType) else g
                for v, g in zip(outputs, cotangents, strict=True)
            ]
            made = iter(self._product(len(inputs))(*inputs, *weights, return_list=True))
            return [
                next(made) if _is_float(v.type) else gradient.grad_undefined(self, k, v)
                for k, v in enumerate(inputs)
            ]

        def _product(self, count: int) -> Any:
            product = product_of(compile(tupled(self.compiled)))

            def flat(*values: Any) -> tuple[Any, ...]:
                gradients = product(values[:count], values[count:])
                return tuple([g for g in gradients if g is not None])

            floats = lambda *types: [t for t in types[:count] if _is_float(t)]
            return SrcgradOp(compile(flat), floats)

    return SrcgradOp


def _is_float(type_: Any) -> bool:
    return type_.dtype.startswith("float")


def _protected(v: np.ndarray) -> Any:
    """An input that nothing stores to: PyTensor is not told of stores."""
    if not v.ndim:
        return v[()]
    given = v.view()
    given.flags.writeable = False
    return given
