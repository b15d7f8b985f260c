"""The transforms as a stack on a Python function: each makes a program of the one below it.

`Primal` traces; `Gradient` and `Tangent` differentiate the program below them. So transforms nest,
and a transformed function that is called inside a compiled one is inlined as IR.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from srcgrad.autodiff.forward import jvp as forward
from srcgrad.autodiff.reverse import vjp as reverse
from srcgrad.errors import ArgumentValueError, PositionError
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.trace import trace
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.passes import BEFORE_FORWARD, BEFORE_REVERSE
from srcgrad.passes import run as run_passes
from srcgrad.passes.promises import false_promise
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.equal_lengths import OfCall
from srcgrad.transforms.gradient_warnings import check_gradients, check_tangent
from srcgrad.transforms.prepared import prepared
from srcgrad.transforms.program import (
    Program,
    named_results,
    of_results,
    persistent,
    protected,
    pruned,
    values,
)
from srcgrad.transforms.refusals import (
    no_float,
    no_position,
    nothing_returned,
    refuse_complex,
    refuse_known,
    refuse_lists_of_run,
    refuse_sparse,
    without_floats,
)
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.transforms.weights import Weights, not_floating
from srcgrad.tree import Leaf, leaf_numbers, leaves, mapped_by_path, opened, placed


@record(frozen=True)
class Primal:
    function: types.FunctionType
    of_call: OfCall | None = None  # for the program that calls with these arguments run

    @property
    def name(self) -> str:
        return self.function.__name__

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        function: Any = self.function
        t = staged("frontend", lambda: trace(function, arguments, required), _function)
        made = staged("passes", lambda: kept(prepared, t.function))
        p = Program(made, t.inputs, t.hidden, t.guards, t.results.output, t.source.title)
        changed = frozenset(w.path for w in t.results.writes)
        stored = frozenset(p.order[k] for k in p.written)
        copied = frozenset(p.order[k] for k in t.copied)
        false = false_promise(made)
        p = replace(
            p, stored=stored, copied=copied, writes=t.results.writes, names=t.results.names,
            returned=t.results.returned, refused=t.results.refused, changed=changed, outer=t.outer,
            false_promise=false,
        )  # fmt: skip
        return p if self.of_call is None else self.of_call.specialised(p, arguments)


@record(frozen=True)
class ByPosition:
    """The options of a transform that differentiates with respect to positions of the arguments."""

    inner: Any
    positions: tuple[int, ...] | None  # None: every argument with a float
    bare: bool = True  # one position: its derivative alone
    has_aux: bool = False
    weights: Weights | None = field(default=None, kw_only=True)  # Parameters, after the arguments
    # the names of *args, which count one by one, and of **kwargs, which count if not empty
    variadic: tuple[str, str] = field(default=("", ""), kw_only=True)

    @property
    def name(self) -> str:
        """The name of the function below."""
        below = self.inner
        while hasattr(below, "inner"):
            below = below.inner
        return below.name

    def below(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of the function below."""
        return arguments

    def slots(self, arguments: dict[str, Any]) -> list[tuple[tuple, Any]]:
        """The (path, argument) pairs of the differentiated arguments."""
        given = one_by_one(self.below(arguments), self.variadic)
        if self.positions == () and self.weights is None:
            raise PositionError("grad_position should not be empty when grad by position!")
        for k in self.positions or ():
            if k >= len(given):
                raise no_position(k, self.name, len(given))
        chosen = given if self.positions is None else [given[k] for k in self.positions]
        for path, v in chosen:
            refuse_sparse(self.name, path, v)
        return chosen

    def refuse_without_floats(self, slots: list[tuple[tuple, Any]]) -> None:
        """Refuses a differentiated argument that holds values but no float."""
        for path, v in slots if self.positions else ():
            if without_floats(v, path):
                raise no_float(self.name, ".".join(map(str, path)), v)

    def chosen(self, p: Program, slots: list[tuple[tuple, Any]]) -> tuple[list[int], list[Any]]:
        """The positions of the floating parameters in the slots, and a template for each slot."""
        place = {path: k for k, path in enumerate(p.inputs)}
        wrt: list[int] = []

        def at(path: tuple, value: Any) -> Any:
            k = place.get(path)
            if k is None:
                refuse_known(p.name, path, value)
            if k is None or not float_type(p.function.params[k].type):
                return None
            wrt.append(k)
            return Leaf(len(wrt) - 1)

        found = [mapped_by_path(v, path, at, opened) for path, v in slots]
        return wrt, found

    def refuse_constants(self, p: Program, slots: list, found: list[Any]) -> None:
        """Refuses an argument that holds values, none of which is a floating parameter."""
        for (path, v), g in zip(slots, found, strict=True):
            if not leaf_numbers(g) and leaves(v):
                raise no_float(p.name, ".".join(map(str, path)), v)

    def main_of(self, output: Any) -> Any:
        """The differentiated outputs: the first with `has_aux`, else all."""
        if not self.has_aux:
            return output
        if not isinstance(output, tuple) or len(output) < 2:
            raise ArgumentValueError(
                "When has_aux is True, origin fn requires more than one outputs."
            )
        return output[0]

    def alone(self, by_arguments: Sequence[Any]) -> bool:
        """Whether the derivative by a single argument is not in a tuple."""
        return self.bare and len(by_arguments) == 1

    def nested(self, by_arguments: list[Any]) -> Any:
        """The derivatives by the arguments: a tuple, or a single one if `bare`."""
        return by_arguments[0] if self.alone(by_arguments) else tuple(by_arguments)

    def with_others(self, made: Any, output: Any) -> Any:
        """A derivative; with `has_aux`, paired with the other outputs (a tuple if several)."""
        if not self.has_aux:
            return made
        return made, output[1] if len(output) == 2 else tuple(output[1:])


