"""Several problems of one function told together: where a statement is refused, the next is tried.

What the statement would have bound is `POISON`: statements that read it are passed over in
silence, so that one mistake is told once. What is interpreted after the first problem is thrown
away; whatever goes wrong in it ends the search. Never decides what is a problem.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields
from typing import Any, NoReturn

import gast

from srcgrad.errors import RaisedError, SrcgradError, together
from srcgrad.frontend.heap import frames_of, reachable
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.values import POISON

MOST = 10  # problems in one error
MOST_PASSED = 100  # statements that are passed over: a recursion may come to one again and again


class _Enough(Exception):
    """The search for further problems ends."""


class Problems(Interpreter):
    """Mixed into the interpreter."""

    def pass_over(self, s: Any, e: Exception, depth: int) -> None:
        """Note the problem of a statement and leave its names as poison."""
        if not self.problems:
            self._demands = _contents(self.captures.demands)
        self.passed += 1
        if isinstance(e, SrcgradError):
            self._note(e)
        if self.passed >= MOST_PASSED or len(self.problems) >= MOST:
            raise _Enough
        self.frame.depth, self.frame.passed = depth, True
        stated = s.names if isinstance(s, gast.Global) else []
        for name in (*assigned([s]), *stated):
            self.scope_of(name)[name] = POISON
        self._poison_containers(s)

    def _note(self, e: SrcgradError) -> None:
        for each in (e, *e.others):
            if all((each.reason, each.location) != (p.reason, p.location) for p in self.problems):
                self.problems.append(each)

    def _poison_containers(self, s: Any) -> None:
        """A container that the statement may have been about to change is not read any more."""
        frames = {id(env): env for f in self.frames for env in frames_of(f)}
        names = set(_changed(s))
        held = [v for env in frames.values() for n, v in env.items() if n in names]
        known = self.captures.immutable
        if not reachable(held, known):
            return
        for env in frames.values():
            for name, v in env.items():
                if reachable([v], known):
                    env[name] = POISON

    def all_problems(self, run: Callable[[], Any]) -> Any:
        """What `run` gives; the problems together if statements were refused in it."""
        try:
            return run()
        except Exception as e:
            if not self.problems:
                raise
            if isinstance(e, RaisedError):  # what the user raises is no problem
                self._raise()
            if isinstance(e, SrcgradError) and len(self.problems) < MOST:
                self._note(e)
            self._raise()

    def _raise(self) -> NoReturn:
        for name, value in self._demands.items():
            setattr(self.captures.demands, name, value)
        raise together(self.problems) from None


def _contents(demands: Any) -> dict[str, Any]:
    return {f.name: copy(getattr(demands, f.name)) for f in fields(demands)}


def _changed(s: Any) -> list[str]:
    """Names of what a statement may change: what it stores to, calls methods of or passes on."""
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
