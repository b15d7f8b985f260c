"""Interprets the loop over the activations of a recursive function, and its stack.

What a call keeps is flattened as a branch flattens what it joins: numbers lie on a tape for each of
them, at the depth of the call; arrays are the caller's own, on tapes of references, each in a place
that no other call takes, so that reverse mode finds it there.
"""

from __future__ import annotations

import sys
from typing import Any

from srcgrad.frontend.branches import lasting
from srcgrad.frontend.conflicts import conflict
from srcgrad.frontend.flattening import Carrier
from srcgrad.frontend.frame import POISON, Poisoned
from srcgrad.frontend.heap import reachable, restore, snapshot
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.joins import (
    ArraySpec,
    MaybeSpec,
    PartsSpec,
    SeveralSpec,
    Spec,
    StaticSpec,
    join_specs,
    loose,
    several,
    spec_of,
)
from srcgrad.frontend.recursion import TOO_DEEP
from srcgrad.frontend.recursive.blocks import CALLS, DEPTH, STACK
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    UNBOUND,
    Abstract,
    Closure,
    GrownList,
    Iterated,
    Partial,
    Range,
    Several,
    describe,
    is_array,
    plain,
)
from srcgrad.ir.nodes import Def, Var, atom
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.records import record
from srcgrad.tree import children

DONE = -1  # the number of the block that goes on after the first call


@record(eq=False)
class Stack(Abstract):
    """The memory of calls that have begun: the block that goes on after each, and what it reads."""

    next: Var
    calls: Var  # numbers of calls: places of references
    count: Var  # the number of all calls so far
    known: set[int]  # containers that were there before
    specs: dict[int, tuple[Spec, ...]]  # what each call keeps, by the number of its block
    columns: dict[int, list[Var]]  # its tapes, if these kinds were known when it was made
    changed: bool = False


def around(it: Interpreter, node: Any) -> None:
    """The loop; it is interpreted again until the kinds of all that calls keep are known.

    The stack is made at the beginning of the program, once for all executions of the loop.
    """
    specs: dict[int, tuple[Spec, ...]] = {}
    before = snapshot(it)
    while True:
        first = it.mark()
        with it.b.block() as head:
            stack = _opened(it, lasting(it, before), specs)
        it.env[STACK] = stack
        with it.b.block() as out:
            it.env[CALLS] = it.b.retyped(it.b.load(stack.count, 0), INT)
            it.loop(node, None)
            it.b.store(stack.count, 0, it.b.cast(it.env[CALLS], Scalar("i64")))
        if not stack.changed:
            it.heads[-1][1].extend(head)
            it.b.out.extend(out)
            return
        it.forget(first)
        restore(it, before)


def _opened(it: Interpreter, known: set[int], specs: dict[int, tuple[Spec, ...]]) -> Stack:
    b = it.b
    following, calls = (b.tape(16, dtype="i64", name=n) for n in ("next", "calls"))
    b.store(following, 0, DONE)
    columns = {}
    for number, kept in specs.items():
        types = [v.type for s in kept for v in Carrier(it).fresh(s, "kept")[0]]
        columns[number] = [
            b.reftape(dtype=t.dtype, ndim=t.ndim, name="kept")
            if isinstance(t, Array)
            else b.tape(16, dtype=t.dtype, name="kept")
            for t in types
        ]
    count = b.zeros(1, dtype="i64", name="count")
    return Stack(following, calls, count, known, specs, columns)


def entered(it: Interpreter, node: Any) -> tuple[Any, Any]:
    """Puts names on the stack; the depth and the number of calls after it."""
    stack, b = it.env[STACK], it.b
    depth, call, *values = (it.env.get(n.id, UNBOUND) for n in node.elts)
    _learn(it, stack, node, values)
    depth = b.add(depth, 1)
    it.fail_if(plain(b.ge(depth, sys.getrecursionlimit())), "RecursionError", literal(TOO_DEEP))
    after = b.add(depth, 1)
    kept = [(stack.next, atom(node.number)), (stack.calls, atom(call))]
    carrier = Carrier(it)
    _freeze(it, reachable([*values], stack.known))
    atoms = [a for s, v in zip(stack.specs[node.number], values, strict=True)
             for a in carrier.flatten(s, v)]  # fmt: skip
    kept += zip(stack.columns.get(node.number, ()), atoms, strict=False)
    for tape, a in kept:
        if is_array(a):
            b.ref_put(tape, call, a)
        else:
            b.reserve(tape, after)
            b.store(tape, depth, b.cast(a, Scalar(tape.type.dtype)))
    return plain(depth), plain(b.add(call, 1))


