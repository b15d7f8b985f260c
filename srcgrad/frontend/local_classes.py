"""`class` inside a compiled function: the class that Python makes of its code, without its frame.

Its methods read the names of the function around them when they are called. The body of the class
may read what is known at compile time; it is checked to do nothing but define.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import types
import typing
from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.frontend.definitions import first_line
from srcgrad.frontend.displays import elements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Abstract
from srcgrad.ir.nodes import Var

OUTSIDE = "define the class outside of the function"
DECORATORS = (dataclasses.dataclass, functools.total_ordering, typing.final)
# what the values of fields are made of, and may call
_PLAIN = (
    gast.Constant, gast.Name, gast.Attribute, gast.Tuple, gast.List, gast.Dict, gast.UnaryOp,
    gast.BinOp, gast.Subscript, gast.Lambda, gast.arguments, gast.expr_context, gast.operator,
    gast.unaryop, gast.keyword,
)  # fmt: skip
METHODS = ("property", "staticmethod", "classmethod")  # decorators of methods
_CALLED = ("field", "np.array", "np.zeros", "np.ones", "float", "int", "math.sqrt")


def do_class_def(it: Interpreter, node: gast.ClassDef) -> None:
    _refuse_body(it, node)
    bases = [_static(it, b, node) for b in elements(it, node.bases)]
    named = {k.arg: _static(it, it.expression(k.value), node) for k in node.keywords if k.arg}
    decorators = [_decorator(it, d) for d in node.decorator_list]
    function: Any = it.frame.source.function
    near = lambda code: abs(code.co_firstlineno - first_line(node))
    code = min(_codes_of(function.__code__, node.name), key=near)
    cells = tuple(types.CellType(*_known(it, n)) for n in code.co_freevars)
    body = types.FunctionType(code, function.__globals__, node.name, None, cells)
    try:
        made = builtins.__build_class__(body, node.name, *bases, **named)
        for decorate in reversed(decorators):
            made = decorate(made)
    except NameError:
        it.refuse(node, "the body of a class reads a value that is known at run time only", OUTSIDE)
    except (TypeError, ValueError, AttributeError) as e:
        it.fails(e, node)
    for f in _functions_of(made):
        it.defined_in[f] = it.frame
    it.env[node.name] = made


def _refuse_body(it: Interpreter, node: Any) -> None:
    for s in node.body:
        match s:
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                continue
            case gast.FunctionDef() if all(map(_is_known, s.decorator_list)):
                continue
            case gast.Assign() | gast.AnnAssign() if s.value is None or _is_plain(s.value):
                continue
        said = "this statement in the body of a class inside a function is not supported"
        it.refuse(s, said, OUTSIDE)


def _is_plain(value: Any) -> bool:
    """Whether computing a value at compile time does nothing else."""
    return all(
        isinstance(n, _PLAIN) or (isinstance(n, gast.Call) and _spelled(n.func) in _CALLED)
        for n in gast.walk(value)
    )


def _is_known(decorator: Any) -> bool:
    name = _spelled(decorator)
    return name.rpartition(".")[2] in ("setter", "getter", "abstractmethod") or name in METHODS


def _spelled(f: Any) -> str:
    if isinstance(f, gast.Attribute):
        return f"{_spelled(f.value)}.{f.attr}"
    return f.id if isinstance(f, gast.Name) else ""


def _static(it: Interpreter, v: Any, node: Node) -> Any:
    if isinstance(v, Var | Abstract):
        it.refuse(node, "a base or a setting of a class is known at run time only", OUTSIDE)
    return v


def _decorator(it: Interpreter, node: Any) -> Any:
    call = isinstance(node, gast.Call)
    f = it.expression(node.func if call else node)
    if f not in DECORATORS or (call and node.args):
        it.refuse(node, "this decorator of a class inside a function is not supported", OUTSIDE)
    if not call:
        return f
    return f(**{k.arg: _static(it, it.expression(k.value), node) for k in node.keywords if k.arg})


def _known(it: Interpreter, name: str) -> tuple[Any, ...]:
    """The value in a cell of a class, known when compiling; nothing if it is empty."""
    frame: Any = it.frame
    while frame is not None and name not in frame.env:
        frame = frame.outer
    value = frame.env[name] if frame is not None else None
    return () if frame is None or isinstance(value, Var | Abstract) else (value,)


def _codes_of(code: types.CodeType, name: str) -> Iterator[types.CodeType]:
    """The codes of that name in that of a function."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            if inner.co_name == name:
                yield inner
            yield from _codes_of(inner, name)


def _functions_of(cls: type) -> Iterator[types.FunctionType]:
    """The functions that a class defines."""
    for member in vars(cls).values():
        match member:
            case types.FunctionType():
                yield member
            case staticmethod() | classmethod():
                yield member.__func__
            case property():
                yield from (f for f in (member.fget, member.fset) if f is not None)
