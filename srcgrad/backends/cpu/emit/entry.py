"""The function that Python calls of a program: it unpacks arguments, and packs results.

Arguments and results lie in words: numbers by their parts, arrays as Numba's struct, which its
runtime fills and reads. Python's lock is released while the emitted function runs. All exits
release the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.backends.cpu.emit import failures
from srcgrad.backends.cpu.emit.halves import narrowed, widened
from srcgrad.backends.cpu.emit.objects import OUTSIDE, symbol_of
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import in_memory, parts_of, size_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.types import Array, Scalar, Tape, is_complex, np_dtype

MEMINFO, PARENT, DATA, LENGTHS = 0, 1, 4, 5  # the words of an array
CONTIGUOUS, WRITEABLE = 0x1, 0x400  # NPY_ARRAY_...
WORKSPACE = Tape("i64")
Type = Scalar | Array | Tape


def words_of(type: Type) -> int:
    """How many words a parameter or a result of this type takes."""
    if isinstance(type, Scalar):
        return len(parts_of(type.dtype))
    return LENGTHS + 2 * ndim_of(type)


def ndim_of(type: Type) -> int:
    return type.ndim if isinstance(type, Array) else 1


def entry(program: Program) -> str:
    """The text of the function, in whose text the emitted one is called `@NAME`."""
    w = Writer(program)
    types = [p.type for p in program.function.params] + [WORKSPACE] * bool(program.in_workspace)
    size = sum(map(words_of, types))
    w.entry += [
        f"  %given = alloca [{size} x i64], align 8",
        f"  call void @llvm.memset.p0.i64(ptr align 8 %given, i8 0, i64 {8 * size}, i1 false)",
        f"  %out = alloca [{program.words} x i64], align 8",
        "  %result = alloca ptr, align 8",
        "  store ptr null, ptr %result, align 8",
        "  %exc = alloca ptr, align 8",
        "  store ptr null, ptr %exc, align 8",
    ]
    places = [_word(w, "given", at) for at in _starts(types)]
    w.put(f"br i1 {w.do(f'icmp eq i64 %n, {len(types)}')}, label %taking, label %refusing")
    w.start("refusing")
    w.do("call i1 @unlike()")
    w.put("br label %leaving")
    w.start("taking")
    for k, (type, place) in enumerate(zip(types, places, strict=True)):
        _take(w, k, type, place)
    given = [
        text for type, place in zip(types, places, strict=True) for text in _read(w, type, place)
    ]
    if not program.in_workspace:
        given += ["ptr null", "i64 0"]
    _call(w, [*given, "ptr %out", "ptr %exc"])
    w.start("packing")
    _pack(w)
    w.start("leaving")
    for type, place in zip(types, places, strict=True):
        if not isinstance(type, Scalar):
            w.put(f"call void @forget(ptr {place})")
    w.put(f"ret ptr {w.do('load ptr, ptr %result, align 8')}")
    head = "define ptr @ENTRY(ptr %self, ptr %args, i64 %n) noinline optnone nounwind {"
    return w.closed(head).text


def _starts(types: list[Type]) -> Iterator[int]:
    """Where the words of each type begin."""
    at = 0
    for type in types:
        yield at
        at += words_of(type)


def _word(w: Writer, name: str, k: int) -> str:
    return w.do(f"getelementptr i64, ptr %{name}, i64 {k}")


# ---- arguments ----
def _take(w: Writer, k: int, type: Type, place: str) -> None:
    """Unpack an argument, or leave where it cannot be."""
    given = f"ptr {_load(w, 'ptr', '%args', k)}, ptr {place}"
    (good,) = w.labels("good")
    if isinstance(type, Scalar):
        there = w.do(f"call i1 @take_{_kind(type.dtype)}({given})")
    else:
        kind = ord(np_dtype(type.dtype).kind)
        known = f"i64 {size_of(type.dtype)}, i8 {kind}, i32 {ndim_of(type)}, i32 {_flags(type)}"
        there = w.do(f"call i1 @take_array({given}, {known})")
    w.put(f"br i1 {there}, label %{good}, label %leaving")
    w.start(good)


def _flags(type: Array | Tape) -> int:
    """NumPy's flags of the arrays that a parameter accepts."""
    strided = isinstance(type, Array) and type.layout != "C" and type.dims
    return WRITEABLE | (0 if strided else CONTIGUOUS)


def _kind(dtype: str) -> str:
    """The kind of Python number that a dtype is unpacked from."""
    if is_complex(dtype):
        return "complex"
    return {"b": "flag", "i": "signed", "u": "unsigned", "f": "float"}[dtype[0]]


