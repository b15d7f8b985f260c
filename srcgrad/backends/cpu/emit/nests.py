"""Nests of loops as functions of their own; equal nests share one.

LLVM's time for a function grows faster than its length. A nest has its live-ins as parameters; but
it recomputes sums, products and steps, so that LLVM sees how places depend on each other.
Pointers are `noalias` if no other name of the nest leads to the same memory. A nest owns
nothing and calls nothing of the library.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit import state
from srcgrad.backends.cpu.emit.failures import guard, leave_again
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.values import (
    List,
    Ref,
    is_constant,
    not_emitted,
    number,
    parts_of,
    texts,
)
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def, For, Stmt, Var
from srcgrad.ir.types import Scalar, is_reference
from srcgrad.ir.walk import free_variables, inner_definitions, walk
from srcgrad.primitives import callbacks, draws, memory, messages, tapes
from srcgrad.routines.external import extern, extern_of_blas

# operations that own memory or call the library
OUTSIDE = {
    memory.zeros, memory.empty, tapes.tape, tapes.tape_like, tapes.reserve, tapes.reftape,
    tapes.ref_get, tapes.ref_put, *messages.WRITTEN, callbacks.call_back, draws.draw, extern,
    extern_of_blas, *CALLS,
}  # fmt: skip


def outlined(w: Writer, s: For, loop: Callable[[Writer, For], None]) -> bool:
    """Writes a nest as a call; False if it has to stay in its function."""
    if w.owners is None or not fits(s, w.program):
        return False
    nest = Nest(w)
    inner, free = nest.inner, free_variables((s,))
    for v in free:
        inner.env[v] = nest.passed(v)
    loop(inner, s)
    _call(w, s, nest)
    return True


def fits(s: For, program: state.Program) -> bool:
    """Whether a nest is small enough, and neither owns memory nor calls the library."""
    for count, x in enumerate(walk((s,)), 1):
        if count > state.MOST:
            return False
        if isinstance(x, Def):
            scalar = x.var is not None and isinstance(x.var.type, Scalar)
            if x.op in OUTSIDE and not (scalar and x.op in (memory.zeros, memory.empty)):
                return False
            if x.var in program.outlived:
                return False
            continue
        spreads = isinstance(x, For) and x.independent
        if spreads or any(is_reference(v.type) for v in (*x.results, *inner_definitions(x))):
            return False
    return not _holds_equals(s)


def _holds_equals(s: For) -> bool:
    """Whether nests of a loop have the same operations: outlined themselves, they may share one.

    Time steps that are written twice, with two arrays in turn, are such nests.
    """
    nests = [t for t in s.body if isinstance(t, For) and any(isinstance(u, For) for u in t.body)]
    return len(nests) > len({tuple(map(_operation, walk((t,)))) for t in nests})


def _operation(s: Stmt) -> object:
    return (s.op, len(s.args)) if isinstance(s, Def) else s.__class__


class Nest:
    """The function of a nest, and its parameters: their names by those of the caller."""

    def __init__(self, outer: Writer, owners: Owners | None = None):
        self.outer = outer
        self.inner = Writer(outer.program, owners)
        self.inner.label = "begin"
        self.inner.site_of = self.site
        self.inner.passing, self.inner.watched = outer.passing, outer.watched
        self.given: dict[
            str, tuple[str, str]
        ] = {}  # a name outside -> the LLVM type, the name here
        self.classes: dict[str, Var] = {}  # a pointer outside -> its alias class
        self.first: int | None = None  # the number of its first site

    def take(self, kind: str, name: str) -> str:
        """The name in the nest of a value of the caller's."""
        if is_constant(name):
            return name
        recipe = self.outer.recipes.get(name)
        if recipe is not None:
            make, operands = recipe
            return make(self.inner, *(self.take(kind_of(make), a) for a in operands))
        if name not in self.given:
            self.given[name] = kind, f"%a{len(self.given)}"
        return self.given[name][1]

    def site(self, number: int) -> str:
        """A site's number, counted from the first, which is a parameter.

        Nests that differ in such numbers only are equal.
        """
        if self.first is None:
            self.first = number
            self.given["#"] = "i64", f"%a{len(self.given)}"
        base, further = self.given["#"][1], number - self.first
        return self.inner.do(f"add nsw i64 {base}, {further}") if further else base

    def of_caller(self, name: str) -> str:
        """The caller's argument for a key of `given`."""
        if name != "#":
            return name
        assert self.first is not None
        return self.outer.site_of(self.first)

    def passed(self, v: Var) -> Any:
        w = self.outer
        value = w.ref(v) if isinstance(w.env[v], Ref) else w.env[v]
        if isinstance(value, List):
            # `fits` leaves the operations on lists outside
            raise not_emitted("a list of references in a nest")
        if not isinstance(value, Ref):
            kinds = parts_of(v.type.dtype)
            return number([self.take(k, x) for k, x in zip(kinds, texts(value), strict=True)])
        if not is_constant(value.data):
            self.classes[value.data] = w.program.classes.of(v)
        dims = tuple(self.take("i64", d) for d in value.dims)
        if value.layout == "C":
            strides = self.inner.contiguous(dims, value.dtype)
        else:
            strides = tuple(self.take("i64", x) for x in value.strides)
        low, high = (self.take("i64", x) for x in value.bounds)
        mi = self.take("ptr", value.mi) if w.program.guarded else "null"
        data, off = self.take("ptr", value.data), self.take("i64", value.off)
        return replace(value, data=data, dims=dims, strides=strides, mi=mi, off=off,
                       bounds=(low, high))  # fmt: skip


