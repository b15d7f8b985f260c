"""`to_jax`: a compiled function inside JAX's, by a callback to the host with a derivative rule."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.api import compile
from srcgrad.errors import ReturnTypeError
from srcgrad.interop.functions import checked, compiled_of, library, product_of
from srcgrad.transforms.compiled import Compiled


def to_jax(fn: Callable[..., Any], result: Any = None) -> Callable[..., Any]:
    """A function of JAX's arrays that has the values and reverse-mode derivatives of `fn`.

    `fn` is a function of arrays by position, compiled or to be compiled. `result` states what it
    returns, for JAX traces without values: a `jax.ShapeDtypeStruct`, a structure of them, or a
    function from those of the arguments to that; by default a number of the arguments' float
    dtype. Works under `jax.jit`, `jax.grad` of any order and `jax.vmap` (one item after the
    other); forward mode is JAX's to refuse. A result that is not as stated is an error, and so is a
    dtype that would lose more than precision. As JAX has it, `fn` is pure: what it captures
    does not change.

    >>> import jax, numpy as np, srcgrad as flow
    >>> f = flow.to_jax(lambda x: np.sum(np.sin(x)))
    >>> jax.jit(jax.grad(f))(jax.numpy.zeros(2))
    Array([1., 1.], dtype=float32)
    """
    jax, compiled = library("jax"), compiled_of(fn)
    node = _Node(jax, compiled, result)

    @functools.wraps(fn)
    def call(*args: Any) -> Any:
        return node.call(*jax.tree.map(jax.numpy.asarray, args))

    return call


class _Node:
    """A compiled function in JAX: its callback, whose rule is the same of the product."""

    def __init__(self, jax: Any, compiled: Compiled, result: Any):
        self.jax, self.compiled, self.result = jax, compiled, result
        self.call = jax.custom_vjp(self._called)
        self.call.defvjp(lambda *args: (self.call(*args), args), self._pulled)

    def _called(self, *args: Any) -> Any:
        spec = self._stated(self._specs(args))
        run = functools.partial(self._on_host, spec)
        return self.jax.pure_callback(run, spec, *args, vmap_method="sequential")

    def _specs(self, args: Any) -> Any:
        return self.jax.tree.map(lambda v: self.jax.ShapeDtypeStruct(v.shape, v.dtype), args)

    def _stated(self, specs: tuple[Any, ...]) -> Any:
        """The form of the result: as the caller states, or a number of the arguments' dtype."""
        if callable(self.result):
            return self.result(*specs)
        if self.result is not None:
            return self.result
        floats = [s.dtype for s in self.jax.tree.leaves(specs) if is_float(s)]
        return self.jax.ShapeDtypeStruct((), np.result_type(*floats) if floats else np.float32)

    def _on_host(self, spec: Any, *args: Any) -> Any:
        """Runs the function on NumPy's arrays and numbers, and checks what it returns."""
        out = self.compiled(*self.jax.tree.map(lambda v: np.asarray(v)[()], args))
        wanted, form = self.jax.tree.flatten(spec)
        found, made = self.jax.tree.flatten(out)
        if made != form:
            raise ReturnTypeError(
                f"{self.compiled.__name__}() returned {made}, but `result` states {form}"
            )
        arrays = [
            checked(v, self.compiled.__name__, s.dtype, s.shape)
            for v, s in zip(found, wanted, strict=True)
        ]
        return self.jax.tree.unflatten(form, arrays)

    @functools.cached_property
    def _product(self) -> _Node:
        """The product of cotangents with the Jacobian, as a node of its own."""

        def gradients(args: tuple[Any, ...], _: Any) -> Any:
            return self.jax.tree.map(lambda s: s if is_float(s) else None, args)

        return _Node(self.jax, compile(product_of(self.compiled)), gradients)

    def _pulled(self, args: tuple[Any, ...], cotangents: Any) -> Any:
        """The gradients; JAX's of complex numbers are conjugates of ours."""
        weights = self.jax.tree.map(lambda g: _conjugate(g) if is_float(g) else None, cotangents)
        return self.jax.tree.map(_conjugate, self._product.call(args, weights))


def is_float(v: Any) -> bool:
    """Whether an array, or the form of one, has derivatives."""
    return np.issubdtype(v.dtype, np.inexact)


def _conjugate(v: Any) -> Any:
    return v.conj() if np.issubdtype(v.dtype, np.complexfloating) else v
