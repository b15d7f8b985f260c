"""Lets a program raise where an integer grows past 64 bits, of which Python's have any number.

An integer grows so far where a loop multiplies it from trip to trip, or adds it to itself:
factorials, powers, Fibonacci's numbers; and in products that are wide (`wide_products.py`), which
raise where what reads them needs all their bits. Counters stay as they are; so do the integers of
NumPy, which wrap around.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from srcgrad.errors import located
from srcgrad.frontend.interpreter import LIMIT
from srcgrad.frontend.texts import literal
from srcgrad.frontend.wide_products import REAL, Floats, WideProducts, in_floats
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import results, uses, walk
from srcgrad.primitives import REGISTRY
from srcgrad.primitives import elementwise as e

REASON = "a Python integer grows past 64 bits, which compiled integers have"
WAY_OUT = "begin with a float: 1.0 for 1"
LARGEST = 2.0**63 - 2.0**13  # what is computed in floats is a few units of 2**10 away
GROWING = (e.mul, e.add, e.sub)


def with_checks(function: Function) -> Function:
    """The function with a check after each operation by which an integer may grow so far."""
    products = WideProducts(function)
    found = products.checked | set(_in_cycles(function.body))
    if not found and not products.converted:
        return function
    return function.with_body(_checked(function.body, found, Floats(products)))


def _is_integer(a: Atom) -> bool:
    return a.type == INT


# ---- what a loop makes of an integer by itself ----
def _in_cycles(block: Block) -> Iterator[Def]:
    """The products of integers with what comes of them in a later trip, and such sums."""
    statements = walk(block)
    loops = (s for s in statements if isinstance(s, For | While))
    if not any(_is_integer(p) for s in loops for p in s.params):
        return
    group, halved = _components(_following(statements)), _halved(statements)
    for s in statements:
        if not isinstance(s, Def) or s.op not in GROWING or s.var is None or s.var not in group:
            continue
        if s.op is e.add and s.var in halved:
            continue
        own = [isinstance(a, Var) and group.get(a) == group[s.var] for a in s.args]
        small = [isinstance(a, Const) and abs(int(a.value)) <= 1 for a in s.args]
        if all(own) or (s.op is e.mul and any(own) and not any(small)):
            yield s


def _halved(statements: Iterable[Stmt]) -> set[Var]:
    """The integers that only a division by 2 or more reads, as in `(low + high) // 2`."""
    divided: set[Var] = set()
    read: set[Var] = set()
    for s in statements:
        match s:
            case Def(op=e.floordiv, args=(Var() as v, Const() as by)) if by.value > 1:
                divided.add(v)
            case _:
                read.update(uses(s))
    return divided - read


def _following(statements: Iterable[Stmt]) -> dict[Var, list[Var]]:
    """The integers that are computed of each integer directly, in the next trip as well."""
    after: dict[Var, list[Var]] = {}

    def follows(v: Var, atoms: tuple[Atom, ...]) -> None:
        for a in atoms if _is_integer(v) else ():
            if isinstance(a, Var) and _is_integer(a):
                after.setdefault(a, []).append(v)

    for s in statements:
        match s:
            case Def():
                for v in results(s):
                    follows(v, s.args)
            case For() | While():
                for p, r, *atoms in zip(s.params, s.results, s.inits, s.yields, strict=True):
                    follows(p, tuple(atoms))
                    follows(r, (p, *atoms))
            case If():
                for r, *atoms in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    follows(r, tuple(atoms))
    return after


def _components(after: dict[Var, list[Var]]) -> dict[Var, int]:
    """A number for each vertex on a cycle: vertices that reach one another have the same one.

    Tarjan 1972, without recursion.
    """
    index: dict[Var, int] = {}
    low: dict[Var, int] = {}
    stack: list[Var] = []
    held: set[Var] = set()
    out: dict[Var, int] = {}
    for root in after:
        work = [(root, iter(after[root]))] if root not in index else []
        while work:
            v, rest = work[-1]
            if v not in index:
                index[v] = low[v] = len(index)
                stack.append(v)
                held.add(v)
            for w in rest:
                if w not in index:
                    work.append((w, iter(after.get(w, ()))))
                    break
                if w in held:
                    low[v] = min(low[v], low[w], index[w])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[v])
                if low[v] == index[v]:
                    members = [stack.pop()]
                    while members[-1] is not v:
                        members.append(stack.pop())
                    held.difference_update(members)
                    if len(members) > 1 or v in after.get(v, ()):
                        out.update(dict.fromkeys(members, index[v]))
    return out


# ---- checks ----
def _checked(block: Block, found: set[Def], floats: Floats) -> Block:
    out: list[Stmt] = []
    for s in block:
        match s:
            case For():
                out.append(altered(s, body=_checked(s.body, found, floats)))
            case While():
                test = _checked(s.test, found, floats)
                out.append(altered(s, test=test, body=_checked(s.body, found, floats)))
            case If():
                then = _checked(s.then, found, floats)
                out.append(altered(s, then=then, orelse=_checked(s.orelse, found, floats)))
            case Def():
                out += floats.chosen(s) if s in floats.found.converted else (s,)
                out += _check(s) if s in found else ()
                out += floats.after(s)
    return tuple(out)


def _check(s: Def) -> list[Stmt]:
    b = Builder(REGISTRY)
    b.loc = s.loc
    exact = in_floats(b, s, [b.cast(a, REAL) for a in s.args])
    wide = b.ge(b.abs(exact), LARGEST)
    with b.block() as then:
        b.fail(kind=LIMIT, message=literal(located(REASON, None, WAY_OUT)))
    b.append(If(wide, tuple(then), (), (), (), (), s.loc))
    return b.out
