"""The Jacobian transform: a block per pair of floating leaves of outputs and arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.autodiff.jacobian import jacobian
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.primitives import REGISTRY
from srcgrad.records import record
from srcgrad.transforms.call_sizes import by_columns
from srcgrad.transforms.gradient_warnings import check_gradients
from srcgrad.transforms.program import Program, named_results, protected, pruned, values
from srcgrad.transforms.refusals import nothing_returned, refuse_complex_pairs, refuse_lists_of_run
from srcgrad.transforms.specs import ByPosition, simplified
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import Leaf, by_name, leaf_numbers, placed


@record(frozen=True)
class Jacobian(ByPosition):
    """Jacobian with respect to the arguments at `positions`, by rows or (`forward`) by columns.

    `forward` None: by rows where there are more inputs than outputs in the call that builds.
    """

    forward: bool | None = False
    with_value: bool = False

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        slots = self.slots(arguments)
        self.refuse_without_floats(slots)
        p = protected(self.inner.program(arguments, required))
        forward = self.forward
        if forward is not None:
            return self._by(p, slots, forward)
        of = floats_of(p, self.main_of(p.output))
        forward = by_columns(p, arguments, self.chosen(p, slots)[0], of)
        try:
            return self._by(p, slots, forward)
        except UnsupportedError as error:  # a rule of the user's may have one mode only
            try:
                return self._by(p, slots, not forward)
            except UnsupportedError:
                raise error from None

    def _by(self, p: Program, slots: list, forward: bool) -> Program:
        main = self.main_of(p.output)
        return with_blocks(p, self, slots, main, forward, lambda made: self.result(made, p.output))

    def result(self, made: Any, output: Any) -> Any:
        """The Jacobian, with the outputs or with the others of them where these are requested."""
        return (output, made) if self.with_value else self.with_others(made, output)


def with_blocks(
    p: Program, by: ByPosition, slots: list, main: Any, forward: bool, result: Callable[[Any], Any]
) -> Program:
    """The program with the Jacobian of `main`, part of its outputs, with respect to the slots.

    `result` nests the Jacobian with other outputs.
    """
    refuse_lists_of_run(p, main, "Jacobian")
    wrt, found = by.chosen(p, slots)
    by.refuse_constants(p, slots, found)
    of = floats_of(p, main)
    if not of:
        raise nothing_returned(p)
    refuse_complex_pairs(p, wrt, of)
    outputs = [p.function.returns[k] for k in of]
    check_gradients(p.function, wrt, outputs, by.name, [p.parameter(k) for k in wrt])
    name = "columns" if forward else "rows"
    fn = staged(name, lambda: kept(_jacobian, p.function, wrt, of, forward))
    first, count = len(p.function.returns), len(wrt)

    def blocks(k: int) -> Any:
        """The blocks of one output leaf; None for an integer."""
        if k not in of:
            return None
        own = first + of.index(k) * count
        return by.nested([placed(g, lambda i: Leaf(own + i)) for g in found])

    paths = [p.inputs[k] for k in wrt]
    given = [(first + i, paths[i % count]) for i in range(len(of) * count)]
    made = replace(
        p, function=fn, output=result(placed(main, blocks, by_name)), origins=(*p.origins, *given),
        hidden=values(p.hidden),
    )  # fmt: skip
    results = named_results(made)
    function = staged("passes", lambda: kept(simplified, fn, results))
    return replace(pruned(made), function=function)


def floats_of(p: Program, output: Any) -> list[int]:
    """The results in part of the output that have a derivative."""
    return [k for k in leaf_numbers(output) if float_type(p.function.returns[k].type)]


def _jacobian(function: Function, wrt: list[int], of: list[int], forward: bool) -> Function:
    return jacobian(function, wrt, of, REGISTRY, forward)
