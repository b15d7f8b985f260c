"""Draws by Python's generators. Imported when one is first met."""

from __future__ import annotations

from random import Random
from typing import Any

import gast

from srcgrad.frontend.expressions import binary
from srcgrad.frontend.handlers.draws import (
    as_python,
    captured_generator,
    drawn,
    made,
    method,
    operand,
    parameter,
    reseed,
    scaled,
)
from srcgrad.frontend.handlers.registry import OF_OWNER, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def _of_captured(owner: Any) -> Any:
    """The handler of a method of a generator that is captured."""

    def draw(it: Interpreter, node: Node) -> Any:
        return uniform(it, node, captured_generator(it, node, owner))

    return draw


@implements(Random)
def generator(it: Interpreter, node: Node, x: Any = None) -> Record:
    return made(it, node, Random, "Random", x)


@method(Random.seed)
def _seed(it: Interpreter, node: Node, self: Record, a: Any = None) -> None:
    reseed(it, node, self, a)


@method(Random.random)
def uniform(it: Interpreter, node: Node, self: Record) -> Any:
    """A number in [0, 1)."""
    return drawn(it, self, ("one by one", "random"), None)


def _scaled(it: Interpreter, node: Node, owner: Record, name: str, start: Any, scale: Any) -> Any:
    start, scale = parameter(it, node, start, "mu"), parameter(it, node, scale, "sigma")
    z = drawn(it, owner, ("one by one", name, 0.0, 1.0), None)
    return as_python(it, scaled(it, node, start, scale, z))


@method(Random.gauss)
def gauss(it: Interpreter, node: Node, self: Record, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    """mu + z * sigma"""
    return _scaled(it, node, self, "gauss", mu, sigma)


@method(Random.normalvariate)
def normalvariate(
    it: Interpreter, node: Node, self: Record, mu: Any = 0.0, sigma: Any = 1.0
) -> Any:
    """mu + z * sigma"""
    return _scaled(it, node, self, "normalvariate", mu, sigma)


@method(Random.expovariate)
def expovariate(it: Interpreter, node: Node, self: Record, lambd: Any = 1.0) -> Any:
    """e / lambd"""
    e = drawn(it, self, ("one by one", "expovariate", 1.0), None)
    return binary(it, gast.Div(), e, lambd, node)


def _by_python(name: str, dtype: str, *names: str) -> None:
    """A method without derivatives by its parameters."""

    @method(getattr(Random, name))
    def draw(it: Interpreter, node: Node, /, self: Record, *given: Any, **named: Any) -> Any:
        values = dict(zip(names, given, strict=False)) | named
        if len(given) > len(names) or values.keys() != {*names}:
            it.refuse(node, f"{name}() takes {', '.join(names)} here", like=TypeError)
        operands = [operand(it, node, values[n], n) for n in names]
        return drawn(it, self, ("one by one", name), None, *operands, dtype=dtype)


_by_python("_randbelow", "i64", "n")
_by_python("randint", "i64", "a", "b")
for _name, _names in {
    "betavariate": ("alpha", "beta"),
    "gammavariate": ("alpha", "beta"),
    "lognormvariate": ("mu", "sigma"),
    "paretovariate": ("alpha",),
    "vonmisesvariate": ("mu", "kappa"),
    "weibullvariate": ("alpha", "beta"),
}.items():
    _by_python(_name, "f64", *_names)
OF_OWNER["Random.random"] = _of_captured
