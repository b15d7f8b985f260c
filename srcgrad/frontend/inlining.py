"""Inlines functions: interprets the source of the callee in a frame of its own."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.errors import SourceError, SrcgradError, UnsupportedError
from srcgrad.frontend import source
from srcgrad.frontend.arguments import misfit
from srcgrad.frontend.binding import bind
from srcgrad.frontend.control_flow import negate
from srcgrad.frontend.foreign import FOLLOWED, foreign_library
from srcgrad.frontend.formulas.registry import is_formula
from srcgrad.frontend.frame import RESULT, RETURNED, Frame, Poisoned
from srcgrad.frontend.generators import Generated, generated
from srcgrad.frontend.handlers.parameters import known_arguments
from srcgrad.frontend.handlers.registry import WRAPPERS, OwnSource
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.joins import may_be_none
from srcgrad.frontend.kinds import follows_library
from srcgrad.frontend.library_source import is_of_library
from srcgrad.frontend.liveness import assigned, liveness
from srcgrad.frontend.recursion import is_loop, limit_recursion
from srcgrad.frontend.recursive.loops import over_activations
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.trees import globals_of, nonlocals, own_statements, signature_of
from srcgrad.frontend.unknown_functions import callable_name, refuse_unknown
from srcgrad.frontend.values import Closure, Conflict, MaybeNone, Several
from srcgrad.frontend.yields import as_generator, handles_yields, is_generator
from srcgrad.ir.nodes import Var
from srcgrad.protocols import held, home_module


def follow(
    it: Interpreter, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a Python function, whose source is interpreted here."""
    wrapped = held(f, "__wrapped__")
    decorated = f.__code__ in WRAPPERS and isinstance(wrapped, types.FunctionType)
    module = home_module(wrapped if decorated else f).split(".")[0]
    if module in ("numpy", "scipy", "numba") or foreign_library(f):
        refuse_unknown(it, f, node)
    if f.__code__.co_flags & inspect.CO_COROUTINE:
        said = f"{f.__name__}() is a coroutine"
        it.refuse(node, said, "write it as a plain function", runs=True)
    if decorated:
        return WRAPPERS[f.__code__](it, f, args, kwargs, node)
    try:
        found = source.find(f)
    except SourceError as e:
        it.refuse(node, e.reason, e.way_out)
    library = module in sys.stdlib_module_names and module != "__main__"
    placed = it.frame.source.place is not None or not follows_library(it)
    if library or is_formula(f) or (module == "srcgrad" and placed):
        # errors name the user's line
        found = dataclasses.replace(found, place=it.frame.source.location(node))
    if not is_formula(f):
        it.captures.watch_attribute(f, "__code__")
    bound = bind(it, f, args, kwargs, node)
    if is_formula(f) or module == "srcgrad":
        bound = known_arguments(it, f, [], bound, node)[1]
    ours = module == "srcgrad" and not (follows_library(it) or is_formula(f))
    if not library and not ours:
        return it.inlined(found, bound, it.defined_in.get(f), node)
    name = f"{f.__module__}.{f.__qualname__}" if library else f.__name__
    return _inline_placed(it, found, bound, name, node, library and module not in FOLLOWED)


