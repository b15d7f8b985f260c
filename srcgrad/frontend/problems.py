"""Reports several problems of one function: where a statement is refused, the next is tried.

The names that it would have bound are `POISON`: statements that read these are passed over in
silence, so that one mistake is reported once. Code emitted after the first problem is thrown away;
whatever goes wrong there ends the search. Never decides what is a problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import gast

from srcgrad.errors import RaisedError, SrcgradError, together
from srcgrad.frontend.frame import POISON, frames_of, scope_of
from srcgrad.frontend.heap import reachable
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.liveness import assigned

MOST = 10  # problems in one error
MOST_PASSED = 100  # statements that are passed over: a recursion may reach one again and again


class _Enough(Exception):
    """Raised to end the search for further problems."""


def recover(it: Interpreter, s: Any, e: Exception, depth: int) -> None:
    """Notes the problem of a statement and poisons its names."""
    if not it.problems:
        it.first_requirements = it.captures.required.contents()
    it.passed += 1
    if isinstance(e, SrcgradError):
        _note(it, e)
    if it.passed >= MOST_PASSED or len(it.problems) >= MOST:
        raise _Enough
    it.frame.depth, it.frame.incomplete = depth, True
    stated = s.names if isinstance(s, gast.Global) else []
    stated = [s.name] if isinstance(s, gast.AsyncFunctionDef) else stated
    for name in (*assigned([s]), *stated):
        scope_of(it.frame, name)[name] = POISON
    _poison_containers(it, s)


def _note(it: Interpreter, e: SrcgradError) -> None:
    for each in (e, *e.others):
        if all((each.reason, each.location) != (p.reason, p.location) for p in it.problems):
            it.problems.append(each)


def _poison_containers(it: Interpreter, s: Any) -> None:
    """Poisons names of containers that the statement may have been about to change."""
    frames = {id(env): env for f in it.frames for env in frames_of(f)}
    names = set(_changed(s))
    held = [v for env in frames.values() for n, v in env.items() if n in names]
    known = it.captures.immutable
    if not reachable(held, known):
        return
    for env in frames.values():
        for name, v in env.items():
            if reachable([v], known):
                env[name] = POISON


def all_problems(it: Interpreter, run: Callable[[], Any]) -> Any:
    """The result of `run`; raises the problems together if statements were refused in it."""
    try:
        given = run()
    except Exception as e:
        if not it.problems:
            raise
        if isinstance(e, RaisedError):  # an exception that the user raises is not a problem
            _raise(it)
        if isinstance(e, SrcgradError) and len(it.problems) < MOST:
            _note(it, e)
        _raise(it)
    if it.problems:  # a `try` has caught an exception after one
        _raise(it)
    return given


def _raise(it: Interpreter) -> NoReturn:
    it.captures.required.put_back(it.first_requirements)
    found, it.problems = it.problems, []
    for e in (*it.on_paths, *found):  # the former came before: after a problem they are such
        _note(it, e)
    raise together(it.problems[:MOST]) from None


def _changed(s: Any) -> list[str]:
    """The names of objects that a statement may change: stores to, calls methods of, passes on."""
    out = []
    for n in gast.walk(s):
        match n:
            case gast.Call():
                passed = [*n.args, *(k.value for k in n.keywords)]
                if isinstance(n.func, gast.Attribute):
                    passed.append(n.func.value)
                out += [_root(a) for a in passed]
            case gast.Subscript() | gast.Attribute() if not isinstance(n.ctx, gast.Load):
                out.append(_root(n))
    return [name for name in out if name]


def _root(node: Any) -> str:
    """The name that an access starts at; empty if there is none."""
    while isinstance(node, gast.Attribute | gast.Subscript | gast.Starred):
        node = node.value
    return node.id if isinstance(node, gast.Name) else ""