def _learn(it: Interpreter, stack: Stack, node: Any, values: list[Any]) -> None:
    """Joins the kinds of what a call keeps with those known so far."""
    specs = []
    old = stack.specs.get(node.number)
    for k, (n, v) in enumerate(zip(node.elts[2:], values, strict=True)):
        if v is POISON:
            raise Poisoned
        spec = on_stack(loose(spec_of(v, False, stack.known, it.captures.classes)))
        if (kind := _unsuited(spec)) is not None:
            it.refuse(n, f"'{n.id}' is {kind}, which a call of itself comes before",
                      "make it before the first call, and pass it on")  # fmt: skip
        if old is not None:
            joined = join_specs(old[k], spec) or several(old[k], spec)
            if joined is None:
                it.refuse(n, f"'{n.id}' changes kind in a recursion: {_conflict(old[k], v)}",
                          "give the name one kind of value, or use two names")  # fmt: skip
            spec = joined
        specs.append(spec)
    if old is None or tuple(specs) != old:
        stack.specs[node.number], stack.changed = tuple(specs), True
        stack.columns.pop(node.number, None)


def _freeze(it: Interpreter, containers: dict[int, Any]) -> None:
    """Lets nothing change containers of which the stack has a copy."""
    it.frozen.update(containers)


def _conflict(spec: Spec, v: Any) -> str:
    static = isinstance(spec, StaticSpec)
    return conflict(spec.value, v).reason if static else f"it is {describe(v)} too"


def on_stack(spec: Spec) -> Spec:
    """The spec of a value on the stack: references tell no layout."""
    match spec:
        case ArraySpec():
            return ArraySpec(spec.dtype, spec.dims, "S")
        case PartsSpec() if spec.same is None:
            return PartsSpec(spec.kind, spec.keys, tuple(map(on_stack, spec.parts)))
        case MaybeSpec():
            return MaybeSpec(on_stack(spec.inner), spec.absent)
        case SeveralSpec():
            return SeveralSpec(on_stack(spec.one), on_stack(spec.other))
    return spec


def _unsuited(spec: Spec) -> str | None:
    """The kind of a value that cannot be kept on the stack; None if it can."""
    match spec:
        case PartsSpec() if spec.same is not None:
            return None
        case PartsSpec():
            return next((k for p in spec.parts if (k := _unsuited(p)) is not None), None)
        case MaybeSpec():
            return _unsuited(spec.inner)
        case SeveralSpec():
            return _unsuited(spec.one) or _unsuited(spec.other)
        case StaticSpec(Closure() | Partial()):
            return "a function"
        case StaticSpec(Iterated()):
            return "an iterator"
    return None


def resumed(it: Interpreter, node: Any) -> tuple:
    """The depth, and the values of the names that were put on the stack."""
    stack, b, depth = it.env[STACK], it.b, it.env[DEPTH]
    specs = stack.specs.get(node.number)
    if specs is None:  # no path that is known so far begins this call
        it.fail("RuntimeError", "no call returns to this place")
    columns = iter(stack.columns.get(node.number, ()))
    call, values = None, []
    for spec in specs:
        carrier = Carrier(it)
        variables, value = carrier.fresh(spec, "kept")
        _freeze(it, {id(v): v for v in carrier.made if v is not None})
        values.append(value)
        pairs = list(zip(variables, columns, strict=False))
        for v, tape in sorted(pairs, key=lambda p: isinstance(p[0].type, Array)):  # lengths first
            if isinstance(v.type, Array):
                call = b.load(stack.calls, depth) if call is None else call
                made = b.table["ref_get"], (tape, call, *map(atom, v.type.dims)), {}
            else:
                made = b.table["cast"], (b.load(tape, depth),), {"dtype": v.type.dtype}
            b.definition[v] = Def(v, *made, b.loc)
            b.append(b.definition[v])
    return (plain(b.sub(depth, 1)), *values)


def leaving(it: Interpreter, node: Any) -> Any:
    """The number of the block that goes on after a return."""
    return it.b.retyped(it.b.load(it.env[STACK].next, it.env[DEPTH]), INT)


def passed(it: Interpreter, node: Any) -> tuple:
    """Arguments of a call, or a result; refuses functions that read the names of their call."""
    values = tuple(it.operand(n) for n in node.elts)
    for n, v in zip(node.elts, values, strict=True):
        if _has_function_of(it.frame, v):
            it.refuse(n, "it makes a function that it passes on or returns",
                      "make it before the first call, or pass what it reads")  # fmt: skip
    return values


def _has_function_of(frame: Any, v: Any) -> bool:
    """Whether a value holds a function that was made in a frame."""
    match v:
        case Closure():
            return v.frame is frame
        case Partial():
            return any(_has_function_of(frame, p) for p in (v.func, *v.args, *v.keywords.values()))
        case Several():
            return _has_function_of(frame, v.one) or _has_function_of(frame, v.other)
    return any(_has_function_of(frame, p) for p in children(v) or ())


def forgotten(it: Interpreter, node: Any) -> tuple:
    return (UNBOUND,) * node.value


def sequence(it: Interpreter, node: Any) -> Any:
    """The items of a loop that reads them by their places."""
    (items,) = node.elts
    value = it.operand(items)
    if not (is_array(value) or isinstance(value, list | tuple | Range | GrownList)):
        it.refuse(items, f"a loop with calls of itself runs over {describe(value)}",
                  "make a list or an array of it before the loop")  # fmt: skip
    return value
