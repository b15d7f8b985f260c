"""Liveness of names: those that a loop must carry and a branch must join.

A backward walk over the syntax tree. Names read by nested functions are always live.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import gast

from srcgrad.frontend.trees import OURS, exits, handler_bodies, parameters_of

READERS = ("eval", "exec", "locals", f"{OURS}locals")  # functions that may read any name
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def assigned(nodes: Iterable[Any]) -> list[str]:
    """Names that statements bind, in order; those of nested functions' own scopes excluded."""
    return list(_assigned(tuple(nodes)))


@functools.lru_cache(maxsize=1024)  # each trial of a loop needs it
def _assigned(nodes: tuple[Any, ...]) -> tuple[str, ...]:
    out: dict[str, None] = {}

    def visit(n: Any) -> None:
        if isinstance(n, gast.Name):
            if isinstance(n.ctx, gast.Store | gast.Del):
                out.setdefault(n.id)
            return
        if isinstance(n, gast.FunctionDef | gast.ClassDef):
            out.setdefault(n.name)
            return
        if isinstance(n, gast.Lambda):
            return
        if isinstance(n, _COMPREHENSIONS):
            for c in gast.walk(n):  # names that := binds in there belong to the function
                if isinstance(c, gast.NamedExpr):
                    out.setdefault(c.target.id)
            return
        if isinstance(n, gast.MatchAs | gast.MatchStar) and n.name is not None:
            out.setdefault(n.name)
        if isinstance(n, gast.MatchMapping) and n.rest is not None:
            out.setdefault(n.rest)
        if isinstance(n, gast.Import | gast.ImportFrom):
            for a in n.names:
                out.setdefault(a.asname or a.name.split(".")[0])
        for child in gast.iter_child_nodes(n):
            visit(child)

    for n in nodes:
        visit(n)
    return tuple(out)


def reads(node: Any) -> set[str]:
    """Names read anywhere below a node."""
    return {n.id for n in gast.walk(node) if isinstance(n, gast.Name) and _loads(n)}


def _loads(n: Any) -> bool:
    return isinstance(n.ctx, gast.Load | gast.Del)  # a deleted name has to be bound


class Liveness:
    """`after[node]` for each branch and loop; `head[node]` for each loop: names live there.

    At the head of a loop is live what is live after it, and what a trip reads before it binds it.
    The latter is the same wherever the loop is: a body is walked once to find it, and once to
    note what is live inside.
    """

    def __init__(self, tree: Any):
        self.after: dict[Any, set[str]] = {}
        self.head: dict[Any, set[str]] = {}
        self.always: set[str] = set()
        if isinstance(tree, gast.Lambda):
            return
        for n in gast.walk(tree):
            if n is not tree and isinstance(n, gast.FunctionDef | gast.Lambda):
                self.always |= reads(n)
            if isinstance(n, gast.Name) and n.id in READERS:
                self.always |= {*assigned(tree.body), *parameters_of(tree)}
            if isinstance(n, gast.Try):  # any statement of the body may come before a handler
                later = [*n.finalbody, *n.handlers]
                self.always |= {name for s in later for name in reads(s)}
        self._loops: list[tuple[set[str], set[str]]] = []  # (live at break, live at continue)
        self._noting = True
        self._first: dict[Any, set[str]] = {}  # what a trip of a loop reads before it binds it
        self._block(tree.body, set())

    def live_after(self, node: Any) -> set[str]:
        return self.after.get(node, set()) | self.always

    def live_at_head(self, node: Any) -> set[str]:
        return self.head.get(node, set()) | self.always

    def _block(self, stmts: list[Any], live: set[str]) -> set[str]:
        """The names live before statements, where `live` is live after them."""
        live = set(live)
        for s in reversed(stmts):
            live = self._statement(s, live)
        return live

    def _statement(self, s: Any, live: set[str]) -> set[str]:
        """The names live before a statement; `live` may be changed to it."""
        match s:
            case gast.If():
                self._branches(s, live)
                return self._block(s.body, live) | self._block(s.orelse, live) | reads(s.test)
            case gast.For():
                return self._loop(s, live, set(assigned([s.target])), reads(s.iter), set())
            case gast.While():
                return self._loop(s, live, set(), set(), reads(s.test))
            case gast.Return():
                return set() if s.value is None else reads(s.value)
            case gast.Break() if self._loops:
                return set(self._loops[-1][0])
            case gast.Continue() if self._loops:
                return set(self._loops[-1][1])
            case gast.Assign() | gast.AnnAssign():
                targets = s.targets if isinstance(s, gast.Assign) else [s.target]
                for t in targets:
                    parts = t.elts if isinstance(t, gast.Tuple | gast.List) else [t]
                    live.difference_update(e.id for e in parts if isinstance(e, gast.Name))
            case gast.AugAssign() if isinstance(s.target, gast.Name):
                live.add(s.target.id)
            case gast.FunctionDef():
                live.discard(s.name)
            case gast.With():
                live = self._block(s.body, live)
            case gast.Try():
                self._block(s.finalbody, live)
                paths = [self._block(b, live) for b in handler_bodies(s)]
                orelse = self._block(s.orelse, live)
                live = live.union(self._block(s.body, orelse), *paths)
            case gast.Match():
                self._branches(s, live)
                live = live.union(*(self._block(c.body, live) for c in s.cases))
        live |= reads(s)
        return live

    def _branches(self, s: Any, live: set[str]) -> None:
        """Note what is live where the paths of a statement meet again."""
        if self._noting:
            self.after[s] = live | self._jumped(s)

    def _jumped(self, s: Any) -> set[str]:
        """Names live where a break or continue inside `s` goes: paths meet again after `s`."""
        if not self._loops or not exits([s]) & {"break", "continue"}:
            return set()
        return self._loops[-1][0] | self._loops[-1][1]

    def _loop(
        self, s: Any, live: set[str], bound: set[str], before: set[str], test: set[str]
    ) -> set[str]:
        after = self._block(s.orelse, live) | live
        head = after | test | (self._read_first(s) - bound)
        if self._noting:
            self._branches(s, live)
            self.head[s] = head
            self._inside(s, after, head)
        return head | before

    def _inside(self, s: Any, after: set[str], head: set[str]) -> set[str]:
        """The names live at the begin of a loop's body."""
        self._loops.append((after, head))
        body = self._block(s.body, head)
        self._loops.pop()
        return body

    def _read_first(self, s: Any) -> set[str]:
        """The names that a trip of a loop reads before it binds them."""
        if s not in self._first:
            noting, self._noting = self._noting, False
            self._first[s] = self._inside(s, set(), set())
            self._noting = noting
        return self._first[s]


@functools.lru_cache(maxsize=1024)  # each call of a function that is inlined needs it
def liveness(tree: Any) -> Liveness:
    """The liveness of names in a function."""
    return Liveness(tree)
