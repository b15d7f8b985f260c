"""Initial value problems that a library solves for compiled code, with their sensitivities.

The states y(t; p) depend on p: the initial state, and all floats that the right-hand side captures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.inside.by_parameters import Problem, taken_apart
from srcgrad.inside.lifted import stated
from srcgrad.inside.switches import switch
from srcgrad.records import record
from srcgrad.solvers.by_library import trajectory
from srcgrad.solvers.sensitivities import initial, sensitivities, tensor
from srcgrad.transforms.entry_points import compile
from srcgrad.transforms.jacobians import jacobian


@implements(trajectory)
def _trajectory(
    it: Interpreter, node: Node, name: str, library: Callable, rhs: Any, y0: Any, t0: Any, t: Any,
    settings: Any,
) -> Any:  # fmt: skip
    p, rest, parts = taken_apart(it, rhs, [t0, y0], [y0], node)
    n = y0.type.dims[0]
    program = parts["lifted"].program.function
    partial = switch(name, "the right-hand side", program, program.params[1:])  # all but the time
    made = Trajectory(name=name, library=library, settings=settings, n=n, partial=partial, **parts)
    return made.call(it, 0, (), [p, t0, t, *rest], node)


@record(frozen=True, eq=False)
class Trajectory(Problem):
    """The states at some times; as an argument of the lowest order these have derivatives too."""

    n: Any  # the length of the state

    def shape(self, p: Any, fixed: tuple) -> tuple:
        _, t = fixed
        return t.type.dims[0], self.n

    def next(self, order: int, fixed: tuple, args: list) -> tuple[tuple, list]:
        return (fixed, args) if fixed else (tuple(args[1:3]), [args[0], *args[3:]])

    def rule(self, made: Any, order: int, fixed: tuple) -> Callable:
        if fixed:
            return super().rule(made, order, fixed)
        higher, rhs = self.higher(order + 1, fixed), self.inlined(self.system(0), 2)

        def by_all(primals: tuple, tangents: tuple) -> Any:
            p, t0, t = primals[:3]
            rest, (dp, dt0, dt) = primals[3:], tangents[:3]
            y = made(*primals)
            n = y.shape[1]
            # a later start with the same state is an earlier state of the same solution
            first = -dt0 * rhs(t0, p[:n], p, *rest)
            change = higher(*primals) @ (dp + np.concatenate((first, np.zeros(len(p) - n))))
            slopes = np.empty_like(y)
            for i in range(len(t)):
                slopes[i] = rhs(t[i], y[i], p, *rest)
            return y, change + slopes * dt.reshape((len(t), 1))

        return by_all

    @functools.cached_property
    def systems(self) -> list[Callable]:
        """The right-hand sides of the orders that were needed so far."""
        return [self.packed("t", "y", start="len(y)")]

    def system(self, order: int) -> Callable:
        """The right-hand side of the states and of their derivatives up to an order.

        It takes the time, the state, p and the captured values.
        """
        while len(self.systems) <= order:
            rest = "".join(f"{x}, " for x in self.names)
            text = f"def {self.name}(t, z, p, {rest}):\n"
            text += f"    return sensitivities(rhs, t, z, p, ({rest}))\n"
            scope = {"rhs": self.systems[-1], "sensitivities": sensitivities}
            self.systems.append(stated(self.name, text, scope))
        return self.systems[order]

    def solved(self, order: int, target: str, p: np.ndarray, rest: tuple, *given: Any) -> Any:
        t0, t, settings = given
        system = compile(self.system(order), target=target)
        slopes = jacobian(compile(self.system(0), target=target), 1)
        start = initial(p, n := len(p) - _floats(rest, self.places), order)
        copies = (len(p) + 1) ** order

        def fun(t: float, z: np.ndarray) -> np.ndarray:
            return system(t, z, p, *rest)

        def jac(t: float, z: np.ndarray) -> np.ndarray:
            """Without the derivatives of sensitivities by the state, which steps do not need."""
            return np.kron(np.eye(copies), slopes(t, z[:n], p, *rest))

        made = self.library(fun, jac, start, t0, t, copies, **settings)
        return tensor(made, len(p), n, order)


def _floats(rest: tuple, places: tuple[int, ...]) -> int:
    """The number of floats in some captured values."""
    return sum(int(np.size(rest[k])) for k in places)
