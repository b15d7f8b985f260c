"""Names that a function stores to and does not own: of its module, of a function around it.

Attributes of functions and classes are such names too. While compiling they are places of a dict
for each module, cell, function or class, joined as those of any other dict. Their values at the end
are results of the program, which a plain call writes back.
"""

from __future__ import annotations

import abc
import types
from operator import itemgetter
from typing import Any

from srcgrad.frontend.guards import CONTENTS, Path, Step, attribute, member
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.values import UNBOUND, Conflict, MaybeNone, MaybeUnbound
from srcgrad.frontend.watches import library
from srcgrad.records import record

Owner = tuple[str, int]  # "global", "cell" or "attribute", and the id of the holder


@record(frozen=True)
class Outside:
    """A name and its holder: the names of a module (a dict), a cell, a function, a class."""

    kind: str
    holder: Any
    name: str

    @property
    def owner(self) -> Owner:
        return self.kind, id(self.holder)

    def set(self, value: Any) -> None:
        if self.kind == "cell":
            self.holder.cell_contents = value
        elif self.kind == "attribute":
            setattr(self.holder, self.name, value)
        else:
            self.holder[self.name] = value


@record(frozen=True)
class NameWrite:
    """The final value of a name, as a template.

    Of a name that only `some` paths bind it is a tuple of the value; None on the other paths.
    """

    at: Outside
    value: Any
    some: bool = False


def stored_names(it: Interpreter, at: Outside, node: Node) -> dict[str, Any]:
    """The dict with a name that is stored to; interpretation starts again if it is a new one."""
    known = it.captures.required.stored_names
    if (*at.owner, at.name) not in known:
        known[*at.owner, at.name] = at
        raise RestartTracing(f"the name '{at.name}' is stored to")
    return it.outside[at.owner]


def take_stored_names(it: Interpreter) -> None:
    """Reads the names that are stored to, before anything else runs."""
    for at in it.captures.required.stored_names.values():
        it.outside.setdefault(at.owner, {})[at.name] = _first_value(it, at)
    it.outside_before = {owner: dict(names) for owner, names in it.outside.items()}
    it.held.extend(it.outside.values())


def _first_value(it: Interpreter, at: Outside) -> Any:
    if at.kind == "cell":
        try:
            _ = at.holder.cell_contents
        except ValueError:
            return UNBOUND
        return it.captures.take(it, Path("cell", at.holder, (CONTENTS,)), at.name, None)
    if at.kind == "attribute":
        own = attribute(at.name) if hasattr(at.holder, at.name) else member(at.name)
        path = Path("attribute", at.holder, (own,))
        if hasattr(at.holder, at.name):
            return it.captures.take(it, path, at.name, None)
        it.captures.watch(path, at.name)
        return UNBOUND
    if at.name in at.holder:
        step = Step((at.name,), itemgetter(at.name), f"[{at.name!r}]")
        return it.captures.take(it, Path("global", at.holder, (step,)), at.name, None)
    missing = Step((at.name,), lambda names: names.get(at.name), f".get({at.name!r})")
    it.captures.watch(Path("builtin", at.holder, (missing,)), at.name)
    return UNBOUND


def outside_of(it: Interpreter, function: Any, name: str) -> dict[str, Any] | None:
    """The dict with a name that a function reads, if the name is stored to."""
    if not it.outside:
        return None
    code = function.__code__
    if name in code.co_freevars:
        cell = function.__closure__[code.co_freevars.index(name)]
        return it.outside.get(("cell", id(cell)))
    names = it.outside.get(("global", id(function.__globals__)))
    return names if names is not None and name in names else None


def attribute_outside(it: Interpreter, owner: Any, name: str) -> Any:
    """An attribute of a module, function or class that is stored to; `UNBOUND` if it is none."""
    if isinstance(owner, types.ModuleType):
        return it.outside.get(("global", id(vars(owner))), {}).get(name, UNBOUND)
    if isinstance(owner, types.FunctionType):
        return it.outside.get(("attribute", id(owner)), {}).get(name, UNBOUND)
    if not it.outside or (not isinstance(owner, type) and name in getattr(owner, "__dict__", ())):
        return UNBOUND
    classes = (owner if isinstance(owner, type) else type(owner)).__mro__
    home = next((c for c in classes if name in vars(c)), None)
    return it.outside.get(("attribute", id(home)), {}).get(name, UNBOUND)


def is_stored_outside(owner: Any, name: str) -> bool:
    """Whether a store to an attribute changes a name outside: of a function, a plain class."""
    if isinstance(owner, types.FunctionType):
        return not library(owner)
    plain = isinstance(owner, type) and type(owner) in (type, abc.ABCMeta) and not library(owner)
    return plain and name in vars(owner) and not hasattr(type(vars(owner)[name]), "__get__")


def changed_names(it: Interpreter) -> list[NameWrite]:
    """The names that have other values at the end, and these, not yet as templates."""
    out = []
    for at in it.captures.required.stored_names.values():
        value, first = it.outside[at.owner][at.name], it.outside_before[at.owner][at.name]
        if value is first:
            continue
        if first is UNBOUND and isinstance(value, MaybeUnbound):
            out.append(NameWrite(at, MaybeNone((value.value,), value.flag), some=True))
            continue
        if isinstance(value, MaybeUnbound | Conflict) or value is UNBOUND:
            reason = (
                value.reason if isinstance(value, Conflict) else "it is not bound on every path"
            )
            it.refuse(None, f"'{at.name}', which is stored to, has no single kind: {reason}",
                      "give it a value before the call, or on every path")  # fmt: skip
        out.append(NameWrite(at, value))
    return out
