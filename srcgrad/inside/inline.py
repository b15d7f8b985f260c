"""A transformed function called inside a compiled one: its IR is inlined at the call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.errors import LocatedWarning
from srcgrad.frontend.binding import bind, own_signature
from srcgrad.frontend.captures import Captures
from srcgrad.frontend.instances import opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import restarted
from srcgrad.frontend.values import RUNNING, is_number, plain
from srcgrad.inside.batches import batched
from srcgrad.inside.closures import with_functions
from srcgrad.inside.splicing import captured_at, likes_of, propagate_requirements, spliced
from srcgrad.ir.nodes import Var, atom
from srcgrad.transforms.gradient_warnings import add_warnings, collecting_warnings
from srcgrad.transforms.program import Program
from srcgrad.transforms.refusals import refuse_known
from srcgrad.transforms.specs import Primal
from srcgrad.transforms.stack import signature_of
from srcgrad.tree import paths

__all__ = ["batched", "inline"]
Extra = Callable[[tuple, dict[tuple, Any]], Any]


def inline(
    compiled: Any, it: Interpreter, args: list, kwargs: dict, node: Node, extra: Extra | None = None
) -> Any:
    """Emits the program of a `Compiled` for the values of a call, and returns its result.

    `extra` gives the value of a parameter that is not an argument: a tangent.
    """
    if isinstance(compiled.spec, Primal):
        return it.call(compiled.function, args, kwargs, node)
    head = signature_of(compiled.spec, own_signature(compiled.function))
    bound = bind(it, compiled.function, args, kwargs, node, head)
    arguments = {n: opened(it, v, node) for n, v in bound.items()}
    values = {path: v for n, a in arguments.items() for path, v in paths(a, (n,))}
    if any(isinstance(v, RUNNING) for v in values.values()):
        return with_functions(compiled, it, arguments, node, extra)
    likes = likes_of(it, arguments)
    captures: Captures = it.captures
    captures.inlined.append(compiled)

    def attempt() -> tuple[Program, list[LocatedWarning]]:
        with collecting_warnings() as zeros:
            return compiled.spec.program(likes, compiled._requirements), zeros

    inherited = functools.partial(propagate_requirements, it, compiled._requirements, values, node)
    compiled._requirements.forget_kinds()
    (program, zeros), _ = restarted(attempt, compiled.__name__, inherited)
    add_warnings(zeros)
    if extra is not None:
        _refuse_tangents(compiled.__name__, program, values, extra)
    given = [values[path] if path in values else extra(path, values) for path in program.inputs]  # type: ignore[misc]  (no path is missing without `extra`)
    for h in program.hidden:
        given.append(captures.take(it, captured_at(h, compiled), h.name, node))
    for g in program.guards:
        captures.guards[g.path.key] = g
    return spliced(it, program, given, node)


def _refuse_tangents(name: str, program: Program, values: dict[tuple, Any], extra: Extra) -> None:
    """Refuses nonzero tangents of floats that were specialized on, as a call does."""
    known = [path for path, v in values.items() if path not in program.inputs and is_number(v)]
    for path in known:
        t = plain(atom(extra(("tangent", *path), values)))
        if isinstance(t, Var) or t:
            refuse_known(name, path, values[path])
