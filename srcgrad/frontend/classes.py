"""Instances of the user's classes as records, and attributes of static objects."""

from __future__ import annotations

import enum
import types
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.array_instances import base_attribute, check_class
from srcgrad.frontend.attribute_methods import (
    is_inherited,
    missing,
    own_method,
)
from srcgrad.frontend.attributes import array_attribute
from srcgrad.frontend.base_members import (
    HOLDING,
    PROGRAMS,
    base_of,
    holds_none,
    holds_one,
    member_of,
    own_of_base,
    static_member,
)
from srcgrad.frontend.dataclass_instances import Init, fill_dataclass, is_generated_init
from srcgrad.frontend.derived import redefined
from srcgrad.frontend.derived_instances import base_name, holding, is_derived
from srcgrad.frontend.dict_instances import is_followed, linked_items
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.formulas.dict_classes import ITEMS
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.guards import Path
from srcgrad.frontend.guards import attribute as a_path_to
from srcgrad.frontend.handlers.registry import handler_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import follows_library
from srcgrad.frontend.library_source import CLASSES, DICTS
from srcgrad.frontend.masked_constant import as_array
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.numba_objects import is_jitclass, plain_of
from srcgrad.frontend.number_classes import is_either
from srcgrad.frontend.outside import (
    attribute_outside,
)
from srcgrad.frontend.raising_conditions import undecided
from srcgrad.frontend.special_methods import class_of_instance, python_type
from srcgrad.frontend.texts import literal
from srcgrad.frontend.tracked_dicts import tracked_dict
from srcgrad.frontend.unfollowed_classes import has_new, refuse_special
from srcgrad.frontend.unknown_functions import refuse_unknown
from srcgrad.frontend.values import (
    OWN,
    UNBOUND,
    Abstract,
    Bound,
    GrownList,
    MaybeUnbound,
    Partial,
    Record,
    Slice,
    Super,
    article,
    describe,
    is_scalar,
    is_value,
)
from srcgrad.frontend.watches import watch_member, watch_super
from srcgrad.ir.nodes import Var
from srcgrad.protocols import states
from srcgrad.tracebacks import OF_TENSORS
from srcgrad.tree import VALUE


