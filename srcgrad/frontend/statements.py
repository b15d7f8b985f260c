"""Statements, but for branches and loops: assignments, raises, imports, deletions.

Never emits control flow itself.
"""

from __future__ import annotations

import importlib
from typing import Any, NoReturn

import gast
import numpy as np

from srcgrad.frontend.array_operands import is_for_its_owner
from srcgrad.frontend.attribute_methods import own_method
from srcgrad.frontend.attribute_stores import delete_field, set_attribute
from srcgrad.frontend.attributes import is_contiguous
from srcgrad.frontend.calls import with_arguments
from srcgrad.frontend.control_flow import flag
from srcgrad.frontend.derived_instances import as_operands
from srcgrad.frontend.dict_values import make_anew
from srcgrad.frontend.displays import elements
from srcgrad.frontend.expressions import OPERATORS, binary
from srcgrad.frontend.for_loops import for_loop
from srcgrad.frontend.formulas.registry import is_formula
from srcgrad.frontend.frame import RESULT, RETURNED, scope_of
from srcgrad.frontend.generators import as_generator
from srcgrad.frontend.heap import note_change
from srcgrad.frontend.indexing import items_of
from srcgrad.frontend.inlining import closure
from srcgrad.frontend.interpreter import LIMIT, Interpreter, Node
from srcgrad.frontend.lists import delete_item, extend, multiply
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.outside import Outside, stored_names
from srcgrad.frontend.rank_zero import changed_in_place, note_name, places_of
from srcgrad.frontend.special_methods import displayed, has_plain_text, operated_in_place
from srcgrad.frontend.stores import (
    PARTS,
    augment,
    augment_part,
    in_place,
    owner_of_part,
    store,
    store_part,
)
from srcgrad.frontend.texts import is_reading, literal, shown, without_values
from srcgrad.frontend.unpacking import unpack
from srcgrad.frontend.values import (
    UNBOUND,
    Closure,
    Formatted,
    GrownList,
    Record,
    describe,
    is_array,
)
from srcgrad.frontend.while_loops import while_loop
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import is_complex
from srcgrad.primitives.raising import name_of

DESCRIPTIONS = ("__doc__", "__name__", "__qualname__")  # of a function: reading one is refused


def refuse_statement(it: Interpreter, node: Node) -> NoReturn:
    kind = _SPELLED.get(type(node).__name__, type(node).__name__.lower())
    it.refuse(node, f"'{kind}' is not supported", "move it out of the compiled function", runs=True)


def do_pass(it: Interpreter, node: gast.Pass) -> None:
    pass


def do_expr(it: Interpreter, node: gast.Expr) -> None:
    it.unread.add(node.value)
    it.operand(node.value)


# ---- assignment ----
def do_assign(it: Interpreter, node: gast.Assign) -> None:
    value = it.operand(node.value)
    for target in node.targets:
        it.assign(target, value)


def do_ann_assign(it: Interpreter, node: gast.AnnAssign) -> None:
    if node.value is not None:
        it.assign(node.target, it.operand(node.value))


def assign(it: Interpreter, target: Any, value: Any) -> None:
    match target:
        case gast.Name():
            if isinstance(value, Var):
                _name(it, value, target.id)
                note_name(it, value)
            value = as_generator(it, value, target)
            scope = scope_of(it.frame, target.id)
            if scope is not it.env:
                note_change(it, scope)
            scope[target.id] = value
        case gast.Tuple() | gast.List():
            unpack(it, target, value)
        case gast.Subscript():
            owner, name = owner_of_part(it, target.value)
            if owner is None:
                store(it, target, it.operand(target.value), value)
            elif name:
                store_part(it, owner, name, items_of(it, owner, target.slice), value, target)
            else:
                store(it, target, owner, value)
        case gast.Attribute():
            _set_attribute(it, target, it.operand(target.value), value)
        case _:
            it.refuse(target, "this target of an assignment is not supported")


@by_kind
def _set_attribute(it: Interpreter, target: Any, owner: Any, value: Any) -> None:
    if set_attribute(it, owner, target.attr, value, target):
        return
    if is_array(owner) and is_complex(owner.type.dtype) and target.attr in PARTS:
        store_part(it, owner, target.attr, [...], value, target)
    elif isinstance(owner, Closure) and target.attr in DESCRIPTIONS:
        return
    elif is_array(owner) and target.attr == "shape":
        _set_shape(it, target, owner, value)
    elif is_array(owner) and target.attr in ("flat", "T", "mT"):
        it.refuse(target, f"an assignment to .{target.attr} is not supported", "use x[...] = v")
    else:
        watching = ("__setattr__", "__getattr__")
        own = next((n for n in watching if own_method(type(owner), n) is not None), None)
        why = "" if own is None else f": {type(owner).__name__} defines {own}"
        it.refuse(
            target, f"an attribute of {describe(owner)} cannot be assigned{why}",
            "return the value instead", runs=True,
        )  # fmt: skip


