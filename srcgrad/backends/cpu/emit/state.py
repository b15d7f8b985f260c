"""State shared by the functions of one emitted module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from srcgrad.backends.cpu.capsules import symbol_of
from srcgrad.backends.cpu.emit.noted import Notes
from srcgrad.backends.cpu.emit.owners import outlived
from srcgrad.backends.cpu.emit.symbols import Helper, Product, Routine
from srcgrad.backends.cpu.fastmath import FLAGS_OF_SUMS
from srcgrad.backends.cpu.workspace import in_workspace
from srcgrad.errors import Location
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Def, Function, Stmt
from srcgrad.ir.summaries import FreeVariables
from srcgrad.ir.walk import walk
from srcgrad.passes.hoist_allocations import escaping
from srcgrad.primitives import Primitive
from srcgrad.primitives.tapes import reserve
from srcgrad.records import record

MOST = 60  # statements of a nest that becomes a function
LONG = 300  # statements of a stretch that becomes one
HEAVY = 100  # the same of a loop within a loop
BULKY = 1000  # the same of a branch within a loop


@record(frozen=True)
class Site:
    """A statement that may fail, and the dtypes of the operands in the record of its failure."""

    statement: Def
    dtypes: tuple[str, ...]


@record(eq=False)
class Program:
    """The state that the functions of one module share."""

    function: Function
    flags: str = "reassoc "  # of floating-point instructions
    guarded: bool = False
    declared: set[str] = field(default_factory=set)
    helpers: dict[Helper, str] = field(default_factory=dict)
    called_at: dict[Helper, Location | None] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)  # others: text -> name
    routines: dict[tuple[str, str], int] = field(default_factory=dict)  # SciPy's, their arity
    compiled: set[Routine] = field(default_factory=set)  # routines that have machine code
    elementary: set[Primitive] = field(default_factory=set)  # functions that have vector variants
    sites: list[Site] = field(default_factory=list)
    nests: dict[str, str] = field(default_factory=dict)  # a nest's text -> its name
    cuts: dict[int, list[range]] = field(default_factory=dict)  # `stretches.py`: of blocks, by id
    nest_notes: dict[str, Notes] = field(default_factory=dict)  # by its name
    here: Location | None = None  # the user's line that is being written
    lists: set[int] = field(default_factory=set)
    products: set[Product] = field(default_factory=set)
    passes: dict[Stmt, bool] = field(default_factory=dict)  # `polls.py`: whether a loop is one
    halves: bool = False  # whether it converts half precision
    words: int = 1  # of `out`
    failure: int = 0  # words of the longest record of a failure
    spreads: bool = False  # whether it starts threads
    polled: bool = False  # whether it looks for signals
    limited: bool = False  # whether it asks how much memory tapes may take
    interpreted: bool = False  # whether it calls what an interpreter runs
    is_routine: bool = False  # whether its caller reports what fails
    is_native: bool = False  # whether machine code calls it: no workspace, no look for signals

    def __post_init__(self) -> None:
        self.classes = alias_classes(self.function)
        self.escaping = escaping(self.function, self.classes)
        self.in_workspace = {} if self.is_native else in_workspace(self.function)
        self.outlived = outlived(self.function)
        self.free = FreeVariables()
        self.growing = {
            s.args[0] for s in walk(self.function.body) if isinstance(s, Def) and s.op is reserve
        }

    @property
    def flags_of_sums(self) -> str:
        """The flags of additions and subtractions."""
        return FLAGS_OF_SUMS.get(self.flags, self.flags)

    @property
    def no_wrap(self) -> str:
        """The flag of instructions on integers: those of a routine are lengths and places."""
        return "nsw " if self.is_routine else ""

    def function_named(self, text: str, name: str) -> str:
        """The name of a function of the module; equal texts are one function."""
        return self.functions.setdefault(text, f"{name}.{len(self.functions)}")

    def routine(
        self,
        module: str,
        name: str,
        params: Sequence[str],
        result: str = "void",
        attributes: str = "",
    ) -> str:
        """The symbol of a function of SciPy's, which the module calls."""
        self.routines[module, name] = len(params)
        symbol = symbol_of(module, name)
        self.declared.add(f"declare {result} @{symbol}({', '.join(params)}) {attributes}")
        return symbol

    def site(self, s: Def, dtypes: tuple[str, ...], words: int) -> int:
        self.sites.append(Site(s, dtypes))
        self.failure = max(self.failure, 1 + words)
        self.words = max(self.words, self.failure)
        return len(self.sites) - 1
