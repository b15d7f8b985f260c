"""Names that a function stores to and does not own: of its module, of a function around it.

Attributes of functions, classes and captured instances are such names too. While compiling they are
places of a dict for each module, cell, function, class or instance, joined as those of any other
dict. Their values at the end are results of the program, which a plain call writes back.
"""

from __future__ import annotations

import abc
import inspect
import types
from operator import itemgetter
from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.frontend.guards import CONTENTS, Path, Step, attribute, member
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import UNBOUND, Conflict, MaybeNone, MaybeUnbound, describe
from srcgrad.frontend.watches import library
from srcgrad.protocols import poses
from srcgrad.records import record
from srcgrad.tree import registered_as

Owner = tuple[str, int]  # "global", "cell" or "attribute", and the id of the holder


@record(frozen=True)
class Outside:
    """A name and its holder: the names of a module, a cell, a function, a class, an instance."""

    kind: str
    holder: Any
    name: str

    @property
    def owner(self) -> Owner:
        return self.kind, id(self.holder)

    def get(self, default: Any) -> Any:
        """The present value, or another one where there is none."""
        if self.kind == "attribute":
            return getattr(self.holder, self.name, default)
        if self.kind == "cell":
            try:
                return self.holder.cell_contents
            except ValueError:
                return default
        return self.holder.get(self.name, default)

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
    A value that cannot come out is `refused` where a plain call would bind it.
    """

    at: Outside
    value: Any
    some: bool = False
    refused: SrcgradError | None = None


def stored_names(it: Interpreter, at: Outside, node: Node) -> dict[str, Any]:
    """The dict with a name that is stored to.

    With a new one tracing goes on, to find the others, and starts again then.
    """
    known = it.captures.required.stored_names
    if (*at.owner, at.name) not in known:
        it.captures.find_changed(it)
        known[*at.owner, at.name] = at
        first = _first_value(it, at)
        for names in (it.outside, it.outside_before):
            names.setdefault(at.owner, {})[at.name] = first
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
    if at.kind == "attribute" and is_plain_instance(at.holder) and not owns(at.holder, at.name):
        missing = Step(("own", at.name), lambda instance: owns(instance, at.name))
        it.captures.watch(Path("attribute", at.holder, (missing,)), at.name)
        return UNBOUND  # what its class has is read there
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
    """An attribute that is stored to, of any of the holders; `UNBOUND` if it is none."""
    if isinstance(owner, types.ModuleType):
        return it.outside.get(("global", id(vars(owner))), {}).get(name, UNBOUND)
    if isinstance(owner, types.FunctionType):
        return it.outside.get(("attribute", id(owner)), {}).get(name, UNBOUND)
    if not it.outside:
        return UNBOUND
    if not isinstance(owner, type):
        own = it.outside.get(("attribute", id(owner)), {}).get(name, UNBOUND)
        if own is not UNBOUND or name in getattr(owner, "__dict__", ()):
            return own
    classes = (owner if isinstance(owner, type) else type(owner)).__mro__
    home = next((c for c in classes if name in vars(c)), None)
    return it.outside.get(("attribute", id(home)), {}).get(name, UNBOUND)


def is_stored_outside(owner: Any, name: str) -> bool:
    """Whether a store to an attribute changes a name outside: of a function, class, instance."""
    if isinstance(owner, types.FunctionType):
        return not library(owner)
    if not isinstance(owner, type):
        return is_plain_instance(owner) and _is_kept_as_it_is(owner, name)
    plain = type(owner) in (type, abc.ABCMeta) and not library(owner)
    return plain and name in vars(owner) and not hasattr(type(vars(owner)[name]), "__get__")


# without these of its own a class neither watches its attributes nor derives from a built-in one
_OF_OBJECT = ("__new__", "__getattribute__", "__setattr__", "__delattr__")


def is_plain_instance(value: Any) -> bool:
    """Whether a captured object is an instance whose attributes are what is stored in it."""
    cls = type(value)
    ours = str(cls.__module__).partition(".")[0] == "srcgrad"
    if library(cls) or ours or hasattr(cls, "__getattr__"):
        return False
    followed = all(getattr(cls, n) is getattr(object, n) for n in _OF_OBJECT)
    return followed and registered_as(cls) is None and not poses(value)


def owns(instance: Any, name: str) -> bool:
    """Whether an attribute is the instance's own, not of its class."""
    if isinstance(inspect.getattr_static(type(instance), name, None), types.MemberDescriptorType):
        return hasattr(instance, name)
    return name in getattr(instance, "__dict__", ())


def refuse_read_outside(it: Interpreter, owner: Any, name: str, found: Any, node: Node) -> None:
    """Refuses an attribute that Python computes of an instance whose attributes are stored to."""
    if ("attribute", id(owner)) not in it.outside or isinstance(owner, type):
        return
    plain = types.FunctionType | staticmethod | classmethod | types.MemberDescriptorType
    if name != "__dict__" and (isinstance(found, plain) or not hasattr(type(found), "__get__")):
        return
    what = f"'{name}' of {describe(owner)}, whose attributes are stored to"
    it.refuse(node, f"{what}, is not supported", "name its attributes one by one")


def _is_kept_as_it_is(instance: Any, name: str) -> bool:
    """Whether a value that is stored under a name is what is read there."""
    found = inspect.getattr_static(type(instance), name, None)
    slot = isinstance(found, types.MemberDescriptorType)
    return slot or (hasattr(instance, "__dict__") and not hasattr(type(found), "__set__"))


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