def _set_shape(it: Interpreter, target: gast.Attribute, array: Var, value: Any) -> None:
    """Gives an array another shape: one that a single name has, and that was made here."""
    name = target.value.id if isinstance(target.value, gast.Name) else ""
    own = it.b.definition.get(array) is not None and name in scope_of(it.frame, name)
    if not own or places_of(it, array) > 1 or not is_contiguous(it, array):
        it.refuse(
            target, "the shape of a view, or of an array that may have other names, is assigned",
            "use reshape",
        )  # fmt: skip
    it.assign(target.value, it.call_numpy(np.reshape, [array, value], {"copy": False}, target))


def _name(it: Interpreter, value: Var, name: str) -> None:
    """Names the variable of a value computed for this name; those with a name keep it."""
    definition = it.b.definition.get(value)
    if definition is not None and value.name == definition.op.name:
        value.name = name


def do_aug_assign(it: Interpreter, node: gast.AugAssign) -> None:
    target = node.target
    if isinstance(target, gast.Subscript):
        augment(it, node)
        return
    owner = None
    if isinstance(target, gast.Attribute):
        owner = it.operand(target.value)
        if is_array(owner) and is_complex(owner.type.dtype) and target.attr in PARTS:
            augment_part(it, owner, target.attr, [...], node)
            return
        old = it.attribute(owner, target.attr, target)
    else:
        read = gast.copy_location(gast.Name(target.id, gast.Load(), None, None), target)
        old = it.operand(read)
    value = it.operand(node.value)
    new = it.augmented(node, old, value)
    if owner is not None:
        if new is not old or isinstance(owner, Record):
            _set_attribute(it, target, owner, new)
    else:
        it.assign(target, new)


@by_kind
def augmented(it: Interpreter, node: gast.AugAssign, old: Any, value: Any) -> Any:
    """`old op= value`: arrays and lists are changed in place."""
    if is_array(old):
        if is_for_its_owner(value):
            return binary(it, node.op, old, value, node)
        in_place(it, node.op, old, value, node)
        return old
    if isinstance(old, list | GrownList) and isinstance(node.op, gast.Add):
        if is_array(value):
            return binary(it, node.op, old, value, node)
        extend(it, old, value, node)
        return old
    name = OPERATORS[type(node.op).__name__]
    if not isinstance(old, Record):
        old, value = as_operands(it, old, value, ("", f"__r{name}__"), node)
    out = operated_in_place(it, name, old, value, node)
    if out is not NotImplemented:
        return out
    if isinstance(old, list) and isinstance(node.op, gast.Mult) and not is_array(value):
        multiply(it, old, value, node)
        return old
    if isinstance(old, dict) and isinstance(node.op, gast.BitOr):
        it.call(it.attribute(old, "update", node), [value], {}, node)
        return old
    if isinstance(old, GrownList):
        it.refuse(node, "this operator changes a list in place", "build a new list")
    if isinstance(old, set):
        make_anew(it, old)
        it.refuse(node, "a set that is not made here is changed", "copy it first: set(...)")
    return changed_in_place(it, old, binary(it, node.op, old, value, node), node)


# ---- leaving ----
def do_if(it: Interpreter, node: gast.If) -> None:
    test = it.condition(node.test)
    it.branch(test, lambda: it.block(node.body), lambda: it.block(node.orelse), node)


def do_while(it: Interpreter, node: gast.While) -> None:
    while_loop(it, node)


def do_for(it: Interpreter, node: gast.For) -> None:
    for_loop(it, node)


def do_break(it: Interpreter, node: gast.Break) -> None:
    it.env[flag(it, "break")] = True


def do_continue(it: Interpreter, node: gast.Continue) -> None:
    it.env[flag(it, "continue")] = True


def do_return(it: Interpreter, node: gast.Return) -> None:
    value = None if node.value is None else it.operand(node.value)
    it.frame.returns.append(it.frame.source.location(node))
    note_name(it, value)
    it.env[RESULT] = value
    it.env[RETURNED] = True


def do_function_def(it: Interpreter, node: gast.FunctionDef) -> None:
    decorators = [it.expression(d) for d in node.decorator_list]
    made: Any = closure(it, node, node.name)
    for decorate, place in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
        made = it.call(decorate, [made], {}, place)
    it.env[node.name] = made


def do_global(it: Interpreter, node: gast.Global) -> None:
    for name in _stored(it, node):
        function: Any = it.frame.source.function
        scope = function.__globals__
        it.frame.elsewhere[name] = stored_names(it, Outside("global", scope, name), node)


