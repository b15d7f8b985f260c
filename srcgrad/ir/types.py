"""Types of IR values: scalars, arrays whose dims are SSA integers, growable tapes, tuples; atoms.

An atom is a variable or a constant.
A dim is an `int` or an integer `Var`; a literal 1 means "known to broadcast". A *weak*
scalar is a Python number (NEP 50): joined with a NumPy type it takes that type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from itertools import starmap
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from srcgrad.records import record

# short name -> NumPy name, in the order of the printed texts
DTYPES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
}  # fmt: skip
_SHORT = {np.dtype(long): short for short, long in DTYPES.items()}
_NUMPY = {short: np.dtype(long) for short, long in DTYPES.items()}


def np_dtype(short: str) -> np.dtype[Any]:
    return _NUMPY[short]


def short_dtype(dtype: Any) -> str | None:
    """The IR's name of a NumPy dtype, None without one (strings, objects, foreign byte order)."""
    return _SHORT.get(np.dtype(dtype))


def is_float(dtype: str) -> bool:
    """Whether values of this dtype have derivatives."""
    return dtype[0] in "fc"


def is_complex(dtype: str) -> bool:
    return dtype[0] == "c"


def real_dtype(dtype: str) -> str:
    """The dtype of a complex dtype's parts; any other dtype itself."""
    return {"c64": "f32", "c128": "f64"}.get(dtype, dtype)


def is_int(dtype: str) -> bool:
    return dtype[0] in "iu"


@record(frozen=True)
class Scalar:
    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        return (_WEAK if self.weak else _STRONG).get(self.dtype, self.dtype)


_WEAK = {"bool": "bool", "i64": "int", "f64": "float", "c128": "complex"}
_STRONG = {"bool": "bool_"}  # NumPy's name, where it is not that of Python's numbers
PYTHONS = ("bool", "i64", "f64", "c128")  # the dtypes of Python's own numbers
INT = Scalar("i64", weak=True)
FLOAT = Scalar("f64", weak=True)
COMPLEX = Scalar("c128", weak=True)
BOOL = Scalar("bool", weak=True)
OF_PYTHON: dict[type, Scalar] = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}


class Unknown(AssertionError):
    """Compiler code took the truth value of a run-time value, or compared it with a constant."""


@record(eq=False)
class Var:
    """A name bound once. `name` is a wish; the printer makes it unique."""

    name: str
    type: Any  # a `Type`: which one follows from the operation that defines it

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__
    if TYPE_CHECKING:

        def __hash__(self) -> int: ...
    else:
        __hash__ = object.__hash__  # in C

    def __bool__(self) -> bool:
        raise Unknown(f"the truth of '{self.name}' is not known when compiling")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Var | Const):
            raise Unknown(f"'{self.name}' == {other!r} is not known when compiling")
        return self is other


@record(frozen=True)
class Const:
    value: Any
    type: Scalar

    def __hash__(self) -> int:
        return hash(self.value) if self.value == self.value else 0  # NaNs are equal here

    def __bool__(self) -> bool:
        raise Unknown(f"{self} is an atom of the IR: its truth is that of its value")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Var | Const):
            raise Unknown(f"{self} == {other!r} compares an atom of the IR with what is none")
        return (
            isinstance(other, Const)
            and self.type == other.type
            and (self.value is other.value or repr(self.value) == repr(other.value))
        )


Atom = Var | Const
Dim = int | Var
Dims = tuple[Dim, ...]


