"""Handles `print`, and methods of `sys.stdout` and `sys.stderr`."""

from __future__ import annotations

import sys
from typing import Any

from srcgrad.frontend.guards import Path, attribute
from srcgrad.frontend.handlers.registry import OF_STREAM, implements, name_of_stream
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import displayed
from srcgrad.frontend.texts import literal, shown
from srcgrad.frontend.values import Formatted, describe


@implements(print)
def print_(
    it: Interpreter, node: Node, /, *values: Any, sep: Any = " ", end: Any = "\n",
    file: Any = None, flush: Any = False,
) -> Any:  # fmt: skip
    if not isinstance(sep, str | None) or not isinstance(end, str | None):
        it.refuse(node, "sep and end of print() must be known at compile time", like=TypeError)
    stream = "stdout" if file is None else name_of_stream(file)
    if stream is None:
        it.refuse(node, "print() to a file is not supported", "print to sys.stdout or sys.stderr")
    if file is not None:
        _watch(it, stream)
    flush = bool(flush)
    texts = [shown(displayed(it, v, node)) for v in values]
    message = literal(" " if sep is None else sep).join(text for text, _ in texts)
    message += literal("\n" if end is None else end)
    _put(it, message, [v for _, own in texts for v in own], stream, flush)


def _put(
    it: Interpreter, message: str, values: list[Any], stream: str, flush: bool = False
) -> None:  # fmt: skip
    to: dict[str, Any] = {} if stream == "stdout" else {"stream": stream}
    if flush:
        to["flush"] = True
    it.b.show(*values, message=message, **to)


def _watch(it: Interpreter, stream: str) -> None:
    """Guards that a stream, which a program may have by another name, is the one in `sys`."""
    it.captures.watch(Path("stream", sys, (attribute(stream),)), f"sys.{stream}")


def _put_text(it: Interpreter, node: Node, stream: str, text: Any) -> int | None:
    """Writes a text; its length if that is known."""
    _watch(it, stream)
    if not isinstance(text, str | Formatted):
        it.wrong(node, f"write() argument must be str, not {describe(text)}", TypeError)
    template, values = shown(text)
    _put(it, template, values, stream)
    return len(text) if isinstance(text, str) else None


def _write(stream: str, it: Interpreter, node: Node, text: Any, /) -> Any:
    if isinstance(text, Formatted) and node not in it.unread:
        it.refuse(node, "the length of a text with a number of the run", "do not read it")
    return _put_text(it, node, stream, text)


def _writelines(stream: str, it: Interpreter, node: Node, texts: Any, /) -> None:
    for text in it.static_items(texts, node):
        _put_text(it, node, stream, text)


def _flush(stream: str, it: Interpreter, node: Node, /) -> None:
    _watch(it, stream)
    _put(it, "", [], stream, flush=True)


OF_STREAM.update(write=_write, writelines=_writelines, flush=_flush)
