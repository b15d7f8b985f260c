"""Refuses classes of the user's that define more than can be followed."""

from __future__ import annotations

import types

from srcgrad.frontend.attribute_methods import watches
from srcgrad.frontend.base_members import PROGRAMS
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.numba_objects import is_jitclass

# methods that change the meaning of an operator, an attribute or a call: not followed
_SPECIAL = ("__new__", "__getattribute__", "__set_name__")


def has_new(cls: type) -> bool:
    """Whether a class, or one that it derives from, has a `__new__` in Python."""
    return isinstance(cls.__new__, types.FunctionType)


def refuse_special(it: Interpreter, cls: type, node: Node) -> None:
    # what else a metaclass defines has done its work when the class was made
    for name in ("__call__", "__getattr__", "__getattribute__"):
        if getattr(type(cls), name, None) is not getattr(type, name, None) and not is_jitclass(cls):
            said = f"the metaclass of {cls.__name__} defines {name}, which"
            does = "makes its instances" if name == "__call__" else "answers for its attributes"
            it.refuse(node, f"{said} {does}", "use a plain class")
    for base in cls.__mro__[:-1]:
        for name in _SPECIAL if base not in PROGRAMS else ():
            if name in vars(base) and not (name == "__new__" and has_new(base)):
                it.refuse(
                    node, f"{cls.__name__} defines {name}: its instances cannot be followed",
                    "use a plain class or a dataclass",
                )  # fmt: skip
    if hasattr(cls, "__dataclass_fields__") and watches(cls):
        it.refuse(
            node, f"{cls.__name__} is a dataclass with a __setattr__, which its __init__ calls",
            "use a plain class",
        )  # fmt: skip
