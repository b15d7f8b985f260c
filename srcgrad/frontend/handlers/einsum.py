"""Einstein sums: operands in pairs, each pair as a product of matrices if it is one.

Subscripts are a string, or lists of integers after the operands; an ellipsis denotes axes that
broadcast. The order of the pairs is chosen by the subscripts alone: lengths are not known at
compile time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.contraction_forms import LETTERS
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.products import contracted, meet
from srcgrad.frontend.handlers.reductions import sum_
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import transpose
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.snapshots import DIAGONAL
from srcgrad.frontend.values import is_array, is_number, ndim, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, join_scalars, np_dtype

HIDDEN = [chr(0x100 + k) for k in range(64)]  # the letters of the axes of an ellipsis


@implements(np.einsum)
def einsum(it: Interpreter, node: Node, *args: Any, optimize: Any = False) -> Any:
    given, xs = (args[0], args[1:]) if isinstance(args[0], str) else _spelled(it, node, args)
    xs = tuple(operands(it, node, xs, "einsum"))
    terms, right = _terms(it, node, given.replace(" ", ""), xs)
    kind = Scalar(atom(xs[0]).type.dtype)
    for x in xs[1:]:
        kind = join_scalars(kind, Scalar(atom(x).type.dtype))
    if kind.dtype == "bool":
        it.refuse(node, "einsum of booleans is not supported", "use .astype(int)")
    pairs = [(it.b.cast(x, kind), t) for x, t in zip(xs, terms, strict=True)]
    parts = [_diagonals(it, node, x, t) for x, t in _without_ones(it, pairs)]
    for i, j in _order([t for _, t in parts], right):
        (x, s), (y, t) = parts[i], parts[j]
        parts = [part for k, part in enumerate(parts) if k not in (i, j)]
        rest = {c for _, u in parts for c in u} | set(right)
        wanted = None if parts else right
        parts.insert(0, _contract(it, node, x, s, y, t, rest, wanted))
    x, s = _summed(it, node, *parts[0], set(right))
    if not is_array(x) or s == right:
        return x
    return transpose(it, node, x, [s.index(c) for c in right])


# ---- subscripts ----
def _spelled(it: Interpreter, node: Node, args: tuple) -> tuple[str, tuple]:
    """The string of subscripts for einsum(x, [0, 1], y, [1, 2], [0, 2])."""

    def term(v: Any) -> str:
        if not isinstance(v, list | tuple):
            it.refuse(
                node,
                "einsum takes its subscripts as a string, or as lists of integers",
                like=TypeError,
            )
        return "".join("..." if k is Ellipsis else letter(k) for k in v)

    def letter(v: Any) -> str:
        k = it.static_int(v, node, "a subscript of einsum")
        if not 0 <= k < len(LETTERS):
            it.refuse(
                node, f"a subscript of einsum is {k}, not within [0, {len(LETTERS)})",
                like=ValueError,
            )  # fmt: skip
        return LETTERS[k]

    left = ",".join(term(v) for v in args[1::2])
    if len(args) % 2:
        left = ",".join(term(v) for v in args[1:-1:2]) + "->" + term(args[-1])
    return left, args[: len(args) // 2 * 2 : 2]


def _terms(it: Interpreter, node: Node, spec: str, xs: tuple) -> tuple[list[str], str]:
    """The letters of each operand and of the result, those of ellipses included."""
    left, arrow, right = spec.partition("->")
    terms = left.split(",")
    if len(terms) != len(xs):
        it.refuse(node, "the subscripts of einsum do not fit the operands", like=ValueError)
    hidden = [ndim(x) - len(t.replace("...", "")) for x, t in zip(xs, terms, strict=True)]
    if any(h < 0 or (h and "..." not in t) for h, t in zip(hidden, terms, strict=True)):
        it.refuse(node, "the subscripts of einsum do not fit the operands", like=ValueError)
    most = max(hidden)
    everywhere = "".join(HIDDEN[:most])
    # axes of an ellipsis are counted from the last, as in broadcasting
    terms = [t.replace("...", everywhere[most - h :]) for h, t in zip(hidden, terms, strict=True)]
    letters = "".join(terms)
    if not arrow:
        once = sorted(c for c in set(letters) - set(everywhere) if letters.count(c) == 1)
        return terms, everywhere + "".join(once)
    if most and "..." not in right:
        it.refuse(
            node,
            "einsum with an ellipsis among the operands needs one in the result",
            like=ValueError,
        )
    right = right.replace("...", everywhere)
    if len(set(right)) != len(right) or not set(right) <= set(letters):
        it.refuse(
            node, "the subscripts of the result of einsum do not fit the operands", like=ValueError
        )
    return terms, right


def _without_ones(it: Interpreter, pairs: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Operands without the axes of length 1 that broadcast to another operand's."""
    ones = [
        {c for c in t if all(_is_one(x, k) for k, other in enumerate(t) if other == c)}
        for x, t in pairs
    ]
    long = {c for (_, t), short in zip(pairs, ones, strict=True) for c in t if c not in short}
    out = []
    for (x, t), short in zip(pairs, ones, strict=True):
        gone = short & long
        if gone:
            spec = tuple("i" if c in gone else ":" for c in t)
            x = it.b.view(x, *([0] * spec.count("i")), spec=spec)
            x = x if ":" in spec else it.b.load(x) if is_array(x) else x
        out.append((x, "".join(c for c in t if c not in gone)))
    return out