def do_nonlocal(it: Interpreter, node: gast.Nonlocal) -> None:
    stored = _stored(it, node)
    for name in node.names:
        frame = it.frame.outer
        while frame is not None and name not in frame.local and name not in frame.env:
            frame = frame.outer
        function: Any = it.frame.source.function
        if frame is None and name in stored and name in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            it.frame.elsewhere[name] = stored_names(it, Outside("cell", cell, name), node)


def _stored(it: Interpreter, node: gast.Global | gast.Nonlocal) -> list[str]:
    """The names of a statement that the function around it stores to."""
    bound = assigned(it.frame.source.tree.body)
    return [n for n in node.names if n in bound]


def do_delete(it: Interpreter, node: gast.Delete) -> None:
    for target in node.targets:
        match target:
            case gast.Name():
                it.lookup(target.id, target)
                scope_of(it.frame, target.id)[target.id] = UNBOUND
            case gast.Subscript():
                delete_item(it, target)
            case gast.Tuple() | gast.List():
                do_delete(it, gast.copy_location(gast.Delete(target.elts), node))
            case gast.Attribute():
                delete_field(it, it.expression(target.value), target.attr, target)
            case _:
                raise AssertionError(target)  # Python has no other target


# ---- failing ----
def do_assert(it: Interpreter, node: gast.Assert) -> None:
    test = it.condition(node.test)
    if test is True:
        return

    def failing() -> None:
        message = "" if node.msg is None else it.expression(node.msg)
        it.fail("AssertionError", *_message(it, message, node))

    it.branch(test, lambda: None, failing, node, live_rest=True)


def do_raise(it: Interpreter, node: gast.Raise) -> None:
    exc = node.exc
    if exc is None and it.handled_now:
        it.handled_now[-1]()
    if exc is None:
        it.refuse(node, "'raise' without an exception is not supported", "raise ValueError(...)")
    call = exc if isinstance(exc, gast.Call) else None
    cls = it.expression(call.func if call else exc)
    if call and not isinstance(cls, type):  # a function that makes the exception
        cls, call = with_arguments(it, call, cls), None
    if isinstance(cls, BaseException):
        it.fail(name_of(type(cls)), literal(str(cls)))
    made = cls if isinstance(cls, Record) else None
    cls = cls if made is None else made.cls
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        it.refuse(
            node,
            "only exceptions and their classes can be raised",
            "raise ValueError(...)",
            like=TypeError,
        )
    args = elements(it, call.args) if call else [] if made is None else made.fields["args"]
    message = args[0] if len(args) == 1 else tuple(args) or ""
    formula = is_formula(it.frame.source.function)
    limit = cls is NotImplementedError and formula
    kind, (template, *values) = LIMIT if limit else name_of(cls), _message(it, message, node)
    exact = isinstance(message, str) or (
        isinstance(message, Formatted) and len(values) == len(message.values)
    )
    exact = exact and len(args) == 1 and has_plain_text(it, cls) and not formula
    it.texts_raised[kind, template] = exact and it.texts_raised.get((kind, template), True)
    it.fail(kind, template, *values)


def _message(it: Interpreter, message: Any, node: Node) -> tuple:
    """A template and its values, as `fail` takes them."""
    if is_reading(message):
        return ("...",)
    template, values = without_values(*shown(displayed(it, message, node, exact=False)))
    return template, *values


# ---- imports ----
def do_import(it: Interpreter, node: gast.Import) -> None:
    for alias in node.names:
        module = _imported(it, alias.name, node)
        if not alias.asname:
            module = _imported(it, alias.name.split(".")[0], node)
        it.env[alias.asname or alias.name.split(".")[0]] = module


def do_import_from(it: Interpreter, node: gast.ImportFrom) -> None:
    module = _imported(it, "." * (node.level or 0) + (node.module or ""), node)
    for alias in node.names:
        if not hasattr(module, alias.name):
            said = f"'{alias.name}' cannot be imported from {node.module}"
            it.wrong(node, said, ImportError)
        it.env[alias.asname or alias.name] = it.captures.attribute(it, module, alias.name, node)


def _imported(it: Interpreter, name: str, node: Node) -> Any:
    try:
        package = getattr(it.frame.source.function, "__globals__", {}).get("__package__")
        return importlib.import_module(name, package)
    except ImportError as e:
        it.wrong(node, f"this import fails: {e}", type(e))


_SPELLED = {
    "With": "with", "ClassDef": "class", "Global": "global", "Nonlocal": "nonlocal",
    "Delete": "del", "AsyncFunctionDef": "async def", "AsyncFor": "async for", "Match": "match",
    "AsyncWith": "async with", "TryStar": "except*",
}  # fmt: skip
