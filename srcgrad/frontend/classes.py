"""Instances of the user's classes as records, and what attributes of static objects mean."""

from __future__ import annotations

import inspect
import types
from typing import Any

import gast
import numpy as np

from srcgrad.errors import SourceError
from srcgrad.frontend import source
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import OWN, Bound, GrownList, Record, describe, is_value
from srcgrad.ir.nodes import Var
from srcgrad.tracebacks import OF_TENSORS

# methods that change what an operator, an attribute or a call means: not followed
_SPECIAL = (
    "__new__",
    "__setattr__",
    "__getattr__",
    "__getattribute__",
    "__slots__",
    "__set_name__",
)


class Classes(Interpreter):
    """Mixed into the interpreter."""

    # ---- making ----
    def construct(self, cls: type, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return self._named_tuple(cls, args, kwargs, node)
        if issubclass(cls, BaseException):
            self.refuse(node, "an exception cannot be kept as a value", "raise it")
        if issubclass(cls, list | dict | set | tuple | str | int | float | complex):
            self.refuse_unknown(cls, node)
            self.refuse(node, f"instances of {cls.__name__} cannot be made in a compiled function")
        self.refuse_unknown(cls, node)
        self.refuse_special(cls, node)
        record = Record(cls)
        if hasattr(cls, "__dataclass_fields__") and not _has_source(cls.__init__):
            self._fill_dataclass(record, args, kwargs, node)
        elif cls.__init__ is object.__init__:
            if args or kwargs:
                self.refuse(node, f"{cls.__name__}() takes no arguments", like=TypeError)
        else:
            self.call(cls.__init__, [record, *args], kwargs, node)
        return record

    def _named_tuple(self, cls: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        try:
            return cls(*args, **kwargs)
        except TypeError as e:
            self.refuse(node, str(e), like=TypeError)

    def refuse_special(self, cls: type, node: Node) -> None:
        meta = type(cls)
        if meta is not type and meta.__module__ not in ("abc", "typing"):
            self.refuse(node, f"{cls.__name__} has a metaclass of its own", "use a plain class")
        for base in cls.__mro__[:-1]:
            for name in _SPECIAL:
                if name in vars(base) and not (name == "__setattr__" and _frozen_dataclass(cls)):
                    self.refuse(
                        node, f"{cls.__name__} defines {name}: its instances cannot be followed",
                        "use a plain class or a dataclass",
                    )  # fmt: skip

    def _fill_dataclass(
        self, record: Record, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> None:
        cls = record.cls
        try:
            bound = inspect.signature(cls).bind(*args, **kwargs)
        except TypeError as e:
            self.refuse(node, f"{cls.__name__}(): {e}", like=TypeError)
        given = bound.arguments
        for f in cls.__dataclass_fields__.values():
            if f.name in given:
                record.fields[f.name] = given[f.name]
            elif f.default_factory is not _missing(cls):
                record.fields[f.name] = self.call(f.default_factory, [], {}, node)
            elif f.default is not _missing(cls):
                key = ("field", id(cls), f.name)
                record.fields[f.name] = self.captures.take(
                    self, key, lambda f=f: f.default, f.name, node
                )
        if hasattr(cls, "__post_init__"):
            self.call(cls.__post_init__, [record], {}, node)

    # ---- attributes ----
    def _has(self, owner: Any, name: str, node: Node) -> None:
        """Refuse an attribute that a list, a dict or a string does not have."""
        cls = list if isinstance(owner, GrownList) else type(owner)
        if hasattr(cls, name):
            return
        value: Any = getattr(node, "value", None)
        shown = f"'{value.id}'" if isinstance(value, gast.Name) else ""
        kind = describe(owner)
        if name in OF_TENSORS and self.follows_library():
            self.refuse(node, f"expected a Tensor, not {kind}", like=TypeError)
        self.refuse(
            node,
            f"{shown} is {kind}, which has no attribute '{name}'" if shown else
            f"{kind} has no attribute '{name}'",
            f"pass an array: np.asarray({shown.strip(chr(39)) or '...'})"
            if hasattr(np.ndarray, name) and isinstance(owner, list | tuple | GrownList) else "",
            AttributeError,
        )  # fmt: skip

    def attribute(self, owner: Any, name: str, node: Node) -> Any:
        if is_value(owner) and isinstance(owner, Var | np.generic | int | float | complex):
            return self.array_attribute(owner, name, node)
        if isinstance(owner, Record):
            return self._record_attribute(owner, name, node)
        if isinstance(owner, tuple) and name in getattr(owner, "_fields", ()):
            return getattr(owner, name)
        followed = isinstance(getattr(type(owner), name, None), types.FunctionType | property)
        if isinstance(owner, list | dict | GrownList | str | set | tuple) and (
            not followed or name in ("_replace", "_asdict")
        ):
            self._has(owner, name, node)
            return Bound(owner, name)
        if isinstance(owner, tuple):  # a method of the user's on a named tuple
            return self._of_class(owner, type(owner), name, node)
        if isinstance(owner, OWN):
            self.refuse(node, f"{describe(owner)} has no attribute '{name}' in compiled code")
        return self.captures.attribute(self, owner, name, node)

    def parts_of(self, owner: Any, node: Node) -> tuple | None:
        """What a static object is a list of, as its class says; None for any other."""
        name = getattr(type(owner), "srcgrad_parts", None)
        return None if name is None else tuple(self.attribute(owner, name, node).values())

    def _record_attribute(self, owner: Record, name: str, node: Node) -> Any:
        found = inspect.getattr_static(owner.cls, name, None)
        if name in owner.lacks:
            self.refuse(
                node,
                f"unflatten of {owner.cls.__name__} does not make '{name}' as the instance has it",
                "return it from flatten, as a child or in the static part, and set it there",
            )
        if isinstance(found, property):
            return self._of_class(owner, owner.cls, name, node)
        if name in owner.fields:
            return owner.fields[name]
        if name == "__class__":
            return owner.cls
        if found is None or name in ("__dict__", "__module__", "__doc__"):
            self.refuse(
                node, f"{owner.cls.__name__} has no attribute '{name}'", like=AttributeError
            )
        return self._of_class(owner, owner.cls, name, node)

    def _of_class(self, owner: Any, cls: type, name: str, node: Node) -> Any:
        """What an attribute of a class means for an instance."""
        found = inspect.getattr_static(cls, name)
        if isinstance(found, types.FunctionType | property):
            self.captures.watch(("member", id(cls), name), lambda: getattr(cls, name, None), name)
        match found:
            case types.FunctionType():
                return types.MethodType(found, owner)
            case property() if found.fget is not None:
                return self.call(found.fget, [owner], {}, node)
            case staticmethod() | classmethod():
                return getattr(cls, name)
        if hasattr(type(found), "__get__") and not isinstance(found, type):
            self.refuse(node, f"the descriptor '{name}' of {cls.__name__} is not supported")
        return self.captures.attribute(self, cls, name, node)

    def set_field(
        self, owner: Record, name: str, value: Any, node: Node, frozen: bool = True
    ) -> None:
        found = inspect.getattr_static(owner.cls, name, None)
        if isinstance(found, property):
            if found.fset is None:
                self.refuse(
                    node,
                    f"property '{name}' of {owner.cls.__name__} has no setter",
                    like=AttributeError,
                )
            self.call(found.fset, [owner, value], {}, node)
            return
        if frozen and _frozen_dataclass(owner.cls):
            self.refuse(
                node,
                f"cannot assign to field '{name}': {owner.cls.__name__} is frozen",
                like=AttributeError,
            )
        if name not in owner.fields:
            self.shaped_at[id(owner)] = self.b.loc
        owner.fields[name] = value

    def truth_of_record(self, v: Record, node: Node) -> Any:
        for name in ("__bool__", "__len__"):
            f = inspect.getattr_static(v.cls, name, None)
            if isinstance(f, types.FunctionType):
                return self.truth(self.call(f, [v], {}, node), node)
        return True

    def compare_records(self, name: str, a: Any, c: Any, node: Node) -> Any:
        """A comparison with an instance of a class of the user's."""
        method = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}[name]
        owner = a if isinstance(a, Record) else c
        f = inspect.getattr_static(owner.cls, f"__{method}__", None)
        eq = inspect.getattr_static(owner.cls, "__eq__", None)
        if owner is a and isinstance(f, types.FunctionType) and _has_source(f):
            return self.call(f, [a, c], {}, node)
        if method in ("eq", "ne") and eq is object.__eq__:
            return (a is c) == (method == "eq")
        if (
            method in ("eq", "ne")
            and hasattr(owner.cls, "__dataclass_fields__")
            and not _has_source(eq)
        ):
            same: Any = isinstance(a, Record) and isinstance(c, Record) and a.cls is c.cls
            if same:
                same = self.compare(
                    gast.Eq(), tuple(a.fields.values()), tuple(c.fields.values()), node
                )
            return same if method == "eq" else self.negate(same)
        self.refuse(
            node, f"this comparison with {describe(owner)} is not supported", like=TypeError
        )

    def record_in_place(self, name: str, a: Record, c: Any, node: Node) -> Any:
        """`a op= c`: the method for it if there is one, else `a op c`."""
        f = inspect.getattr_static(a.cls, f"__i{name}__", None)
        if isinstance(f, types.FunctionType):
            out = self.call(f, [a, c], {}, node)
            if out is not NotImplemented:
                return out
        return self.record_operator(name, a, c, node)

    def record_operator(self, name: str, a: Any, c: Any, node: Node) -> Any:
        """`a op c` through the methods of a class of the user's; None if it has none."""
        for method, owner, other in ((name, a, c), (f"r{name}", c, a)):
            if isinstance(owner, Record):
                f = inspect.getattr_static(owner.cls, f"__{method}__", None)
                if isinstance(f, types.FunctionType):
                    out = self.call(f, [owner, other], {}, node)
                    if out is not NotImplemented:
                        return out
        self.refuse(
            node,
            f"arithmetic with {describe(a if isinstance(a, Record) else c)} is not supported",
            like=TypeError,
        )


def _frozen_dataclass(cls: Any) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and params.frozen


def _missing(cls: Any) -> Any:
    import dataclasses

    return dataclasses.MISSING


def _has_source(f: Any) -> bool:
    if not isinstance(f, types.FunctionType):
        return False
    try:
        source.find(f)
    except SourceError:
        return False
    return True