def follow_library(
    it: Interpreter, handler: OwnSource, args: tuple, kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a function of NumPy or SciPy by its own source; errors name the user's line."""
    if is_of_library(it.frame.source.function):
        return inline(it, *entered(it, handler.function, [*args], kwargs, node), None, node)
    name = callable_name(handler.shown)
    return _inline_placed(it, *entered(it, handler.function, [*args], kwargs, node), name, node)


def entered(
    it: Interpreter, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[source.Source, dict[str, Any]]:
    """The source of a function that is not the user's, placed at the call, and its arguments."""
    found = dataclasses.replace(source.find(f), place=it.frame.source.location(node))
    return found, bind(it, f, args, kwargs, node)


def _inline_placed(
    it: Interpreter, found: source.Source, bound: dict, name: str, node: Node, opaque: bool = False
) -> Any:
    """`inline` for a function that is not the user's; `opaque` ones give no reason."""
    problems = len(it.problems)
    try:
        return inline(it, found, bound, None, node)
    # the user's line, not one of a library
    except (UnsupportedError, Poisoned, RestartTracing) as e:
        first = [*it.problems[problems:], e][0]
        if isinstance(first, RestartTracing):
            raise
        del it.problems[problems:]
        if opaque or not isinstance(first, SrcgradError):
            it.refuse(
                node, f"{name}() is not supported in a compiled function",
                "call it outside and pass the result",
            )  # fmt: skip
        it.refuse(
            node,
            f"{name}() is not supported here: {first.reason}",
            first.way_out,
            getattr(first, "like", None),
        )


def inline(
    it: Interpreter, found: source.Source, env: dict[str, Any], outer: Any, node: Node,
    resumes: Callable[[Any], Any] | None = None,
) -> Any:  # fmt: skip
    """Interprets a function's body in a frame of its own; its result.

    Of a generator function that is an iterator: the body is interpreted when something runs over it
    and `resumes` with each item.
    """
    if resumes is None and it.frames and is_generator(found.tree):
        return _generated(it, found, env, outer, node)
    if is_loop(it, found) or limit_recursion(it, found, env, node):
        found = over_activations(it, found, env, outer, node)
    loc, tree = it.b.loc, found.tree
    frame = Frame(found, dict(env), liveness(tree), outer, arguments=env)
    frame.open_blocks, frame.resumes = len(it.b.scopes), resumes
    if it.frames:
        frame.called_at = it.frame.source.location(node)
    it.scopes[id(frame.env)] = frame.env
    it.frames.append(frame)
    if it.inside[tree]:
        it.reentered.append(tree)
    it.inside[tree] += 1
    try:
        if isinstance(tree, gast.Lambda):
            it.locate(tree.body)
            return it.operand(tree.body)
        frame.bound_outside = nonlocals(tree) | globals_of(tree)
        frame.local = set(assigned(tree.body)) - frame.bound_outside
        it.block(tree.body)
        it.returned_at = frame.returns[-1] if frame.returns else None
        return _result(it, frame)
    finally:
        it.frames.pop().finished = True
        it.inside[tree] -= 1
        it.b.loc = loc


def _result(it: Interpreter, frame: Any) -> Any:
    """The value that a function returned."""
    if frame.incomplete:
        raise Poisoned
    result = frame.env.get(RESULT)
    returned = frame.env.get(RETURNED, False)
    found = frame.source
    falls_off = isinstance(returned, Var) and result is not None
    if isinstance(result, Conflict):
        it.decide(result, None)
        raise UnsupportedError(
            f"the returns of {found.title}() do not fit together: {result.reason}",
            frame.returns[-1] if frame.returns else found.location(found.tree),
            "return one kind of value on every path",
        )
    if falls_off and not may_be_none(result):
        return Several(negate(it, returned), None, result)
    if falls_off:
        given = result.flag if isinstance(result, MaybeNone) else True
        flag = returned if given is True else it.b.logical_and(returned, given)
        return MaybeNone(result.value if isinstance(result, MaybeNone) else result, flag)
    return result


def _generated(
    it: Interpreter, found: source.Source, env: dict[str, Any], outer: Any, node: Node
) -> Generated:
    def run(step: Callable[[Any], Any], stops: bool) -> None:
        tree = as_generator(found.tree, stops)
        asks = [n for n in own_statements(tree) if type(n) is gast.Yield] if stops else []
        if asks or handles_yields(tree):
            it.refuse(
                node, f"{found.title}() yields in a 'try' with handlers, or where its value is read"
                if not asks else f"{found.title}() may be stopped at a 'yield' whose value is read",
                "make a list of what it yields in it, and return that", runs=True,
            )  # fmt: skip
        resumes = step if stops else (lambda item: (step(item), None)[1])
        inline(it, dataclasses.replace(found, tree=tree), env, outer, node, resumes)

    made = generated(it, node, run)
    made.tree = found.tree
    return made


# ---- closures ----
def closure(it: Interpreter, node: gast.FunctionDef | gast.Lambda, name: str) -> Closure:
    defaults = [it.expression(d) for d in node.args.defaults]
    kw = [None if d is None else it.expression(d) for d in node.args.kw_defaults]
    return Closure(node, it.env, defaults, kw, it.frame, name)


def of_lambda(it: Interpreter, node: gast.Lambda) -> Any:
    return closure(it, node, "<lambda>")


def call_closure(
    it: Interpreter, f: Closure, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    signature = signature_of(f.node, f.defaults, f.kw_defaults)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        it.fails(misfit(f.name, signature, args, kwargs), node)
    bound.apply_defaults()
    defining = f.frame.source
    found = source.Source(defining.function, f.node, defining.file, defining.place)
    return inline(it, found, dict(bound.arguments), f.frame, node)
