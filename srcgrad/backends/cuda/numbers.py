"""Numbers of the host's program that stay on the device.

Results of launches and of the library are there, and so are values computed from them, elements of
device arrays included: the host reads a number only if it needs one, for a branch, length or check.
A loop without launches, over numbers alone, is the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from srcgrad.backends.cuda import checks
from srcgrad.backends.cuda.placement import Placement, is_library
from srcgrad.ir.nodes import Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Atom, Scalar
from srcgrad.ir.walk import atoms, blocks, results, uses, walk
from srcgrad.passes.places import ELEMENTS
from srcgrad.primitives import memory

STORES = ELEMENTS - {memory.load}


class Numbers:
    """The variables that are on the device, and the statements that compute there."""

    def __init__(self, function: Function, placement: Placement, is_written: Callable[[Def], bool]):
        self.placement, self.is_written = placement, is_written
        self.launches = placement.schedule.launches
        self._settle(function.body)
        tried: set[Var] = set()
        while more := set(self._stored(function.body)) - tried:
            for c in more:
                self._try(c, function.body)
            tried |= more

    def _settle(self, body: Block) -> None:
        self.of_host: set[Stmt] = set()  # the host needs their results, and has the rest
        self._found(body)
        while needed := set(self._needed(body, ())):
            self.of_host |= needed
            self._found(body)

    def _found(self, body: Block) -> None:
        self.on_device: set[Atom] = set()
        self.moved: set[Stmt] = set()
        self._block(body)

    # ---- memory that only the host would access, such as tapes ----
    def _stored(self, body: Block) -> Iterator[Var]:
        """The alias classes of the host to which it would store numbers read from the device."""
        kept = {c for s in walk(body) if self._is_of_host(s) for c in self._touched((s,))}
        found = self.on_device | {v for s in self.of_host for v in results(s)}
        for s in walk(body):
            if isinstance(s, Def) and s.op in STORES and s.args[-1] in found:
                yield from {*self._touched((s,))} - kept - self.placement.on_device

    def _try(self, c: Var, body: Block) -> None:
        """Puts a class on the device, unless the host needs numbers loaded or stored there."""
        self.placement.on_device.add(c)
        self._settle(body)
        stores = [s for s in self.moved if isinstance(s, Def) and s.op in STORES]
        gains = any(s.args[-1] in self.on_device and c in self._touched((s,)) for s in stores)
        if not gains or any(c in self._touched((s,)) for s in self.of_host):
            self.placement.on_device.remove(c)
            self._settle(body)

    def _touched(self, block: Block) -> Iterator[Var]:
        found = (s for s in walk(block) if isinstance(s, Def) and s.op in ELEMENTS)
        return (self.placement.classes.of(s.array) for s in found)

    def _is_of_host(self, s: Stmt) -> bool:
        """Whether a loop runs on the host, with nothing on the device."""
        if isinstance(s, For) and s in self.launches:
            return False
        return isinstance(s, For | While) and not self.placement.runs_on_device(s)

    # ---- consequences of what is on the device ----
    def _block(self, block: Block) -> None:
        for s in block:
            match s:
                case Def():
                    self._definition(s)
                case If():
                    self._branch(s)
                case For() if s in self.launches:
                    made = (c for c in self.launches[s].carried if c.op or c.init in self.on_device)
                    self.on_device.update(c.result for c in made)
                case For() | While() if self.placement.runs_on_device(s):
                    self._loop(s)

    def _definition(self, s: Def) -> None:
        if is_library(s) and s.var is not None and isinstance(s.var.type, Scalar):
            self.on_device.add(s.var)
        elif s not in self.of_host and self._may_move(s) and self._is_of_device(s):
            self._move(s, results(s))

    def _is_of_device(self, s: Def) -> bool:
        return s.op in ELEMENTS or not self.on_device.isdisjoint(s.args)

    def _branch(self, s: If) -> None:
        for b in blocks(s):
            self._block(b)
        self._joined(zip(s.results, s.then_yields, s.else_yields, strict=True))
        if s.cond in self.on_device and self._may_move(s):
            self._move(s, s.results)

    def _loop(self, s: For | While) -> None:
        before = -1
        while before != len(self.on_device):
            before = len(self.on_device)
            self._joined(zip(s.params, s.inits, s.yields, strict=True))
            for b in blocks(s):
                self._block(b)
        self._joined(zip(s.results, s.params, s.params, strict=True))

    def _joined(self, joins: Iterable[tuple[Var, Atom, Atom]]) -> None:
        found = self.on_device
        found.update(v for v, a, b in joins if a in found or b in found)

    def _move(self, s: Stmt, made: Iterable[Var]) -> None:
        self.moved.add(s)
        self.on_device.update(made)

    def _may_move(self, s: Stmt) -> bool:
        """Whether a thread can run a statement of the host."""
        if isinstance(s, If):
            inner = all(self._may_move(t) for b in blocks(s) for t in b)
            return inner and all(isinstance(r.type, Scalar) for r in s.results)
        if not isinstance(s, Def):
            return False
        if s.op in ELEMENTS:
            return self.placement.is_on_device(s.array)
        scalars = all(isinstance(a.type, Scalar) for a in (*s.args, *results(s)))
        return scalars and self.is_written(s) and (s.var is not None or s.op in checks.FAILS)

    # ---- needs of the host ----
    def _needed(self, block: Block, more: tuple[Atom, ...]) -> Iterator[Def]:
        """The moved statements that the host runs instead: each needs one device number at most."""
        needed = {a for s in block if s not in self.moved for a in self._read(s)} | {*more}
        for s in reversed(block):
            if s not in self.moved:
                for b in blocks(s) if s not in self.launches else ():
                    tested = (s.cond,) if isinstance(s, While) and b is s.test else ()
                    yield from self._needed(b, tested)
            elif isinstance(s, Def) and s.var in needed:
                sources = self.on_device.intersection(s.args)
                if len(sources) == (0 if s.op is memory.load else 1):
                    needed |= sources
                    yield s

    def _read(self, s: Stmt) -> Iterable[Atom]:
        """The values the host has to know to run a statement, except for the blocks in it."""
        match s:
            case For() if s in self.launches:
                return [a for g in self.launches[s].grid for a in (g.start, g.stop)]
            case For() | While() if self._is_of_host(s):
                return [a for t in walk((s,)) for a in uses(t)]
            case For():
                return (s.start, s.stop)
            case If():
                return (s.cond,)
            case While():
                return ()
        return atoms(s)
