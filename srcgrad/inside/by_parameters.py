"""Values that a library computes of a function, differentiated by all that the function captures.

All captured floats are one vector p. The k-th derivatives of a value by p are one tensor, which the
library computes as well, of a larger problem; each is the derivative of the one before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_jvp
from srcgrad.custom.opaque import Operands, emitted
from srcgrad.custom.trace import Call, Called, is_floating
from srcgrad.errors import LocatedWarning, Location, UnsupportedError
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.inside.lifted import Lifted, lifted, located_at, stated
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Array
from srcgrad.primitives import elementwise
from srcgrad.records import record
from srcgrad.transforms.entry_points import stop_gradient

HIGHEST = 3  # the order of the derivatives that there are


class Inlined:
    """A function of compiled code that a function of the compiler emits."""

    def __init__(self, emit: Callable[[Interpreter, list[Any], Node], Any]):
        self.emit = emit

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        return self.emit(it, args, node)


@record(frozen=True, eq=False)
class Problem:
    """One call of a library: of a lifted function, with arguments by which it has no derivative."""

    name: str
    library: Callable
    lifted: Lifted
    places: tuple[int, ...]  # the floats among what it captures, which p holds
    scalars: tuple[int, ...]  # those that are numbers
    constants: dict[int, Any]  # floats that are not differentiated: refused where they vary
    settings: Any
    at: Location
    partial: LocatedWarning | None  # for those who take a derivative

    # ---- what the kinds of problems state ----
    def shape(self, p: Any, fixed: tuple) -> tuple:
        """The dims of the value; those of p follow."""
        raise NotImplementedError  # abstract: each kind of problem has its own

    def solved(self, order: int, target: str, p: np.ndarray, rest: tuple, *given: Any) -> Any:
        """The derivatives of an order, computed by the library from run-time values."""
        raise NotImplementedError  # abstract: each kind of problem has its own

    def rule(self, made: Any, order: int, fixed: tuple) -> Callable:
        """The derivative of one order."""
        higher = self.higher(order + 1, fixed)

        def by_parameters(primals: tuple, tangents: tuple) -> Any:
            return made(*primals), higher(*primals) @ tangents[0]

        return by_parameters

    def next(self, order: int, fixed: tuple, args: list) -> tuple[tuple, list]:
        """The fixed and the other arguments for the derivatives of an order."""
        return fixed, args

    # ---- calls ----
    def ruled(self, order: int, fixed: tuple) -> Any:
        """The value's derivatives of an order by p, as a function with their derivative.

        It takes p and the captured values; the `fixed` ones it has no derivative by.
        """
        computed: Any = Inlined(lambda it, args, node: self.computed(it, order, fixed, args))

        def value(p: Any, *given: Any) -> Any:
            return computed(p, *given)

        made = custom_jvp(value)
        made.__name__ = self.name
        made.defjvp(self.rule(made, order, fixed))
        made.partial = self.partial
        return made

    def call(self, it: Interpreter, order: int, fixed: tuple, args: list[Any], node: Node) -> Any:
        """Emits the call of `ruled`; beyond the highest order its derivative is refused."""
        made = self.ruled(order, fixed)
        if order < HIGHEST:
            return it.call(made, args, {}, node)
        call = Call(it, made, args, {}, node)

        def refuse(called: Called) -> None:
            raise UnsupportedError(
                f"a derivative of {self.name} above the order {HIGHEST}", self.at,
                "write the steps of a method in a loop",
            )  # fmt: skip

        return call.attach(*call.values(made.function), refuse)

    def higher(self, order: int, fixed: tuple) -> Any:
        """The derivatives of an order, for the rule of the one below."""

        def emit(it: Interpreter, args: list[Any], node: Node) -> Any:
            return self.call(it, order, *self.next(order, fixed, args), node)

        return Inlined(emit)

    def computed(self, it: Interpreter, order: int, fixed: tuple, args: list[Any]) -> Any:
        """Emits the call of the library for one order."""
        fixed, (p, *others) = self.next(order, fixed, args)
        rest = self.captured(others)
        operands = Operands((p, tuple(rest)), fixed, self.settings)

        def called(values: Sequence[Any], target: str) -> list[Any]:
            (p, rest), given, settings = operands.structures(values)
            run = functools.partial(self.solved, order, target, p, rest, *given, settings)
            return [located_at(run, self.at)]

        types = [Array("f64", (*self.shape(p, fixed), *[p.type.dims[0]] * order))]
        (made,) = emitted(it, self.name, called, types, operands.atoms, by_target=True)
        return made

    def captured(self, others: Sequence[Any]) -> list[Any]:
        """The captured values, in order: the constants, and the others."""
        following = iter(others)
        count = len(self.lifted.program.hidden)
        return [self.constants[k] if k in self.constants else next(following) for k in range(count)]

    def inlined(self, function: Callable, own: int) -> Any:
        """A function of its own arguments, p and captured values, without the constants."""

        def emit(it: Interpreter, args: list[Any], node: Node) -> Any:
            return it.call(function, [*args[: own + 1], *self.captured(args[own + 1 :])], {}, node)

        return Inlined(emit)

    @functools.cached_property
    def names(self) -> list[str]:
        """Names for the captured values in texts."""
        return [f"x{k}" for k in range(len(self.lifted.program.hidden))]

    def packed(self, *own: str, start: str) -> Callable:
        """The function of its own arguments, p and the captured values, whose floats p holds."""
        names = self.names
        lines = [f"def {self.name}({', '.join((*own, 'p', *names))}):", f"at = {start}"]
        for k in self.places:
            x = names[k]
            if k in self.scalars:
                lines.append(f"{x}, at = p[at], at + 1")
            else:
                part = f"p[at : at + np.size({x})].reshape(np.shape({x}))"
                lines.append(f"{x}, at = {part}, at + np.size({x})")
        lines.append(f"return lifted({', '.join((*own, *names))})")
        scope = {"lifted": self.lifted, "np": np}
        return stated(self.name, "\n    ".join(lines) + "\n", scope)


def taken_apart(
    it: Interpreter, fn: Any, own: Sequence[Any], first: Sequence[Any], node: Node
) -> tuple[Any, list[Any], dict[str, Any]]:
    """p, which begins with some values, other captured values, and the fields of a `Problem`."""
    function, captured = lifted(it, fn, own, node)
    constants = {k: v for k, v in enumerate(captured) if is_floating(v) and _is_constant(it, v)}
    places = tuple(k for k, v in enumerate(captured) if is_floating(v) and k not in constants)
    parts = [it.call(np.ravel, [v], {}, node) for v in (*first, *(captured[k] for k in places))]
    joined = it.call(*((np.concatenate, [parts]) if parts else (np.zeros, [0])), {}, node)
    p = it.call(np.asarray, [joined, np.float64], {}, node)
    others = [v for k, v in enumerate(captured) if k not in constants]
    rest = [it.call(stop_gradient, [v], {}, node) for v in others]
    scalars = tuple(k for k in places if not isinstance(atom(captured[k]).type, Array))
    at = it.frame.source.location(node)
    return p, rest, {
        "lifted": function, "places": places, "scalars": scalars, "constants": constants, "at": at,
    }  # fmt: skip


def _is_constant(it: Interpreter, v: Any) -> bool:
    """Whether a float is from outside of the compiled function, or a `stop_gradient`."""
    made = it.definition(v)
    if made is not None and made.op is elementwise.stop_gradient:
        return True
    return any(h.var is v and h.parameter is None for h in it.captures.hidden.values())
