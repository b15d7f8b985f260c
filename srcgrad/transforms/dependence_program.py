"""The program of `sparsity`: the counts of results for given counts of the arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.autodiff.dependence import dependence
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.passes import run as run_passes
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.program import Program, protected, values
from srcgrad.transforms.refusals import nothing_returned, refuse_lists_of_run
from srcgrad.transforms.specs import Tangent
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import Leaf, leaf_numbers


@record(frozen=True)
class Dependence(Tangent):
    """The arguments, then a count of each that is not `constant`; the counts of float results."""

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        p = protected(self.inner.program(arguments, required))
        refuse_lists_of_run(p, p.output, "sparsity")
        wrt = self.wrt(p)
        floats = [k for k, a in enumerate(p.function.returns) if float_type(a.type)]
        if not floats:
            raise nothing_returned(p)
        counts = staged("dependence", lambda: kept(_dependence, p.function, wrt))
        fn = staged("passes", lambda: kept(run_passes, counts))
        numbers = {k: i for i, k in enumerate(floats)}
        output = tuple(Leaf(numbers[k]) for k in leaf_numbers(p.output) if k in numbers)
        made = self.with_tangents(p, fn, wrt)
        return replace(made, output=output, hidden=values(p.hidden))


def _dependence(function: Function, wrt: list[int]) -> Function:
    return dependence(function, wrt, REGISTRY)
