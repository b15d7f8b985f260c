"""Values of Python names during interpretation, besides static objects and IR variables.

Numbers known at compile time are plain Python numbers; `Var` is a run-time scalar or array.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, TypeGuard

import numpy as np

from srcgrad import tree
from srcgrad.ir.nodes import Atom, Const, Unknown, Var, atom
from srcgrad.ir.types import Array, Scalar, np_dtype, promoted
from srcgrad.records import record

Known = Any  # annotates a static parameter of a handler or a formula

NUMBERS = (bool, int, float, complex, np.number, np.bool_)
MADE = itertools.count()  # numbers of iterations, in the order in which they were made


class Abstract:
    """A stand-in for a run-time value: it has no truth value in Python."""

    def __bool__(self) -> bool:
        raise Unknown(f"the truth of {describe(self)} is not known when compiling")


class Unbound:
    """The value of a name that no path so far has bound."""


UNBOUND = Unbound()


@record()
class MaybeUnbound(Abstract):
    """A value with a run-time flag that tells whether it was bound."""

    value: Any
    flag: Var
    test: Any = None  # of the branch that decides


@record()
class MaybeNone(Abstract):
    """A value with a run-time flag that tells whether it is present; None where it is not."""

    value: Any
    flag: Var


@record()
class Several(Abstract):
    """A value of one kind where a run-time flag holds, and of another kind where it does not."""

    flag: Var
    one: Any
    other: Any  # which may have several kinds itself

    @property
    def reason(self) -> str:
        shown = [repr(v) if isinstance(v, str) else describe(v) for v in (self.one, self.other)]
        return f"it is {shown[0]} on one path and {shown[1]} on another"


@record()
class Conflict(Abstract):
    """Values of two paths whose kinds cannot be joined; an error if it is ever read."""

    reason: str
    way_out: str = "give the name one kind of value, or use two names"
    test: Any = None  # what decides between them
    on_one_path: bool = False  # the run decides whether a call comes here: only such are refused


@record()
class Classes:
    """The run-time numbers that have several classes, or another one in NumPy."""

    mixed: set[Any] = field(default_factory=set)  # Python's, of several classes
    either: set[Any] = field(default_factory=set)  # Python's on one path, NumPy's on another
    shells: set[Any] = field(default_factory=set)  # NumPy holds them in an array of rank 0
    shared: set[Any] = field(default_factory=set)  # those of them that several names hold


ANY = Classes()


@record()
class Range(Abstract):
    start: Any
    stop: Any
    step: Any
    promised: bool = False  # the user promises that its trips are independent


@record(eq=False)
class Iterated(Abstract):
    """An iteration: a number of trips and the item of each, built when it is reached.

    A `static` one has a known length: its loop is unrolled. `sources` are the containers it runs
    over, as `began` was long. One that runs `once` has no items left when it is spent. A `lazy` one
    computes those that pass its `test` on demand; `build` lists what is left, without a length too.
    """

    length: Any
    item: Callable[[Any], Any]
    static: bool = False
    range: Range | None = None
    backwards_of: Iterated | None = None  # the same items in the other order
    sources: tuple[Any, ...] = ()
    # the lists that grow among them, their lengths at its beginning, the last change before that
    grown: tuple[Any, ...] = ()
    once: bool = False  # zip, enumerate, reversed, map, a generator expression
    lazy: bool = False  # map, filter, a generator expression
    spent: bool = False
    test: Callable[[Any], Any] | None = None
    build: Callable[[], Any] | None = None
    until: Callable[[bool], Any] | None = None  # stops at an item that is true (false)
    scope: Any = None  # the statements in which `iter`, `zip` and their kin made it
    generator: Callable[[], Any] | None = None  # makes a generator of it
    schedule: Any = None  # a `Schedule`: what reverse mode keeps of the loop

    def __post_init__(self) -> None:
        self.began: list[Any] = [places_of(s) for s in self.sources]
        self.number: int = next(MADE)  # larger than those of all that were made before


def places_of(v: Any) -> Any:
    """The keys or the length of a container, which may not change while a loop runs over it."""
    return list(v) if isinstance(v, dict) else len(v)


@record()
class Slice(Abstract):
    lower: Any
    upper: Any
    step: Any


def is_unit(step: Any) -> bool:
    """Whether the step of a slice is known to be 1."""
    step = step.value if isinstance(step, Const) else step
    return step is None or (isinstance(step, int | np.integer) and step == 1)


class TrackedList(list[Any]):
    """A list by its items, with the place where it was made, in case it must grow at run time."""

    def __init__(self, items: Any = (), key: Any = None):
        super().__init__(items)
        self.key = key


@record(eq=False)
class GrownList(Abstract):
    """A list that grows in a run-time loop: a tape of scalars and a cell with its length.

    Its items are numbers, or arrays of one shape, one after another in the tape. If it is one list
    of numbers on one path and another on another path it is `settled`: an array of the items,
    which do not change any more.
    """

    tape: Any  # Var; None if it is settled
    length: Any  # i64[1]; None if it is settled
    dtype: Scalar
    key: Any = None
    shape: Var | None = None  # i64[rank]: the shape of arrays, known when there is one
    settled: Any = None
    begun: bool = True  # whether it may have items
    # how many items it was written with; None while these are appended
    written: int | None = 0
    numpys: bool = False  # whether all items are numbers of NumPy's, where it holds Python's too

    @property
    def of_numbers(self) -> bool:
        return self.shape is None


@record(eq=False)
class View(Abstract):
    """The view that `keys`, `values` or `items` of a dict gives: its parts are read on use."""

    owner: dict[Any, Any]
    name: str

    def parts(self) -> list[Any]:
        return list(getattr(self.owner, self.name)())


@record(eq=False)
class Record(Abstract):
    """An instance of a dataclass, by its fields; `__init__` is not called for arguments."""

    cls: type[Any]
    fields: dict[str, Any] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()  # attributes that the caller's instance has otherwise

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(name) from None


@record(eq=False)
class Super(Abstract):
    """The result of `super()` in a method: attributes of the classes after one of them."""

    owner: Any  # a Record, a captured object or a class
    after: type[Any]


@record(frozen=True)
class Bound(Abstract):
    """A method of a run-time value, by name."""

    owner: Any
    name: str


@record(eq=False)
class Partial(Abstract):
    """functools.partial made inside: its function may be a closure, its arguments run-time."""

    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


@record(eq=False)
class Closure(Abstract):
    """A function defined inside the function that is compiled."""

    node: Any
    env: dict[str, Any]
    defaults: list[Any]
    kw_defaults: list[Any]
    frame: Any
    name: str


@record()
class Formatted(Abstract):
    """An f-string with run-time parts: a template and its values."""

    template: str
    values: list[Any]


OWN = (  # values that exist only while a function is compiled, no dataclasses of the user's
    Range
    | Iterated
    | Slice
    | GrownList
    | MaybeNone
    | View
    | Super
    | Bound
    | Partial
    | Closure
    | Formatted
)

RUNNING = Bound | Partial | Closure  # functions that belong to the run being compiled


def is_number(v: Any) -> bool:
    return isinstance(v, NUMBERS)


def is_scalar(v: Any) -> bool:
    """Whether a value is a number, known now or at run time."""
    return is_number(v) or (isinstance(v, Var) and isinstance(v.type, Scalar))


def is_array(v: Any) -> TypeGuard[Var]:
    return isinstance(v, Var) and isinstance(v.type, Array)


def is_value(v: Any) -> bool:
    """Whether a value is an operand of arithmetic: a number or an array."""
    return is_scalar(v) or is_array(v)


def is_integer(v: Any) -> bool:
    if isinstance(v, bool | np.bool_):
        return False
    if isinstance(v, int | np.integer):
        return True
    return isinstance(v, Var) and isinstance(v.type, Scalar) and v.type.dtype[0] in "iu"


def plain(a: Atom) -> Any:
    """A folded constant as a number of Python's or NumPy's; other values unchanged."""
    if not isinstance(a, Const):
        return a
    if a.type.weak:
        return a.value
    return np_dtype(a.type.dtype).type(a.value)


def ndim(v: Any) -> int:
    return v.type.ndim if is_array(v) else 0


def dtype_of(v: Any) -> str:
    return atom(v).type.dtype


def joined_type(values: Sequence[Any]) -> Scalar:
    """The type that values promote to; Python numbers are weak."""
    return promoted(atom(v).type for v in values)


def contrasted(given: Any, like: Any) -> tuple[str, str]:
    """Descriptions that tell two structures apart: `a dict of 'a'`, `a dict of 'b'`."""
    texts = describe(given), describe(like)
    if texts[0] != texts[1] or not all(isinstance(v, list | tuple | dict) for v in (given, like)):
        return texts
    keys = [", ".join(map(repr, v)) if isinstance(v, dict) else len(v) for v in (given, like)]
    return f"{texts[0]} of {keys[0]}", f"{texts[1]} of {keys[1]}"


def describe(v: Any) -> str:
    """The kind of a value, in the user's words."""
    match v:
        case Var(type=Scalar() as t):
            return "an integer" if t.dtype[0] in "iu" else f"a number ({t.dtype})"
        case Var(type=Array() as t):
            return f"an array of rank {t.ndim} ({t.dtype})"
        case None:
            return "None"
        case np.void():
            return "a record of NumPy"
        case bool() | int() | float() | complex() | np.generic():
            return f"the number {v!r}"
        case str():
            return "a string"
        case list() | GrownList():
            return "a list"
        case Iterated():
            return "an iterator"
        case MaybeNone():
            return f"{describe(v.value)} or None"
        case Several():
            return f"{describe(v.one)} or {describe(v.other)}"
        case View():
            return f"the {v.name} of a dict"
        case Bound():
            return f"the method '{v.name}' of {describe(v.owner)}"
        case Range():
            return "a range"
        case Slice():
            return "a slice"
        case Closure() | Partial():
            return "a function"
        case type():
            return f"the class {v.__name__}"
        case Record():
            return f"{article(v.cls.__name__)} {v.cls.__name__}"
        case np.ndarray() if type(v) is np.ndarray:
            return "an array"
        case set() | frozenset():
            return "a set"
        case types.ModuleType():
            return f"the module {v.__name__}"
        case Formatted():
            return "a string"
    if callable(v) and isinstance(getattr(v, "__name__", None), str):
        return "a function" if "<" in v.__name__ else f"the function {v.__name__}"
    return f"{article(type(v).__name__)} {type(v).__name__}"


def written(v: Any) -> str:
    """The repr of a static value; a description of its kind if the repr shows an address."""
    return describe(v) if " at 0x" in (text := repr(v)) else text


def article(noun: str) -> str:
    return "an" if noun[:1] in "AEIOUaeiou" else "a"


tree.add_leaves(Abstract, Var, Const)
tree.add_kind(TrackedList, tree.Kind(
    list, lambda like, parts: TrackedList(parts, like.key), outside=lambda like, parts: list(parts)
))  # fmt: skip
tree.add_kind(Record, tree.Kind(
    lambda v: list(v.fields.values()),
    lambda like, parts: Record(like.cls, dict(zip(like.fields, parts, strict=True)), like.lacks),
    lambda v: list(v.fields),
    lambda v: (v.cls, *v.fields),
    lambda like, parts: tree.instance(like.cls, dict(zip(like.fields, parts, strict=True))),
))  # fmt: skip
