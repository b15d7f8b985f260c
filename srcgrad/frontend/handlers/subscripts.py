"""The subscripts of einsum in one form: a term of letters per operand, and the letters that stay.

They are given as a string or as lists of integers, with or without an ellipsis, with or without
what stays: the rules are those of `numpy.einsum`.
"""

from __future__ import annotations

import string
from typing import Any

from srcgrad.frontend.values import is_array

LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order of the integers
FIRST_OWN = 0x100  # what stands for the axes of an ellipsis counts from here


def subscripts(it: Any, node: Any, given: tuple) -> tuple[list[Any], list[str], str]:
    """(operands, their terms, the letters of the result)."""
    if given and isinstance(given[0], str):
        left, arrow, right = given[0].replace(" ", "").partition("->")
        xs, terms = list(given[1:]), left.split(",")
        kept = right if arrow else None
    else:
        pairs = list(given)
        kept = _letters(it, node, pairs.pop()) if len(pairs) % 2 else None
        xs, terms = pairs[::2], [_letters(it, node, s) for s in pairs[1::2]]
    if len(terms) != len(xs):
        it.refuse(node, "the subscripts of einsum do not fit the operands")
    return _expanded(it, node, xs, terms, kept)


def _letters(it: Any, node: Any, places: Any) -> str:
    """A term that is given as a list of integers."""
    if not isinstance(places, list | tuple):
        it.refuse(node, "einsum takes its subscripts as a string, or as a list for each operand")
    out = ""
    for p in places:
        k = -1 if p is Ellipsis else it.static_int(p, node, "a subscript of einsum")
        if not -1 <= k < len(LETTERS):
            it.refuse(node, f"a subscript of einsum is out of range: {k}")
        out += "..." if k < 0 else LETTERS[k]
    return out


def _expanded(
    it: Any, node: Any, xs: list[Any], terms: list[str], kept: str | None
) -> tuple[list[Any], list[str], str]:
    """A letter for each axis that an ellipsis stands for, counted from the last one."""
    longest, full = 0, []
    for x, term in zip(xs, terms, strict=True):
        n = x.type.ndim if is_array(x) else 0
        before, dots, after = term.partition("...")
        more = n - len(before) - len(after)
        if more < 0 or (more and not dots) or "." in before + after:
            it.refuse(node, "the subscripts of einsum do not fit the operands")
        longest = max(longest, more)
        full.append((before, more, after))
    own = "".join(chr(FIRST_OWN + k) for k in reversed(range(longest)))
    made = [before + own[longest - more :] + after for before, more, after in full]
    letters = "".join(before + after for before, _, after in full)
    if kept is None:
        kept = "..." * bool(own) + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if own and "..." not in kept:
        it.refuse(node, "the result of einsum must have the ellipsis of its operands")
    right = kept.replace("...", own)
    if len(set(right)) < len(right) or not set(right) <= set(letters + own):
        it.refuse(node, "a subscript of the result of einsum is there twice, or not in an operand")
    return xs, made, right
