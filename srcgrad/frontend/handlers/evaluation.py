"""`eval`, `exec` and `locals`: texts that are known when compiling, and the names of a function."""

from __future__ import annotations

import sys
import types
from typing import Any

import gast

from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.frame import Frame, Poison, Poisoned, frames_of
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.inlining import inline
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.liveness import assigned, reads
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import OURS, parameters_of
from srcgrad.frontend.values import UNBOUND, Bound, Conflict, Record, describe

COMPREHENSIONS = gast.ListComp | gast.SetComp | gast.DictComp | gast.GeneratorExp
FUNCTIONS = gast.Lambda | gast.FunctionDef
INLINED = sys.version_info >= (3, 12)  # whether a comprehension sees the names around it
NO_NAMES = gast.arguments([], [], None, [], [], None, [])


@implements(eval)
def evaluated(
    it: Interpreter, node: Node, source: Any, globals: Any = None, locals: Any = None
) -> Any:
    """The value of an expression; with dicts of names these are all that it sees."""
    expression: Any = _parsed(it, node, source, "eval").body
    alone = globals is None and locals is None
    names = _names(it, node, globals, locals)
    inside = set().union(*(frames_of(it.frame) if alone else [locals or {}]))
    _refuse_inner(it, node, expression, inside)
    if alone:
        return it.operand(expression)
    tree = gast.copy_location(gast.Lambda(NO_NAMES, expression), node)
    return inline(it, _source(it, node, tree, globals), names, None, node)


@implements(exec)
def executed(
    it: Interpreter, node: Node, source: Any, globals: Any = None, locals: Any = None
) -> None:
    """Executes statements; what they bind is in the dicts of names, without these nowhere."""
    tree: Any = _parsed(it, node, source, "exec")
    alone = globals is None and locals is None
    names = _names(it, node, globals, locals)
    if locals is None and not alone:
        it.refuse(node, "exec() in one dict of names, to which Python adds more, is not supported",
                  "pass another dict for what it binds: exec(text, names, {})")  # fmt: skip
    inside = {*assigned(tree.body)}.union(*(frames_of(it.frame) if alone else [locals or {}]))
    _refuse_inner(it, node, tree, inside)
    if any(isinstance(n, gast.Global | gast.Delete | gast.ClassDef) for n in gast.walk(tree)):
        it.refuse(node, "'global', 'del' and 'class' in the text of exec() are not supported",
                  "write them outside of the text")  # fmt: skip
    bound = gast.Return(gast.Call(gast.Name("ªlocals", gast.Load(), None, None), [], []))
    for n in gast.walk(bound):
        gast.copy_location(n, node)
    made = gast.FunctionDef("text", NO_NAMES, [*tree.body, bound], [], None, None, [])
    gast.copy_location(made, node)
    outer = it.frame.outer if alone else None
    held = inline(it, _source(it, node, made, globals), names, outer, node)
    if not alone:
        made = {n: held[n] for n in assigned(tree.body) if n in held}
        it.call(Bound(locals, "update"), [TrackedDict(made)], {}, node)


@implements(locals)
def names_of_the_function(it: Interpreter, node: Node) -> Any:
    """A dict of the names that the function has bound so far."""
    frame: Frame = it.frame
    own = frame.env
    function, tree = frame.source.function, frame.source.tree
    names = [*parameters_of(tree), *own]
    if frame.outer is None and not isinstance(tree, gast.Lambda):
        code = function.__code__
        names = [*code.co_varnames, *code.co_cellvars, *code.co_freevars, *own]
    outer = {n: env for env in reversed(frames_of(frame.outer)) for n in env if n in reads(tree)}
    held: dict[str, Any] = {}
    for n in dict.fromkeys([*names, *outer]):
        v = own.get(n, UNBOUND)
        if n in outer and n not in own:
            v = outer[n][n]
        if isinstance(v, Poison):
            raise Poisoned
        if v is UNBOUND or not n.isidentifier() or n.startswith(OURS):
            continue
        held[n] = it.lookup(n, node) if isinstance(v, Conflict) else v
    return TrackedDict(held, it.place(node), unordered=frame.outer is not None)


def _parsed(it: Interpreter, node: Node, source: Any, mode: str) -> Any:
    """The tree of a text, at the place of the call."""
    text = it.known_text(source, node)
    if not isinstance(text, str):
        said = f"{mode}() of {describe(text)} is not supported"
        it.refuse(node, said, "pass a text", TypeError)
    text = text.strip() if mode == "eval" else text
    try:
        compile(text, "<string>", mode)
    except SyntaxError as e:
        what = "expression" if mode == "eval" else "program"
        it.wrong(node, f"this text is no {what}: {e.msg}", SyntaxError)
    return _placed(gast.parse(text, mode=mode), node)


def _names(it: Interpreter, node: Node, globals: Any, locals: Any) -> dict[str, Any]:
    """The names that a text sees: those of the function, or those of the dicts that are given."""
    if globals is None and locals is None:
        return {n: v for n, v in it.env.items() if n.isidentifier() and v is not UNBOUND}
    if not isinstance(globals, dict | None) or not isinstance(locals, dict | None):
        wrong = None if any(isinstance(v, Record) for v in (globals, locals)) else TypeError
        said = "these names of a text are not supported"
        it.refuse(node, said, "pass a dict whose keys are texts", like=wrong)
    return {**(globals or {}), **(locals or {})}


def _source(it: Interpreter, node: Node, tree: Any, globals: Any) -> Source:
    """The source of a text as a function: of this module, or of none if its names are given."""
    own = it.frame.source
    function: Any = own.function
    names = function.__globals__ if globals is None else {}
    place = own.location(node)
    return Source(types.FunctionType((lambda: None).__code__, names), tree, place.file, place)


def _refuse_inner(it: Interpreter, node: Node, tree: Any, inside: set[str]) -> None:
    """Refuses what is a function of its own in a text and reads names that it does not see."""
    for n in gast.walk(tree):
        if not isinstance(n, FUNCTIONS | COMPREHENSIONS):
            continue
        sees = INLINED and isinstance(n, gast.ListComp | gast.SetComp | gast.DictComp)
        if not sees and _free(n) & inside:
            it.refuse(
                node, "a function in a text does not see the names of the function around it",
                "write it outside of the text", like=NameError,
            )  # fmt: skip


def _free(inner: Any) -> set[str]:
    """The names that a function or a comprehension takes from outside."""
    first = inner.generators[0].iter if isinstance(inner, COMPREHENSIONS) else None
    within = {id(n) for n in gast.walk(first)} if first is not None else set()
    names = [n for n in gast.walk(inner) if isinstance(n, gast.Name) and id(n) not in within]
    bound = {n.id for n in names if not isinstance(n.ctx, gast.Load)}
    return {n.id for n in names if isinstance(n.ctx, gast.Load)} - bound


def _placed(tree: Any, node: Any) -> Any:
    """The tree at the place of the call; its comprehensions, which places tell apart, within it."""
    inner = [n for n in gast.walk(tree) if isinstance(n, COMPREHENSIONS)]
    for k, part in enumerate([tree, *inner]):
        for n in gast.walk(part):
            gast.copy_location(n, node)
            if hasattr(n, "col_offset"):
                n.col_offset += k
    return tree
