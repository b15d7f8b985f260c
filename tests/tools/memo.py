"""Programs of one function are made once: what several transforms of it read is shared.

Compiled objects of `flow.compile`, `grad`, `vjp`, `jvp` trace their function each, and reverse it
each. Within `Memo.active()` the second one finds what the first has made of equal arguments. Only
stages are shared, which are pure; each object still builds and runs a program of its own.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec
from unittest import mock

from srcgrad.frontend.requirements import Requirements
from srcgrad.passes.pipeline import settings
from srcgrad.transforms import specialization, specs
from srcgrad.transforms.program import Program
from srcgrad.transforms.signature import key_under
from srcgrad.transforms.specs import Primal
from srcgrad.tree import paths

P = ParamSpec("P")
SETS = [f.name for f in fields(Requirements) if f.name not in ("refused", "weights", "tensors")]


def shared(check: Callable[P, None]) -> Callable[P, None]:
    """A check during which programs are shared: nothing that it captures may change meanwhile."""

    @wraps(check)
    def sharing(*args: P.args, **named: P.kwargs) -> None:
        with Memo().active():
            check(*args, **named)

    return sharing


class Memo:
    """What has been made; not shared where passes are switched off or the checker runs."""

    def __init__(self) -> None:
        self.traced: list[tuple[Primal, tuple, tuple, Requirements, Program]] = []
        self.made: dict[tuple, tuple[Any, Any]] = {}  # the first operand, which its id names

    @contextmanager
    def active(self) -> Iterator[None]:
        patches = [mock.patch.object(Primal, "program", self._program(Primal.program))]
        for module in (specs, specialization):
            patches.append(mock.patch.object(module, "kept", self._stage(module.kept)))
        for name in ("persistent", "protected"):
            patches.append(mock.patch.object(specs, name, self._of(getattr(specs, name))))
        with ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch)
            yield

    def _program(self, plain: Callable[..., Program]) -> Callable[..., Program]:
        def program(primal: Primal, arguments: dict[str, Any], required: Requirements) -> Program:
            given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
            for known, lengths, key, found, made in self.traced:
                if (
                    known == primal
                    and lengths == _shapes(given)
                    and _grown_to(required, found)
                    and key == key_under(arguments, given, found.static_leaves, found.static_dims)
                ):
                    vars(required).update(vars(_copied(found)))
                    return made
            made = plain(primal, arguments, required)
            if not required.weights:
                found = _copied(required)
                key = key_under(arguments, given, found.static_leaves, found.static_dims)
                self.traced.append((primal, _shapes(given), key, found, made))
            return made

        return program

    def _stage(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def kept(stage: Callable, function: Any, *read: Any) -> Any:
            key = (stage.__name__, id(function), repr(read), settings())
            if key not in self.made:
                self.made[key] = function, plain(stage, function, *read)
            return self.made[key][1]

        return kept

    def _of(self, plain: Callable[..., Program]) -> Callable[..., Program]:
        def of(p: Program, *options: Any) -> Program:
            key = (plain.__name__, id(p), options)
            if key not in self.made:
                self.made[key] = p, plain(p, *options)
            return self.made[key][1]

        return of


def _shapes(given: list[tuple[tuple, Any]]) -> tuple:
    """The lengths of the arguments: where checks compare them, a program is for some."""
    return tuple(getattr(v, "shape", None) for _, v in given)


def _grown_to(required: Requirements, found: Requirements) -> bool:
    """Whether tracing with these requirements may end with what is found."""
    return (required.weights, required.tensors) == (found.weights, found.tensors) and all(
        getattr(required, name) <= getattr(found, name)
        if isinstance(getattr(required, name), set)
        else getattr(required, name).items() <= getattr(found, name).items()
        for name in SETS
    )


def _copied(required: Requirements) -> Requirements:
    made = copy(required)
    for name in SETS:
        setattr(made, name, copy(getattr(required, name)))
    return made
