"""Reshapes of arrays that may not be contiguous: copies in compiled code, in NumPy views or copies.

Which of both NumPy makes depends on strides that only a call knows; ravel and ascontiguousarray are
alike. It makes no difference as long as nothing is stored that the other would see; where it might,
the program is refused. Never looks at a reshape that is a view in either.
"""

from __future__ import annotations

from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.alias import WRITES, AliasClasses
from srcgrad.ir.nodes import Def, For, Function, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import atoms, blocks

REASON = (
    "a view or a copy in NumPy, as the array is contiguous or not, and one of both is stored to"
)
WAY_OUT = "take a .copy() of the array first, or store to the array itself"


def refuse_doubtful(function: Function, copies: dict[Var, tuple[Var, Location | None]]) -> None:
    """`copies`: what a reshape has copied, with the array it is a copy of."""
    found = _Accesses(function) if copies else None
    for copied, (array, loc) in copies.items():
        if found is not None and found.could_tell(copied, array):
            raise UnsupportedError(REASON, loc, WAY_OUT)


Access = tuple[int, tuple[Stmt, ...]]  # a number in the order of the text, the loops around it


class _Accesses:
    """Where in the text each class is read and stored to."""

    def __init__(self, function: Function):
        self.classes = AliasClasses(function)
        self.made: dict[Var, Access] = {}
        self.stores: dict[Var, list[Access]] = {}
        self.reads: dict[Var, list[Access]] = {}
        self.carried: set[Var] = set()  # classes that loops hand on from trip to trip
        self._count = 0
        self._block(function.body, ())
        self._count += 1
        for a in (*function.returns, *function.params):  # the caller sees its arrays afterwards
            self._note(self.reads, a, ())

    def _block(self, block: tuple[Stmt, ...], loops: tuple[Stmt, ...]) -> None:
        for s in block:
            self._count += 1
            stored = isinstance(s, Def) and s.op.name in WRITES
            for k, a in enumerate(atoms(s)):
                self._note(self.stores if stored and k == 0 else self.reads, a, loops)
            if isinstance(s, Def) and s.var is not None:
                self.made[s.var] = self._count, loops
            if isinstance(s, For | While):
                self.carried |= {self.classes.of(p) for p in s.params if is_reference(p.type)}
            for inner in blocks(s):
                self._block(inner, (*loops, s) if isinstance(s, For | While) else loops)

    def _note(self, table: dict[Var, list[Access]], a: object, loops: tuple[Stmt, ...]) -> None:
        if isinstance(a, Var) and is_reference(a.type):
            table.setdefault(self.classes.of(a), []).append((self._count, loops))

    def could_tell(self, copied: Var, array: Var) -> bool:
        """Whether one of them is stored to and the other read after that."""
        if copied not in self.made:
            return False  # of an attempt that was given up
        made, around = self.made[copied]
        one, two = self.classes.of(copied), self.classes.of(array)
        # A store through the reshape stays in the array, in later trips of any loop as well.
        if any(r > s or set(inside) & set(loops)
               for s, inside in self.stores.get(one, ())
               for r, loops in self.reads.get(two, ())):  # fmt: skip
            return True
        # A store to the array is seen through the reshape as long as that is the one made here.
        outer = () if one in self.carried else around
        return any(
            (r > s > made) or set(inside) & set(loops) - set(outer)
            for s, inside in self.stores.get(two, ())
            for r, loops in self.reads.get(one, ())
        )
