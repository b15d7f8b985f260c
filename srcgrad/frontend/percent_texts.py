"""Texts that `%` fills in: each field takes what Python's C code takes of a value.

That is the text of `str` or `repr`, or the number that an instance holds, never `__format__`.
"""

from __future__ import annotations

import re
from typing import Any

from srcgrad import tree
from srcgrad.frontend.derived_instances import as_number, is_held
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import converted, displayed
from srcgrad.frontend.texts import NAMED, is_reading, literal, shown
from srcgrad.frontend.values import Abstract, Record, is_integer, is_number, is_scalar
from srcgrad.ir.nodes import Const, Var

Text = tuple[str, list[Any]]  # a template and its values
_FIELD = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-#0 +]*)(?P<width>\d*)(?P<digits>(?:\.\d*)?)[hlL]?"
    r"(?P<kind>[a-zA-Z%])"
)


def percent(it: Interpreter, text: str, given: Any, node: Node) -> Text | None:
    """`text % given`; None where all is known and Python does it.

    TypeError or ValueError as that raises.
    """
    made = _filled(it, text, given, node)
    if made is None and any(isinstance(v, Abstract | Var | Const | Record) for v in _inside(given)):
        it.refuse(
            node, "a field of this text is not followed for a value that only the run knows",
            "use an f-string",
        )  # fmt: skip
    return made


def _inside(v: Any) -> list[Any]:
    return [*tree.nodes(v), *tree.leaves(v)]


def _filled(it: Interpreter, text: str, given: Any, node: Node) -> Text | None:
    if is_held(given) and isinstance(given.fields[HELD], tuple):
        given = given.fields[HELD]
    rest = [*given] if isinstance(given, tuple) else [given]
    out, values, end = "", [], 0
    for field in _FIELD.finditer(text):
        before, end = text[end : field.start()], field.end()
        if "%" in before:
            return None
        out += literal(before)
        if field["kind"] == "%":
            out += "%"
            continue
        if field["key"] is not None and not isinstance(given, tuple | str):
            v, rest = subscript(it, given, [field["key"]], node), []
        elif rest and field["key"] is None:
            v = rest.pop(0)
        else:
            return None
        made = _shown(it, field, v, node)
        if made is None:
            return None
        out, values = out + made[0], [*values, *made[1]]
    unused = rest and not isinstance(given, dict)
    return None if unused or "%" in text[end:] else (out + literal(text[end:]), values)


def _shown(it: Interpreter, field: re.Match[str], v: Any, node: Node) -> Text | None:
    """A field of a value; None if it is not followed."""
    flags, width, digits, kind = (field[n] for n in ("flags", "width", "digits", "kind"))
    left, digits = "-" in flags, digits + "0" * (digits == ".")
    if is_reading(v) and (kind in "sr" or v.fields["cls"] in (int, float)):
        return "{}", [v]  # so is the whole text
    if kind in "sr":
        template, values = shown(displayed(it, v, node, kind == "r"), kind == "r")
        if not width and not digits:
            return template, values
        spec = ("<" if left else ">" if width else "") + width + digits
        if not values:
            return literal(format(template.format(), spec)), []
        plain = template == "{}" and is_scalar(values[0]) and _dtype(values[0]) != "b"
        return (f"{{:{spec}}}", values) if plain and not digits else None
    number = as_number(v)
    if number is not v and is_integer(number) and kind in "eEfFgG":
        own = converted(it, v, float, node)
        number = number if own is NotImplemented else own
    v = number
    whole = kind in "dixXo" and (is_integer(v) or isinstance(v, bool)) and not digits
    if whole or (kind in "eEfFgG" and (is_scalar(v) or is_number(v)) and _dtype(v) != "c"):
        sign = "+" if "+" in flags else " " if " " in flags else ""
        spec = ("<" if left else "") + sign + "#" * ("#" in flags)
        spec += "0" * ("0" in flags and not left) + width + digits + ("d" if kind == "i" else kind)
        return (f"{{:{spec}}}", [v]) if isinstance(v, Var) else (literal(format(v, spec)), [])
    if is_number(v) or isinstance(v, NAMED):
        start = field.end("key") + 1 if field["key"] is not None else field.start() + 1
        return literal(f"%{field.string[start : field.end()]}" % (v,)), []
    return None


def _dtype(v: Any) -> str:
    """The letter of a number's kind."""
    return v.type.dtype[0] if isinstance(v, Var) else type(v).__name__[0]
