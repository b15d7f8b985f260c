"""Second derivatives as transforms: products with the Hessian, its diagonal and trace, all of it.

Each takes the program of value and gradient, and differentiates the gradient in forward mode: the
value and the gradient are computed once. Outputs that are arrays are summed, as by `Gradient`.
"""

from __future__ import annotations

import inspect
from dataclasses import field, replace
from typing import Any

from srcgrad.autodiff.diagonal import diagonals
from srcgrad.autodiff.directional import along
from srcgrad.autodiff.seeds import builder_after, tangents
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import Scalar
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.directions import directions_of, with_parameter
from srcgrad.transforms.gradient_warnings import check_gradients, check_tangent
from srcgrad.transforms.jacobian_program import floats_of, with_blocks
from srcgrad.transforms.program import Program, named_results, protected, pruned, values
from srcgrad.transforms.refusals import refuse_complex_hessian
from srcgrad.transforms.specs import ByPosition, Gradient, simplified
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import Leaf, placed


@record(frozen=True)
class SecondOrder(ByPosition):
    """A derivative of the gradient with respect to the arguments at `positions`."""

    def gradient(self) -> Gradient:
        """The transform that gives value and gradient."""
        return Gradient(
            self.inner, self.positions, self.bare, self.has_aux, True, variadic=self.variadic
        )

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        p = self.gradient().program(self.below(arguments), required)
        return self.derived(protected(p), self.slots(arguments), arguments)

    def derived(self, p: Program, slots: list, arguments: dict[str, Any]) -> Program:
        """The program of value and gradient, differentiated; each derivative has its own."""
        raise NotImplementedError  # abstract: each derivative has its own


@record(frozen=True)
class Hessian(SecondOrder):
    """(value, gradient, Hessian)."""

    def derived(self, p: Program, slots: list, arguments: dict[str, Any]) -> Program:
        refuse_complex_hessian(p, self.chosen(p, slots)[0])
        out, gradient = p.output
        return with_blocks(p, self, slots, gradient, True, lambda made: (out, gradient, made))


@record(frozen=True)
class HessianProduct(SecondOrder):
    """The product of the Hessian with a direction: an argument after the differentiated ones."""

    direction: str = field(default="v", kw_only=True)
    from_left: bool = field(default=False, kw_only=True)  # the name alone differs: it is symmetric

    def signature(self, below: inspect.Signature) -> inspect.Signature:
        """The parameters of the function below, and the direction."""
        return with_parameter(below, self.direction, max(self.positions or (0,)))

    def below(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {n: v for n, v in arguments.items() if n != self.direction}

    def derived(self, p: Program, slots: list, arguments: dict[str, Any]) -> Program:
        wrt, _ = self.chosen(p, slots)
        out, gradient = p.output
        of = floats_of(p, gradient)
        check_tangent(p.function, wrt, [p.function.returns[k] for k in of], p.name)
        tangent = staged("forward", lambda: kept(_forward, p.function, wrt, of))
        v, by = arguments[self.direction], [p.inputs[k] for k in wrt]
        given = directions_of(self.direction, v, self.alone(slots), slots, by)
        directions = [None if d is None else d[1] for d in given]
        fn = along(tangent, directions, REGISTRY)
        first, last, n = len(p.inputs), len(p.order), len(p.function.returns)
        numbers = {k: n + i for i, k in enumerate(of)}
        params = (*fn.params[:first], *fn.params[last:], *fn.params[first:last])
        made = replace(
            p,
            function=replace(fn, name=f"{p.function.name}_hvp", params=params),
            inputs=(*p.inputs, *(d[0] for d in given if d is not None)),
            output=self.with_others(placed(gradient, lambda k: Leaf(numbers[k])), out),
            origins=(*p.origins, *((n + i, path) for i, path in enumerate(by))),
            hidden=values(p.hidden),
        )
        return _finished(made)


@record(frozen=True)
class HessianDiagonal(SecondOrder):
    """The diagonal of the Hessian, with the structure of the argument, or (`total`) its sum."""

    total: bool = field(default=False, kw_only=True)

    def derived(self, p: Program, slots: list, arguments: dict[str, Any]) -> Program:
        wrt, _ = self.chosen(p, slots)
        out, gradient = p.output
        of = floats_of(p, gradient)
        refuse_complex_hessian(p, wrt)
        check_gradients(
            p.function, wrt, [p.function.returns[k] for k in of], self.name,
            [p.parameter(k) for k in wrt],
        )  # fmt: skip
        fn = staged("diagonal", lambda: kept(_diagonals, p.function, wrt, of, self.total))
        n = len(p.function.returns)
        shape = Leaf(n) if self.total else placed(gradient, lambda k: Leaf(n + of.index(k)))
        by = () if self.total else [p.inputs[k] for k in wrt]
        made = replace(
            p, function=fn, output=self.with_others(shape, out), hidden=values(p.hidden),
            origins=(*p.origins, *((n + i, path) for i, path in enumerate(by))),
        )  # fmt: skip
        return _finished(made)


def _finished(p: Program) -> Program:
    """The program with what its template names, simplified."""
    results, fn = named_results(p), p.function
    function = staged("passes", lambda: kept(simplified, fn, results))
    return replace(pruned(p), function=function)


def _forward(function: Function, wrt: list[int], of: list[int]) -> Function:
    """The function, and the tangents of the results `of`: numbers of the same kinds as these."""
    made = tangents(function, wrt, of, REGISTRY).function
    b, n = builder_after(made.body, REGISTRY), len(function.returns)
    kinds = [made.returns[k].type for k in of]
    dots = [
        b.retyped(dot, t) if isinstance(t, Scalar) else dot
        for dot, t in zip(made.returns[n:], kinds, strict=True)
    ]
    return made.with_body(tuple(b.out), (*made.returns[:n], *dots))


def _diagonals(function: Function, wrt: list[int], of: list[int], total: bool) -> Function:
    return diagonals(function, wrt, of, REGISTRY, total)
