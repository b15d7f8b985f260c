"""The text of a kernel: a loop over the trips of a thread.

Printed by the cpu's printer of texts, whose loops, branches and loads are those of a thread. The
differences are here: additions that trips share, memory of a thread, and checks. A trip that has
checks is a function of its own, which a failing one ends.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from math import prod

from srcgrad.backends.cpu.text.expressions import named_dtype, parsed
from srcgrad.backends.cpu.text.printer import Printer, assign
from srcgrad.backends.cpu.text.views import tuple_text
from srcgrad.backends.cuda import checks
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.expressions import (
    THREADS,
    block_function,
    called_by,
    expression,
    taken,
)
from srcgrad.backends.cuda.schedule import Carried, Launch
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Def, Function, Var
from srcgrad.ir.text import Printed, stacked
from srcgrad.ir.types import INT, Array, Tape, Type, atom_dims, is_complex
from srcgrad.ir.walk import free_variables, walk
from srcgrad.passes.effects import makes_buffer
from srcgrad.primitives import memory

FIRST = "if cuda.threadIdx.x == 0:"
LOCAL = 32  # elements: an array of a trip that is known to have no more is local to the thread


@dataclass(frozen=True, eq=False)
class Kernel:
    """A launch with the name, the text and the parameters of its kernel."""

    name: str
    launch: Launch
    can_fail: bool  # whether the program has a record of failures
    on_device: Set[Atom]  # the numbers that are in the device's memory

    @cached_property
    def bounds(self) -> list[tuple[Var, Var]]:
        """The start and the number of trips of each loop of the grid."""
        return [(Var("start", INT), Var("trips", INT)) for _ in self.launch.grid]

    @cached_property
    def inits(self) -> list[Carried]:
        return [c for c in self.launch.carried if c.first is None]

    @cached_property
    def sums(self) -> list[Carried]:
        """The carried values of which each block leaves a partial result."""
        return [c for c in self.launch.carried if c.op is not None]

    @cached_property
    def reads(self) -> list[Var]:
        """The variables of the surrounding program that the trips read."""
        g = self.launch.grid
        own = {*(s.index for s in g), *(c.param for c in self.launch.carried)}
        ends = [c.end for c in self.launch.carried]
        return [v for v in free_variables(self.launch.body, ends) if v not in own]

    @cached_property
    def stored(self) -> list[Var]:
        """The arrays of a trip for which the host makes memory: a row for each thread."""
        return [v for v in self.launch.made if _local_size(v) > LOCAL]

    @cached_property
    def reshaped(self) -> set[Var]:
        """The arrays of a trip that must be contiguous; of others threads share cache lines."""
        body = self.launch.body
        classes = AliasClasses(Function("", (), body, ()))
        views = [s for s in walk(body) if isinstance(s, Def) and s.op is memory.reshape]
        found = {classes.of(s.args[0]) for s in views}
        return {v for v in self.launch.made if classes.of(v) in found}

    @property
    def of_threads(self) -> list[Var]:
        """The arrays of which each thread has its own."""
        return self.stored

    @cached_property
    def partials(self) -> list[Var]:
        return [Var("parts", Array(c.param.type.dtype, (0,))) for c in self.sums]

    @cached_property
    def left(self) -> list[tuple[Var, Var]]:
        """The places and the summands of each addition that is made after the launch."""
        return [
            (Var("places", Array("i64", (0, 0))), Var("values", Array(a.dtype, (0, 0))))
            for a in self.launch.ordered
        ]

    @cached_property
    def rows(self) -> list[Var]:
        return [Var("rows", Array(v.type.dtype, (0,) * (v.type.ndim + 1))) for v in self.stored]

    @cached_property
    def record(self) -> list[Var]:
        """The arrays of a failure, if the program has checks in kernels."""
        pairs = zip(checks.RECORD, checks.TYPES, strict=True) if self.can_fail else ()
        return [Var(n, t) for n, t in pairs]

    @cached_property
    def given(self) -> list[Var]:
        """The initial values of the trips, and the variables that they read."""
        return [*(c.param for c in self.inits), *self.reads]

    @cached_property
    def cells(self) -> dict[Var, Var]:
        """The numbers that are read from the device's memory, and the arrays they are in."""
        found = [*((c.param, c.init) for c in self.inits), *((v, v) for v in self.reads)]
        return {v: _cell(v) for v, a in found if a in self.on_device}

    @cached_property
    def made(self) -> list[tuple[Var, Var]]:
        """The numbers that stay in the device's memory, and the arrays they are put in."""
        return [(v, _cell(v)) for v in self.launch.numbers]

    @cached_property
    def parameters(self) -> tuple[Var, ...]:
        bounds = [v for pair in self.bounds for v in pair]
        given = [self.cells.get(v, v) for v in self.given]
        made = [cell for _, cell in self.made]
        left = [v for pair in self.left for v in pair]
        return (*bounds, *given, *self.rows, *self.partials, *made, *left, *self.record)

    def printer(self, sites: list[Def]) -> KernelPrinter:
        return KernelPrinter(self, sites)

    def printed(self, sites: list[Def]) -> Printed:
        """The module of the kernel; `sites` grows by its checks."""
        return self.printer(sites).module()

    def text(self, module: Printed, fastmath: bool) -> KernelText:
        """The kernel to be loaded, whose module is printed."""
        parameters = tuple(_type(v.type) for v in self.parameters)
        return KernelText(self.name, module.text, parameters, fastmath, self.launch.loop.loc)


