"""Integrals that a library computes for compiled code, differentiated by Leibniz's rule.

By p, the floats that the integrand captures, a derivative is the integral of the integrand's; by an
end it is the integrand there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_jvp
from srcgrad.custom.trace import varies
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.inside.by_parameters import Inlined, Problem, taken_apart
from srcgrad.inside.switches import switch
from srcgrad.records import record
from srcgrad.solvers.by_library import integral
from srcgrad.transforms.entry_points import compile, grad, stop_gradient
from srcgrad.transforms.jacobians import jacobian


@implements(integral)
def _integral(
    it: Interpreter, node: Node, name: str, library: Callable, f: Any, a: Any, b: Any,
    settings: Any, count: Any = None,
) -> Any:  # fmt: skip
    p, rest, parts = taken_apart(it, f, [0.0], [], node)
    still = tuple(it.call(stop_gradient, [end], {}, node) for end in (a, b))
    program = parts["lifted"].program.function
    partial = switch(name, "the integrand", program, program.params[1:])
    made = Integral(
        name=name,
        partial=partial,
        library=library,
        settings=settings,
        ends=(a, b),
        still=still,
        dims=(2,) if count is None else (2, count),
        **parts,
    )
    return made.call(it, 0, still, [p, *rest], node)


@record(frozen=True, eq=False)
class Integral(Problem):
    """The integral and the library's estimate of its error, which has no derivative.

    The integrand's value is a number, or a vector of one length: `dims` are then (2, length).
    """

    dims: tuple
    ends: tuple
    still: tuple  # the ends as constants, where their derivatives are added

    def shape(self, p: Any, fixed: tuple) -> tuple:
        return self.dims

    def next(self, order: int, fixed: tuple, args: list) -> tuple[tuple, list]:
        return (self.still if order < 2 else self.ends), args

    def call(self, it: Interpreter, order: int, fixed: tuple, args: list[Any], node: Node) -> Any:
        value = super().call(it, order, fixed, args, node)
        for sign, end in zip((-1.0, 1.0), self.ends, strict=True):
            if order < 2 and varies(end):
                change = it.call(self.edge(order, args), [end], {}, node)
                value = it.call(np.add, [value, it.call(np.multiply, [sign, change], {}, node)],
                                {}, node)  # fmt: skip
        return value

    def edge(self, order: int, args: list[Any]) -> Any:
        """A function of an end that is zero, with the derivative of the integral by that end."""
        density = self.packed("x", start="0")
        density = self.inlined(density if order == 0 else self.derived(density), 1)
        p = args[0]
        dims = (*self.dims, *[p.type.dims[0]] * order)
        nothing: Any = Inlined(lambda it, given, node: it.call(np.zeros, [dims], {}, node))
        there: Any = Inlined(lambda it, given, node: it.call(density, [*given, *args], {}, node))

        def value(x: Any) -> Any:
            return nothing()

        made = custom_jvp(value)
        made.__name__ = self.name

        @made.defjvp
        def rule(primals: tuple, tangents: tuple) -> Any:
            change = np.asarray(there(primals[0]) * tangents[0])
            return made(*primals), np.stack((change, 0.0 * change))

        return made

    def solved(self, order: int, target: str, p: np.ndarray, rest: tuple, *given: Any) -> Any:
        a, b, settings = given
        f = self.built.get((order, target))
        if f is None:
            f = self.built[order, target] = self.density(order, target)
        shape = (2, *[len(p)] * order)
        return self.library(lambda x: f(x, p, *rest), a, b, shape, settings)

    @functools.cached_property
    def built(self) -> dict[tuple[int, str], Any]:
        """Compiled densities: an integral inside another one is computed many times."""
        return {}

    def density(self, order: int, target: str) -> Any:
        """A derivative of the integrand by p, compiled."""
        f: Any = compile(self.packed("x", start="0"), target=target)
        for k in range(order):
            f = jacobian(f, 1) if k else self.derived(f)
        return f

    def derived(self, f: Any) -> Any:
        """The first derivative of the integrand by p."""
        return grad(f, 1) if len(self.dims) == 1 else jacobian(f, 1)
