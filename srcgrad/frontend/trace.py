"""The way in: a Python function and the kinds of its arguments become an IR function.

An argument's structure (tuples, dicts, dataclasses) is taken apart into leaves; each run-time
leaf is a parameter. The result's structure is described by a template.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend import source
from srcgrad.frontend.captures import Captures, Demands, Guard, Hidden, type_of_value
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.values import (
    GrownList,
    Record,
    children,
    describe,
    is_dataclass_instance,
    is_number,
    is_value,
    rebuild,
)
from srcgrad.ir.nodes import Atom, Function, Var, atom


@dataclass(frozen=True)
class Leaf:
    """A place in a template: the k-th atom."""

    k: int


@dataclass(frozen=True)
class Traced:
    """An IR function with what is needed to call it."""

    function: Function
    inputs: tuple[tuple, ...]  # the path of each parameter that is an argument
    hidden: tuple[Hidden, ...]  # the parameters after them
    guards: tuple[Guard, ...]
    output: Any  # a template of Leafs and static values
    source: source.Source


def trace(
    function: types.FunctionType, arguments: dict[str, Any], demands: Demands, name: str = ""
) -> Traced:
    """Interpret `function` for arguments like these (their values are not read, only kinds).

    Raises `Respecialise` when the demands have grown, `UnsupportedError` for what is refused.
    """
    found = source.find(function)
    captures = Captures(demands)
    it = Interpreter(captures)
    it.b.entry = []  # type: ignore[attr-defined]
    params: list[Var] = []
    paths: list[tuple] = []

    def argument(value: Any, path: tuple, label: str) -> Any:
        if type_of_value(value) is not None and path not in demands.static_leaves:
            if not (isinstance(value, bool) and False):
                var = captures.parameter(it.b, label, value, path)
                params.append(var)
                paths.append(path)
                return var
        if is_dataclass_instance(value):
            names = list(type(value).__dataclass_fields__)
            return Record(
                type(value), {f: argument(getattr(value, f), (*path, f), f) for f in names}
            )
        parts = children(value)
        if parts is not None:
            keys = list(value) if isinstance(value, dict) else range(len(parts))
            names = getattr(value, "_fields", None) or [_label(label, k) for k in keys]
            return rebuild(
                value,
                [argument(p, (*path, k), n) for k, p, n in zip(keys, parts, names, strict=True)],
            )
        return value

    env = {n: argument(v, (n,), n) for n, v in arguments.items()}
    result = it.inline(found, env, None, found.tree)
    atoms: list[Atom] = []
    output = _template(it, result, atoms, found)
    body = (*it.b.entry, *it.b.out)  # type: ignore[attr-defined]
    hidden = tuple(captures.hidden.values())
    fn = Function(
        name or found.name, (*params, *(h.var for h in hidden)), body, tuple(atoms)
    )
    return Traced(fn, tuple(paths), hidden, tuple(captures.guards.values()), output, found)


def _label(label: str, key: Any) -> str:
    return str(key) if isinstance(key, str) and key.isidentifier() else f"{label}_{key}"


def _template(it: Interpreter, v: Any, atoms: list[Atom], found: source.Source) -> Any:
    if isinstance(v, GrownList):
        import numpy as np

        v = it.call_numpy(np.array, [v], {}, found.tree)
    if is_value(v) and (isinstance(v, Var) or is_number(v)):
        atoms.append(atom(v))
        return Leaf(len(atoms) - 1)
    parts = children(v)
    if parts is not None:
        return rebuild(v, [_template(it, p, atoms, found) for p in parts])
    if v is None or isinstance(v, str | bool | type):
        return v
    raise ArgumentTypeError(
        f"{found.name}() returns {describe(v)}, which is not a number, an array or a container of them",
        found.location(found.tree),
    )
