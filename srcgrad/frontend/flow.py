"""Control flow: branches, loops and exits in structured form.

`break`, `continue` and early `return` become flags that guard what follows. Names join by their
specs; a loop's body is typed by trial until what it carries no longer changes type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.joins import (
    Carrier,
    Spec,
    StaticSpec,
    conflict,
    join_specs,
    loose,
    spec_of,
)
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.values import UNBOUND, Conflict, Iterated, is_scalar
from srcgrad.ir.nodes import Atom, For, If, Var, While, atom
from srcgrad.ir.types import INT

RETURNED, RESULT = "$returned", "$result"


def exits(stmts: list[Any], in_loop: bool = False) -> set[str]:
    """The kinds of exit statements may take out of the present block."""
    out: set[str] = set()
    for s in stmts:
        match s:
            case gast.Return():
                out.add("return")
            case gast.Break() if not in_loop:
                out.add("break")
            case gast.Continue() if not in_loop:
                out.add("continue")
            case gast.For() | gast.While():
                out |= exits(s.body, True) | exits(s.orelse, in_loop)
            case gast.If():
                out |= exits(s.body, in_loop) | exits(s.orelse, in_loop)
            case gast.With():
                out |= exits(s.body, in_loop)
    return out


def always_exits(stmts: list[Any]) -> bool:
    """Whether control never falls out of the end of a block."""
    if not stmts:
        return False
    match stmts[-1]:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
            return True
        case gast.If(body=body, orelse=orelse):
            return always_exits(body) and always_exits(orelse)
    return False


class ControlFlow:
    """Mixed into the interpreter, which has `b`, `env`, `frame`, `execute`, `truth`, `refuse`."""

    b: Any
    env: dict[str, Any]
    frame: Any

    # ---- sequences and exits ----
    def block(self, stmts: list[Any]) -> None:
        for k, s in enumerate(stmts):
            rest = stmts[k + 1 :]
            if isinstance(s, gast.If) and rest and self._split(s, rest):
                return
            self.execute(s)
            kinds = exits([s])
            if kinds and rest:
                gone = self._exited(kinds)
                if gone is True:
                    return
                if gone is not False:
                    left = self._has_returned if kinds == {"return"} else _nothing
                    self.branch(self.negate(gone), lambda r=rest: self.block(r), left, s, live_rest=True)
                    return

    def _has_returned(self) -> None:
        """On the path that skips the rest the function has returned: so both paths have."""
        self.env[RETURNED] = True

    def _split(self, s: Any, rest: list[Any]) -> bool:
        """`if c: ...return` followed by a rest: the rest is the other branch."""
        if not exits([s]) or not (always_exits(s.body) or always_exits(s.orelse)):
            return False
        one, other = list(s.body), list(s.orelse)
        if not always_exits(one):
            one += rest
        if not always_exits(other):
            other += rest
        self.locate(s)
        test = self.truth(self.expression(s.test), s.test)
        self.branch(test, lambda: self.block(one), lambda: self.block(other), s, live_rest=True)
        return True

    def flag(self, kind: str) -> str:
        return RETURNED if kind == "return" else f"${kind}{self.frame.depth}"

    def _exited(self, kinds: set[str]) -> Any:
        gone: Any = False
        for kind in sorted(kinds):
            value = self.env.get(self.flag(kind), False)
            if gone is True or value is True:
                return True
            gone = value if gone is False else gone if value is False else self.either(gone, value)
        return gone

    def negate(self, c: Any) -> Any:
        return (not c) if not isinstance(c, Var) else self.b("logical_not", c)

    def either(self, a: Any, c: Any) -> Any:
        return self.b("logical_or", a, c)

    # ---- branches ----
    def branch(
        self,
        test: Any,
        then: Callable[[], Any],
        orelse: Callable[[], Any],
        node: Any,
        live_rest: bool = False,
    ) -> Any:
        """Run one of two continuations, or both into an `If`; their values join."""
        if not isinstance(test, Var):
            return then() if test else orelse()
        before, envs, values, blocks = self.env, [], [], []
        loc = self.b.loc
        for run in (then, orelse):
            self.env = self.copy_env(before)
            with self.b.block() as out:
                values.append(run())
            envs.append(self.env)
            blocks.append(out)
        self.b.loc = loc
        self.env = before
        for env, value in zip(envs, values, strict=True):
            if value is not None:
                env["$value"] = value
        self._join(test, envs, blocks, node, live_rest)
        return self.env.pop("$value", None)

    def _join(
        self, test: Var, envs: list[dict], blocks: list[list], node: Any, live_rest: bool
    ) -> None:
        """Join two environments into the present one, and emit the `If`."""
        carrier, results, yields = Carrier(self.b), [], ([], [])
        live = None if live_rest or not isinstance(node, gast.If) else self.frame.live.live_after(node)
        env = {}
        for name in dict.fromkeys([*envs[0], *envs[1]]):
            x, y = (e.get(name, UNBOUND) for e in envs)
            if x is y:
                env[name] = x
                continue
            if live is not None and name not in live and not name.startswith("$"):
                continue
            if name.startswith("$") and name != RESULT and name != "$value":
                x, y = (False if v is UNBOUND else v for v in (x, y))
            spec = self._joined_spec(name, x, y, envs)
            if spec is None:
                env[name] = conflict(x, y) if Conflict not in (type(x), type(y)) else x
                continue
            for k, v in enumerate((x, y)):
                with _reopened(self.b, blocks[k]):
                    yields[k].extend(carrier.flatten(spec, v))
            new, value = carrier.fresh(spec, name.lstrip("$"))
            results += new
            env[name] = value
        self.env.clear()
        self.env.update(env)
        self.b.append(
            If(test, tuple(blocks[0]), tuple(blocks[1]), tuple(yields[0]), tuple(yields[1]),
               tuple(results), self.b.loc)
        )  # fmt: skip

    def _joined_spec(self, name: str, x: Any, y: Any, envs: list[dict]) -> Spec | None:
        if isinstance(x, Conflict) or isinstance(y, Conflict):
            return None
        if name == RESULT and (x is UNBOUND or y is UNBOUND):
            # one side has not returned yet: what it holds is never read
            return loose(spec_of(y if x is UNBOUND else x, True))
        return join_specs(spec_of(x, False), spec_of(y, False))

    # ---- loops ----
    def loop(self, node: Any, iterated: Iterated | None) -> None:
        """A `for` over `iterated`, or a `while` (None)."""
        self.frame.depth += 1
        kinds = exits(node.body)
        names = self._carried_names(node, kinds)
        for kind in kinds - {"return"}:
            self.env[self.flag(kind)] = False
        if "return" in kinds:
            self.env.setdefault(RETURNED, False)
        before = self.copy_env(self.env)
        specs = {n: self._first_spec(before.get(n, UNBOUND)) for n in names}
        while True:
            after, statement, again = self._trial(node, iterated, kinds, specs, before)
            if not again:
                break
            self.env = self.copy_env(before)
        self.b.append(statement)
        self.env = after
        broken = self.env.pop(self.flag("break"), False)
        self.env.pop(self.flag("continue"), None)
        self.frame.depth -= 1
        if node.orelse:
            gone = broken
            if "return" in kinds:
                returned = self.env.get(RETURNED, False)
                gone = returned if gone is False else self.either(gone, returned)
            self.branch(self.negate(gone), lambda: self.block(node.orelse), _nothing, node)

    def _carried_names(self, node: Any, kinds: set[str]) -> list[str]:
        head = self.frame.live.live_at_head(node)
        bound = assigned([node.target] if isinstance(node, gast.For) else [])
        inside = assigned([*node.body, *([node.test] if isinstance(node, gast.While) else [])])
        live = head | self.frame.live.live_after(node)
        names = [n for n in dict.fromkeys([*bound, *inside]) if n in live]
        if "break" in kinds:
            names.append(self.flag("break"))
        if "return" in kinds:
            names += [RETURNED, RESULT]
        return names

    def _first_spec(self, v: Any) -> Spec:
        return spec_of(v, False)

    def _trial(
        self, node: Any, it: Iterated | None, kinds: set[str], specs: dict[str, Spec], before: dict
    ) -> tuple[dict, Any, bool]:
        """One interpretation of the loop with the carried specs assumed so far."""
        carrier, b = Carrier(self.b), self.b
        loc = b.loc
        flat = {n: carrier.fresh(s, n.lstrip("$")) for n, s in specs.items()}
        self.env = self.copy_env(before)
        self.env.update({n: v for n, (_, v) in flat.items()})
        counted = it is not None and not (kinds & {"break", "return"})
        index = Var("i", INT)
        test_block: list = []
        cond: Any = True
        if not counted:
            with b.block() as test_block:
                cond = self._going_on(node, it, index, kinds)
        with b.block() as body:
            if it is not None:
                self.bind_item(node, it, index)
            self.env[self.flag("continue")] = False
            self.block(node.body)
            b.loc = loc
            new = {n: self.env.get(n, UNBOUND) for n in specs}
            changed = self._widen(specs, new, before)
            yields: list[Atom] = []
            if not changed:
                for n, s in specs.items():
                    yields += carrier.flatten(s, new[n])
                if not counted and it is not None:
                    yields.append(b("add", index, 1))
        if changed:
            return {}, None, True
        params = [v for vs, _ in flat.values() for v in vs]
        inits = [a for n, s in specs.items() for a in carrier.flatten(s, before.get(n, UNBOUND))]
        out = {n: carrier.fresh(s, n.lstrip("$")) for n, s in specs.items()}
        results = [v for vs, _ in out.values() for v in vs]
        after = self.copy_env(before)
        for n in assigned([*node.body, *([node.target] if it is not None else [])]):
            after.pop(n, None)
        after.update({n: v for n, (_, v) in out.items()})
        if counted:
            assert it is not None
            start, stop = self._bounds(it)
            loop: Any = For(index, start, stop, tuple(params), tuple(inits), tuple(body),
                            tuple(yields), tuple(results), False, loc)  # fmt: skip
        else:
            limit = None
            if it is not None:
                start, stop = self._bounds(it)
                limit = self.b("maximum", self.b("sub", stop, start), 0)
                params.append(index)
                inits.append(start)
                results.append(Var("i", INT))
            loop = While(tuple(test_block), atom(cond), tuple(params), tuple(inits), tuple(body),
                         tuple(yields), tuple(results), limit, loc)  # fmt: skip
        return after, loop, False

    def _going_on(self, node: Any, it: Iterated | None, index: Var, kinds: set[str]) -> Any:
        """The condition evaluated before each trip: not left, and the test."""
        left = self._exited(kinds - {"continue"})
        if left is True:
            return False
        stay = self.negate(left)

        def test() -> Any:
            if it is not None:
                return self.b("lt", index, self._bounds(it)[1])
            return self.truth(self.expression(node.test), node.test)

        if stay is True:
            return test()
        return self.branch(stay, test, lambda: False, node)

    def _bounds(self, it: Iterated) -> tuple[Atom, Atom]:
        if it.range is not None and it.range.step == 1 and not isinstance(it.range.step, Var):
            return atom(it.range.start), atom(it.range.stop)
        return atom(0), atom(it.length)

    def _widen(self, specs: dict[str, Spec], new: dict[str, Any], before: dict) -> bool:
        """Join what the body left with what was assumed; whether anything changed."""
        changed = False
        for n, v in new.items():
            if isinstance(v, Conflict):
                raise UnsupportedError(f"{n} changes kind in a loop: {v.reason}", self.b.loc)
            if v is UNBOUND and isinstance(specs[n], StaticSpec):
                continue
            if n == RESULT and v is UNBOUND:
                continue
            mine = spec_of(v, False)
            old = specs[n]
            if n == RESULT and isinstance(old, StaticSpec) and old.value is UNBOUND:
                joined: Spec | None = loose(spec_of(v, True))
            else:
                joined = join_specs(old, mine)
            if joined is None:
                if not isinstance(old, StaticSpec) or is_scalar(old.value):
                    self._loop_conflict(n, before.get(n, UNBOUND), v)
                if n in self.frame.live.always:
                    continue
                self._loop_conflict(n, before.get(n, UNBOUND), v)
            assert joined is not None
            if joined != old:
                specs[n] = joined
                changed = True
        return changed

    def _loop_conflict(self, name: str, before: Any, after: Any) -> None:
        c = conflict(before, after)
        raise UnsupportedError(
            f"{name} changes kind in a loop: {c.reason}",
            self.b.loc,
            "give it one kind (dtype, rank, structure) before the loop, or use another name",
        )


def _nothing() -> None:
    return None


class _reopened:
    """Append to a block that was closed."""

    def __init__(self, builder: Any, out: list):
        self.b, self.out = builder, out

    def __enter__(self) -> None:
        self.outer, self.b.out = self.b.out, self.out
        self.b.scopes.append({})

    def __exit__(self, *exc: object) -> None:
        self.b.out = self.outer
        self.b.scopes.pop()
