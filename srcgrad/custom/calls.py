"""Turns calls of `custom_vjp` and `custom_jvp` functions into values with a rule attached.

A function may be called inside its own rule. With the arguments of the call it is the value itself;
with others it has its rule there too, down to a depth at which its derivative is refused.
"""

from __future__ import annotations

from typing import Any

from srcgrad.custom.check import Checked
from srcgrad.custom.trace import Call, Called, Running, is_floating, returned_at, varies
from srcgrad.errors import ReturnTypeError, UnsupportedError
from srcgrad.frontend.guards import Path, attribute
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe
from srcgrad.tree import copied, leaves, mapped

DEEPEST = 3  # calls of a function inside its own rule, with other arguments, that have a rule


def call_with_vjp(it: Interpreter, owner: Any, args: list, kwargs: dict, node: Node) -> Any:
    if owner.fwd is None:
        raise owner.without_rule()
    for part in ("fwd", "bwd"):  # stated anew, it is followed anew
        it.captures.watch(Path("rule", owner, (attribute(part),)), part)
    call = Call(it, owner, args, kwargs, node)
    if (inner := _while_followed(call)) is not None:
        return inner[0]
    at = returned_at(it, owner.fwd)
    made, block = call.values(owner.fwd)
    if not isinstance(made, tuple) or len(made) != 2:
        raise ReturnTypeError(
            f"the forward rule of {call.name}() returns {describe(made)}, not the value and what "
            "the backward rule is to have",
            at,
            "return value, residuals",
        )
    value, residuals = made

    def state(called: Called) -> None:
        at = called.rule.loc = returned_at(it, owner.bwd)
        given = [called.variable(y, "_bar") for y in called.values]
        result = [*call.constants, copied(residuals), called.like_value(given)]

        def run() -> list:
            with followed(called):
                made = it.call(owner.bwd, result, {}, node)
            return _cotangents(call, made, at)

        called.rule.pull = called.direction(given, len(call.inputs), run)

    return call.attach(value, block, state)


def _cotangents(call: Call, made: Any, at: Any) -> list:
    """One adjoint, or None, for each input."""
    n = len(call.primals)
    if not isinstance(made, tuple | list) or len(made) != n:
        many = f"{len(made)} values" if isinstance(made, tuple | list) else describe(made)
        raise ReturnTypeError(
            f"the backward rule of {call.name}() returns {many}, not one adjoint for each of "
            f"{n} arguments",
            at,
            "return a tuple; None means zero",
        )
    checked = Checked(call.it, f"the adjoint that the rule of {call.name}() gives", at)
    out = [
        g
        for k, (c, a) in enumerate(zip(made, call.primals, strict=True))
        for g in checked.leaves(c, a, f"argument {k}")
    ]
    return [g for g, leaf in zip(out, call.leaves, strict=True) if varies(leaf)]


def call_with_jvp(it: Interpreter, owner: Any, args: list, kwargs: dict, node: Node) -> Any:
    if owner.jvp is None:
        raise owner.without_rule()
    it.captures.watch(Path("rule", owner, (attribute("jvp"),)), "jvp")
    call = Call(it, owner, args, kwargs, node)
    if (inner := _while_followed(call)) is not None:
        return inner[0]
    value, block = call.values(owner.function)

    def state(called: Called) -> None:
        at = called.rule.loc = returned_at(it, owner.jvp)
        given = [called.variable(x, "_dot") for x in call.inputs]
        mine = iter(given)
        primals = copied(tuple(call.primals))
        tangents = mapped(
            primals, lambda v: next(mine) if varies(v) else 0.0 if is_floating(v) else None
        )

        def run() -> list:
            with followed(called):
                made = it.call(owner.jvp, [*call.constants, primals, tangents], {}, node)
            return _tangents(called, made, at)

        push = (given, len(called.values), run)
        called.rule.partial, called.rule.exchanged = owner.partial, owner.exchanged
        if owner.pull is None:
            called.rule.push = called.direction(*push)
            return
        bars = [called.variable(y, "_bar") for y in called.values]

        def run_back() -> list:
            with followed(called):
                result = [*call.constants, copied(tuple(call.primals)), called.like_value(bars)]
                return _cotangents(call, it.call(owner.pull, result, {}, node), at)

        called.rule.push, called.rule.pull = called.directions(
            push, (bars, len(call.inputs), run_back)
        )

    return call.attach(value, block, state)


def _tangents(called: Called, made: Any, at: Any) -> list:
    """One tangent, or None, for each value."""
    name = called.call.name
    if not isinstance(made, tuple | list) or len(made) != 2:
        raise ReturnTypeError(
            f"the rule of {name}() returns {describe(made)}, not the value and its tangent", at,
            "return value, tangent",
        )  # fmt: skip
    checked = Checked(called.it, f"the tangent that the rule of {name}() gives", at)
    out = checked.leaves(made[1], called.value, "its value")
    return [t for t, leaf in zip(out, leaves(called.value), strict=True) if is_floating(leaf)]


class followed:
    """Marks a call whose rule is being followed: the same call inside is the value it has."""

    def __init__(self, called: Called):
        it, call = called.it, called.call
        own = Running(call.owner, tuple(leaves(call.args)), [called.with_own()])
        self.ruling, self.running = it.ruling, own

    def __enter__(self) -> None:
        self.ruling.append(self.running)

    def __exit__(self, *problem: Any) -> None:
        self.ruling.remove(self.running)


def _while_followed(call: Call) -> list | None:
    """The value of a call inside its own rule, in a list; None for an ordinary call."""
    mine = [r for r in call.it.ruling if r.owner is call.owner]
    if not mine:
        return None
    given = leaves(call.args)
    same = next((r for r in reversed(mine) if r.is_call(given)), None)
    if same is not None and same.own is not None:
        return [copied(same.own[0])]
    if same is None and len(mine) < DEEPEST:
        return None
    made, block = call.values(call.owner.function)

    def refuse(called: Called) -> None:
        raise UnsupportedError(
            f"the derivative of {call.name}() inside of its own rule",
            call.it.b.loc,
            "write the formula there, or keep the value itself for the rule",
        )

    return [call.attach(made, block, refuse)]
