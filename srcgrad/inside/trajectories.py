"""Initial value problems that a library solves for compiled code, with their sensitivities.

The states y(t; p) depend on p: the initial state, and all floats that the right-hand side captures.
Their k-th derivatives by p are states of a larger system, which the library solves as well: the
rule of one order calls the next.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_jvp
from srcgrad.custom.opaque import Operands, emitted
from srcgrad.custom.trace import Call, Called, is_floating
from srcgrad.errors import Location, UnsupportedError
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.inside.lifted import Lifted, lifted, located_at, stated
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Array
from srcgrad.records import record
from srcgrad.solvers.sensitivities import HIGHEST, initial, sensitivities, tensor, trajectory
from srcgrad.transforms.entry_points import compile, stop_gradient
from srcgrad.transforms.jacobians import jacobian


@implements(trajectory)
def _trajectory(
    it: Interpreter, node: Node, name: str, library: Callable, rhs: Any, y0: Any, t0: Any, t: Any,
    settings: Any,
) -> Any:  # fmt: skip
    function, captured = lifted(it, rhs, [t0, y0], node)
    places = tuple(k for k, v in enumerate(captured) if is_floating(v))
    parts = [it.call(np.ravel, [v], {}, node) for v in (y0, *(captured[k] for k in places))]
    p = it.call(np.asarray, [it.call(np.concatenate, [parts], {}, node), np.float64], {}, node)
    rest = [it.call(stop_gradient, [v], {}, node) for v in captured]
    scalars = tuple(k for k in places if not isinstance(atom(captured[k]).type, Array))
    at = it.frame.source.location(node)
    made = Problem(name, library, function, places, scalars, atom(y0).type.dims[0], settings, at)
    return it.call(made.ruled(0), [p, t0, t, *rest], {}, node)


@record(frozen=True, eq=False)
class Problem:
    """One call of a library's solver."""

    name: str
    library: Callable
    lifted: Lifted  # the right-hand side: of the time, the state and what it captures
    places: tuple[int, ...]  # the floats among what it captures, which p holds
    scalars: tuple[int, ...]  # those that are numbers
    n: Any  # the length of the state
    settings: Any
    at: Location

    def ruled(self, order: int, times: tuple = ()) -> Any:
        """The states, or their derivatives of an order by p, with their derivative.

        It takes p, the times and the captured values. `times` are the times where it has no
        derivative by them, and then takes none.
        """
        states = States(self, order, times)

        def value(p: Any, *given: Any) -> Any:
            return states(p, *given)

        made = custom_jvp(value)
        made.__name__ = self.name
        higher, rhs = Higher(self, order + 1, times), self.system(0)

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

        def by_parameters(primals: tuple, tangents: tuple) -> Any:
            return made(*primals), higher(*primals) @ tangents[0]

        made.defjvp(by_parameters if times else by_all)
        return made

    @functools.cached_property
    def systems(self) -> list[Callable]:
        """The right-hand sides of the orders that were needed so far."""
        return [self._of_state()]

    def system(self, order: int) -> Callable:
        """The right-hand side of the states and of their derivatives up to an order.

        It takes the time, the state, p and the captured values.
        """
        while len(self.systems) <= order:
            names = "".join(f", x{k}" for k in range(self._count))
            text = f"def {self.name}(t, z, p{names}):\n"
            text += f"    return sensitivities(rhs, t, z, p, ({names[2:]}{',' * bool(names)}))\n"
            scope = {"rhs": self.systems[-1], "sensitivities": sensitivities}
            self.systems.append(stated(self.name, text, scope))
        return self.systems[order]

    @property
    def _count(self) -> int:
        """The number of captured values."""
        return len(self.lifted.program.hidden)

    def _of_state(self) -> Callable:
        """The right-hand side with the captured floats taken from p."""
        names = [f"x{k}" for k in range(self._count)]
        lines = [f"def {self.name}({', '.join(('t', 'y', 'p', *names))}):", "at = len(y)"]
        for k in self.places:
            x = names[k]
            if k in self.scalars:
                lines.append(f"{x}, at = p[at], at + 1")
            else:
                part = f"p[at : at + np.size({x})].reshape(np.shape({x}))"
                lines.append(f"{x}, at = {part}, at + np.size({x})")
        lines.append(f"return lifted({', '.join(('t', 'y', *names))})")
        scope = {"lifted": self.lifted, "np": np}
        return stated(self.name, "\n    ".join(lines) + "\n", scope)

    def solved(
        self, order: int, p: Any, n: int, t0: Any, t: Any, rest: Any, settings: Any, target: str
    ) -> np.ndarray:
        """The derivatives of an order by p, by the library."""
        system = compile(self.system(order), target=target)
        slopes = jacobian(compile(self.system(0), target=target), 1)
        copies = (len(p) + 1) ** order

        def fun(t: float, z: np.ndarray) -> np.ndarray:
            return system(t, z, p, *rest)

        def jac(t: float, z: np.ndarray) -> np.ndarray:
            """Without the derivatives of sensitivities by the state, which steps do not need."""
            return np.kron(np.eye(copies), slopes(t, z[:n], p, *rest))

        start = initial(p, n, order)
        made = located_at(lambda: self.library(fun, jac, start, t0, t, copies, **settings), self.at)
        return tensor(made, len(p), n, order)


class States:
    """The call of the library for one order, as a function in compiled code."""

    def __init__(self, problem: Problem, order: int, times: tuple):
        self.problem, self.order, self.times = problem, order, times

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        problem, order = self.problem, self.order
        p, *given = args
        t0, t = self.times or given[:2]
        rest = given if self.times else given[2:]
        values = (p, problem.n, t0, t, tuple(rest), problem.settings)
        operands = Operands(*values)

        def called(values: Sequence[Any], target: str) -> list[Any]:
            return [problem.solved(order, *operands.structures(values), target)]

        shape = (t.type.dims[0], problem.n, *[p.type.dims[0]] * order)
        (made,) = emitted(
            it, problem.name, called, [Array("f64", shape)], operands.atoms, by_target=True
        )
        return made


class Higher:
    """The derivatives of the next order, as a function in compiled code."""

    def __init__(self, problem: Problem, order: int, times: tuple):
        self.problem, self.order, self.times = problem, order, times

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        problem, times = self.problem, self.times or tuple(args[1:3])
        given = [args[0], *(args[1:] if self.times else args[3:])]
        made = problem.ruled(self.order, times)
        if self.order < HIGHEST:
            return it.call(made, given, {}, node)
        call = Call(it, made, given, {}, node)

        def refuse(called: Called) -> None:
            raise UnsupportedError(
                f"a derivative of {problem.name} above the order {HIGHEST}", problem.at,
                "write the steps of a method in a loop",
            )  # fmt: skip

        return call.attach(*call.values(made.function), refuse)
