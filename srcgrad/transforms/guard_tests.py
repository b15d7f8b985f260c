"""Tests of whether a value can replace the one that a program was made with.

A test refers to the latter by a weak reference, or by its text if it is immutable: it holds on to
no object of users. If there is no such test, `Unshared` is raised.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Set
from typing import Any

import numpy as np

from srcgrad.ir.types import Array, Scalar
from srcgrad.protocols import is_compiled, poses
from srcgrad.transforms.batched import Batched
from srcgrad.transforms.signature import Same
from srcgrad.transforms.stack import transforms

Test = Callable[[Any], bool]
BY_TEXT = (bool, int, float, complex, str, bytes, np.generic, type(None), type(Ellipsis))
OURS = (Array, Scalar, np.dtype)  # immutable
CONTAINERS = (list, tuple, dict)  # their parts are captured one by one


class Unshared(Exception):
    """Raised for a program that only the function that it was made for can use."""


def identical(value: Any) -> Test:
    """Whether a value is this object; of immutable ones, whether it has the same text."""
    kind = type(value)
    if isinstance(value, BY_TEXT):
        text = repr(value)  # tells -0.0 from 0.0
        return lambda now: type(now) is kind and repr(now) == text
    if isinstance(value, OURS):
        return lambda now: type(now) is kind and now == value
    if isinstance(value, np.ufunc) and "(" not in value.__name__:  # no `frompyfunc`
        return lambda now: now is value
    try:
        kept = weakref.ref(value)
    except TypeError:
        raise Unshared(f"a {kind.__name__} cannot be compared without being kept") from None
    return _refers(kept)


def _refers(kept: weakref.ref[Any]) -> Test:
    """Whether a value is the object referred to; one that is gone is not `None`."""
    return lambda now: now is not None and kept() is now


def alike(value: Any, followed: Set[int]) -> Test:
    """Tests whether a captured value, whose parts are captured themselves, can replace this one.

    `followed`: ids of the functions whose source has been read. Others are known as objects only.
    """
    if poses(value):
        return identical(value)
    if isinstance(value, types.FunctionType):
        return _function(value) if id(value) in followed else identical(value)
    if isinstance(value, types.MethodType):
        func, owner = alike(value.__func__, followed), identical(value.__self__)
        return lambda now: (
            type(now) is types.MethodType and (func(now.__func__) and owner(now.__self__))
        )
    if is_compiled(value):
        return _compiled(value, followed)
    if isinstance(value, Batched):
        own, axes = alike(value.function, followed), constant((value.in_axes, value.out_axes))
        return lambda now: (
            type(now) is Batched and own(now.function) and axes((now.in_axes, now.out_axes))
        )
    if isinstance(value, CONTAINERS):
        kind, n = identical(type(value)), len(value)
        return lambda now: kind(type(now)) and len(now) == n
    return identical(value)


def constant(value: Any) -> Test:
    """Tests whether a value not captured by parts is the same: defaults of a function, a key."""
    if type(value) is tuple:
        parts = [constant(v) for v in value]
        return lambda now: (
            type(now) is tuple
            and len(now) == len(parts)
            and all([test(v) for test, v in zip(parts, now, strict=True)])
        )
    if type(value) is dict:
        keys, items = constant(tuple(value)), constant(tuple(value.values()))
        return lambda now: type(now) is dict and keys(tuple(now)) and items(tuple(now.values()))
    if isinstance(value, Same):
        own = identical(value.value)
        return lambda now: isinstance(now, Same) and own(now.value)
    return identical(value)


# ---- functions ----
def facts(f: types.FunctionType) -> tuple:
    """The facts that the frontend reads of a function besides its code and its captures."""
    names = tuple(f.__kwdefaults__ or ())
    return f.__name__, f.__qualname__, f.__module__, len(f.__defaults__ or ()), names


def is_plain(f: types.FunctionType) -> bool:
    """Whether a function has neither attributes nor a class that it calls `super` in."""
    return not f.__dict__ and "__class__" not in f.__code__.co_freevars


def _function(f: types.FunctionType) -> Test:
    """Whether a function is this one, or one that the same `def` or `lambda` has made."""
    itself = _refers(weakref.ref(f))
    if not is_plain(f):
        return itself
    code, known = weakref.ref(f.__code__), facts(f)

    def test(now: Any) -> bool:
        return itself(now) or (
            type(now) is types.FunctionType
            and now.__code__ is code()
            and is_plain(now)
            and facts(now) == known
        )

    return test


def _compiled(g: Any, followed: Set[int]) -> Test:
    """Whether a compiled object is this one, or the same transforms of a function like its own."""
    itself, kind, options = _refers(weakref.ref(g)), type(g), g.options
    stack, function = transforms(g.spec), alike(g.function, followed)
    if any(getattr(t, "weights", None) is not None for t in stack):
        return itself

    def test(now: Any) -> bool:
        return itself(now) or (
            type(now) is kind
            and now.options == options
            and transforms(now.spec) == stack
            and function(now.function)
        )

    return test