def _cell(v: Var) -> Var:
    return Var(f"{v.name}_cell", Array(v.type.dtype, ()))


def _type(type: Type) -> Type:
    return Array(type.dtype, (0,)) if isinstance(type, Tape) else type


def _local_size(v: Var) -> int:
    dims = atom_dims(v)
    return prod(d if isinstance(d, int) else LOCAL + 1 for d in dims)


class KernelPrinter(Printer):
    threads = THREADS  # of a block, at most

    def __init__(self, kernel: Kernel, sites: list[Def]):
        super().__init__({*taken(), kernel.name, f"{kernel.name}_trip"})
        self.kernel, self.launch, self.sites = kernel, kernel.launch, sites
        self.trees: dict[str, str] = {}  # the functions that combine the values of threads
        self.parts: list[Printed] = []  # functions that the trip calls
        self.handed = kernel.sums  # results of the function being written
        for v in kernel.record:
            self.names.give(v, v.name)

    # ---- the module ----
    def module(self) -> Printed:
        if self.ends_early:
            self.trip()
            self.write(0, "")
            self.write(0, "")
        self.grid()
        parts = [*(Printed("", t, ()) for t in self.trees.values()), *self.parts, self.written()]
        called = called_by("".join(p.text for p in parts))
        return stacked(self.kernel.name, [*(Printed("", t, ()) for t in called), *parts])

    @cached_property
    def ends_early(self) -> bool:
        """Whether a trip has checks."""
        return any(isinstance(s, Def) and checks.may_fail(s) for s in walk(self.launch.body))

    def trip(self) -> None:
        """Writes the function of one trip: its parameters are indices, live-ins, carried values."""
        self.write(0, f"def {self.kernel.name}_trip({', '.join(self.trip_arguments())}):")
        self.body(self.launch.body, (), (), 1)
        self.leave_numbers(1)
        self.leave(1, [self.text(c.end) for c in self.handed])

    def leave_numbers(self, depth: int) -> None:
        for v, cell in self.kernel.made:
            self.write(depth, f"{self.names[cell]}[()] = {self.names[v]}")

    def run_trip(self, depth: int) -> None:
        """Writes the work of a thread in one trip, whose indices are known."""
        sums = self.kernel.sums
        if self.ends_early:
            self.call(f"{self.kernel.name}_trip", self.trip_arguments(), sums, depth)
            return
        self.block(self.launch.body, depth)
        self.leave_numbers(depth)
        self.join(depth, [c.param for c in sums], [c.end for c in sums])

    def trip_arguments(self) -> list[str]:
        k = self.kernel
        own = [*(s.index for s in self.launch.grid), *(c.param for c in self.launch.carried)]
        thread = ["thread"] if k.of_threads else []
        flat = ["flat"] if k.left else []
        left = [cell for _, cell in k.made] + [v for pair in k.left for v in pair]
        others = (*own, *k.reads, *k.rows, *left, *k.record)
        return [*thread, *flat, *(self.names[v] for v in others)]

    def leave(self, depth: int, values: Sequence[str]) -> None:
        if values:
            self.write(depth, f"return {', '.join(values)}")
        elif depth > 1:
            self.write(depth, "return")

    def grid(self) -> None:
        """Writes the kernel: it runs trips, and combines their results."""
        k = self.kernel
        self.write(0, f"def {k.name}({', '.join(self.names[v] for v in k.parameters)}):")
        for v, cell in k.cells.items():
            self.write(1, f"{self.names[v]} = {self.names[cell]}[()]")
        for c in k.sums:
            self.begin(c, 1)
        self.write(1, f"total = {' * '.join(self.names[t] for _, t in k.bounds)}")
        first, running, step = self.stride()
        self.write(1, f"flat = {first}")
        if k.of_threads:
            self.write(1, "thread = cuda.grid(1)")
        self.write(1, f"while flat < total and {running}:" if running else "while flat < total:")
        self.indices()
        self.run_trip(2)
        self.end_trip()
        self.write(2, f"flat += {step}")
        self.combine()

    def stride(self) -> tuple[str, str, str]:
        """The first trip of a thread, the condition on which it goes on, and the step."""
        return "cuda.grid(1)", "failed[0] == 0" if self.kernel.can_fail else "", "cuda.gridsize(1)"

    def end_trip(self) -> None:
        """Writes the work of a thread between two trips: none."""

    def begin(self, c: Carried, depth: int) -> None:
        """Writes the initial value of what a thread carries, before its first trip."""
        if c.first is not None:
            first = f"{named_dtype(c.param.type.dtype)}({c.first})"
            self.put(depth, assign(self.names[c.param], parsed(first)))

    def call(self, name: str, args: list[str], made: Sequence[Carried], depth: int) -> None:
        text, targets = f"{name}({', '.join(args)})", [self.names[c.param] for c in made]
        self.write(depth, f"{', '.join(targets)} = {text}" if targets else text)

    def indices(self) -> None:
        rest = "flat"
        for s, (start, trips) in reversed(
            list(zip(self.launch.grid, self.kernel.bounds, strict=True))
        ):
            n, first = self.names[trips], s is self.launch.grid[0]
            at = rest if first else f"{rest} % {n}"
            self.write(2, f"{self.names[s.index]} = {self.names[start]} + {at}")
            rest = rest if first else f"{rest} // {n}"

    def combine(self) -> None:
        for c, parts in zip(self.kernel.sums, self.kernel.partials, strict=True):
            self.over_threads(c)
            self.write(1, FIRST)
            self.write(2, f"{self.names[parts]}[cuda.blockIdx.x] = {self.names[c.param]}")

    def over_threads(self, c: Carried) -> None:
        self.put(1, assign(self.names[c.param], parsed(self.tree(c))))

    def tree(self, c: Carried) -> str:
        """The expression of the combined values of a block's threads."""
        assert c.op is not None
        name, text = block_function(c.op, c.param, self.threads)
        self.trees[name] = text
        return f"{name}({self.names[c.param]})"

    # ---- statements ----
    def define(self, s: Def, depth: int) -> None:
        if checks.may_fail(s):
            self.check(s, depth)
            if s.var is None:
                return
        if s in self.launch.atomic:
            for line in self.addition(s):
                self.write(depth, line, s)
        elif any(s is a.statement for a in self.launch.ordered):
            self.leave_addition(s, depth)
        elif makes_buffer(s):
            self.allocate(s, depth)
        elif (value := self.scalar(s)) is not None and s.var is not None:
            name = self.names.give(s.var, "t" if s.var.name == s.op.name else s.var.name)
            self.put(depth, assign(name, value), s)
        else:
            super().define(s, depth)

    def scalar(self, s: Def) -> ast.expr | None:
        if s.var is None or not s.args or s.op in (memory.load, memory.dim) or s.op.view:
            return None
        return expression(s, [self.value(a) for a in s.args])

    def check(self, s: Def, depth: int) -> None:
        args = [self.text(a) for a in s.args]
        self.write(depth, f"if {checks.FAILS[s.op](s, args)}:", s)
        for line in checks.written(s, len(self.sites), args):
            self.write(depth + 1, line)
        self.sites.append(s)
        self.leave(depth + 1, [self.names[c.param] for c in self.handed])

    def addition(self, s: Def) -> Iterator[str]:
        """Writes an atomic addition; of a complex number one for each part."""
        x, *at, v = map(self.text, s.args)
        place = at[0] if len(at) == 1 else tuple_text(at)
        parts = (".real", ".imag") if is_complex(s.array.type.dtype) else ("",)
        for part in parts:
            yield f"cuda.atomic.add({x}{part}, {place}, ({v}){part})"

    def leave_addition(self, s: Def, depth: int) -> None:
        pairs = zip(self.launch.ordered, self.kernel.left, strict=True)
        a, (places, values) = next(pair for pair in pairs if pair[0].statement is s)
        at = f"[flat, {a.slot(self.text)}]"
        self.write(depth, f"{self.names[places]}{at} = {a.place(self.text)}", s)
        self.write(depth, f"{self.names[values]}{at} = {self.text(s.args[-1])}")

    def allocate(self, s: Def, depth: int) -> None:
        assert s.var is not None
        self.write(depth, f"{self.names[s.var]} = {self.memory(s.var)}", s)

    def memory(self, v: Var) -> str:
        """The expression of an array of a trip."""
        if v in self.kernel.stored:
            axes = "" if v in self.kernel.reshaped else ":, " * v.type.ndim
            return f"{self.rows_of(v)}[{axes}thread]"
        return f"cuda.local.array({self.shape(v)})"

    def rows_of(self, v: Var) -> str:
        return self.names[self.kernel.rows[self.kernel.stored.index(v)]]

    def shape(self, v: Var) -> str:
        dims = tuple_text([self.text(d) for d in v.type.dims])
        return f"{dims}, {named_dtype(v.type.dtype)}"