def _read(w: Writer, type: Type, place: str) -> list[str]:
    """An unpacked argument as parameters of the emitted function."""
    if isinstance(type, Scalar):
        kind = "double" if _kind(type.dtype) in ("float", "complex") else "i64"
        found = [_load(w, kind, place, k) for k in range(words_of(type))]
        parts = zip(parts_of(type.dtype), found, strict=True)
        if type.dtype == "f16":
            return [f"i16 {narrowed(w, found[0], 'double')}"]
        return [f"{part} {_narrow(w, kind, value, part)}" for part, value in parts]
    n = ndim_of(type)
    if type is WORKSPACE:
        return [f"ptr {_load(w, 'ptr', place, DATA)}", f"i64 {_load(w, 'i64', place, LENGTHS)}"]
    out = [f"ptr {_load(w, 'ptr', place, k)}" for k in (DATA, MEMINFO, PARENT)]
    strided = isinstance(type, Array) and type.layout != "C"
    lengths = range(LENGTHS, LENGTHS + n * (1 + strided))
    return out + [f"i64 {_load(w, 'i64', place, k)}" for k in lengths]


def _load(w: Writer, kind: str, place: str, k: int) -> str:
    at = w.do(f"getelementptr i64, ptr {place}, i64 {k}") if k else place
    return w.do(f"load {kind}, ptr {at}, align 8")


def _narrow(w: Writer, kind: str, value: str, part: str) -> str:
    if kind == part:
        return value
    return w.do(f"{'fptrunc' if kind == 'double' else 'trunc'} {kind} {value} to {part}")


# ---- the call ----
def _call(w: Writer, given: list[str]) -> None:
    """Call the emitted function without Python's lock, and raise what it failed with."""
    thread = w.do("call ptr @PyEval_SaveThread()")
    code = w.do(f"call i32 @NAME({', '.join(given)})")
    w.put(f"call void @PyEval_RestoreThread(ptr {thread})")
    failing: dict[int, str] = {failures.NO_MEMORY: "call void @no_memory()"}
    if w.program.failure:
        failing[failures.FAILED] = f"call void @failed(ptr %out, i64 {8 * w.program.failure})"
    if w.program.helpers:
        failing[failures.RAISED] = "call void @raised(ptr %out, ptr %exc)"
    if w.program.guarded:
        failing[failures.OUTSIDE] = f"call void @PyErr_SetNone(ptr @{OUTSIDE})"
    labels = " ".join(f"i32 {number}, label %failing{number}" for number in failing)
    w.put(f"switch i32 {code}, label %leaving [ i32 0, label %packing {labels} ]")
    for number, text in failing.items():
        w.start(f"failing{number}")
        w.put(text)
        w.put("br label %leaving")


# ---- results ----
def _pack(w: Writer) -> None:
    """The tuple of the results; not one that lacks what could not be made."""
    types = [a.type for a in w.program.function.returns]
    made = w.do(f"call ptr @PyTuple_New(i64 {len(types)})")
    w.put(f"br i1 {w.do(f'icmp eq ptr {made}, null')}, label %leaving, label %filling")
    w.start("filling")
    for k, (type, at) in enumerate(zip(types, _starts(types), strict=True)):
        place, where = _word(w, "out", at), f"ptr {made}, i64 {k}"
        if isinstance(type, Scalar):
            number = _number(w, type.dtype, place)
            w.put(f"call i32 @PyTuple_SetItem({where}, ptr {number})")
        else:
            known = f"i32 {ndim_of(type)}, ptr @{symbol_of(type.dtype)}"
            w.put(f"call void @give_array({where}, ptr {place}, {known})")
    w.put(f"store ptr {w.do(f'call ptr @whole(ptr {made})')}, ptr %result, align 8")
    w.put("br label %leaving")


def _number(w: Writer, dtype: str, place: str) -> str:
    """A result that is a number, as an object."""
    kind, wide = _kind(dtype), []
    for k, part in enumerate(map(in_memory, parts_of(dtype))):
        v = _load(w, part, place, k)
        if dtype == "f16":
            v, part = widened(w, v), "float"
        if part == "float":
            v, part = w.do(f"fpext float {v} to double"), "double"
        elif part not in ("double", "i64"):
            v = w.do(f"{'sext' if kind == 'signed' else 'zext'} {part} {v} to i64")
        wide.append(f"{'double' if part == 'double' else 'i64'} {v}")
    maker = {
        "flag": "PyBool_FromLong", "signed": "PyLong_FromLongLong", "float": "PyFloat_FromDouble",
        "unsigned": "PyLong_FromUnsignedLongLong", "complex": "PyComplex_FromDoubles",
    }[kind]  # fmt: skip
    return w.do(f"call ptr @{maker}({', '.join(wide)})")
