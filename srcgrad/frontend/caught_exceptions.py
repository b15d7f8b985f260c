"""Exceptions that a handler binds to a name: those of which a `raise` statement tells all."""

from __future__ import annotations

from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.special_methods import has_plain_arguments, method_of, of_arguments
from srcgrad.frontend.values import Record
from srcgrad.ir.nodes import Def
from srcgrad.primitives import memory
from srcgrad.primitives.raising import name_of

MOST = 8  # exceptions that one handler is followed for, each apart


def note_raised(it: Interpreter, exception: Record, text: str) -> None:
    """Notes what a `raise` statement makes, under its class and the text that a program holds."""
    key = (name_of(exception.cls), text)
    same = it.raised.setdefault(key, exception)
    if same is not None and not _are_same(same, exception):
        it.raised[key] = None


def _are_same(a: Record, b: Record) -> bool:
    if a.cls is not b.cls or not (has_plain_arguments(a) and has_plain_arguments(b)):
        return False
    return repr(a.fields["args"]) == repr(b.fields["args"])


def raised_by_statement(it: Interpreter, d: Def) -> Record | None:
    """The exception of an operation that raises, if a `raise` statement with known texts is it."""
    if d.op is not memory.fail or d.args:
        return None
    found = it.raised.get((d.params["kind"], d.params["message"]))
    if found is None or not _is_known(it, found):
        return None
    return found


def _is_known(it: Interpreter, exception: Record) -> bool:
    """Whether an exception is made of its arguments alone, which are plain, and shows them."""
    own = [method_of(it, exception, n) for n in ("__init__", "__new__")]
    return not any(own) and of_arguments(it, exception) and has_plain_arguments(exception)
