"""Caches results of stages on disk: another process reads them instead of making them again.

A stage is a pure function of an IR function and plain values. Its result is found by the digest
of all that it read, of the passes that are switched off, of the files of this package and of the
versions of Python and NumPy: an entry is never stale. The result is read by the next stage
under the name of its own entry: no stage changes its input. The frontend always runs, so the
user's code and its surroundings are read afresh. A program with objects of the user's in it,
such as functions with rules of their own, is made in each process, and so is every program where
the checker runs after each pass, or `SRCGRAD_CACHE_STAGES=0` is in the environment.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import marshal
import os
import pickle
import platform
import types
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import cache, partial
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from srcgrad.backends import cache as files
from srcgrad.ir.nodes import Function, Var
from srcgrad.operation import Primitive
from srcgrad.passes.pipeline import settings
from srcgrad.primitives import REGISTRY
from srcgrad.protocols import home_module
from srcgrad.records import record
from srcgrad.transforms.stages import statements

# modules whose classes and functions are the same in each process of these versions
STABLE = frozenset(("srcgrad", "builtins", "numpy", "functools"))
PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None)))
# the parts of programs, by their modules
PARTS = {
    "srcgrad.ir.nodes": "Def For Function If While",
    "srcgrad.ir.types": "Array Const RefTape Scalar Tape Tuple Var",
    "srcgrad.ir.rule": "Direction Rule",
    "srcgrad.custom.transpose": "turned",
    "srcgrad.errors": "Location",
    "builtins": "complex",
    "numpy": "dtype",
    "numpy._core.multiarray": "scalar",
    __name__: "_primitive",
}
LONG = 60  # statements: making a shorter program takes as long as reading it
DIGITS = 24  # of the digest, in a file's name

_entries: WeakKeyDictionary[Function, str] = WeakKeyDictionary()  # of results of stages


@record()
class _Build:
    """A build during a call; `kept` is decided by the first program that a stage reads."""

    kept: bool | None = None


_build: ContextVar[_Build | None] = ContextVar("a build whose stages may be kept", default=None)


@contextmanager
def keeping(on: bool) -> Iterator[None]:
    """Lets results of stages be cached or not, within the `with` block; only long programs are."""
    wanted = on and os.environ.get("SRCGRAD_CACHE_STAGES", "") != "0"
    token = _build.set(_Build() if wanted else None)
    try:
        yield
    finally:
        _build.reset(token)


def _is_kept(function: Function) -> bool:
    build = _build.get()
    if build is None:
        return False
    if build.kept is None:
        build.kept = statements(function) >= LONG
    return build.kept


def kept(stage: Callable[..., Function], function: Function, *read: Any) -> Function:
    """The result of `stage(function, *read)`, from the cache folder if it is there."""
    without, checked = settings()
    if checked or not _is_kept(function):
        return stage(function, *read)
    given = _entries.get(function, function)
    try:
        of = marshal.dumps(_Described().value((stage, given, read, sorted(without))), 2)
    except (_Foreign, RecursionError, ValueError):  # foreign, or nested too deeply
        return stage(function, *read)
    file = f"s_{hashlib.sha256(_made_by() + of).hexdigest()[:DIGITS]}.ir"
    made = _read(file)
    if made is None:
        made = stage(function, *read)
        out = io.BytesIO()
        with suppress(_Foreign, pickle.PicklingError, AttributeError, TypeError, RecursionError):
            _Pickler(out, 5).dump(made)
            files.keep_bytes(file, zlib.compress(out.getbuffer(), 1))
    _entries[made] = file
    return made


def _read(file: str) -> Function | None:
    """The content of a file; None if there is none, or another one in it."""
    found = files.kept_bytes(file)
    if found is None:
        return None
    try:
        made = _Unpickler(io.BytesIO(zlib.decompress(found))).load()
    except Exception:
        return None
    return made if type(made) is Function else None


class _Foreign(Exception):
    """Raised for a program with an object in it that another process may not have."""


# ---- the name of an entry ----
class _Described:
    """Descriptions of programs: variables by numbers, operations by names, else by value."""

    def __init__(self) -> None:
        self.numbers: dict[Var, tuple[str, int]] = {}
        self.known: dict[int, tuple[Any, Any]] = {}  # by id: the object, its description

    def value(self, x: Any) -> Any:
        kind = type(x)
        if kind is Var:
            number = self.numbers.get(x)
            if number is not None:
                return number
            number = self.numbers[x] = (Var.__name__, len(self.numbers))
            return *number, x.name, self.value(x.type)
        if kind in PLAIN:
            return x
        if kind is tuple or kind is list:
            return (kind.__name__, *map(self.value, x))
        if id(x) not in self.known:
            self.known[id(x)] = x, self.parts(x)
        return self.known[id(x)][1]

    def parts(self, x: Any) -> Any:
        if isinstance(x, Primitive):
            return Primitive.__name__, _registered(x).name
        if isinstance(x, dict):
            return ("dict", *map(self.value, x.items()))
        if isinstance(x, partial):
            return ("partial", *map(self.value, (x.func, x.args, x.keywords)))
        if isinstance(x, np.generic | np.dtype):
            return ("numpy", *map(str, x.__reduce__()))
        if _is_named(x):
            return "named", _stable(x), x.__qualname__
        name, parts_of = _record(type(x))
        return (name, *map(self.value, parts_of(x)))


@cache
def _record(cls: type) -> tuple[str, Callable[[Any], tuple[Any, ...]]]:
    """The name of a class of records, and the function that reads the fields of one."""
    if not is_dataclass(cls):
        raise _Foreign
    names = [f.name for f in fields(cls)]
    if len(names) < 2:  # with one name `attrgetter` returns no tuple
        return _stable(cls), lambda x: (cls.__qualname__, *[getattr(x, n) for n in names])
    return f"{_stable(cls)}.{cls.__qualname__}", attrgetter(*names)


# ---- the contents of an entry ----
def _primitive(name: str) -> Primitive:
    return REGISTRY[name]


class _Pickler(pickle.Pickler):
    """Writes operations by their names. The input of a stage contains nothing foreign."""

    dispatch_table = copyreg.dispatch_table | {
        Primitive: lambda op: (_primitive, (_registered(op).name,))
    }


class _Unpickler(pickle.Unpickler):
    """Makes only parts of programs: a file cannot choose other functions to call."""

    def find_class(self, module: str, name: str) -> Any:
        if name not in PARTS.get(module, "").split():
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a program")
        return super().find_class(module, name)


def _registered(op: Primitive) -> Primitive:
    if REGISTRY.get(op.name) is not op:
        raise _Foreign
    return op


def _is_named(x: Any) -> bool:
    """Whether pickle stores a value by its name."""
    return isinstance(x, type | types.FunctionType | types.BuiltinFunctionType)


def _stable(x: Any) -> str:
    """The module of a class or function with the same meaning in each process; else raises."""
    module = home_module(x)
    if module.partition(".")[0] not in STABLE or "<" in getattr(x, "__qualname__", ""):
        raise _Foreign
    return module


@cache
def _made_by() -> bytes:
    """The versions that determine the results of stages, and the state of the package's files."""
    folder = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:  # has the version
        found = [file.read(), np.__version__, platform.python_version(), platform.machine()]
    return "\n".join([*found, *sorted(_states(folder))]).encode()


def _states(folder: str) -> Iterator[str]:
    """The Python files below a folder, each with its size and its time."""
    with os.scandir(folder) as entries:
        for e in entries:
            if e.is_dir():
                yield from _states(e.path)
            elif e.name.endswith(".py"):
                state = e.stat()
                yield f"{e.path} {state.st_size} {state.st_mtime_ns}"
