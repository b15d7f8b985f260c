"""Texts that are nested more deeply than Python compiles: inner statements as functions inside.

Python takes 20 loops in one another and 100 levels of indentation. Never changes what a text does.
"""

from __future__ import annotations

import re

from srcgrad.ir.nodes import Stmt
from srcgrad.ir.text import OURS, Printed

DEEPEST = 15  # levels that stay in place
_INDENT = "    "
_HEAD = re.compile(r"(for|while|if) (?!not \w+: break)")
_TYPED = re.compile(r"(\w+): [^=#]*?( = |$|(?=  #))")
_ASSIGNED = re.compile(r"(?:for )?(\w+(?:, \w+)*)(?:: [^=#]*?)?(?: = | in )")

Lines = list[tuple[int, str, Stmt | None]]  # the level, the text without it, the statement


def compilable(text: Printed) -> Printed:
    """The text, or one that does the same and is nested less deeply."""
    lines: Lines = []
    for line, owner in zip(text.text.splitlines(), text.owners, strict=True):
        code = line.lstrip(" ")
        lines.append(((len(line) - len(code)) // len(_INDENT), code, owner))
    if max(level for level, _, _ in lines) <= DEEPEST:
        return text
    parts: list[Lines] = []
    head, *body = _flat(lines, parts)
    inner = [line for part in parts for line in part]
    unset = [(level - 1, code, owner) for level, code, owner in _scope("", " = ", " = None", inner)]
    lines = [head, *unset, *inner, *body]
    whole = "".join(f"{_INDENT * level}{code}\n" for level, code, _ in lines)
    return Printed(text.name, whole, tuple(owner for _, _, owner in lines))


def _flat(lines: Lines, parts: list[Lines]) -> Lines:
    """Lines with calls in place of those nested too deeply, which go to `parts`."""
    out: Lines = []
    k = 0
    while k < len(lines):
        level, code, owner = lines[k]
        if level < DEEPEST or not _HEAD.match(code):
            out.append(lines[k])
            k += 1
            continue
        end = k + 1
        while end < len(lines) and (lines[end][0] > level or _goes_on(lines[end], level)):
            end += 1
        inner = [(at - level + 2, _untyped(text), s) for at, text, s in lines[k:end]]
        inner = _flat(inner, parts)
        name = f"{OURS}part_{len(parts)}"
        parts.append([(1, f"def {name}():", None), *_scope("nonlocal ", ", ", "", inner), *inner])
        out.append((level, f"{name}()", owner))
        k = end
    return out


def _goes_on(line: tuple[int, str, Stmt | None], level: int) -> bool:
    return line[0] == level and line[1].startswith("else:")


def _untyped(code: str) -> str:
    """A line without its type declaration, which a name from outside cannot have."""
    found = None if _HEAD.match(code) or code.startswith("else") else _TYPED.match(code)
    if found is None:
        return code
    rest = code[found.end() :]
    return f"{found[1]} = {rest}" if found[2] == " = " else f"pass{rest}"


def _scope(before: str, between: str, after: str, lines: Lines) -> Lines:
    """A line at the head of a part with the names that lines bind; none if they bind none."""
    found = (_ASSIGNED.match(code) for _, code, _ in lines)
    names = sorted({name for f in found if f is not None for name in f[1].split(", ")})
    return [(2, f"{before}{between.join(names)}{after}", None)] if names else []