def is_gradients(spec: Any) -> bool:
    """Whether a stack of transforms holds gradients and Jacobians only."""
    while isinstance(spec, ByPosition):
        spec = spec.inner
    return isinstance(spec, Primal)


@record(frozen=True)
class Gradient(ByPosition):
    """Reverse mode by positions of the arguments; `seeded`: adjoints are further parameters."""

    with_value: bool = False
    seeded: bool = False  # vjp: every argument, a seed per result
    ids: bool = False  # each gradient with its position or the name of its Parameter

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        slots = self.slots(arguments)
        if not self.seeded:
            self.refuse_without_floats(slots)
        several = not (self.seeded or self.has_aux)
        p = persistent(self.inner.program(arguments, required), several, not self.seeded)
        if self.seeded:
            refuse_lists_of_run(p, self.main_of(p.output), "product with adjoints")
        wrt, gradients = self._wrt(p, slots)
        by_weights = self._by_weights(p, wrt)
        output = p.output
        main = set(leaf_numbers(self.main_of(output)))
        seeds = [
            None if k not in main or not float_type(a.type) else "given" if self.seeded else "ones"
            for k, a in enumerate(p.function.returns)
        ]
        if not any(seeds):
            raise nothing_returned(p)
        if not self.seeded:
            refuse_complex(p, seeds)
        outputs = [a for a, seed in zip(p.function.returns, seeds, strict=True) if seed]
        check_gradients(p.function, wrt, outputs, self.name, [p.parameter(k) for k in wrt])
        joint = staged("reverse", lambda: kept(_reverse, p.function, wrt, seeds))
        first = len(p.function.returns)
        given = [(first + i, p.inputs[k]) for i, k in enumerate(wrt) if k < len(p.inputs)]
        shown = self.template_of(self.named(gradients, slots), by_weights, output)
        made = replace(p, function=joint, output=shown, origins=(*p.origins, *given))
        results = named_results(made)
        function = staged("passes", lambda: kept(simplified, joint, results))
        return replace(pruned(replace(made, hidden=values(p.hidden))), function=function)

    def _wrt(self, p: Program, slots: list[tuple[tuple, Any]]) -> tuple[list[int], list[Any]]:
        """Positions of the differentiated parameters, and a template per chosen argument."""
        wrt, found = self.chosen(p, slots)
        if self.positions is None and not self.seeded:
            found = [g for g in found if leaf_numbers(g)]
        elif not self.seeded:
            self.refuse_constants(p, slots, found)
        first = len(p.function.returns)
        return wrt, [placed(g, lambda k: Leaf(first + k)) for g in found]

    def _by_weights(self, p: Program, wrt: list[int]) -> list[Any]:
        """A template per Parameter, whose positions are added to `wrt`."""
        first, made = len(p.function.returns), []
        if self.weights is None:
            return made
        for w, name in zip(self.weights.parameters, self.weights.names, strict=True):
            k = next(i for i, h in enumerate(p.hidden) if h.parameter is w) + len(p.inputs)
            if not float_type(p.function.params[k].type):
                raise not_floating(w, name)
            if k not in wrt:
                wrt.append(k)
            leaf = Leaf(first + wrt.index(k))
            made.append((name, leaf) if self.ids else leaf)
        return made

    def named(self, gradients: list[Any], slots: list[tuple[tuple, Any]]) -> list[Any]:
        """The gradients by arguments, each with its position if requested."""
        positions = range(len(slots)) if self.positions is None else self.positions
        return [*zip(positions, gradients, strict=False)] if self.ids else gradients

    def template_of(self, gradients: list[Any], by_weights: list[Any], output: Any) -> Any:
        """The nesting of a result."""
        g = self.nested(gradients)
        if self.weights is not None:
            dw = self.weights.nested(by_weights)
            g = (g, dw) if gradients or self.positions is None else dw
        if self.with_value:
            return (output, g)
        return (g, tuple(output[1:])) if self.has_aux else g


