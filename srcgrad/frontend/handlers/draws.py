"""Random draws as IR: standard ones, and formulas of them for distributions with parameters.

A generator in compiled code is a `Record` of its class, with the array that holds its number. A
draw with parameters is a formula of a standard draw where that is what NumPy and Python compute,
operation by operation; its derivative is pathwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from srcgrad.frontend.guards import Path
from srcgrad.frontend.handlers.creation import dims_of
from srcgrad.frontend.handlers.numbered import HANDLE
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record, describe, is_array, is_number, is_value
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, is_int
from srcgrad.tree import registered_as


def drawn(
    it: Interpreter, owner: Record, words: tuple[Any, ...], dims: list[Any] | None,
    *operands: Any, dtype: str = "f64", weak: bool = True,
) -> Any:  # fmt: skip
    """Numbers that a generator draws: an array; for dims that are None one, Python's if `weak`."""
    b, shape = it.b, [] if dims is None else dims
    number = b.load(owner.fields[HANDLE], 0)
    flat = b.draw(
        b.total([0, b.size(shape)]), number, *shape, *operands,
        words=words, rank=len(shape), dtype=dtype, name="drawn",
    )  # fmt: skip
    if dims is None:
        return b.retyped(b.load(flat, 0), Scalar(dtype, weak))
    return b.reshape(flat, *dims) if len(dims) != 1 else flat


def size_of(it: Interpreter, node: Node, size: Any) -> list[Any] | None:
    """The dims of a `size=`; None for a single number."""
    if size is None:
        return None
    dims = dims_of(it, node, size)
    if not dims:
        it.refuse(node, "size=() is not supported", "leave it out: a number is drawn")
    return dims


def parameter(it: Interpreter, node: Node, v: Any, name: str) -> Any:
    """A parameter of a distribution, in double precision as NumPy takes it."""
    if not is_value(v):
        v = it.call(np.asarray, [v], {}, node)
    if is_array(v) and not v.type.dims:
        v = it.b.load(v)
    if is_complex(atom(v).type.dtype):
        it.wrong(node, f"{name} is complex: {describe(v)}", TypeError)
    if is_number(v):
        return float(v)  # type: ignore[arg-type]  (a number)
    return it.b.cast(it.b.value(atom(v)), Scalar("f64"))


def operand(it: Interpreter, node: Node, v: Any, name: str) -> Any:
    """A parameter that NumPy gets as it is: an integer stays one."""
    if not is_value(v):
        v = it.call(np.asarray, [v], {}, node)
    if not is_complex(atom(v).type.dtype) and is_int(atom(v).type.dtype):
        return it.b.load(v) if is_array(v) and not v.type.dims else it.b.value(atom(v))
    return parameter(it, node, v, name)


def refuse_negative(it: Interpreter, node: Node, v: Any, name: str) -> None:
    """Lets the program raise where a parameter is negative or -0.0, as NumPy does."""
    negative = it.call_numpy(np.signbit, [v], {}, node)
    known = it.call_numpy(np.logical_not, [it.call_numpy(np.isnan, [v], {}, node)], {}, node)
    wrong = it.call_numpy(np.logical_and, [negative, known], {}, node)
    if is_array(wrong):
        wrong = it.call_numpy(np.any, [wrong], {}, node)
    it.fail_if(wrong, "ValueError", f"{name} < 0")


def dims_with(it: Interpreter, node: Node, size: Any, *given: Any) -> list[Any] | None:
    """The dims of draws of parameters: `size`, to which these broadcast, or those of them all."""
    shapes = [v.type.dims for v in given if is_array(v)]
    if size is None:
        if not shapes:
            return None
        return list(it.call_numpy(np.broadcast_shapes, [tuple(s) for s in shapes], {}, node))
    dims = size_of(it, node, size)
    for s in shapes:
        if len(s) > len(dims or ()):
            said = f"Output size {describe(size)} is not compatible with the parameters' shape"
            it.wrong(node, said, ValueError)
        it.b.check_assign(*(dims or ()), *s, split=len(dims or ()))
    return dims


def scaled(it: Interpreter, node: Node, start: Any, scale: Any, z: Any) -> Any:
    """start + scale * z"""
    product = it.call_numpy(np.multiply, [scale, z], {}, node)
    return it.call_numpy(np.add, [start, product], {}, node)


def as_python(it: Interpreter, v: Any) -> Any:
    """A number as one of Python's."""
    return v if is_array(v) or is_number(v) else it.b.retyped(atom(v), Scalar("f64", True))


# ---- generators that are made ----
def with_seed(it: Interpreter, node: Node, seed: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """A seed as words, if it is known when compiling, or as operands."""
    if isinstance(seed, list | tuple) or is_array(seed):
        seed = it.call(np.asarray, [seed], {}, node)
    if is_value(seed) and not is_number(seed):
        if not is_int(atom(seed).type.dtype):
            it.refuse(
                node, f"a seed is {describe(seed)}", "make it an integer: int(seed)", TypeError
            )
        return (), (it.b.value(seed),)
    if isinstance(seed, np.generic):
        seed = seed.item()
    if not isinstance(seed, int | float | str | bytes | None):
        it.refuse(node, f"a seed is {describe(seed)}", "make the generator outside, and pass it")
    return (seed,), ()


def made(it: Interpreter, node: Node, cls: type, function: str, seed: Any) -> Record:
    """A new generator."""
    words, operands = with_seed(it, node, seed)
    handle = it.b.draw(
        1, 0, *operands, words=("made", function, *words), rank=0, dtype="i64", name="generator"
    )
    return Record(cls, {HANDLE: handle})


def around(it: Interpreter, node: Node, cls: type, source: Record) -> Record:
    """A new generator around a source of bits, which others may share."""
    number = it.b.load(source.fields[HANDLE], 0)
    words = ("around",)
    handle = it.b.draw(1, 0, number, words=words, rank=0, dtype="i64", name="generator")
    return Record(cls, {HANDLE: handle})


def reseed(it: Interpreter, node: Node, owner: Record, seed: Any) -> None:
    """Lets a generator begin anew."""
    words, operands = with_seed(it, node, seed)
    number = it.b.load(owner.fields[HANDLE], 0)
    it.b.draw(0, number, *operands, words=("seeded", *words), rank=0, dtype="i64", name="nothing")


def method(*functions: Any) -> Callable[[Callable], Callable]:
    """Registers a handler for methods of generators."""

    def register(handler: Callable) -> Callable:
        @wraps(handler)
        def of_generator(
            it: Interpreter, node: Node, /, self: Any, *args: Any, **named: Any
        ) -> Any:
            return handler(it, node, _generator(it, node, self), *args, **named)

        implements(*functions)(of_generator)
        return of_generator

    return register


def _generator(it: Interpreter, node: Node, owner: Any) -> Record:
    """A generator in compiled code; refuses one of a class of the user's."""
    if isinstance(owner, Record) and HANDLE in owner.fields:
        return owner
    if registered_as(type(owner)) is None:
        cls = owner.cls if isinstance(owner, Record) else type(owner)
        it.refuse(
            node, f"a generator of the class {cls.__name__} is not supported",
            "use one of NumPy's or Python's own: np.random.default_rng(), random.Random()",
        )  # fmt: skip
    return captured_generator(it, node, owner)


def captured_generator(it: Interpreter, node: Node, owner: Any) -> Record:
    """A generator that is captured as the owner of a method."""
    it.captures.inlined.append(owner)  # keeps it alive, and so its id
    return it.captures.take(it, Path("self", owner), "self", node)
