"""The program of a sparse Jacobian: its products with the columns of a matrix, in either mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.autodiff.jacobian import compressed
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.passes import run as run_passes
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.gradient_warnings import check_gradients
from srcgrad.transforms.program import Program, protected, values
from srcgrad.transforms.refusals import nothing_returned, refuse_lists_of_run
from srcgrad.transforms.specs import ByPosition
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import Leaf, leaf_numbers

SEEDS = ("tangent", "seeds")  # the path of the matrix


@record(frozen=True)
class Compressed(ByPosition):
    """Products of the Jacobian, or (not `forward`) of its transpose, with the columns of SEEDS.

    The results are a tuple: an array for each float result, or for each floating leaf.
    """

    forward: bool = True
    columns: int | None = None  # if it is known when compiling

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        slots = self.slots(arguments)
        self.refuse_without_floats(slots)
        p = protected(self.inner.program(arguments, required))
        refuse_lists_of_run(p, p.output, "Jacobian")
        wrt, found = self.chosen(p, slots)
        self.refuse_constants(p, slots, found)
        of = [k for k in leaf_numbers(p.output) if float_type(p.function.returns[k].type)]
        if not of:
            raise nothing_returned(p)
        outputs = [p.function.returns[k] for k in of]
        check_gradients(p.function, wrt, outputs, self.name, [p.parameter(k) for k in wrt])
        made = staged(
            "products", lambda: kept(_compressed, p.function, wrt, of, self.forward, self.columns)
        )
        fn = staged("passes", lambda: kept(run_passes, made))
        first = len(p.inputs)
        params = (*fn.params[:first], fn.params[-1], *fn.params[first:-1])
        count = len(of) if self.forward else len(wrt)
        return replace(
            p,
            function=replace(fn, params=params),
            inputs=(*p.inputs, SEEDS),
            output=tuple(map(Leaf, range(count))),
            hidden=values(p.hidden),
        )


def _compressed(
    function: Function, wrt: list[int], of: list[int], forward: bool, columns: int | None
) -> Function:
    return compressed(function, wrt, of, REGISTRY, forward, columns)