@record(frozen=True)
class Tangent:
    """Forward mode: the arguments, then a tangent of each; (out, out_dot)."""

    inner: Any
    constant: frozenset[str] = frozenset()  # arguments without a tangent

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        p = protected(self.inner.program(arguments, required), True)
        wrt = self.wrt(p)
        floats = [k for k, a in enumerate(p.function.returns) if float_type(a.type)]
        check_tangent(p.function, wrt, [p.function.returns[k] for k in floats], p.name)
        tangent = staged("forward", lambda: kept(_forward, p.function, wrt))
        fn = staged("passes", lambda: kept(run_passes, tangent))
        n = len(p.function.returns)
        numbers = {k: n + i for i, k in enumerate(floats)}

        def dot(k: int) -> Any:
            return Leaf(numbers[k]) if k in numbers else None

        made = self.with_tangents(p, replace(fn, name=f"{p.function.name}_jvp"), wrt)
        return replace(made, output=(p.output, placed(p.output, dot)), hidden=values(p.hidden))

    def wrt(self, p: Program) -> list[int]:
        """The positions of the floating parameters that have tangents."""
        return [
            k for k, path in enumerate(p.inputs)
            if float_type(p.function.params[k].type) and path[0] not in self.constant
        ]  # fmt: skip

    @staticmethod
    def with_tangents(p: Program, fn: Function, wrt: list[int]) -> Program:
        """The program with a function whose last parameters are tangents, moved to the inputs."""
        tangents = tuple(("tangent", *p.inputs[k]) for k in wrt)
        first, last = len(p.inputs), len(p.order)
        params = (*fn.params[:first], *fn.params[last:], *fn.params[first:last])
        return replace(p, function=replace(fn, params=params), inputs=(*p.inputs, *tangents))


@record(frozen=True)
class Protected:
    """The program itself, on copies of the arguments that it stores to."""

    inner: Any

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        return protected(self.inner.program(arguments, required))


def one_by_one(arguments: dict[str, Any], variadic: tuple[str, str]) -> list[tuple[tuple, Any]]:
    """The (path, argument) pairs of a call; those in *args each, and **kwargs if not empty."""
    several, named = variadic
    given: list[tuple[tuple, Any]] = []
    for n, v in arguments.items():
        if n == several:
            given += [((n, k), x) for k, x in enumerate(v)]
        elif n != named or v:
            given.append(((n,), v))
    return given


def _function(traced: Any) -> Function:
    return traced.function


def _reverse(function: Function, wrt: list[int], seeds: list[str | None]) -> Function:
    joint = reverse(run_passes(function, BEFORE_REVERSE), wrt, REGISTRY, seeds)
    return replace(joint, name=f"{function.name}_grad")


def simplified(function: Function, results: list[int]) -> Function:
    return run_passes(of_results(function, results))


def _forward(function: Function, wrt: list[int]) -> Function:
    return forward(run_passes(function, BEFORE_FORWARD), wrt, REGISTRY)
