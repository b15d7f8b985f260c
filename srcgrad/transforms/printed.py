"""The text of a program as a module of NumPy: with the user's parameters and results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from srcgrad.ir.text import identifier
from srcgrad.ir.types import Array
from srcgrad.passes.factor_once import by_matrices
from srcgrad.printing.header import literal
from srcgrad.printing.program import Interface, Parameter, Readable, readable
from srcgrad.transforms.program import Program
from srcgrad.tree import Leaf, filled, is_structured, part, paths

LITERAL = 64  # elements of a captured array that is written out
MOST = 100_000  # where all are
STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def printed(
    program: Program, arguments: Mapping[str, Any], signature: inspect.Signature,
    alone: bool = False,
) -> Readable:  # fmt: skip
    """The program as a function of these arguments.

    Arrays and numbers in containers are taken out at its beginning. Captured values are constants
    there as well; larger arrays are parameters after the others. What is to be used `alone` is
    exact (see `readable`), has all captured values, and checks what it was made for.
    """
    places = {path: k for k, path in enumerate(program.inputs)}
    shown = {n: _parameter(p, places.get((n,))) for n, p in signature.parameters.items()}
    opened = {
        k: _access(path, arguments[path[0]])
        for path, k in places.items()
        if path[0] in arguments and len(path) > 1
    }
    for k, h in enumerate(program.hidden, len(places)):
        text = _literal(h.path.fetch(), MOST if alone else LITERAL)
        if text is not None:
            opened[k] = text
    interface = Interface(
        tuple(shown[n] for n in arguments),
        opened,
        functools.partial(_result, program.output),
        tuple(_checks(program, arguments)) if alone else (),
    )
    return readable(by_matrices(program.function), interface, alone)


def _parameter(p: inspect.Parameter, place: int | None) -> Parameter:
    """A parameter as the user declares it, with defaults that can be written."""
    default = None if p.default is p.empty else _literal(p.default)
    return Parameter(identifier(p.name), place, STARS.get(p.kind, ""), default or "")


def _access(path: tuple, value: Any) -> str:
    """The expression of a leaf of an argument."""
    text = identifier(path[0])
    for key in path[1:]:
        item = not isinstance(key, str) or isinstance(value, Mapping) or is_structured(value)
        text += f"[{key!r}]" if item else f".{key}"
        value = part(value, key)
    return text


def _literal(value: Any, most: int = LITERAL) -> str | None:
    """A value as it is written; None if it is long, or nothing that Python can write."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        dtype: np.dtype[Any] = value.dtype
        if value.size > most or (dtype.kind in "fc" and not np.isfinite(value).all()):
            return None
        own = dtype in (np.dtype(float), np.dtype(int)) and value.size
        return f"np.array({value.tolist()!r}{'' if own else f', np.{dtype.name}'})"
    if type(value) in (tuple, list, dict):
        return _collection(value, most)
    simple = isinstance(value, int | float | complex | str | None)
    return literal(value) if simple else None


def _collection(value: tuple | list | dict, most: int) -> str | None:
    """A tuple, a list or a dict as it is written; None if one of its items is nothing to write."""
    keys, held = (list(value), value.values()) if isinstance(value, dict) else ([], value)
    items = [_literal(v, most) for v in (*keys, *held)]
    texts = [t for t in items if t is not None]
    if len(texts) < len(items) or len(texts) > most:
        return None
    if isinstance(value, dict):
        half = len(keys)
        pairs = zip(texts[:half], texts[half:], strict=True)
        return "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
    inside = ", ".join(texts)
    if isinstance(value, list):
        return f"[{inside}]"
    return f"({inside}{',' * (len(texts) == 1)})"


def _checks(program: Program, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Conditions that the arguments must meet, and what they are made for."""
    types = dict(zip(program.inputs, (p.type for p in program.function.params), strict=False))
    for name, argument in arguments.items():
        for path, value in paths(argument, (name,)):
            text, type = _access(path, argument), types.get(path)
            if isinstance(type, Array):
                yield f"np.ndim({text}) == {len(type.dims)}", f"{text} of rank {len(type.dims)}"
            elif type is None and isinstance(value, int | str | None):
                yield f"{text} == {literal(value)}", f"{text} = {literal(value)}"


class _Text(str):
    """A name within the text of a structure."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _result(template: Any, texts: list[str]) -> str:
    """The returned expression, in the structure of the user's result where Python can write it."""
    if not _is_plain(template):
        return ", ".join(texts)
    made = repr(filled(template, [_Text(t) for t in texts]))
    several = isinstance(template, tuple) and len(template) > 1
    return made[1:-1] if several else made


def _is_plain(template: Any) -> bool:
    if type(template) is dict:
        return all(_is_plain(v) for v in template.values())
    if type(template) in (tuple, list):
        return all(map(_is_plain, template))
    return type(template) is Leaf or isinstance(template, int | float | str | None)
