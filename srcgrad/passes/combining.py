"""Recognizes how a loop makes a carried value: values of its trips, combined by one operation.

A carried value is a sum, a product or an extremum if one operation leads from it to its next value
and nothing else reads the values in between. So is an extremum found by comparisons, with the
values carried along with it, where trips are combined in order. Never looks at memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from srcgrad.ir.nodes import Atom, Block, Def, For, If, Stmt, Var, While
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import uses, walk
from srcgrad.operation import Primitive
from srcgrad.primitives import elementwise
from srcgrad.records import record

# operations that combine values of trips, in any order
COMBINING = (
    elementwise.add, elementwise.mul, elementwise.maximum, elementwise.minimum,
    elementwise.logical_and, elementwise.logical_or,
)  # fmt: skip
# Python's, of a new value and the one so far: a value that is NaN leaves that as it is
OF_NUMBERS = {elementwise.larger: elementwise.maximum, elementwise.smaller: elementwise.minimum}
# neutral elements; the other operations may see the value before the loop many times
NEUTRAL = {elementwise.add: 0, elementwise.mul: 1}


Reads = Summaries[Counter[Var]]


def reads_of_statements() -> Reads:
    """How often each statement reads each variable, those inside it included, found once."""

    def reads(s: Stmt, inner: list[Counter[Var]]) -> Counter[Var]:
        out = Counter(uses(s))
        for found in inner:
            out.update(found)
        return out

    return Summaries(reads)


def chain(
    block: Block, p: Var, yields: Sequence[Atom], y: Atom, reads: Reads
) -> set[Primitive] | None:
    """The operations by which a block makes `y` from `p`, if nothing else reads in between."""
    path = _path(block, p, reads)
    return path.ops if path is not None and path.leads_to(yields, y) else None


@record(frozen=True)
class _Path:
    """The chain of operations that a block applies to a value, and its result."""

    end: Atom
    made: set[Atom]  # all values on the way
    ops: set[Primitive]

    def leads_to(self, yields: Sequence[Atom], y: Atom) -> bool:
        """Whether the end is `y`, and none of the other values yielded is on the way."""
        return self.end is y and sum(a in self.made for a in yields) == 1


def _path(block: Block, p: Var, reads: Reads) -> _Path | None:
    """The chain of operations from `p`; None if a statement reads more than its last value."""
    ops: set[Primitive] = set()
    here: Var = p
    made: set[Atom] = {p}
    for s in block:
        read = reads[s]
        found = made & read.keys()
        if not found:
            continue
        step = _choice(s, made) if here in found else None
        if step is None and found == {here}:
            step = _step(s, here, read[here], reads)
        if step is None:
            return None
        here = step[0]
        made.add(here)
        ops |= step[1]
    return _Path(here, made, ops)


def _choice(s: Stmt, made: set[Atom]) -> tuple[Var, set[Primitive]] | None:
    """A choice between the old and the new value, on a condition that depends on neither."""
    if not isinstance(s, Def) or s.op is not elementwise.where or s.var is None:
        return None
    cond, a, b = s.args
    return (s.var, set()) if a in made and b in made and cond not in made else None


def _step(s: Stmt, here: Var, times: int, reads: Reads) -> tuple[Var, set[Primitive]] | None:
    """The value that a statement makes of one that it alone reads, and the operations it uses.

    `times`: how often it reads that value, nested statements included.
    """
    match s:
        case Def() if s.op in COMBINING and times == 1 and s.var is not None:
            return s.var, {s.op}
        case Def() if s.op in OF_NUMBERS and times == 1 and s.args[1] is here:
            return None if s.var is None else (s.var, {OF_NUMBERS[s.op]})
        case Def() if s.op is elementwise.sub and times == 1 and s.args[0] is here:
            return None if s.var is None else (s.var, {elementwise.add})
        case For() | While() if here in s.inits and times == 1:
            k = s.inits.index(here)
            before, others = (s.test, (s.cond,)) if isinstance(s, While) else ((), ())
            ops = chain(before + s.body, s.params[k], s.yields + others, s.yields[k], reads)
            return None if ops is None else (s.results[k], ops)
        case If() if here is not s.cond:
            return _through_branches(s, here, reads)
        case _:
            return None


def _through_branches(s: If, here: Var, reads: Reads) -> tuple[Var, set[Primitive]] | None:
    then, other = _path(s.then, here, reads), _path(s.orelse, here, reads)
    if then is None or other is None:
        return None
    for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
        if then.leads_to(s.then_yields, x) and other.leads_to(s.else_yields, y):
            return r, then.ops | other.ops
    return None


# ---- extrema that comparisons find ----
STRICT = {elementwise.lt: elementwise.gt, elementwise.gt: elementwise.lt}  # with the mirrored ones


def chosen(loop: For) -> dict[int, tuple[Primitive, int]]:
    """The values that strict comparisons replace, as in `if x[i] < n: n, k = x[i], i`.

    By position: the comparison of the new value with the old one, and the position of the value
    that is compared, the leader. The comparison decides nothing else.
    """
    made = {s.var: s for s in walk(loop.body) if isinstance(s, Def)}
    read = Counter(v for s in walk(loop.body) for v in uses(s))
    numbers = [k for k, p in enumerate(loop.params) if not is_reference(p.type)]
    found = {k: r for k in numbers if (r := _replaced(loop, k, read)) is not None}
    out: dict[int, tuple[Primitive, int]] = {}
    for k, r in found.items():
        p = loop.params[k]
        tests = {c: op for c in _parts(r.conds, made) if (op := _better(_made(c, made), r.new, p))}
        if len(tests) != 1 or read[p] != len(r.conds) + 1:
            continue
        also = [j for j in found if found[j].conds == r.conds]
        group = [j for j in also if j == k or read[loop.params[j]] == len(r.conds)]
        ((test, better),) = tests.items()
        if _only_chooses(loop.body, test, {v for j in group for v in found[j].through}):
            out |= dict.fromkeys(group, (better, k))
    return out


@record(frozen=True)
class _Replaced:
    """The conditions under which a carried value is replaced, its new value, the choices."""

    conds: tuple[Atom, ...]
    new: Atom
    through: tuple[Atom, ...]


def _replaced(loop: For, k: int, read: Counter[Var]) -> _Replaced | None:
    """The replacement of a carried value; None if it would not be unchanged otherwise."""
    p, y = loop.params[k], loop.yields[k]
    if sum(a is y for a in loop.yields) != 1 or (isinstance(y, Var) and read[y]):
        return None
    conds, through, block = list[Atom](), list[Atom](), loop.body
    while (step := _kept_or(block, y, p)) is not None:
        through.append(y)
        cond, y, block = step
        conds.append(cond)
        if isinstance(y, Var) and block and read[y] != 1:
            break
    return _Replaced(tuple(conds), y, tuple(through)) if conds else None


def _only_chooses(block: Block, test: Atom, choices: set[Atom]) -> bool:
    """Whether a comparison decides nothing but these choices: trips may see another one before."""
    decides = {test}
    for s in walk(block):
        if decides.isdisjoint(uses(s)):
            continue
        match s:
            case Def(var=Var() as v) if s.op is elementwise.logical_and:
                decides.add(v)
            case Def() if s.op is elementwise.where and s.var in choices:
                if not decides.isdisjoint(s.args[1:]):
                    return False
            case If() if s.cond in decides and choices.issuperset(s.results):
                inner = [t for t in walk((*s.then, *s.orelse)) if isinstance(t, Def)]
                yielded = (*s.then_yields, *s.else_yields)
                if any(t.op.effect or t.op.raises for t in inner) or {*yielded} & decides:
                    return False
            case _:
                return False
    return True


def _kept_or(block: Block, y: Atom, p: Var) -> tuple[Atom, Atom, Block] | None:
    """If `y` is `p` unless a condition holds: the condition, the new value, the block making it."""
    for s in block:
        match s:
            case Def(op=elementwise.where, args=(cond, new, old)) if s.var is y and old is p:
                return cond, new, ()
            case If() if any(r is y for r in s.results):
                j = next(j for j, r in enumerate(s.results) if r is y)
                return (s.cond, s.then_yields[j], s.then) if s.else_yields[j] is p else None
            case _:
                pass
    return None


def _parts(conds: Iterable[Atom], made: Mapping[Var | None, Def]) -> Iterator[Atom]:
    """The conjuncts of these conditions."""
    for c in conds:
        d = _made(c, made)
        if d is not None and d.op is elementwise.logical_and:
            yield from _parts(d.args, made)
        else:
            yield c


def _made(a: Atom, made: Mapping[Var | None, Def]) -> Def | None:
    return made.get(a) if isinstance(a, Var) else None


def _better(d: Def | None, new: Atom, old: Var) -> Primitive | None:
    """The strict comparison by which a condition states that `new` is better than `old`."""
    if d is None or d.op not in STRICT:
        return None
    if d.args[0] is new and d.args[1] is old:
        return d.op
    return STRICT[d.op] if d.args[0] is old and d.args[1] is new else None
