"""Dicts, sets and queues of the run among the results: made of their lists after the call."""

from __future__ import annotations

import collections
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad import tree
from srcgrad.frontend.formulas.dicts_of_the_run import Table
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.grown_lists import GrownTable, Mixed, Ragged
from srcgrad.frontend.values import GrownList, Record, is_array, is_number
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import float_type
from srcgrad.records import record

SETS = (set, frozenset)


@record(frozen=True)
class ContainerOfRun:
    """A container among the results: the lists of its keys or members, and of its values.

    `fixed` is what else makes one: the factory of a `defaultdict`, the length of a `deque`.
    """

    cls: type
    lists: tuple[Any, ...]
    fixed: Any


def _like(like: ContainerOfRun, parts: Sequence[Any]) -> ContainerOfRun:
    """A container of other values; keys, which have no tangent, stay."""
    keys, *values = parts
    if values and not tree.leaf_numbers(keys):
        keys = like.lists[0]
    return ContainerOfRun(like.cls, (keys, *values), like.fixed)


def _made(like: ContainerOfRun, parts: Sequence[Any]) -> Any:
    keys, *values = parts
    if like.cls in SETS:
        return None if keys is None or (keys and None in keys) else like.cls(keys)
    if like.cls is tuple:
        return None if keys is None else tuple(keys)
    if like.cls is collections.deque:
        return None if keys is None else collections.deque(keys, like.fixed)
    (held,) = values
    items = zip(keys, itertools.repeat(None) if held is None else held, strict=False)
    if like.cls is collections.defaultdict:
        return collections.defaultdict(like.fixed, items)
    return like.cls(dict(items))


tree.add_kind(ContainerOfRun, tree.Kind(
    lambda v: v.lists,
    _like,
    lambda v: range(len(v.lists)),
    outside=_made,
))  # fmt: skip


def with_containers(v: Any, note: Callable[[Any, Any], None] | None = None) -> Any:
    """The value with those instances as containers that a function may return.

    `note` is called with each structure and what is made of it.
    """
    if not any(_is_returned(n) for n in tree.nodes(v)):
        return v

    def made(like: Any, parts: Sequence[Any]) -> Any:
        out = _contained(like, parts)
        if note is not None:
            note(like, out)
        return out

    return tree.mapped(v, lambda leaf: leaf, made)


def _is_returned(v: Any) -> bool:
    """Whether an instance of a class of formulas may be returned: keys and members are no floats.

    Theirs would have tangents, which are neither keys nor members of anything.
    """
    if not isinstance(v, Record) or v.cls not in INSTANCES:
        return False
    cls, items = INSTANCES[v.cls]
    if issubclass(cls, dict):
        factory = v.fields.get("factory")
        fixed = factory is None or isinstance(factory, type | types.FunctionType)
        own = issubclass(v.cls, Table) and v.cls.holding is Table.holding
        return own and fixed and not _has_floats(v.fields[items])
    if cls is tuple:
        return True
    if cls is collections.deque:
        return not isinstance(v.fields["maxlen"], Var)
    return cls in SETS and not _has_floats(v.fields[items])


def why_inside(v: Record) -> tuple[str, str]:
    """The reason why such an instance is not returned, and what of it is."""
    cls, items = INSTANCES[v.cls]
    if cls is tuple:
        return "whose length only the run tells", "items: np.array(...)"
    floats = cls is not collections.deque and _has_floats(v.fields[items])
    if issubclass(cls, dict):
        if floats:
            return "whose keys are floats or of several kinds", "items: list(d.items())"
        if not (issubclass(v.cls, Table) and v.cls.holding is Table.holding):
            return "whose values are lists that grow", "lists: [np.array(v) for v in d.values()]"
        return "which is made inside only", "items: list(d.items())"
    if cls is collections.deque:
        return "whose maxlen only the run tells", "items: list(q)"
    return (
        "whose members are floats" if floats else "which is made inside only"
    ), "members: sorted(s)"


def _has_floats(v: Any) -> bool:
    if isinstance(v, Mixed):
        return True
    if isinstance(v, Ragged):
        return float_type(v.dtype)
    if isinstance(v, GrownTable):
        return any(map(_has_floats, v.columns))
    if isinstance(v, GrownList):
        return float_type(v.dtype)
    held = [x for x in tree.leaves(v) if is_number(x) or isinstance(x, Var) or is_array(x)]
    return any(float_type(atom(x).type) for x in held)


def _contained(like: Any, parts: Sequence[Any]) -> Any:
    if not _is_returned(like):
        return tree.rebuilt(like, parts)
    cls, items = INSTANCES[like.cls]
    fields = dict(zip(like.fields, parts, strict=True))
    values = (fields["held"],) if issubclass(cls, dict) else ()
    fixed = fields.get("factory", fields.get("maxlen"))
    return ContainerOfRun(cls, (fields[items], *values), fixed)
