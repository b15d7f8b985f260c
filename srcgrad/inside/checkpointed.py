"""`checkpoint`: reverse mode recomputes a function instead of saving its intermediate values.

A rule like any other: its residuals are the arguments, its backward pass the gradient of the value
times the adjoint. Never decides what is worth recomputing.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from srcgrad import hooks
from srcgrad.custom.functions import P, R, custom_vjp
from srcgrad.custom.trace import is_floating, varies
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.transforms.entry_points import grad
from srcgrad.tree import leaves
from srcgrad.tree.random_generators import States, noted, replayed


class checkpoint(custom_vjp[P, R]):
    """A function of which reverse mode saves the arguments only, and recomputes the rest.

    It saves memory where a loop has many long steps: of each trip the initial values of a step are
    saved, and not those it computes on its way. The price is that the function runs once more.
    Values and derivatives, of any order and direction, are those of the function itself. It takes
    arguments by position, stores to none of them, and has no complex numbers in compiled code; a
    derivative with respect to captured values is refused. What it prints is printed again when it
    is recomputed. Draws from the generators of tensors, `np.random` and `random` are repeated then;
    in compiled code they are refused. `flow.checkpoint` is used as a decorator.

    >>> import numpy as np, srcgrad as flow
    >>> @flow.checkpoint
    ... def step(u):
    ...     for _ in range(10):
    ...         u = u + 0.01 * np.sin(u)
    ...     return u
    >>> @flow.compile(target="python")
    ... def loss(u):
    ...     for _ in range(10):
    ...         u = step(u)
    ...     return np.sum(u)
    >>> flow.grad(loss)(np.zeros(2)).round(6)  # 1.01**100
    array([2.704814, 2.704814])
    """

    kind = "checkpoint"

    def __init__(self, function: Callable[P, R]):
        if isinstance(function, custom_vjp):
            raise ArgumentTypeError(f"{function!r} has a rule of its own: it decides what is kept")
        super().__init__(function)
        run: Callable[..., Any] = function

        def forward(*args: Any) -> Any:
            out, states = first_run(run, args)
            return out, (args, states)

        def backward(residuals: Any, g: Any) -> Any:
            args, states = residuals
            positions = floating_positions(args)
            adjoints = [None] * len(args)
            if len(positions) > 0:
                gradient = grad(lambda *given: product(run(*given), g), positions)
                found = second_run(gradient, args, states)
                found = found if len(positions) > 1 else (found,)
                for k, made in zip(positions, found, strict=True):
                    adjoints[k] = made
            return tuple(adjoints)

        self.defvjp(forward, backward)


def first_run(run: Callable[..., Any], args: tuple) -> tuple[Any, States | None]:
    """The result of a function, and the states that repeat its draws of random numbers."""
    with noted(*hooks.tensor_calls().generators()) as states:
        return run(*args), states


def second_run(run: Callable[..., Any], args: tuple, states: States) -> Any:
    """The result of a function that draws what the first run drew."""
    with replayed(states):
        return run(*args)


def floating_positions(args: tuple) -> tuple[int, ...]:
    """The positions of the arguments that have a float in them."""
    return tuple([k for k, a in enumerate(args) if any(map(_is_floating, leaves(a)))])


def product(value: Any, weights: Any) -> Any:
    """The sum of the products of floats with weights; None means zero."""
    total = 0.0
    for y, w in zip(leaves(value), leaves(weights), strict=True):
        if w is not None and _is_floating(y):
            total = total + (y * w).sum()
    return total


def _is_floating(v: Any) -> bool:
    """Whether a number, an array or a tensor is floating."""
    return np.asarray(getattr(v, "_a", v)).dtype.kind in "fc"


@lru_cache(maxsize=512)
def _of(function: types.FunctionType) -> checkpoint:
    """One object for one function, so that its specializations are found again."""
    return checkpoint(function)


@implements(checkpoint)
def _checkpoint(it: Interpreter, node: Node, function: Any) -> checkpoint:
    if not isinstance(function, types.FunctionType):
        it.refuse(
            node, "a checkpoint of what is defined inside a compiled function is not supported",
            "define the function outside, and pass it what it needs",
        )  # fmt: skip
    return _of(function)


@implements(first_run)
def _first_run(it: Interpreter, node: Node, run: Any, args: Any) -> tuple[Any, None]:
    """The result alone: draws of compiled code that would be repeated are refused."""
    return it.call(run, list(args), {}, node), None


@implements(second_run)
def _second_run(it: Interpreter, node: Node, run: Any, args: Any, states: Any) -> Any:
    return it.call(run, list(args), {}, node)


@implements(floating_positions)
def _floating_positions(it: Interpreter, node: Node, args: Any) -> tuple[int, ...]:
    return tuple([k for k, a in enumerate(args) if any(map(varies, leaves(a)))])


@implements(product)
def _product(it: Interpreter, node: Node, value: Any, weights: Any) -> Any:
    total: Any = 0.0
    for y, w in zip(leaves(value), leaves(weights), strict=True):
        if w is not None and is_floating(y):
            term = it.call(np.sum, [it.call(np.multiply, [y, w], {}, node)], {}, node)
            total = it.call(np.add, [total, term], {}, node)
    return total
