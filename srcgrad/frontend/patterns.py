"""`match`: each case is a test and bindings, tried in order as an `if` chain.

A pattern on values known at compile time is decided then; one on run-time numbers compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from srcgrad.frontend.control_flow import either
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.formulas.registry import class_represented
from srcgrad.frontend.frame import scope_of
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    Abstract,
    GrownList,
    Iterated,
    Range,
    Record,
    describe,
    is_array,
    is_value,
)
from srcgrad.ir.nodes import Var


def do_match(it: Interpreter, node: gast.Match) -> None:
    subject = it.expression(node.subject)
    _cases(it, node, subject, node.cases)


def _cases(it: Interpreter, node: Node, subject: Any, cases: list[Any]) -> None:
    if not cases:
        return
    case, rest = cases[0], cases[1:]
    bound: dict[str, Any] = {}
    test = _matches(it, case.pattern, subject, bound)
    if test is False:
        _cases(it, node, subject, rest)
        return

    def guarded() -> None:
        for name, value in bound.items():
            scope_of(it.frame, name)[name] = value
        if case.guard is None:
            it.block(case.body)
            return
        passed = it.condition(case.guard)
        it.branch(
            passed, lambda: it.block(case.body), lambda: _cases(it, node, subject, rest),
            node, live_rest=True,
        )  # fmt: skip

    it.branch(test, guarded, lambda: _cases(it, node, subject, rest), node, live_rest=True)


def _matches(it: Interpreter, p: Any, v: Any, bound: dict[str, Any]) -> Any:
    """Whether a value fits a pattern: a bool now, or a run-time one."""
    match p:
        case gast.MatchValue():
            return _same_value(it, p, v)
        case gast.MatchSingleton():
            if isinstance(v, Var) and isinstance(p.value, bool):
                it.refuse(p, "a run-time value cannot be matched with True or False", "use if")
            return v is p.value
        case gast.MatchAs():
            test = True if p.pattern is None else _matches(it, p.pattern, v, bound)
            if p.name is not None:
                bound[p.name] = v
            return test
        case gast.MatchOr():
            return _any_of(it, p, v, bound)
        case gast.MatchSequence():
            return _sequence(it, p, v, bound)
        case gast.MatchMapping():
            return _mapping(it, p, v, bound)
        case gast.MatchClass():
            return _class(it, p, v, bound)
    it.refuse(p, f"the pattern {type(p).__name__} is not supported", "use if")


def _same_value(it: Interpreter, p: Any, v: Any) -> Any:
    want = it.expression(p.value)
    if is_array(v) or is_array(want):
        it.refuse(p, "an array cannot be matched with a value", "use if", like=ValueError)
    if isinstance(v, Var) and not is_value(want):
        return False
    return it.truth(it.compare(gast.Eq(), v, want, p), p)


def _both(it: Interpreter, a: Any, c: Any) -> Any:
    if a is False or c is False:
        return False
    return c if a is True else a if c is True else it.b.logical_and(a, c)


def _any_of(it: Interpreter, p: Any, v: Any, bound: dict[str, Any]) -> Any:
    found: Any = False
    for option in p.patterns:
        names: dict[str, Any] = {}
        test = _matches(it, option, v, names)
        if test is False:
            continue
        if names and isinstance(test, Var):
            it.refuse(p, "alternatives that bind names are chosen at run time", "use if")
        if test is True and found is False:
            bound.update(names)
            return True
        found = test if found is False else True if test is True else either(it, found, test)
    return found


def _sequence(it: Interpreter, p: Any, v: Any, bound: dict[str, Any]) -> Any:
    if is_array(v) or isinstance(v, GrownList):
        # NumPy's arrays are not sequences to `match`; a list that grows has no static length
        if is_array(v):
            return False
        it.refuse(p, "a list that grows at run time cannot be matched", "use if")
    _refuse_instance(it, p, v, Sequence)
    if not isinstance(v, list | tuple) or isinstance(v, Iterated):
        return False
    stars = [k for k, q in enumerate(p.patterns) if isinstance(q, gast.MatchStar)]
    n = len(p.patterns)
    if len(v) != n if not stars else len(v) < n - 1:
        return False
    k, extra = (stars[0], len(v) - n + 1) if stars else (n, 0)
    items = list(v)
    values = [*items[:k], items[k : k + extra], *items[k + extra :]] if stars else items
    result: Any = True
    for q, item in zip(p.patterns, values, strict=True):
        if isinstance(q, gast.MatchStar):
            if q.name is not None:
                bound[q.name] = it.tracked_list(item, q)
            continue
        result = _both(it, result, _matches(it, q, item, bound))
    return result


def _refuse_instance(it: Interpreter, p: Any, v: Any, kind: type) -> None:
    """Refuses what Python takes apart by its items, and is no list, tuple or dict here."""
    ours = isinstance(v, Record) and issubclass(class_represented(v.cls), kind)
    if ours or (kind is Sequence and isinstance(v, Range)) or _is_captured(v, kind):
        it.refuse(p, f"{describe(v)} cannot be matched by its items", "use if")


def _is_captured(v: Any, kind: type) -> bool:
    return not isinstance(v, Abstract | str | bytes | list | tuple | dict) and isinstance(v, kind)


def _mapping(it: Interpreter, p: Any, v: Any, bound: dict[str, Any]) -> Any:
    _refuse_instance(it, p, v, Mapping)
    if not isinstance(v, dict):
        return False
    refuse_whole(it, v, p)
    result: Any = True
    keys = [it.expression(k) for k in p.keys]
    for key, q in zip(keys, p.patterns, strict=True):
        if key not in v:
            return False
        result = _both(it, result, _matches(it, q, v[key], bound))
    if p.rest is not None:
        bound[p.rest] = {k: x for k, x in v.items() if k not in keys}
    return result


def _class(it: Interpreter, p: Any, v: Any, bound: dict[str, Any]) -> Any:
    cls = it.expression(p.cls)
    if not isinstance(cls, type):
        it.refuse(p, "a class pattern names a class", like=TypeError)
    fits = it.call(isinstance, [v, cls], {}, p)
    if fits is not True:
        return False
    names = [*p.kwd_attrs]
    if p.patterns:
        if cls in (int, float, bool, str, list, tuple, dict, complex):
            return _matches(it, p.patterns[0], v, bound)
        named = Step(("names",), lambda cls: repr(getattr(cls, "__match_args__", ())))
        it.captures.watch(Path("member", cls, (named,)), "__match_args__")
        names = [*getattr(cls, "__match_args__", ())[: len(p.patterns)], *names]
    result: Any = True
    for name, q in zip(names, [*p.patterns, *p.kwd_patterns], strict=True):
        if isinstance(v, Record) and name not in v.fields and not hasattr(cls, name):
            return False
        result = _both(it, result, _matches(it, q, it.attribute(v, name, p), bound))
    return result
