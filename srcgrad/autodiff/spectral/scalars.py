"""Straight-line functions of numbers, with the derivatives of the table of primitives.

The f of a matrix function in a program: elementwise operations on an eigenvalue, the
first parameter, and on further operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from srcgrad.autodiff.tangents import tangent
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import Scalar
from srcgrad.primitives.registry import REGISTRY
from srcgrad.records import record


@record(frozen=True, eq=False)
class ScalarFunction:
    params: tuple[Var, ...]
    body: tuple[Def, ...]
    result: Atom

    def at(self, b: Builder, args: Sequence[Atom]) -> Any:
        """Emits the value for numbers, or for arrays that broadcast together."""
        values: dict[Atom, Atom] = dict(zip(self.params, args, strict=True))
        for s in self.body:
            assert s.var is not None
            values[s.var] = b(s.op, *(values.get(a, a) for a in s.args), **s.params)
        return values.get(self.result, self.result)

    def derivative(self, tangents: Mapping[Var, Atom], more: Sequence[Var] = ()) -> ScalarFunction:
        """The derivative along tangents of some parameters; `more`: tangents that are parameters.

        Raises UnsupportedError where an operation has none.
        """
        b = Builder(REGISTRY)
        b.out += self.body
        b.definition.update({s.var: s for s in self.body if s.var is not None})
        dots: dict[Atom, Atom] = {**tangents}
        for s in self.body:
            assert s.var is not None
            t = tangent(b, s, [dots.get(a) for a in s.args])
            if t is not None:
                dots[s.var] = t
        zero = Const(0.0, Scalar(self.result.type.dtype))
        result = dots.get(self.result, zero)
        return ScalarFunction((*self.params, *more), needed(b.out, result), result)

    def slope(self) -> ScalarFunction:
        """The derivative with respect to the first parameter."""
        x = self.params[0]
        return self.derivative({x: Const(1.0, x.type)})


def needed(statements: Iterable[Any], result: Atom) -> tuple[Def, ...]:
    """The definitions that a result depends on."""
    wanted, out = {result}, list[Def]()
    for s in reversed([*statements]):
        if s.var in wanted:
            wanted.update(s.args)
            out.append(s)
    return tuple(reversed(out))
