"""The Jacobian transform: a block per pair of floating leaves of outputs and arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.autodiff.jacobian import jacobian
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.gradient_warnings import check_gradients
from srcgrad.transforms.program import Program, named_results, protected, pruned, values
from srcgrad.transforms.refusals import nothing_returned, refuse_complex_pairs
from srcgrad.transforms.specs import ByPosition, simplified
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import Leaf, leaf_numbers, placed


@record(frozen=True)
class Jacobian(ByPosition):
    """Jacobian with respect to the arguments at `positions`, by rows or (`forward`) by columns."""

    forward: bool = False

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        slots = self.slots(arguments)
        self.refuse_without_floats(slots)
        p = protected(self.inner.program(arguments, required))
        wrt, found = self.chosen(p, slots)
        self.refuse_constants(p, slots, found)
        main = self.main_of(p.output)
        of = [k for k in leaf_numbers(main) if float_type(p.function.returns[k].type)]
        if not of:
            raise nothing_returned(p)
        refuse_complex_pairs(p, wrt, of)
        outputs = [p.function.returns[k] for k in of]
        check_gradients(p.function, wrt, outputs, self.name, [p.parameter(k) for k in wrt])
        name = "columns" if self.forward else "rows"
        fn = staged(name, lambda: kept(_jacobian, p.function, wrt, of, self.forward))
        first, count = len(p.function.returns), len(wrt)

        def blocks(k: int) -> Any:
            """The blocks of one output leaf; None for an integer."""
            if k not in of:
                return None
            own = first + of.index(k) * count
            return self.nested([placed(g, lambda i: Leaf(own + i)) for g in found])

        output = self.with_others(placed(main, blocks), p.output)
        paths = [p.inputs[k] for k in wrt]
        given = [(first + i, paths[i % count]) for i in range(len(of) * count)]
        made = replace(
            p, function=fn, output=output, origins=(*p.origins, *given), hidden=values(p.hidden)
        )
        results = named_results(made)
        function = staged("passes", lambda: kept(simplified, fn, results))
        return replace(pruned(made), function=function)

    def nested(self, by_arguments: list[Any]) -> Any:
        """The blocks of one output: a tuple, or a single one if `bare`."""
        bare = self.bare and len(by_arguments) == 1
        return by_arguments[0] if bare else tuple(by_arguments)

    def with_others(self, made: Any, output: Any) -> Any:
        """The Jacobian; with `has_aux`, paired with the other outputs (a tuple if several)."""
        if not self.has_aux:
            return made
        return made, output[1] if len(output) == 2 else tuple(output[1:])


def _jacobian(function: Function, wrt: list[int], of: list[int], forward: bool) -> Function:
    return jacobian(function, wrt, of, REGISTRY, forward)
