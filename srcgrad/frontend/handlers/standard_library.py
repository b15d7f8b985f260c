"""Handles `prange`, tqdm's progress bars, `warnings` and `logging`.

Objects of Numba and tqdm, which srcgrad does not import here, are recognised by module and name.
A progress bar is replaced by its iterable and shows nothing.
A message below its logger's level is left out, under a guard on that level.
"""

from __future__ import annotations

import logging
import re
import warnings
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.contexts import refuse_settings
from srcgrad.frontend.expressions import binary
from srcgrad.frontend.formulas import clocks  # noqa: F401 (registers them)
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.handlers.registry import BY_NAME, CONTEXTS, FUNCTIONS, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.prange import prange
from srcgrad.frontend.special_methods import displayed, has_plain_text
from srcgrad.frontend.texts import shown
from srcgrad.frontend.values import Formatted, Record, describe
from srcgrad.primitives.raising import name_of


@implements(prange)
def _range(it: Interpreter, node: Node, *args: Any) -> Any:
    return replace(it.handled(FUNCTIONS[range], list(args), {}, node), promised=True)


def _bar(it: Interpreter, node: Node, /, iterable: Any = None, *args: Any, **options: Any) -> Any:
    if iterable is None:
        it.refuse(node, "a progress bar without what it runs over is not supported")
    return iterable


BY_NAME["numba.misc.special", "prange"] = _range
for _module, _name in (
    ("tqdm.std", "tqdm"), ("tqdm.asyncio", "tqdm_asyncio"), ("tqdm.notebook", "tqdm_notebook"),
):  # fmt: skip
    BY_NAME[_module, _name] = _bar


# ---- logging ----
implements(logging.getLogger)(lambda it, node, name=None: logging.getLogger(name))


@implements(logging.Logger.isEnabledFor)
def is_enabled_for(it: Interpreter, node: Node, self: Any, level: Any) -> bool:
    """Whether a logger writes messages of a level, under a guard."""
    level = it.static_int(level, node, "the level of a message")
    enabled = Step((level,), lambda logger: logger.isEnabledFor(level))
    it.captures.watch(Path("logged", self, (enabled,)), f"the level of {self.name}")
    return self.isEnabledFor(level)


def _logs(name: str, *root: Any) -> Any:
    """The handler of a method of loggers; of the function of that name, with the root logger."""
    level = getattr(logging, name.upper())

    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> None:
        logger, message, *values = (*root, *args)
        if not is_enabled_for(it, node, logger, level):
            return
        if kwargs:
            it.refuse(
                node, f"{name}() with {next(iter(kwargs))}= is not supported",
                "leave it out, or have the logger drop the message: "
                f"setLevel(logging.{name.upper()} + 1)",
            )  # fmt: skip
        if values:
            message = binary(it, gast.Mod(), message, tuple(values), node)
        place = it.frame.source.location(node)
        _reported(it, node, place, message, "logging", logger.name, level)

    return handler


@implements(warnings.warn)
def warn(
    it: Interpreter, node: Node, message: Any, category: Any = UserWarning, stacklevel: Any = 1,
) -> None:  # fmt: skip
    """Issues a warning at the line of a caller that was followed, or at the first of them."""
    if isinstance(message, Record) and issubclass(message.cls, Warning) and _is_plain(it, message):
        category, message = message.cls, displayed(it, message, node)
    if not (isinstance(category, type) and issubclass(category, Warning)):
        it.wrong(node, "category must be a Warning subclass", TypeError)
    if _is_ignored(it, node, message, category):
        return
    place = it.frame.source.location(node)
    up = it.static_int(stacklevel, node, "stacklevel") - 1
    calls = [f.called_at for f in reversed(it.frames) if f.called_at is not None]
    if up > 0 and calls:
        place = calls[min(up, len(calls)) - 1]
    _reported(it, node, place, message, "warning", name_of(category), 0)


def _is_plain(it: Interpreter, warning: Record) -> bool:
    """Whether a warning is made of its text alone, which is its one argument."""
    args = warning.fields["args"]
    text = len(args) == 1 and isinstance(args[0], str | Formatted)
    return text and has_plain_text(it, warning.cls)


def _is_ignored(it: Interpreter, node: Node, message: Any, category: type) -> bool:
    """Whether a filter drops a warning: filters with a text are those of texts that are known."""
    for ignored, pattern in it.ignored or ():
        if issubclass(category, ignored):
            if pattern and not isinstance(message, str):
                it.refuse(
                    node, "whether a filter drops this warning is known when it runs only",
                    "filter by category alone",
                )  # fmt: skip
            if re.match(pattern, message if pattern else "", re.IGNORECASE):
                return True
    return False


def _caught(it: Interpreter, node: Any, item: Any) -> None:
    """Follows `with warnings.catch_warnings()`: filters set in it hold until its end."""
    named = {k.arg: it.expression(k.value) for k in item.context_expr.keywords}
    if item.optional_vars is not None or named.keys() - {"record", "action", "category"}:
        it.refuse(node, "warnings that are kept are not supported", "catch them outside")
    before = it.ignored
    it.ignored = ((Warning, ""),) if named.get("record") else before or ()
    try:
        if named.get("action") is not None:
            simplefilter(it, node, named["action"], named.get("category", Warning))
        it.block(node.body)
    finally:
        it.ignored = before


CONTEXTS[warnings.catch_warnings] = _caught


@implements(warnings.simplefilter)
def simplefilter(it: Interpreter, node: Node, action: Any, category: Any = Warning) -> None:
    """Sets a filter in `catch_warnings`: it drops the program's own warnings of a category."""
    filterwarnings(it, node, action, "", category)


@implements(warnings.filterwarnings)
def filterwarnings(
    it: Interpreter, node: Node, action: Any, message: Any = "", category: Any = Warning,
) -> None:  # fmt: skip
    """Sets a filter in `catch_warnings`, of a category and of texts that begin in one way."""
    if action != "ignore" or it.ignored is None:
        where = "" if it.ignored is None else f" with {action!r}"
        it.refuse(
            node, f"setting a filter of warnings{where} is not supported here",
            "set it outside; inside 'with warnings.catch_warnings():' there is 'ignore'",
        )  # fmt: skip
    it.ignored = (*it.ignored, (category, message))


@implements(np.seterr)
def seterr(it: Interpreter, node: Node, /, all: Any = None, **settings: Any) -> dict[str, str]:
    """Changes nothing: floats do not warn in compiled code."""
    refuse_settings(it, node, {"all": all, **settings})
    return geterr(it, node)


@implements(np.geterr)
def geterr(it: Interpreter, node: Node) -> dict[str, str]:
    """NumPy's own settings, in a new dict: compiled code does not raise, whatever they are."""
    return {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def _reported(it: Interpreter, node: Node, place: Any, message: Any, *words: Any) -> None:
    """Emits a message to a logger or a warning: the kind, a name, a level."""
    if not isinstance(message, str | Formatted):
        it.refuse(node, f"{describe(message)} is no text of a message", "write a string")
    template, values = shown(displayed(it, message, node))
    it.b.report(*values, message=template, words=(*words, place.file, place.line))


for _name in ("debug", "info", "warning", "error", "critical"):
    implements(getattr(logging.Logger, _name))(_logs(_name))
    implements(getattr(logging, _name))(_logs(_name, logging.root))
