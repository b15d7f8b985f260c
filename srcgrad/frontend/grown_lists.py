"""Memory of the items of lists that grow at run time; for operations on these see `growing`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.values import GrownList
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT
from srcgrad.records import record


@record(eq=False)
class GrownTable(GrownList):
    """A list of structures that grows: a growing list for each number and array in them."""

    template: Any = None  # an item, with a `Leaf` for what each column holds
    columns: tuple[GrownList, ...] = ()

    @property
    def of_numbers(self) -> bool:
        return False


@record(frozen=True)
class Known:
    """A kind of one value, which is known when compiling."""

    value: Any


@record(eq=False)
class Mixed(GrownTable):
    """A list of items of several kinds: its columns are kinds and places (see `mixed_lists`)."""

    parts: tuple[GrownList | Known, ...] = ()  # of each kind the list of its items, or the value


@record(eq=False)
class Ragged(GrownTable):
    """A list of arrays of several shapes: its columns are the place of an array's elements among
    all that were ever put in, and the length of each of its axes (see `ragged_lists`)."""

    elements: Any = None  # a growing list of numbers, which only grows
    shared: bool = False  # a slice, or in another order: its elements are those of another list

    @property
    def rank(self) -> int:
        return len(self.columns) - 1


@record(frozen=True)
class Kinds:
    """The kinds of the items of such a list: of each its value, None if its items have a list."""

    values: tuple[Known | None, ...] = ()


def length_of(b: Builder, v: GrownList) -> Any:
    """The length, a Python int: it takes the dtype of other operands."""
    if isinstance(v, GrownTable):
        return length_of(b, v.columns[0])
    if v.settled is not None:
        return atom(v.settled.type.dims[0])
    return b.retyped(b.load(v.length, 0), INT)


def with_columns(v: GrownTable, columns: tuple[GrownList, ...]) -> GrownTable:
    """A list of some of the items, or of others of the list, by its columns."""
    shared = {"shared": True} if isinstance(v, Ragged) else {}
    return replace(v, columns=columns, **shared)


def dims_of_rows(b: Builder, v: GrownList) -> list[Any]:
    """The shape of the arrays that are its items; empty for numbers."""
    if v.shape is None:
        return []
    rank = v.shape.type.dims[0]
    return [b.dim(b.load(v.shape, k)) for k in range(rank)]


def items_of(b: Builder, v: GrownList) -> Var:
    """All items as one array, in the memory of the list."""
    if v.settled is not None:
        return v.settled
    return b.tape_view(v.tape, 0, b.dim(length_of(b, v)), *dims_of_rows(b, v))


def array_of(it: Interpreter, v: GrownList) -> Var:
    """The numbers of a list as a new array, of the dtype that NumPy gives it."""
    whole = it.b.copy(items_of(it.b, v))
    wider = it.captures.required.as_arrays.get(v.key)
    return whole if wider is None or v.numpys else it.b.cast(whole, wider[0])  # type: ignore[return-value]  (no constant)
