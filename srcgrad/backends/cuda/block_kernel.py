"""The text of a kernel whose trips are blocks: every thread runs the trip, with two exceptions.

Of a loop that the threads share each runs its part; their values are combined by a tree. Only the
first thread stores outside of these loops. A check outside of them fails in all
threads. A trip of a shared loop that has checks is a function, which a failing one ends;
after the loop all threads leave if any has failed: all of them reach each barrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from srcgrad.backends.cuda.barriers import Barriers, can_fail
from srcgrad.backends.cuda.expressions import MOST_THREADS, combined
from srcgrad.backends.cuda.kernel import FIRST, Kernel, KernelPrinter
from srcgrad.backends.cuda.schedule import Carried
from srcgrad.backends.cuda.spread import ByBlock, Spread
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Block, Def, For, Var
from srcgrad.ir.text import OURS
from srcgrad.ir.walk import defined, free_variables

ANY_FAILED = "cuda.syncthreads_or(np.int32(failed[0]))"


@dataclass(frozen=True, eq=False)
class BlockKernel(Kernel):
    """A kernel of the second layout, with the parameters of that of the first."""

    layout: ByBlock
    classes: AliasClasses
    first: Kernel  # the one of the first layout

    @cached_property
    def reads(self) -> list[Var]:
        """The values that the host passes to either: atomic additions order them differently."""
        return self.first.reads

    @cached_property
    def of_block(self) -> set[Var]:
        """The arrays of a trip that the threads of its block share."""
        inside = defined(tuple(t for s in self.layout.spread for t in s.body))
        return {v for v in self.launch.made if v not in inside}

    @property
    def of_threads(self) -> list[Var]:
        return [v for v in self.stored if v not in self.of_block]

    def printer(self, sites: list[Def]) -> KernelPrinter:
        return _BlockPrinter(self, sites)


class _BlockPrinter(KernelPrinter):
    threads = MOST_THREADS

    def __init__(self, kernel: BlockKernel, sites: list[Def]):
        super().__init__(kernel, sites)
        self.spread, self.of_block = kernel.layout.spread, kernel.of_block
        self.waiting = Barriers(kernel.launch.body, self.spread, kernel.classes).before
        self.shared = False  # whether a trip of a shared loop is written

    # ---- the grid ----
    def stride(self) -> tuple[str, str, str]:
        running = f"{ANY_FAILED} == 0" if self.kernel.can_fail else ""
        return "np.int64(cuda.blockIdx.x)", running, "cuda.gridDim.x"

    def end_trip(self) -> None:
        if self.of_block and not self.kernel.can_fail:  # the next trip uses the same memory
            self.write(2, "cuda.syncthreads()")

    def over_threads(self, c: Carried) -> None:
        """Writes nothing: all threads of a block have the same."""

    # ---- loops that are shared ----
    def block(self, block: Block, depth: int) -> None:
        for s in block:
            if s in self.waiting:
                self.write(depth, "cuda.syncthreads()")
            super().block((s,), depth)

    def loop(self, s: For, depth: int) -> None:
        if s in self.spread:
            self.shared_loop(self.spread[s], depth)
        else:
            super().loop(s, depth)

    def shared_loop(self, s: Spread, depth: int) -> None:
        loop = s.loop
        self.carry_spread(s, depth)
        self.write(depth, f"for {self.names[loop.index]} in {self.of_thread(loop)}:", loop)
        if can_fail(loop):
            self.call(*self.part(s), s.combined, depth + 1)
            self.write(depth, f"if {ANY_FAILED} != 0:")
            self.leave(depth + 1, [self.names[c.param] for c in self.handed])
        else:
            with self.threads_share():
                self.body(loop.body, loop.params, loop.yields, depth + 1)
        for c in s.combined:
            self.write(depth, f"{self.names[c.param]} = {self.whole(c)}")

    def of_thread(self, s: For) -> str:
        start = "" if (text := self.text(s.start)) == "0" else f"{text} + "
        return f"range({start}cuda.threadIdx.x, {self.text(s.stop)}, cuda.blockDim.x)"

    def carry_spread(self, s: Spread, depth: int) -> None:
        """Initializes what each thread carries; a sum is added to its value before the loop."""
        for c in s.carried:
            self.names.same(c.result, c.param)
            self.begin(c, depth)
        known = [c for c in s.carried if c.first is None]
        self.join(depth, [c.param for c in known], [c.init for c in known])

    def whole(self, c: Carried) -> str:
        """The final value that a loop carries: an extremum has seen its initial value."""
        assert c.op is not None
        tree = self.tree(c)
        return tree if c.first is None else combined(c.op, c.param, self.text(c.init), tree)

    def part(self, s: Spread) -> tuple[str, list[str]]:
        """Writes the function of a trip of a loop with checks; its name and its arguments."""
        name = f"{OURS}{self.kernel.name}_part{len(self.parts) + 1}"
        args = self.arguments(s)
        outside = self.lines, self.owners, self.handed
        self.lines, self.owners, self.handed = [], [], s.combined
        self.write(0, f"def {name}({', '.join(args)}):")
        with self.threads_share():
            self.body(s.loop.body, (), (), 1)
        self.leave(1, [self.text(c.end) for c in s.combined])
        self.parts.append(self.written())
        self.lines, self.owners, self.handed = outside
        return name, args

    @contextmanager
    def threads_share(self) -> Iterator[None]:
        """Marks what is written in the block as one thread's work in one trip of a shared loop."""
        self.shared = True
        yield
        self.shared = False

    def arguments(self, s: Spread) -> list[str]:
        k, body = self.kernel, s.loop.body
        own = [s.loop.index, *(c.param for c in s.combined)]
        reads = [v for v in free_variables(body, s.loop.yields) if v not in own]
        inside = defined(body)
        rows = [r for r, v in zip(k.rows, k.stored, strict=True) if v in inside]
        thread = ["thread"] if rows else []
        return [*thread, *(self.names[v] for v in (*own, *reads, *rows, *k.record))]

    # ---- statements ----
    def define(self, s: Def, depth: int) -> None:
        if s.op.writes and not self.shared:
            self.write(depth, FIRST)
            depth += 1
        super().define(s, depth)

    def memory(self, v: Var) -> str:
        if v not in self.of_block:
            return super().memory(v)
        if v in self.kernel.stored:
            return f"{self.rows_of(v)}[cuda.blockIdx.x]"
        return f"cuda.shared.array({self.shape(v)})"
