"""The name that a handler binds: an exception with the text that a `raise` gave it.

A handler that reads its name is followed once for each text that may reach it. Where a text has
numbers of the run, the computation that decides the handler keeps them for it. The text of an
exception that no `raise` of the program's makes is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.texts import made_of
from srcgrad.frontend.values import Record
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.ir.types import Scalar
from srcgrad.primitives import memory
from srcgrad.primitives.raising import class_of
from srcgrad.records import record

MOST = 12  # texts of one handler: more, and none is known
Text = tuple[int, str, str, tuple[Scalar, ...]]  # the handler, the class, a template, its values


@record(frozen=True)
class Texts:
    """The texts that may reach handlers which read their names, numbered after the handlers."""

    handlers: Sequence[Any]
    handler_of: Callable[[Def], int]  # the number of the handler that catches what this raises
    kept: dict[Text, list[Any]]  # in memory: the numbers in a text

    def code(self, d: Def) -> int:
        """The number of what catches an operation's exception; 0 if nothing does."""
        number = self.handler_of(d)
        texts, text = [*self.kept], _text(d, number)
        return len(self.handlers) + 1 + texts.index(text) if text in texts else number

    def stores(self, b: Any, d: Def) -> list[Stmt]:
        """Statements that keep the numbers of a text where it is raised."""
        with b.block() as out:
            places = self.kept.get(_text(d, self.handler_of(d)), [])
            for place, v in zip(places, d.args, strict=False):
                b.store(place, 0, v)
        return out

    def caught(self, it: Interpreter, code: int) -> tuple[Any, Record | None]:
        """The handler of a code, and the exception that it binds; None if its text is not known."""
        if code <= len(self.handlers):
            return self.handlers[code - 1], None
        number, kind, template, types = [*self.kept][code - len(self.handlers) - 1]
        places = self.kept[number, kind, template, types]
        values = [it.b.retyped(it.b.load(p, 0), t) for p, t in zip(places, types, strict=True)]
        text = made_of(template, values)
        return self.handlers[number - 1], Record(class_of(kind), {"args": (text,)})


def texts_of(
    it: Interpreter, handlers: Sequence[Any], raising: Sequence[Def],
    handler_of: Callable[[Def], int],
) -> Texts:  # fmt: skip
    """The texts of what these operations raise, with memory for the numbers in them."""
    kept: dict[Text, list[Any]] = {}
    for number, handler in enumerate(handlers, 1):
        if handler.name is None or not _is_read(handler):
            continue
        mine = [d for d in raising if handler_of(d) == number]
        known = {_text(d, number) for d in mine if it.texts_raised.get(_key(d), False)}
        for text in sorted(known, key=str) if len(known) <= MOST else ():
            kept[text] = [it.b.zeros(1, dtype=t.dtype, name="kept") for t in text[3]]
    return Texts(handlers, handler_of, kept)


def _key(d: Def) -> Any:
    return (d.params["kind"], d.params["message"]) if d.op is memory.fail else None


def _text(d: Def, number: int) -> Any:
    if d.op is not memory.fail:
        return None
    return number, d.params["kind"], d.params["message"], tuple(a.type for a in d.args)


def _is_read(handler: Any) -> bool:
    """Whether a handler reads its name, other than as the cause of what it raises."""
    todo, name = list(handler.body), handler.name.id
    while todo:
        node = todo.pop()
        if isinstance(node, gast.Name) and node.id == name:
            return True
        children = gast.iter_child_nodes(node)
        cause = getattr(node, "cause", None)
        todo += [child for child in children if child is not cause or cause is None]
    return False