def _is_one(x: Any, axis: int) -> bool:
    n = x.type.dims[axis]
    return is_number(n) and n == 1


# ---- the order of the pairs ----
_SEARCHED = 5  # operands; more are taken from left to right


def _order(terms: list[str], right: str) -> list[tuple[int, int]]:
    """The pairs to contract, by their places at that time; a result takes the first place.

    The best order has the fewest letters in its largest pairs, and then the fewest contractions
    along a letter that remains: these are stacks of products, not one. Of equal orders it is the
    first from left to right.
    """
    if not 2 < len(terms) <= _SEARCHED:
        return [(0, 1)] * (len(terms) - 1)
    return min(_orders(terms, right), key=lambda found: found[0])[1]


def _orders(
    terms: list[str], right: str
) -> Iterator[tuple[tuple[list[int], int], list[tuple[int, int]]]]:
    """Every order of the pairs with its cost: the letters of its pairs, sorted, and its stacks."""
    if len(terms) == 1:
        yield ([], 0), []
    for i, j in combinations(range(len(terms)), 2):
        s, t = terms[i], terms[j]
        others = [u for k, u in enumerate(terms) if k not in (i, j)]
        rest = set(right).union(*others)
        shared = set(s) & set(t)
        stacked = bool(shared - rest) and bool(shared & rest)
        met = sorted((set(s) | set(t)) & (shared | rest))
        made = "".join(c for c in met if c in rest)
        for (letters, stacks), order in _orders([made, *others], right):
            cost = sorted([len(met), *letters], reverse=True), stacks + stacked
            yield cost, [(i, j), *order]


# ---- sums ----
def _diagonals(it: Interpreter, node: Node, x: Any, term: str) -> tuple[Any, str]:
    """Takes the diagonal of axes with a repeated subscript."""
    if is_array(x) and x.type.layout == "C" and _in_twos(term):
        return _strided_diagonals(it, node, x, term)
    for c in dict.fromkeys(term):
        places = [k for k, other in enumerate(term) if other == c]
        if len(places) == 1:
            continue
        for k in places[1:]:
            meet(it, node, x.type.dims[places[0]], x.type.dims[k])
        others = [k for k in range(len(term)) if k not in places]
        order = [*places, *others]
        first = x if order == sorted(order) else transpose(it, node, x, order)
        index = it.b.cast(it.b.iota(first.type.dims[0]), Scalar("i64"))
        spec = (*("a" for _ in places), *(":" for _ in others))
        made = it.b.gather(first, *(index for _ in places), spec=spec)
        it.stands_for_view(made, x, DIAGONAL, node, writable=True)
        x, term = made, c + "".join(term[k] for k in others)
    return x, term


def _in_twos(term: str) -> bool:
    """Whether what is repeated stands beside itself, and once only."""
    repeated = [c for c in set(term) if term.count(c) > 1]
    return bool(repeated) and all(c * 2 in term and term.count(c) == 2 for c in repeated)


def _strided_diagonals(it: Interpreter, node: Node, x: Any, term: str) -> tuple[Any, str]:
    """The same of an array in C order, as a view: each two axes are one, taken in longer steps."""
    b = it.b
    letters = "".join(dict.fromkeys(term))
    dims, spec, spans = [], [], []
    for c in letters:
        k, n = term.index(c), x.type.dims[term.index(c)]
        if term.count(c) == 1:
            dims.append(n)
            spec.append(":")
            continue
        meet(it, node, n, x.type.dims[k + 1])
        dims.append(b.dim(b.mul(n, x.type.dims[k + 1])))
        spec.append("s")
        spans += [0, n, plain(b.add(n, 1))]
    return b.view(b.reshape(x, *dims), *spans, spec=tuple(spec)), letters


def _summed(it: Interpreter, node: Node, x: Any, term: str, wanted: set[str]) -> tuple[Any, str]:
    """`x` summed over the axes not in `wanted`, in its own dtype."""
    gone = tuple(k for k, c in enumerate(term) if c not in wanted)
    if gone:
        x = sum_(it, node, x, axis=gone, dtype=np_dtype(x.type.dtype))
    return x, "".join(c for c in term if c in wanted)


def _contract(
    it: Interpreter, node: Node, x: Any, s: str, y: Any, t: str, rest: set[str], wanted: str | None
) -> tuple[Any, str]:
    """Contracts a pair of operands: a product of matrices where axes are summed, else multiply.

    `wanted`: the order of the letters of the last result.
    """
    x, s = _summed(it, node, x, s, rest | set(t))
    y, t = _summed(it, node, y, t, rest | set(s))
    shared = [c for c in s if c in t]
    gone = [c for c in shared if c not in rest]
    if gone:
        for c in gone:
            meet(it, node, x.type.dims[s.index(c)], y.type.dims[t.index(c)])
        return contracted(it, node, (x, y), (s, t), "".join(gone), wanted)
    letters = s + "".join(c for c in t if c not in s)
    wide = [_placed(it, node, v, term, letters) for v, term in ((x, s), (y, t))]
    return it.emit(node, "mul", *wide), letters


def _placed(it: Interpreter, node: Node, x: Any, term: str, letters: str) -> Any:
    """`x` with its axes in the order of `letters`, those it lacks of length 1."""
    if not is_array(x):
        return x
    order = [term.index(c) for c in letters if c in term]
    x = transpose(it, node, x, order)
    return it.b.view(x, spec=tuple(":" if c in term else "n" for c in letters))
