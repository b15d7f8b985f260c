"""Node classes, one per primitive and kind of operands, made on first need.

The reads of the primitive's rules decide which kind fits. Never makes a node.
"""

from __future__ import annotations

import functools
from typing import Any

from srcgrad.eager.generic_node import General
from srcgrad.eager.graph import label_of
from srcgrad.eager.nodes import OfInput, OfInputAndNumber, OfResult, Pair, Power, Scaling
from srcgrad.eager.rules import computed, reads, rule_on_arrays
from srcgrad.primitives import elementwise
from srcgrad.primitives.registry import ZERO, Primitive
from srcgrad.primitives.rules import rule_of


def _label(op: Primitive) -> str:
    return label_of(op.name)


def _made(kind: type, op: Primitive, k: int | None = None, **more: Any) -> Any:
    members: dict[str, Any] = {
        "__slots__": (), "op": op, "singular": op.singular, "label": _label(op), **more,
    }  # fmt: skip
    if k is not None:
        on_arrays: Any = rule_on_arrays(op, k)
        on_tensors: Any = rule_of(op, k)
        members["rule"], members["rule_recorded"] = (
            staticmethod(on_arrays),
            staticmethod(on_tensors),
        )
    return type(_label(op), (kind,), members)


class _General(dict):
    """The general node class of each primitive; None if it is declared to have no derivative."""

    def __missing__(self, op: Primitive) -> Any:
        constant = op.kind == "nondiff" and (not op.flat or op is elementwise.stop_gradient)
        self[op] = made = None if constant else _made(General, op, plans={})
        return made


GENERAL = _General()


def _partial(op: Primitive) -> dict[str, Any]:
    partial = computed(op)
    return {} if partial is None else {"partial": staticmethod(partial)}


@functools.cache
def unary(op: Primitive) -> Any:
    """The node class of f(x); None if only the general one fits."""
    if op.kind != "derive" or len(op.rules) != 1:
        return None
    match sorted(map(str, reads(op, 0, 1, ()))):
        case []:
            p = rule_on_arrays(op, 0)(None, None)  # type: ignore[misc]  (it has a rule)
            return _made(Scaling, op, constant=p)
        case ["0"]:
            return _made(OfInput, op, 0, **_partial(op))
        case ["y"]:
            return _made(OfResult, op, 0, **_partial(op))
    return None


class _Given:
    """Represents the number beside a tensor, which is itself the partial of a product."""

    def __rtruediv__(self, other: Any) -> Any:
        return None


@functools.cache
def with_number(op: Primitive, k: int) -> Any:
    """The node class of f(x, c), k = 0, or f(c, x), k = 1; None: the general one."""
    needs = reads(op, k, 2, ())
    if needs <= {1 - k}:
        given = _Given()
        args = (None, given) if k == 0 else (given, None)
        passes = k == 0 and bool(needs) and rule_on_arrays(op, k)(None, *args) is given  # type: ignore[misc]  (it has a rule)
        return _made(Scaling, op, k, passes=passes)
    if "y" not in needs:
        return _made(OfInputAndNumber, op, k, first=k == 0)
    return None


@functools.cache
def pair(op: Primitive) -> Any:
    """The node class of f(x, z) of like tensors; None: the general one."""
    needs = [reads(op, k, 2, ()) for k in (0, 1)]
    if any("y" in n for n in needs) or any(rule_of(op, k) is ZERO for k in (0, 1)):
        return None
    return _made(
        Pair, op,
        rules=(rule_on_arrays(op, 0), rule_on_arrays(op, 1)),
        rules_recorded=(rule_of(op, 0), rule_of(op, 1)),
        reads_x=tuple(0 in n for n in needs), reads_z=tuple(1 in n for n in needs),
    )  # fmt: skip


def _power() -> Any:
    on_arrays: Any = rule_on_arrays(elementwise.powi, 0)
    on_tensors: Any = rule_of(elementwise.powi, 0)
    return _made(
        Power, elementwise.powi, first=True, label="PowBackward0",
        rule=staticmethod(lambda y, a, n: on_arrays(y, a, n=n)),
        rule_recorded=staticmethod(lambda y, a, n: on_tensors(y, a, n=n)),
    )  # fmt: skip


POWER = _power()  # x ** n with an integer n other than 0 and 1