def same_dim(a: Dim, b: Dim) -> bool:
    """Whether two dims are one variable, or equal numbers."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def same_dims(a: Dims, b: Dims) -> bool:
    return len(a) == len(b) and all(map(same_dim, a, b))


@record(frozen=True, eq=False)
class Array:
    """A reference to a buffer. `layout` is "C" (contiguous) or "S" (strided)."""

    dtype: str
    dims: Dims
    layout: str = "C"

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Array)
            and (self.dtype, self.layout) == (other.dtype, other.layout)
            and same_dims(self.dims, other.dims)
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.dims, self.layout))

    def __str__(self) -> str:
        dims = ", ".join(str(d) for d in self.dims) or "()"
        strided = ".strided" if self.layout == "S" else ""
        return f"{self.dtype}{strided}[{dims}]"


def atom_dims(a: Atom) -> Dims:
    """The dims of an array; a scalar has none."""
    return a.type.dims if isinstance(a.type, Array) else ()


@record(frozen=True)
class Tape:
    """A growing flat buffer: residuals of reverse mode, or the items that `list.append` adds."""

    dtype: str

    def __str__(self) -> str:
        return f"tape[{self.dtype}]"


@record(frozen=True)
class RefTape:
    """A growing sequence of references to arrays of one dtype and rank."""

    dtype: str
    ndim: int

    def __str__(self) -> str:
        return f"reftape[{self.dtype}, {self.ndim}]"


@record(frozen=True)
class Tuple:
    """The results of a primitive with several of them."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"tuple[{', '.join(str(t) for t in self.items)}]"


Numeric = Scalar | Array | Tape | RefTape  # the types that have a dtype
Type = Numeric | Tuple


# sets and tuples, not unions: every pass tests every operand
_REFERENCES = frozenset((Array, Tape, RefTape))
_NUMERIC = (Scalar, Array, Tape, RefTape)


def is_reference(type: Type) -> bool:
    """Whether values of this type can alias."""
    return type.__class__ in _REFERENCES


def references(atoms: Iterable[Atom]) -> list[Var]:
    """The atoms that are references; none of these is a constant."""
    return [a for a in atoms if a.type.__class__ in _REFERENCES]  # type: ignore[misc]  (variables)


def float_type(type: Type) -> TypeGuard[Numeric]:
    return isinstance(type, _NUMERIC) and is_float(type.dtype)


def constant_type(value: complex | np.generic[Any]) -> Scalar:
    """The type of a literal: Python numbers are weak, NumPy scalars are not."""
    match value:
        case np.generic():
            short = short_dtype(value.dtype)
            if short is None:
                raise TypeError(f"no IR type for {value!r}")
            return Scalar(short)
        case bool():
            return BOOL
        case int():
            return INT
        case float():
            return FLOAT
        case complex():
            return COMPLEX
        case _:
            raise TypeError(f"no IR type for {value!r}")


def atom(value: Any) -> Atom:
    """A variable as it is, anything else as a constant."""
    if isinstance(value, Var | Const):
        return value
    return Const(value, constant_type(value))


def join_scalars(a: Scalar, b: Scalar) -> Scalar:
    """NEP 50's promotion of two scalar types; a weak one gives way within its kind."""
    if a == b:
        return a
    rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    if a.weak and b.weak:
        return a if rank[a.dtype[0]] >= rank[b.dtype[0]] else b
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        if rank[weak.dtype[0]] <= rank[strong.dtype[0]]:
            return strong
        if weak.dtype == "c128":
            return Scalar("c64" if strong.dtype in ("f32", "f16") else "c128")
        return Scalar(weak.dtype)
    return Scalar(_SHORT[np.result_type(np_dtype(a.dtype), np_dtype(b.dtype))])


def promoted(types: Iterable[Numeric]) -> Scalar:
    """The type that operands are promoted to: NumPy's among themselves, then Python's numbers."""
    return _promoted(tuple([(t.dtype, getattr(t, "weak", False)) for t in types]))


@lru_cache(maxsize=4096)
def _promoted(kinds: tuple[tuple[str, bool], ...]) -> Scalar:
    return reduce(join_scalars, sorted(starmap(Scalar, kinds), key=lambda t: t.weak))


def converter(type_: Any) -> Callable[[Any], Any] | None:
    """The function that converts a backend's scalar result to its Python or NumPy type."""
    if not isinstance(type_, Scalar):
        return None
    if type_.weak:
        return {"b": bool, "i": int, "f": float, "c": complex}[type_.dtype[0]]
    return np_dtype(type_.dtype).type
