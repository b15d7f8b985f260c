"""Which integers a program may know when compiling, by the inputs that they depend on."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.requirements import (
    UNROLLED,
    LoopsToUnroll,
    Requirements,
    RestartTracing,
)
from srcgrad.frontend.roots import roots
from srcgrad.ir.nodes import Var


class Specializing:
    """The part of captures that asks for inputs to be known, or for loops to be unrolled."""

    required: Requirements
    unrolled: set[Any]
    leaves: dict[Var, tuple[Any, ...]]
    dims: dict[Var, tuple[Any, ...]]
    loops: dict[Var, tuple[Any, ...]]

    def is_of_arguments(self, it: Any, v: Var) -> bool:
        """Whether an integer depends on arguments and their lengths, and on nothing else."""
        found = roots(it, v)
        return bool(found) and all(root in self.leaves or root in self.dims for root in found)

    def is_soon_static(self, it: Any, v: Var) -> bool:
        """Whether specializing on arguments, or unrolling a few trips, makes an integer known."""

        def soon(root: Var) -> bool:
            if root not in self.loops:
                return root in self.leaves or root in self.dims
            length = self.loops[root][2]
            return not isinstance(length, Var) and length <= UNROLLED

        return all(map(soon, roots(it, v)))

    def is_of_sizes(self, it: Any, v: Var) -> bool:
        """Whether an integer depends on lengths, integer arguments and running trips alone."""
        known = {r for r in self.leaves if r.type.dtype[0] in "iub"} | {*self.dims, *self.loops}
        return roots(it, v) <= known

    def require_static(self, it: Any, v: Var, node: Any, what: str) -> None:
        """Restarts with the inputs of `v` known at compile time; refused if that cannot be."""
        inputs: set[Var] = set()
        todo = [v]
        while todo:  # the lengths of the loops among them, too
            new = roots(it, todo.pop()) - inputs
            inputs |= new
            todo += [n for r in new if isinstance(n := self.loops.get(r, (0, 0, 0))[2], Var)]
        known = all(r in self.leaves or r in self.dims or r in self.loops for r in inputs)
        if not known or (inputs and all(map(self._is_loop_again, inputs))):
            reason = f"{what} must be known at compile time, but it depends on run-time values"
            it.refuse(node, reason, "compute it outside and pass it as an argument")
        for r in inputs:
            if r in self.leaves:
                kind, *rest = self.leaves[r]
                self.required.static_leaves.add(("static" if kind == "hidden" else kind, *rest))
            elif r in self.dims:
                self.required.static_dims.add(self.dims[r])
            else:
                self.unrolled.add(self.loops[r][:2])
        if inputs and inputs <= self.loops.keys():
            raise LoopsToUnroll(what, inputs)
        if inputs:
            raise RestartTracing(what)

    def _is_loop_again(self, root: Var) -> bool:
        """Whether a loop was to be unrolled and is none: no input decides its length."""
        *place, length = self.loops.get(root, (None, 0))
        return isinstance(length, Var) and tuple(place) in self.unrolled
