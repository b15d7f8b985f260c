"""Functions that exist only while compiling, called by a library: what they capture is lifted.

A lifted function is the program of a function with its captured values as further arguments. So a
rule can give derivatives by them, and Python can call it, with their values, through a callback.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.autodiff.repeated_draws import draws_in
from srcgrad.custom.opaque import Operands, emitted, taken
from srcgrad.errors import Location, SrcgradError, UnsupportedError, raised_class
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.source import state_source
from srcgrad.frontend.values import is_value
from srcgrad.inside.closures import named, traced
from srcgrad.inside.splicing import spliced
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Array, Scalar, is_complex, is_float
from srcgrad.solvers.by_library import HostFunction, by_library
from srcgrad.solvers.implicit import at_root, with_rule
from srcgrad.transforms.entry_points import stop_gradient
from srcgrad.transforms.program import Program
from srcgrad.tree import leaves, unflattened


class Lifted:
    """A function of its own arguments and of all values that it captures."""

    def __init__(self, program: Program):
        self.program, self.__name__ = program, program.name

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        params = self.program.function.params
        fitting = [_of_kind(it, p, v, node) for p, v in zip(params, args, strict=True)]
        return spliced(it, self.program, fitting, node)

    @functools.cached_property
    def function(self) -> Callable:
        """A Python function that srcgrad's transforms take."""
        names = ", ".join(f"x{k}" for k in range(len(self.program.function.params)))
        text = f"def {self.__name__}({names}):\n    return lifted({names})\n"
        return stated(self.__name__, text, {"lifted": self})


def _of_kind(it: Interpreter, p: Var, v: Any, node: Node) -> Any:
    """An argument of a library's as one of the kind that the function was traced for."""
    given, wanted = atom(v).type, p.type
    if isinstance(given, Array) and isinstance(wanted, Scalar) and not given.dims:
        v, given = it.b.load(v), Scalar(given.dtype)
    if given.dtype == wanted.dtype or not is_float(given.dtype):
        return v
    if is_complex(given.dtype):
        it.refuse(
            node, "a solver passes complex numbers to a function that it was given with real ones",
            "make the real and the imaginary parts of what is unknown the unknowns",
        )  # fmt: skip
    return it.b.cast(v, Scalar(wanted.dtype))


def stated(name: str, text: str, scope: dict[str, Any]) -> Callable:
    """The function that a text defines by a name, with its source."""
    scope = {**scope, "__name__": __name__}
    exec(compile(text, f"<srcgrad {name}>", "exec"), scope)
    state_source(scope[name], text)
    return scope[name]


def lifted(it: Interpreter, fn: Any, args: Sequence[Any], node: Node) -> tuple[Lifted, list[Any]]:
    """A function for floats like these arguments, and the values that it captures."""
    program = traced(it, fn, named(fn, list(args), {}), len(args), node).made
    if (drawn := next(draws_in(program.function.body), None)) is not None:
        raise UnsupportedError(
            "a function that a solver calls draws random numbers: how often is the solver's matter",
            drawn.loc, "draw before, and let the function read the numbers",
        )  # fmt: skip
    if any(not is_value(h.var) for h in program.hidden):
        it.refuse(
            node, "a function that a solver calls captures a list that grows in a loop",
            "make an array of it before, and let the function read that",
        )  # fmt: skip
    return Lifted(program), [h.var for h in program.hidden]


@implements(at_root)
def _at_root(it: Interpreter, node: Node, residual: Any, x: Any) -> Any:
    function, captured = lifted(it, residual, [x], node)
    x = it.call(stop_gradient, [x], {}, node)
    return it.call(with_rule(function), [x, *captured], {}, node)


@implements(by_library)
def _by_library(
    it: Interpreter, node: Node, run: Callable, like: Any, functions: Any, *values: Any
) -> Any:
    made = [lifted(it, f, args, node) for f, args in functions]
    given = Operands(tuple(values), *(captured for _, captured in made))
    wanted = leaves(like)
    shape = unflattened(like, range(len(wanted)))
    name, at = run.__name__.strip("_"), it.frame.source.location(node)

    def called(operands: Sequence[Any], target: str) -> list[Any]:
        own, *captured = given.structures(operands)
        pairs = zip(made, captured, strict=True)
        hosts = [HostFunction(f.function, target, tuple(values)) for (f, _), values in pairs]
        return taken(located_at(lambda: run(hosts, *own), at), shape, name)

    types = [atom(v).type for v in wanted]
    results = emitted(it, name, called, types, given.atoms, by_target=True)
    return unflattened(like, results)


def located_at(run: Callable[[], Any], at: Location) -> Any:
    """Runs a library; what it raises itself is located at the user's call."""
    try:
        return run()
    except (RuntimeError, TypeError, ValueError) as e:
        if isinstance(e, SrcgradError) or type(e) not in (RuntimeError, TypeError, ValueError):
            raise
        raise raised_class(type(e))(" ".join(str(e).split()), at) from None
