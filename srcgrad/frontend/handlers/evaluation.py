"""`eval` of texts that are known when compiling: read as expressions at the place of the call."""

from __future__ import annotations

import types
from typing import Any

import gast

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.inlining import inline
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.source import Source
from srcgrad.frontend.values import describe

# whose bodies do not see the names of the function around eval()
INNER = gast.Lambda | gast.ListComp | gast.SetComp | gast.DictComp | gast.GeneratorExp


@implements(eval)
def evaluated(
    it: Interpreter, node: Node, source: Any, globals: Any = None, locals: Any = None
) -> Any:
    """The value of an expression; with dicts of names these are all that it sees."""
    text = it.known_text(source, node)
    if not isinstance(text, str):
        it.refuse(node, f"eval() of {describe(text)} is not supported", "pass a text", TypeError)
    try:
        expression: Any = gast.parse(text.strip(), mode="eval").body
    except SyntaxError as e:
        it.wrong(node, f"this text is no expression: {e.msg}", SyntaxError)
    for n in gast.walk(expression):
        gast.copy_location(n, node)
    if any(isinstance(n, INNER) for n in gast.walk(expression)):
        it.refuse(node, "a function or a comprehension in the text of eval() is not supported",
                  "write it outside of the text")  # fmt: skip
    if globals is None and locals is None:
        return it.operand(expression)
    if not isinstance(globals, dict) or not isinstance(locals, dict | None):
        it.refuse(node, "eval() with these names is not supported", "pass one dict of all names")
    names = {**globals, **(locals or {})}
    alone = types.FunctionType((lambda: None).__code__, {})
    arguments = gast.arguments([], [], None, [], [], None, [])
    tree = gast.copy_location(gast.Lambda(arguments, expression), node)
    place = it.frame.source.location(node)
    return inline(it, Source(alone, tree, place.file, place), names, None, node)