def kind_of(make: Callable[..., str]) -> str:
    """The LLVM type of the operands of a recipe."""
    return "i1" if make.__name__ == "_bit" else "i64"


def _call(w: Writer, s: For, nest: Nest) -> None:
    inner = nest.inner
    results = [
        (kind, part)
        for r in s.results
        for kind, part in zip(parts_of(r.type.dtype), texts(inner.env[r]), strict=True)
    ]
    if inner.fails:
        results.insert(0, ("i32", "0"))
    kind = f"{{ {', '.join(k for k, _ in results)} }}" if results else "void"
    value = "undef"
    for k, (t, v) in enumerate(results):
        value = inner.do(f"insertvalue {kind} {value}, {t} {v}, {k}")
    inner.put(f"ret {kind} {value}" if results else "ret void")
    body = inner.closed("{")
    text = body.text.replace("@RESULT", kind)
    used = set(re.findall(r"%a\d+", text))
    passed = [(k, name, here) for name, (k, here) in nest.given.items() if here in used]
    alone = _alone(nest, [name for k, name, _ in passed if k == "ptr"])
    params = [f"{k} {'noalias ' * (name in alone)}{here}" for k, name, here in passed]
    args = [f"{k} {nest.of_caller(name)}" for k, name, _ in passed]
    if inner.fails:
        params.append("ptr noalias %out")
        args.append("ptr %out")
    if inner.polled:
        w.polled = True
        params.append("ptr noalias %poll")
        args.append("ptr %poll")
    order = {here: f"%p{k}" for k, (_, _, here) in enumerate(passed)}
    whole = f"({', '.join(params)}) noinline nounwind {text}"
    whole = f"{kind} @NEST" + re.sub(r"%a\d+", lambda m: order[m[0]], whole)
    name = w.program.nests.setdefault(whole, f"nest{len(w.program.nests)}")
    w.program.nest_notes.setdefault(name, body.notes)
    call = f"call {kind} @{name}({', '.join(args)})"
    if not results:
        w.put(call)
        return
    out = w.do(call)
    found = [w.do(f"extractvalue {kind} {out}, {k}") for k in range(len(results))]
    if inner.fails:
        code = found.pop(0)
        guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: leave_again(w, code))
    for r in s.results:
        n = len(parts_of(r.type.dtype))
        w.env[r], found = number(found[:n]), found[n:]


def _alone(nest: Nest, pointers: list[str]) -> set[str]:
    """The pointers whose memory no other pointer of the nest may alias."""
    known = [nest.classes[p] for p in pointers if p in nest.classes]
    many = Counter(known)
    return {p for p in pointers if p in nest.classes and many[nest.classes[p]] == 1}
