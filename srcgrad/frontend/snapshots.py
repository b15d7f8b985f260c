"""Copies where NumPy has a view, or may have one: nothing may tell the difference.

A reshape of an array that is not contiguous, a diagonal and a broadcast array are computed as
values. That is right as long as they are not stored to, nor is their source before their last
read; anything else is refused here, after the whole function is known. An array of which a
growing list has a copy may not be stored to afterwards at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Atom, Def, For, Function, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import walk
from srcgrad.records import record


@record(frozen=True)
class Snapshot:
    """A copy: `copy` holds what a view of `source` would show at this place."""

    copy: Var
    source: Atom
    what: str
    loc: Location | None
    kept: bool = False  # in a list: read at any time
    stands_for: str = "a view in NumPy, or may be one"
    writable: bool = False  # a view of NumPy's may be stored to, each element in its own place


@record(frozen=True)
class Contiguous:
    """An array of which the program was told that it lies in C order, without gaps."""

    of: Var
    loc: Location | None


IN_C_ORDER = "take those of a copy, x.copy(), in C order"


def refuse_gaps(function: Function, snapshots: list[Snapshot], told: list[Contiguous]) -> None:
    """Refuses the first array that was called contiguous and may be a copy of a view with gaps."""
    if not snapshots or not told:
        return
    aliases = alias_classes(function)
    copies = {aliases.of(each.copy) for each in snapshots}
    for each in told:
        if aliases.of(each.of) in copies:
            said = "the strides and flags of what may be a view in NumPy are not known"
            raise UnsupportedError(said, each.loc, IN_C_ORDER)


def refuse_told_apart(function: Function, snapshots: list[Snapshot]) -> None:
    """Refuses the first snapshot that the function can tell from a view."""
    if not snapshots:
        return
    aliases, order = alias_classes(function), list(walk(function.body))
    loops = list(loops_of(order))
    for each in snapshots:
        mine = aliases.of(each.copy)
        if mine in aliases.written and not _is_all(each, snapshots, function, order, aliases):
            _refuse(each, STORED)
        made = next((k for k, s in enumerate(order) if _defines(s, each.copy)), 0)
        for source in _sources(each, snapshots, aliases) & aliases.written:
            writes = [k for k, s in enumerate(order) if writes_to(s, aliases, source) and k != made]
            if each.kept:
                born = first_place(function, order, aliases, source)
                if any(w > made or every_time(w, born, made, loops) for w in writes):
                    _refuse(each, STORED)
                continue
            reads = [k for k, s in enumerate(order) if k != made and _reads(s, aliases, mine)]
            if _among(function.returns, aliases, mine):
                reads.append(len(order))
            lives = _lives(order, aliases, each.copy, made, loops)
            if any(
                (w > made and r > w) or _again(w, r, made, loops) or _outlived(w, r, made, lives)
                for w in writes for r in reads
            ):  # fmt: skip
                _refuse(each, LATER)


def _is_all(
    each: Snapshot, snapshots: list[Snapshot], function: Function, order: list[Stmt],
    aliases: AliasClasses,
) -> bool:  # fmt: skip
    """Whether nothing but a writable copy shows stores to it: its source is not seen again."""
    sources, mine = _sources(each, snapshots, aliases), aliases.of(each.copy)
    others = [s for s in snapshots if s is not each and aliases.of(s.copy) not in sources]
    shared = [s for s in others if _sources(s, snapshots, aliases) & sources]
    if (
        not each.writable
        or shared
        or any(first_place(function, order, aliases, c) < 0 for c in sources)
    ):
        return False
    loops = list(loops_of(order))
    writes = [k for k, s in enumerate(order) if writes_to(s, aliases, mine)]
    for source in sources:
        born = first_place(function, order, aliases, source)
        reads = [k for k, s in enumerate(order) if _reads(s, aliases, source)]
        if _among(function.returns, aliases, source):
            reads.append(len(order))
        if any(w < r or _again(w, r, born, loops) for w in writes for r in reads):
            return False
    return True


def _sources(each: Snapshot, snapshots: list[Snapshot], aliases: AliasClasses) -> set[Var]:
    """The classes that a view would show: that of the source and, if it is a copy too, of its."""
    found: set[Var] = set()
    waiting = [each.source]
    while waiting:
        source = waiting.pop()
        if isinstance(source, Var) and is_reference(source.type):
            of = aliases.of(source)
            if of not in found:
                found.add(of)
                waiting += [s.source for s in snapshots if aliases.of(s.copy) is of]
    return found


# copies that have a way out of their own
DIAGONAL, LISTED = "a diagonal", "an item of a list"
STORED, LATER = "it is stored to", "its source is stored to before it is read"


def _refuse(each: Snapshot, why: str) -> None:
    raise UnsupportedError(
        f"{each.what} is {each.stands_for}, and {why}", each.loc, _way_out(each, why)
    )


def _way_out(each: Snapshot, why: str) -> str:
    """The way out; another one is named first where a copy loses a store meant for the source."""
    if why == LATER:
        return "take it after the store, or keep what it holds now: .copy()"
    if each.kept:
        return "append it after the last store, or what it holds now: .copy()"
    if each.what == LISTED:
        return "store to a copy, .copy(), and put that into the list: items[k] = copy"
    if each.what == DIAGONAL:
        return "store by index, x[i, i] = ... with i = np.arange(n), or to a copy: .copy()"
    return "store to what it is made of, by index, or to a copy: .copy()"


def _defines(s: Stmt, v: Var) -> bool:
    return isinstance(s, Def) and s.var is v


def writes_to(s: Stmt, aliases: AliasClasses, of: Var) -> bool:
    """Whether a statement stores to an alias class."""
    return isinstance(s, Def) and s.op.writes and aliases.of(s.args[0]) is of


def _reads(s: Stmt, aliases: AliasClasses, of: Var) -> bool:
    return isinstance(s, Def) and _among(s.args, aliases, of)


def _among(atoms: tuple[Atom, ...], aliases: AliasClasses, of: Var) -> bool:
    """Whether one of them belongs to an alias class."""
    return any(isinstance(a, Var) and is_reference(a.type) and aliases.of(a) is of for a in atoms)


def first_place(function: Function, order: list[Stmt], aliases: AliasClasses, of: Var) -> int:
    """The first place where a class has a member; -1 for an argument."""
    if any(is_reference(p.type) and aliases.of(p) is of for p in function.params):
        return -1
    for k, s in enumerate(order):
        names = (s.var,) if isinstance(s, Def) else (*getattr(s, "params", ()), *s.results)
        if any(v is not None and is_reference(v.type) and aliases.of(v) is of for v in names):
            return k
    return -1


def every_time(write: int, born: int, made: int, loops: list[tuple[int, int]]) -> bool:
    """Whether a loop reaches the write again after the copy, with the same buffer."""
    return any(a <= write <= b and a <= made <= b and born < a for a, b in loops)


def loops_of(order: list[Stmt]) -> Iterator[tuple[int, int]]:
    """The first and the last place inside each loop."""
    for k, s in enumerate(order):
        if isinstance(s, For | While):
            inside = sum(1 for _ in walk((s,))) - 1
            yield k + 1, k + inside


def _again(write: int, read: int, made: int, loops: list[tuple[int, int]]) -> bool:
    """Whether a loop that does not make the copy anew reaches the read after the write."""
    return any(
        a <= write <= b and a <= read <= b and not a <= made <= b and made < a for a, b in loops
    )


def _lives(
    order: list[Stmt], aliases: AliasClasses, copy: Var, made: int, loops: list[tuple[int, int]]
) -> list[tuple[int, int, bool]]:
    """The loops that make the copy and pass it on, and whether each trip makes it."""
    found = []
    for a, b in loops:
        loop = order[a - 1]
        assert isinstance(loop, For | While)
        if a <= made <= b and _among(loop.results, aliases, aliases.of(copy)):
            found.append((a, b, order[made] in loop.body))
    return found


def _outlived(write: int, read: int, made: int, lives: list[tuple[int, int, bool]]) -> bool:
    """Whether a copy that a loop passes on is read after a write of a later trip."""
    return any(
        a <= write <= b and (a <= read < made or (not always and read >= a))
        for a, b, always in lives
    )
