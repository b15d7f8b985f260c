"""The requirements that a signature must specialize on, as earlier attempts found them.

Arguments that must be static, loops to unroll, lists that grow. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from copy import copy
from dataclasses import field, fields
from typing import Any

from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Var
from srcgrad.records import record

UNROLLED = 64  # trips of a loop that is not unrolled
MOST_RESTARTS = 200
CAPTURED = "captured"  # in place of the file of a list that is not made here
Key = tuple[Any, ...]  # of a list: the kinds around, then its place (see `list_places`)


def place_of_list(key: Key) -> Key:
    """The place of a list, the same for all kinds around it."""
    return key[1:]


def key_of_captured(path: Key, *part: str) -> Key:
    """The key of a list of what is captured at a place."""
    return (), CAPTURED, *path, *part


def is_captured(key: Key | None) -> bool:
    """Whether a list is one of what is captured."""
    return key is not None and len(key) > 1 and key[1] == CAPTURED


class RestartTracing(Exception):
    """Raised when interpretation must start again: the requirements have grown."""


class LoopsToUnroll(RestartTracing):
    """Raised when loops that run must be unrolled: the innermost that can be is, where it stands.

    `indices` are the variables of the loops.
    """

    def __init__(self, what: str, indices: Set[Var]):
        super().__init__(what)
        self.indices = indices


def restarted(
    attempt: Callable[[], Any], name: str, before: Callable[[], None] = lambda: None
) -> tuple[Any, int]:
    """The result of the first attempt that finds no further requirements, and how many did.

    `before` is called ahead of each; what it finds is required by a caller, which restarts.
    """
    for restarts in range(MOST_RESTARTS):
        before()
        try:
            return attempt(), restarts
        except RestartTracing:
            continue
    raise UnsupportedError(f"{name}() needs too many specialisations")


@record()
class Requirements:
    """The known requirements beyond dtypes and ranks."""

    static_leaves: set[tuple[Any, ...]] = field(default_factory=set)  # paths of arguments
    static_dims: set[tuple[Any, ...]] = field(default_factory=set)  # (path, axis)
    # loops by (file, line), comprehensions by (file, line, column); and those that are loops
    unrolled: set[tuple[Any, ...]] = field(default_factory=set)
    looped: set[tuple[Any, ...]] = field(default_factory=set)
    # calls of vmap by (file, line, column) whose first item is computed before the loop
    first_items: set[tuple[Any, ...]] = field(default_factory=set)
    refused: Exception | None = None  # why loops were unrolled after all
    # recursive functions by (file, line, column): loops, and why those are none that cannot be
    activations: set[tuple[Any, ...]] = field(default_factory=set)
    inlined: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    grown: dict[Key, Any] = field(default_factory=dict)  # lists by key: (dtype, rank) of items
    # lists of numbers of NumPy's and of Python's: the dtype of an array of the items, and whether
    # Python's are among those that it was written with only
    as_arrays: dict[Key, tuple[Any, bool]] = field(default_factory=dict)
    # lists of arrays of several shapes, and those of them whose items change their places
    ragged: set[Key] = field(default_factory=set)
    reordered: set[Key] = field(default_factory=set)
    # lists that may have items of several kinds, and those that do, since all else was refused
    mixable: set[Key] = field(default_factory=set)
    mixed: set[Key] = field(default_factory=set)
    apart: set[Key] = field(default_factory=set)  # lists of these that keep integers and floats
    retried: set[tuple[Any, ...]] = field(default_factory=set)  # loops unrolled when refused
    # places of lists whose items have kinds that numbers decide
    by_value: set[tuple[Any, ...]] = field(default_factory=set)
    # lists whose kind was found while the items of another list were not known
    guessed: set[tuple[Any, ...]] = field(default_factory=set)
    indexed: set[tuple[Any, ...]] = field(default_factory=set)  # that grow for how they are indexed
    stored_names: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # of modules, of cells
    # captured containers that are changed: their paths and names
    changed: dict[tuple[Any, ...], tuple[Any, str]] = field(default_factory=dict)
    # the loops that are unrolled if captured lists that grow in them are refused, by list
    instead: dict[Key, tuple[Any, ...]] = field(default_factory=dict)
    whole: set[tuple[Any, ...]] = field(default_factory=set)  # lists of these whose items are read
    # dicts and sets by place, whose keys and members the run decides
    at_run_time: set[tuple[Any, ...]] = field(default_factory=set)
    unordered: set[tuple[Any, ...]] = field(default_factory=set)  # dicts, by place
    # where paths meet that leave one of several containers, which is changed
    objects_apart: set[tuple[Any, ...]] = field(default_factory=set)
    # calls of tuple by place: whose length would be known, and who have a list, as all was refused
    tuples: set[tuple[Any, ...]] = field(default_factory=set)
    long_tuples: set[tuple[Any, ...]] = field(default_factory=set)
    of_lists: set[tuple[Any, ...]] = field(
        default_factory=set
    )  # lists of lists that grow, by place
    inputs: set[tuple[Any, ...]] = field(default_factory=set)  # captured numbers that change
    itemized: set[tuple[Any, ...]] = field(default_factory=set)  # sequences of such numbers
    weights: tuple[Any, ...] = ()  # tensors that are differentiated with respect to
    tensors: bool = False  # tensors are met after a decision that assumed none

    def contents(self) -> dict[str, Any]:
        """All that is required now."""
        held = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: copy(v) if isinstance(v, set | dict) else v for name, v in held.items()}

    def put_back(self, contents: dict[str, Any]) -> None:
        """Forgets what has been required since."""
        for name, value in contents.items():
            setattr(self, name, value)

    def forget_kinds(self) -> None:
        """Ahead of the program of another signature: its lists may grow by items of other kinds."""
        self.grown.clear()
        self.by_value.clear()
        self.guessed.clear()
        self.as_arrays.clear()
        self.ragged.clear()
        self.reordered.clear()
        self.mixable.clear()
        self.mixed.clear()
        self.apart.clear()
        self.changed.clear()
        self.whole.clear()
        self.instead.clear()
        self.tuples.clear()
        self.long_tuples.clear()

    def read_whole(self, lists: set[tuple[Any, ...]]) -> None:
        """Follows all items of captured lists that get longer, since all else was refused."""
        self.whole |= lists
        self.unrolled -= self.retried

    def unroll_instead(self) -> bool:
        """Unrolls the loops in which captured lists grow, whose lengths are known then."""
        loops = {*self.instead.values()}
        for key in [k for k in self.grown if any(k[: len(n)] == n for n in self.instead)]:
            del self.grown[key]
        self.instead.clear()
        self.unrolled |= loops
        return bool(loops)

    def lengthen(self) -> bool:
        """Lets the tuples that were refused have a length that only the run tells, once."""
        if self.tuples <= self.long_tuples:
            return False
        self.long_tuples |= self.tuples
        self.unrolled -= self.retried
        return True

    def mix(self) -> bool:
        """Lets the lists that were refused for the kinds of their items be mixed, once."""
        if self.mixable <= self.mixed:
            return False
        self.mixed |= self.mixable
        self.unrolled -= self.retried
        return True
