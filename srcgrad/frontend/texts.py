"""Texts with run-time values in them: f-strings, messages of exceptions, output of `print`.

A text is a template of `str.format` and its values. Never formats a run-time value.
"""

from __future__ import annotations

import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]  (no public name)
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.formulas.clocks import Reading
from srcgrad.frontend.values import (
    Formatted,
    GrownList,
    Record,
    describe,
    is_number,
    is_scalar,
    is_value,
)
from srcgrad.ir.nodes import Var

# prepares a value and its specification for formatting, by a conversion
Prepared = Callable[[Any, Any, int], tuple[Any, Any]]
Part = Callable[[Any, bool, Any], Any]  # an attribute of a value, or an item
NAMED = (str, bytes, bool, type(None), type(...), type)


OF_NUMBERS = frozenset("0123456789.,+-eEinfINFaAxXobj_%() TrueFalse")  # what a field may show


def literal(text: str) -> str:
    """A text as part of a template."""
    return text.replace("{", "{{").replace("}", "}}")


def holds(template: str, part: str) -> bool | None:
    """Whether a text contains a part, whatever its numbers are; None if they decide it."""
    fields = [*string.Formatter().parse(template)]
    if any(part in text for text, *_ in fields):
        return True
    others = {c for text, _, spec, _ in fields for c in text + (spec or "")}
    return None if set(part) <= others | OF_NUMBERS else False


def quoted(template: str) -> str:
    """The template of what `repr` gives of a text: its fields show numbers, without quotes."""
    fields = [*string.Formatter().parse(template)]
    whole = "".join(text for text, *_ in fields)
    quote, other = ('"', "'") if "'" in whole and '"' not in whole else ("'", '"')
    out = quote
    for text, field, spec, conversion in fields:
        out += literal(repr(other + text)[2:-1])  # with the other quote in it, as with the whole
        if field is not None:
            ends = (mark + part for mark, part in (("!", conversion), (":", spec)) if part)
            out += "{" + field + "".join(ends) + "}"
    return out + quote


def shown(v: Any, inside: bool = False) -> tuple[str, list[Any]]:
    """The template and the values of `str(v)`; of `repr` for items of a container."""
    match v:
        case Formatted():
            return v.template, v.values
        case Var() if is_value(v):
            return "{}", [v]
        case tuple() | list() if not hasattr(v, "_fields"):
            parts = [shown(p, True) for p in v]
            text = ", ".join(t for t, _ in parts)
            if isinstance(v, tuple):
                text = f"({text},)" if len(v) == 1 else f"({text})"
            else:
                text = f"[{text}]"
            return text, [x for _, xs in parts for x in xs]
        case dict() if all(not isinstance(k, Var) for k in v):
            parts = [shown(p, True) for p in v.values()]
            text = ", ".join(f"{literal(repr(k))}: {t}" for k, (t, _) in zip(v, parts, strict=True))
            return f"{{{{{text}}}}}", [x for _, xs in parts for x in xs]
        case Record() | GrownList():
            return literal(describe(v)), []
    if is_number(v) or isinstance(v, NAMED) or hasattr(v, "kind"):
        return literal(repr(v) if inside else str(v)), []
    return literal(describe(v)), []


def made_of(template: str, values: list[Any]) -> Any:
    """The text of a template and its values: a reading if one of them is, a str without values."""
    reading = next(filter(is_reading, values), None)
    if reading is not None:
        return Record(reading.cls, {**reading.fields, "cls": str})
    return Formatted(template, values) if values else template.format()


def is_reading(v: Any) -> bool:
    return isinstance(v, Record) and issubclass(v.cls, Reading)


def formatted(v: Any, spec: Any, conversion: int) -> tuple[str, list[Any]]:
    """A field of an f-string; `conversion` is that of the syntax tree (-1: none)."""
    template, values = shown(v, conversion in (ord("r"), ord("a")))
    if is_reading(v):
        return "{}", [v]
    width, widths = ("", []) if spec is None else shown(spec)
    if not width:
        return template, values
    if template == "{}":
        return f"{{:{width}}}", [*values, *widths]
    if values or widths:
        return template, values
    return literal(format(v if conversion == -1 else template.format(), width)), []


def filled_in(
    text: str, args: tuple, named: Callable[[str], Any], part: Part, prepared: Prepared
) -> tuple[str, list[Any]]:
    """`text.format(*args, **named)`; LookupError, ValueError or TypeError as that raises."""
    unnumbered = iter(range(len(args)))

    def filled(text: str) -> tuple[str, list[Any]]:
        template, values = "", []
        for before, field, spec, conversion in string.Formatter().parse(text):
            template += literal(before)
            if field is None:
                continue
            name, parts = formatter_field_name_split(field)
            if name == "" and (name := next(unnumbered, None)) is None:
                raise IndexError("Replacement index out of range for positional args tuple")
            v = named(name) if isinstance(name, str) else args[name]
            for is_attribute, key in parts:
                v = part(v, is_attribute, key)
            kind = -1 if conversion is None else ord(conversion)
            wanted, own = formatted(*prepared(v, made_of(*filled(spec or "")), kind), kind)
            template, values = template + wanted, [*values, *own]
        return template, values

    return filled(text)


def without_values(template: str, values: list[Any] | None = None) -> tuple[str, list[Any]]:
    """The template with "..." for values that are not numbers; for all if `values` is None."""
    given, out, kept = iter(values or ()), "", []
    for text, field, spec, _ in string.Formatter().parse(template):
        out += literal(text)
        if field is None:
            continue
        own = [v for _, v in zip(range(1 + (spec or "").count("{")), given, strict=False)]
        if own and all(is_scalar(v) for v in own):
            out, kept = out + (f"{{:{spec}}}" if spec else "{}"), [*kept, *own]
        else:
            out += "..."
    return out, kept
