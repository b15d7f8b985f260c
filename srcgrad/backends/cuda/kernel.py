"""The text of a kernel: a function of one trip, and the kernel that runs it over the grid.

Printed by the cpu's printer of texts, whose loops, branches and loads are those of a thread. What
differs is here: additions that trips share, checks that end a trip, memory of a thread.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from srcgrad.backends.cpu.text.expressions import named_dtype, parsed
from srcgrad.backends.cpu.text.printer import Printer, assign
from srcgrad.backends.cpu.text.views import tuple_text
from srcgrad.backends.cuda import checks
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.expressions import block_function, called_by, expression, taken
from srcgrad.backends.cuda.schedule import Carried, Launch
from srcgrad.ir.nodes import Def, Var
from srcgrad.ir.text import note_of
from srcgrad.ir.types import INT, Array, Tape, Type, atom_dims
from srcgrad.ir.walk import free_variables
from srcgrad.passes.effects import makes_buffer
from srcgrad.primitives import memory

LOCAL = 32  # elements: an array of a trip that is known to have no more lives in the thread


@dataclass(frozen=True, eq=False)
class Kernel:
    """A launch with the name, the text and the parameters of its kernel."""

    name: str
    launch: Launch
    can_fail: bool  # whether the program has a record of failures

    @cached_property
    def bounds(self) -> list[tuple[Var, Var]]:
        """For each loop of the grid where it starts, and its trips."""
        return [(Var("start", INT), Var("trips", INT)) for _ in self.launch.grid]

    @cached_property
    def inits(self) -> list[Carried]:
        return [c for c in self.launch.carried if c.first is None]

    @cached_property
    def sums(self) -> list[Carried]:
        """What blocks leave one partial result of each."""
        return [c for c in self.launch.carried if c.op is not None]

    @cached_property
    def reads(self) -> list[Var]:
        """What the trips read of the program around them."""
        g = self.launch.grid
        own = {*(s.index for s in g), *(c.param for c in self.launch.carried)}
        ends = [c.end for c in self.launch.carried]
        return [v for v in free_variables(self.launch.body, ends) if v not in own]

    @cached_property
    def stored(self) -> list[Var]:
        """The arrays of a trip for which the host makes memory: a row for each thread."""
        return [v for v in self.launch.made if _local_size(v) > LOCAL]

    @cached_property
    def partials(self) -> list[Var]:
        return [Var("parts", Array(c.param.type.dtype, (0,))) for c in self.sums]

    @cached_property
    def rows(self) -> list[Var]:
        return [Var("rows", Array(v.type.dtype, (0,) * (v.type.ndim + 1))) for v in self.stored]

    @cached_property
    def record(self) -> list[Var]:
        """The arrays of a failure, if the program has checks in kernels."""
        pairs = zip(checks.RECORD, checks.TYPES, strict=True) if self.can_fail else ()
        return [Var(n, t) for n, t in pairs]

    @cached_property
    def parameters(self) -> tuple[Var, ...]:
        bounds = [v for pair in self.bounds for v in pair]
        inits = [c.param for c in self.inits]
        others = (*inits, *self.reads, *self.rows, *self.partials)
        return (*bounds, *others, *self.record)

    def text(self, sites: list[Def], fastmath: bool) -> KernelText:
        """The module of the kernel; `sites` grows by its checks."""
        source = _KernelPrinter(self, sites).module()
        return KernelText(
            self.name, source, tuple(_type(v.type) for v in self.parameters), fastmath
        )


def _type(type: Type) -> Type:
    return Array(type.dtype, (0,)) if isinstance(type, Tape) else type


def _local_size(v: Var) -> int:
    dims = atom_dims(v)
    return prod(d if isinstance(d, int) else LOCAL + 1 for d in dims)


class _KernelPrinter(Printer):
    def __init__(self, kernel: Kernel, sites: list[Def]):
        super().__init__({*taken(), kernel.name, f"{kernel.name}_trip"})
        self.kernel, self.launch, self.sites = kernel, kernel.launch, sites
        for v in kernel.record:
            self.names.give(v, v.name)

    # ---- the module ----
    def module(self) -> str:
        self.trip()
        self.write(0, "\n")
        trees = self.grid()
        body = "\n".join(self.lines) + "\n"
        return "\n\n".join([*called_by(body + "".join(trees)), *trees, body])

    def trip(self) -> None:
        """The function of one trip: of the indices, of what it reads, and of what it carries."""
        self.write(0, f"def {self.kernel.name}_trip({', '.join(self.trip_arguments())}):")
        self.body(self.launch.body, (), (), 1)
        self.leave(1, [self.text(c.end) for c in self.kernel.sums])

    def trip_arguments(self) -> list[str]:
        k = self.kernel
        own = [*(s.index for s in self.launch.grid), *(c.param for c in self.launch.carried)]
        thread = ["thread"] if k.rows else []
        return [*thread, *(self.names[v] for v in (*own, *k.reads, *k.rows, *k.record))]

    def leave(self, depth: int, values: Sequence[str]) -> None:
        if values:
            self.write(depth, f"return {', '.join(values)}")
        elif depth > 1:
            self.write(depth, "return")

    def grid(self) -> list[str]:
        """The kernel; returns the texts of the trees that it calls."""
        k = self.kernel
        self.write(0, f"def {k.name}({', '.join(self.names[v] for v in k.parameters)}):")
        for c in k.sums:
            if c.first is not None:
                first = f"{named_dtype(c.param.type.dtype)}({c.first})"
                self.put(1, assign(self.names[c.param], parsed(first)))
        self.write(1, f"total = {' * '.join(self.names[t] for _, t in k.bounds)}")
        self.write(1, "flat = cuda.grid(1)")
        if k.rows:
            self.write(1, "thread = flat")
        running = "flat < total and failed[0] == 0" if k.can_fail else "flat < total"
        self.write(1, f"while {running}:")
        self.indices()
        call = f"{k.name}_trip({', '.join(self.trip_arguments())})"
        carried = ", ".join(self.names[c.param] for c in k.sums)
        self.write(2, f"{carried} = {call}" if carried else call)
        self.write(2, "flat += cuda.gridsize(1)")
        return self.combine()

    def indices(self) -> None:
        rest = "flat"
        for s, (start, trips) in reversed(
            list(zip(self.launch.grid, self.kernel.bounds, strict=True))
        ):
            n, first = self.names[trips], s is self.launch.grid[0]
            at = rest if first else f"{rest} % {n}"
            self.write(2, f"{self.names[s.index]} = {self.names[start]} + {at}")
            rest = rest if first else f"{rest} // {n}"

    def combine(self) -> list[str]:
        trees: dict[str, str] = {}
        for c, parts in zip(self.kernel.sums, self.kernel.partials, strict=True):
            assert c.op is not None
            name, text = block_function(c.op, c.param)
            trees[name] = text
            own = self.names[c.param]
            self.write(1, f"{own} = {name}({own})")
            self.write(1, "if cuda.threadIdx.x == 0:")
            self.write(2, f"{self.names[parts]}[cuda.blockIdx.x] = {own}")
        return list(trees.values())

    # ---- statements ----
    def define(self, s: Def, depth: int) -> None:
        if checks.may_fail(s):
            self.check(s, depth)
            if s.var is None:
                return
        if s in self.launch.atomic:
            self.write(depth, self.addition(s), note_of(s))
        elif makes_buffer(s):
            self.allocate(s, depth)
        elif (value := self.scalar(s)) is not None and s.var is not None:
            name = self.names.give(s.var, "t" if s.var.name == s.op.name else s.var.name)
            self.put(depth, assign(name, value), note_of(s))
        else:
            super().define(s, depth)

    def scalar(self, s: Def) -> ast.expr | None:
        if s.var is None or not s.args or s.op in (memory.load, memory.dim) or s.op.view:
            return None
        return expression(s, [self.value(a) for a in s.args])

    def check(self, s: Def, depth: int) -> None:
        args = [self.text(a) for a in s.args]
        self.write(depth, f"if {checks.FAILS[s.op](s, args)}:", note_of(s))
        for line in checks.written(s, len(self.sites), args):
            self.write(depth + 1, line)
        self.sites.append(s)
        self.leave(depth + 1, [self.names[c.param] for c in self.kernel.sums])

    def addition(self, s: Def) -> str:
        x, *at, v = map(self.text, s.args)
        place = at[0] if len(at) == 1 else tuple_text(at)
        return f"cuda.atomic.add({x}, {place}, {v})"

    def allocate(self, s: Def, depth: int) -> None:
        assert s.var is not None
        stored = self.kernel.stored
        if s.var in stored:
            rows = self.names[self.kernel.rows[stored.index(s.var)]]
            axes = ":, " * s.var.type.ndim
            self.write(depth, f"{self.names[s.var]} = {rows}[{axes}thread]", note_of(s))
            return
        dims = tuple_text([self.text(d) for d in s.var.type.dims])
        made = f"cuda.local.array({dims}, {named_dtype(s.var.type.dtype)})"
        self.write(depth, f"{self.names[s.var]} = {made}", note_of(s))
