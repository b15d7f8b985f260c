"""`match`: each case is a test and bindings, tried in order as an `if` chain.

A pattern on values known at compile time is decided then; one on run-time numbers compares.
"""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import GrownList, Iterated, Record, is_array, is_value
from srcgrad.ir.nodes import Var


class Patterns(Interpreter):
    """Mixed into the interpreter."""

    def _do_Match(self, node: gast.Match) -> None:
        subject = self.expression(node.subject)
        self._cases(node, subject, node.cases)

    def _cases(self, node: Node, subject: Any, cases: list[Any]) -> None:
        if not cases:
            return
        case, rest = cases[0], cases[1:]
        bound: dict[str, Any] = {}
        test = self._matches(case.pattern, subject, bound)
        if test is False:
            self._cases(node, subject, rest)
            return

        def guarded() -> None:
            for name, value in bound.items():
                self.scope_of(name)[name] = value
            if case.guard is None:
                self.block(case.body)
                return
            passed = self.truth(self.expression(case.guard), case.guard)
            self.branch(
                passed, lambda: self.block(case.body), lambda: self._cases(node, subject, rest),
                node, live_rest=True,
            )  # fmt: skip

        self.branch(test, guarded, lambda: self._cases(node, subject, rest), node, live_rest=True)

    def _matches(self, p: Any, v: Any, bound: dict[str, Any]) -> Any:
        """Whether a value fits a pattern: a bool now, or a run-time one."""
        match p:
            case gast.MatchValue():
                return self._same_value(p, v)
            case gast.MatchSingleton():
                if isinstance(v, Var) and isinstance(p.value, bool):
                    self.refuse(
                        p, "a run-time value cannot be matched with True or False", "use if"
                    )
                return v is p.value
            case gast.MatchAs():
                test = True if p.pattern is None else self._matches(p.pattern, v, bound)
                if p.name is not None:
                    bound[p.name] = v
                return test
            case gast.MatchOr():
                return self._any_of(p, v, bound)
            case gast.MatchSequence():
                return self._sequence(p, v, bound)
            case gast.MatchMapping():
                return self._mapping(p, v, bound)
            case gast.MatchClass():
                return self._class(p, v, bound)
        self.refuse(p, f"the pattern {type(p).__name__} is not supported", "use if")

    def _same_value(self, p: Any, v: Any) -> Any:
        want = self.expression(p.value)
        if is_array(v) or is_array(want):
            self.refuse(p, "an array cannot be matched with a value", "use if", like=ValueError)
        if isinstance(v, Var) and not is_value(want):
            return False
        return self.truth(self.compare(gast.Eq(), v, want, p), p)

    def _both(self, a: Any, c: Any) -> Any:
        if a is False or c is False:
            return False
        return c if a is True else a if c is True else self.b("logical_and", a, c)

    def _any_of(self, p: Any, v: Any, bound: dict[str, Any]) -> Any:
        found: Any = False
        for option in p.patterns:
            names: dict[str, Any] = {}
            test = self._matches(option, v, names)
            if test is False:
                continue
            if names and isinstance(test, Var):
                self.refuse(p, "alternatives that bind names are chosen at run time", "use if")
            if test is True and found is False:
                bound.update(names)
                return True
            found = test if found is False else True if test is True else self.either(found, test)
        return found

    def _sequence(self, p: Any, v: Any, bound: dict[str, Any]) -> Any:
        if is_array(v) or isinstance(v, GrownList):
            # NumPy's arrays are no sequences to `match`; a list that grows has no static length
            if is_array(v):
                return False
            self.refuse(p, "a list that grows at run time cannot be matched", "use if")
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
                    bound[q.name] = self.tracked_list(item, q)
                continue
            result = self._both(result, self._matches(q, item, bound))
        return result

    def _mapping(self, p: Any, v: Any, bound: dict[str, Any]) -> Any:
        if not isinstance(v, dict):
            return False
        result: Any = True
        keys = [self.expression(k) for k in p.keys]
        for key, q in zip(keys, p.patterns, strict=True):
            if key not in v:
                return False
            result = self._both(result, self._matches(q, v[key], bound))
        if p.rest is not None:
            bound[p.rest] = {k: x for k, x in v.items() if k not in keys}
        return result

    def _class(self, p: Any, v: Any, bound: dict[str, Any]) -> Any:
        cls = self.expression(p.cls)
        if not isinstance(cls, type):
            self.refuse(p, "a class pattern names a class", like=TypeError)
        fits = self.call(isinstance, [v, cls], {}, p)
        if fits is not True:
            return False
        names = [*p.kwd_attrs]
        if p.patterns:
            if cls in (int, float, bool, str, list, tuple, dict, complex):
                return self._matches(p.patterns[0], v, bound)
            names = [*getattr(cls, "__match_args__", ())[: len(p.patterns)], *names]
        result: Any = True
        for name, q in zip(names, [*p.patterns, *p.kwd_patterns], strict=True):
            if isinstance(v, Record) and name not in v.fields and not hasattr(cls, name):
                return False
            result = self._both(result, self._matches(q, self.attribute(v, name, p), bound))
        return result