# ---- making ----
def construct(
    it: Interpreter, cls: type, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(it, cls, args, kwargs, node)
    if issubclass(cls, enum.Enum):
        known = [it.static_number(it.known_text(v, node), node, "a member") for v in args]
        try:
            return cls(*known, **kwargs)
        except (TypeError, ValueError) as e:
            it.fails(e, node)
    if issubclass(cls, BaseException):
        return Record(cls, {"args": tuple(args)})
    if is_derived(cls):
        check_class(it, cls, node)
        if not has_new(cls):
            it.refuse(
                node, f"{cls.__name__}() makes an array of nothing", "use np.zeros(...).view(...)"
            )
    builtin = issubclass(cls, list | dict | set | tuple | str | int | float | complex)
    if builtin and not is_followed(cls) and not holds_one(cls):
        refuse_unknown(it, cls, node)
        it.refuse(node, f"instances of {cls.__name__} cannot be made in a compiled function")
    if cls not in (*CLASSES, *DICTS) and not is_jitclass(cls):
        refuse_unknown(it, cls, node)
    refuse_special(it, cls, node)
    watch_member(it.captures, cls, "__new__")
    if not has_new(cls):
        held = args if holds_one(cls) else []
        return _initialized(it, empty_instance(it, cls, node, held), args, kwargs, node)
    made = it.call(cls.__new__, [cls, *args], kwargs, node)
    if isinstance(made, Abstract) and not isinstance(made, Record):
        it.refuse(node, f"__new__ of {cls.__name__} returns {describe(made)}")
    if isinstance(made, cls) and type(made).__init__ is not object.__init__:
        what = f"__new__ of {cls.__name__} returns an instance that was made outside"
        it.refuse(node, f"{what}, which its __init__ would change")
    made_here = isinstance(made, Record) and issubclass(made.cls, cls)
    return _initialized(it, made, args, kwargs, node) if made_here else made


def empty_instance(it: Interpreter, cls: type, node: Node, args: Any = ()) -> Record:
    """An instance without attributes, as `object.__new__` makes it, or that of a built-in base."""
    if holds_one(cls):
        return holding(it, cls, list(args), node)
    first: Any = dict if issubclass(cls, dict) else object
    try:
        first.__new__(cls)
    except TypeError as e:  # an abstract class
        it.refuse(node, str(e), like=TypeError)
    record = Record(cls)
    if issubclass(cls, dict):
        record.fields[ITEMS] = tracked_dict(it, node, base_of(cls) or dict)
    return record


def _initialized(
    it: Interpreter, record: Record, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Record:
    """An instance after its `__init__`."""
    cls = record.cls
    watch_member(it.captures, cls, "__init__")
    if is_generated_init(cls):
        fill_dataclass(it, cls, record, args, kwargs, node)
    elif cls.__init__ is not object.__init__:
        it.call(member_of(cls, "__init__"), [record, *args], kwargs, node)
    elif (kwargs or (args and not holds_one(cls))) and not has_new(cls):
        it.refuse(node, f"{cls.__name__}() takes no arguments", like=TypeError)
    return record


def _named_tuple(
    it: Interpreter, cls: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    if name := redefined(cls):
        said = f"{cls.__name__} defines {name} anew, which all that takes a tuple apart reads"
        it.refuse(node, said, "give the method another name")
    try:
        return cls(*args, **kwargs)
    except TypeError as e:
        it.refuse(node, str(e), like=TypeError)


# ---- attributes ----
def _has(it: Interpreter, owner: Any, name: str, node: Node) -> None:
    """Refuses an attribute that a list, a dict or a string does not have."""
    cls = list if isinstance(owner, GrownList) else type(owner)
    cls = owner.cls if isinstance(owner, TrackedDict) else cls
    if hasattr(cls, name):
        return
    value: Any = getattr(node, "value", None)
    shown = f"'{value.id}'" if isinstance(value, gast.Name) else ""
    kind = describe(owner)
    if name in OF_TENSORS and follows_library(it):
        it.refuse(node, f"expected a Tensor, not {kind}", like=TypeError)
    it.wrong(
        node,
        f"{shown} is {kind}, which has no attribute '{name}'" if shown else
        f"{kind} has no attribute '{name}'",
        AttributeError,
        f"pass an array: np.asarray({shown.strip(chr(39)) or '...'})"
        if hasattr(np.ndarray, name) and isinstance(owner, list | tuple | GrownList) else "",
    )  # fmt: skip


def _has_attribute(number: Any, name: str) -> bool:
    """Whether a number has an attribute in Python, where compiled code gives NumPy's to all."""
    return hasattr(python_type(number) if isinstance(number, Var) else type(number), name)


BUILT_IN = list | dict | GrownList | str | set | tuple
OF_SLICES = {"start": "lower", "stop": "upper", "step": "step"}


@by_kind
def attribute(it: Interpreter, owner: Any, name: str, node: Node) -> Any:
    if name == "__class__" and (is_value(owner) or isinstance(owner, BUILT_IN)):
        return it.call(type, [owner], {}, node)
    number = is_value(owner) and not isinstance(owner, enum.Enum)
    if number and isinstance(owner, Var | np.generic | int | float | complex):
        if it.catches(AttributeError) and is_scalar(owner):
            if is_either(it, owner) and not hasattr(int, name):
                reason = f"a Python number has no attribute '{name}', one of NumPy's may have it"
                raise undecided(reason, it.frame.source.location(node))
            if not _has_attribute(owner, name):
                it.wrong(node, f"{describe(owner)} has no attribute '{name}'", AttributeError)
        return array_attribute(it, owner, name, node)
    owner = as_array(it, owner, node)
    if isinstance(owner, Record):
        return _record_attribute(it, owner, name, node)
    if isinstance(owner, Super):
        return _of_super(it, owner, name, node)
    if isinstance(owner, tuple) and (
        name in (*getattr(owner, "_fields", ()), "_fields")
        or isinstance(getattr(type(owner), name, None), types.MemberDescriptorType)
    ):
        return getattr(owner, name)
    followed = isinstance(getattr(type(owner), name, None), types.FunctionType | property)
    if isinstance(owner, BUILT_IN) and (not followed or name in ("_replace", "_asdict")):
        _has(it, owner, name, node)
        return Bound(owner, name)
    if isinstance(owner, tuple):  # a method of the user's on a named tuple
        return _of_class(it, owner, type(owner), name, node)
    if isinstance(owner, Slice) and name in OF_SLICES:
        return getattr(owner, OF_SLICES[name])
    if isinstance(owner, OWN):
        it.refuse(node, f"{describe(owner)} has no attribute '{name}' in compiled code")
    if type(owner) in CLASSES and name in OF_POLYNOMIALS:
        path = Path("polynomial", owner, (a_path_to("coeffs"),))
        return it.captures.take(it, path, "coefficients", node)
    if (value := attribute_outside(it, owner, name)) is not UNBOUND:
        if isinstance(value, MaybeUnbound) and hasattr(type(owner), name):
            of_class = lambda: _of_class(it, owner, type(owner), name, node)
            own = lambda: value.value
            return it.branch(value.flag, own, of_class, node, live_rest=True, several=True)
        if isinstance(value, MaybeUnbound):
            unbound = it.b.logical_not(value.flag)
            it.fail_if(unbound, "AttributeError", f"this object has no attribute '{name}'")
            return value.value
        return value
    return it.captures.attribute(it, owner, name, node)


# the names of the coefficients of a np.poly1d
OF_POLYNOMIALS = ("coeffs", "c", "coef", "coefficients", "_coeffs")


def parts_of(it: Interpreter, owner: Any, node: Node) -> tuple | None:
    """The items of a static object that is a list by its class; None for any other."""
    if isinstance(owner, enum.EnumMeta):
        return tuple(owner)
    if not states(owner, "srcgrad_parts"):
        return None
    return tuple(it.attribute(owner, type(owner).srcgrad_parts, node).values())


def _record_attribute(it: Interpreter, owner: Record, name: str, node: Node) -> Any:
    cls = plain_of(owner.cls)
    found = static_member(cls, name)
    unknown = found is None and not holds_none(cls, name)
    if name in owner.lacks:
        it.refuse(
            node,
            f"unflatten of {owner.cls.__name__} does not make '{name}' as the instance has it",
            "return it from flatten, as a child or in the static part, and set it there",
        )
    if isinstance(found, property) or own_method(type(found), "__set__") is not None:
        return _of_class(it, owner, cls, name, node)
    items = linked_items(it, owner, node) if name != ITEMS else None
    if items is not None and items.get(name, UNBOUND) is not UNBOUND:
        return it.call(own_of_base(cls, "__getitem__"), [owner, name], {}, node)
    if VALUE in owner.fields and unknown and hasattr(cls, name):
        return base_attribute(it, owner, name, node)
    if name in owner.fields and owner.fields[name] is not UNBOUND:
        return _bound_field(it, owner, name, node)
    if name == "__class__":
        return owner.cls
    if name == "__dict__" and owner.cls.__dictoffset__ and owner.cls not in INSTANCES:
        return _attributes(it, owner, node)
    slot = isinstance(found, types.MemberDescriptorType)
    if unknown and base_of(cls) in HOLDING and hasattr(cls, name):
        base = base_name(cls)
        it.refuse(node, f"'{name}' of {base} is not supported", f"call it for {base}(...)")
    if unknown or slot or name in ("__dict__", "__module__", "__doc__"):
        if (value := missing(it, owner, name, node)) is not UNBOUND:
            return value
        watch_member(it.captures, cls, name)
        it.wrong(node, f"{owner.cls.__name__} has no attribute '{name}'", AttributeError)
    return _of_class(it, owner, cls, name, node)


def _attributes(it: Interpreter, owner: Record, node: Node) -> dict[str, Any]:
    """The dict of an instance's attributes, itself: it may be changed where the instance may."""
    if ITEMS in owner.fields or HELD in owner.fields:
        said = f"__dict__ of {describe(owner)}, which is {article(base_name(owner.cls))}"
        it.refuse(node, f"{said} {base_name(owner.cls)}, is not supported")
    if any(isinstance(v, MaybeUnbound) or v is UNBOUND for v in owner.fields.values()):
        it.refuse(node, "the attributes of an instance that has some on one path only")
    for marked in (it.frozen, it.captures.immutable):
        if id(owner) in marked:
            marked[id(owner.fields)] = owner.fields
    return owner.fields


def _bound_field(it: Interpreter, owner: Record, name: str, node: Node) -> Any:
    """An attribute that is there on all paths, or on some: elsewhere it is that of the class."""
    v = owner.fields[name]
    if not isinstance(v, MaybeUnbound):
        return v
    if is_inherited(owner.cls, name):
        of_class = lambda: _of_class(it, owner, owner.cls, name, node)
        return it.branch(v.flag, lambda: v.value, of_class, node, live_rest=True, several=True)
    if own_method(owner.cls, "__getattr__") is not None:
        found = lambda: missing(it, owner, name, node)
        return it.branch(v.flag, lambda: v.value, found, node, live_rest=True, several=True)
    said = f"'{owner.cls.__name__}' object has no attribute '{name}'"
    it.fail_if(it.b.logical_not(v.flag), "AttributeError", literal(said))
    owner.fields[name] = v.value
    return v.value


def _of_super(it: Interpreter, owner: Super, name: str, node: Node) -> Any:
    """An attribute of the classes after one in the method resolution order of the owner."""
    instance = owner.owner
    cls = instance if isinstance(instance, type) else class_of_instance(instance)
    order = cls.__mro__
    classes = order[order.index(owner.after) + 1 :] if owner.after in order else ()
    home = next((c for c in classes if name in vars(c)), None)
    if classes:
        watch_super(it.captures, cls, order.index(owner.after), name)
    if home is None:
        it.wrong(node, f"'super' object has no attribute '{name}'", AttributeError)
    watch_member(it.captures, home, name)
    if home in PROGRAMS and isinstance(instance, Record):
        own = own_of_base(cls, name)
        if own is None and VALUE in instance.fields:
            return base_attribute(it, instance, name, node)
        if own is None:
            it.refuse(node, f"'{name}' of {home.__name__} is not supported")
        return types.MethodType(own, instance)
    found = vars(home)[name]
    if isinstance(instance, type) and isinstance(found, classmethod):
        return types.MethodType(found.__func__, instance)
    if isinstance(found, classmethod):
        return types.MethodType(found.__func__, cls)
    if isinstance(instance, type):
        return getattr(home, name)
    if name == "__new__":  # a static method without the decorator
        return getattr(home, name)
    if callable(found) and home is object:  # __init__, __setattr__
        return Partial(found, (instance,), {})
    if name == "__init__" and isinstance(instance, Record) and is_generated_init(home):
        return Init(home, instance)
    return _of_class(it, instance, home, name, node)


def _of_class(it: Interpreter, owner: Any, cls: type, name: str, node: Node) -> Any:
    """Resolves an attribute of a class for an instance."""
    found = static_member(cls, name)
    if isinstance(found, types.FunctionType | property | staticmethod | classmethod):
        watch_member(it.captures, cls, name)
    match found:
        case types.FunctionType():
            return types.MethodType(found, owner)
        case property() if found.fget is not None:
            return it.call(found.fget, [owner], {}, node)
        case staticmethod():
            return getattr(cls, name)
        case classmethod():
            return types.MethodType(found.__func__, class_of_instance(owner))
    if (get := own_method(type(found), "__get__")) is not None and not isinstance(found, type):
        watch_member(it.captures, cls, name)
        watch_member(it.captures, type(found), "__get__")
        return it.call(get, [found, owner, class_of_instance(owner)], {}, node)
    if hasattr(type(found), "__get__") and not isinstance(found, type):
        if handler_of(found) is not None:  # a method in C
            return Partial(found, (owner,), {})
        refuse_unknown(it, found, node)
        it.refuse(node, f"the descriptor '{name}' of {cls.__name__} is not supported")
    if (value := attribute_outside(it, cls, name)) is not UNBOUND:
        return value
    return it.captures.attribute(it, cls, name, node)
