"""Values with the derivatives of matrix functions, at every order.

The rules are written where a derivative is computed. Terms of the highest order are ordinary
formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.autodiff.spectral.terms import (
    Operands,
    Term,
    real_part,
    symmetric,
)
from srcgrad.autodiff.spectral.values import FORMULAS
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Const, Def, Function, Var, altered, type_vars
from srcgrad.ir.rule import Direction, Rule
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives import attached as rows
from srcgrad.primitives.registry import REGISTRY
from srcgrad.records import record

NAME = "a matrix function"


def attached(b: Builder, term: Term, of: Operands, value: Var, result: Var | None = None) -> Any:
    """The value of a term, with its derivatives; `result`: the variable to define."""
    others = [*zip(of.others, term.ruled, strict=True)]
    inputs = [of.matrix, *of.along, *(x for x, ruled in others if ruled)]
    foreign = [x for x, ruled in others if ruled is None]
    flat = of.flat()
    rest = [*flat, *_lengths(value, *flat)]
    form = clone(Function("", (_dotted(value, ""), *rest), (), ()))
    counts = 1, len(inputs), len(foreign)
    rule = MatrixFunction(NAME, *counts, _never, loc=b.loc, found=True, term=term, form=form, of=of)
    return _with_rule(b, rule, (value, *inputs, *foreign, *rest), result)


def following(b: Builder, value: Var, other: Var, result: Var) -> None:
    """A value with the derivatives of another one that is equal up to rounding."""
    g, rest = _dotted(value, "_bar"), _lengths(value, other)
    f = Function("same", (g, _dotted(value, ""), *rest), (), (g,))
    same = Direction(clone(f), (0,))
    rule = Rule(NAME, 1, 1, 0, _never, pull=same, push=same, loc=b.loc, found=True)
    _with_rule(b, rule, (value, other, *rest), result)


def _with_rule(b: Builder, rule: Rule, args: tuple[Var, ...], result: Var | None) -> Any:
    t = b.attached(*args, rule=rule)
    made = b.part(t, k=0, name=args[0].name)
    if result is not None:
        last = b.out[-1]
        assert isinstance(last, Def) and last.var is made
        b.out[-1] = altered(last, var=result)
    return made if result is None else result


def is_recognised(s: Def) -> bool:
    """Whether a definition gives a value the derivatives of a matrix function."""
    return s.op is rows.attached and s.params["rule"].found


def _lengths(*vs: Var) -> list[Var]:
    """The lengths in the types of variables."""
    return [*dict.fromkeys(d for v in vs for d in type_vars(v.type))]


def _never(rule: Rule, direction: Direction, many: int) -> Direction:
    raise AssertionError("both directions are stated")


@record(eq=False)
class MatrixFunction(Rule):
    """The derivative of a term: its directions are written when it is differentiated."""

    term: Any = None
    form: Any = None  # a function of the value and what the rule reads
    of: Any = None

    __repr__ = Rule.__repr__

    def reverse(self) -> Direction:
        if self.pull is None:
            value = self.form.params[0]
            self.pull = self._written([_dotted(value, "_bar")], _pulled)
        return self.pull

    def forward(self) -> Direction:
        if self.push is None:
            self.push = self._written([_dotted(x, "_dot") for x in self._inputs()], _pushed)
        return self.push

    def _operands(self) -> Operands:
        return self.of.like(self.form.params[1 : 1 + len(self.of.flat())])

    def _inputs(self) -> list[Var]:
        of = self._operands()
        others = (x for x, r in zip(of.others, self.term.ruled, strict=True) if r)
        return [of.matrix, *of.along, *others]

    def _written(self, given: list[Var], made: Callable[..., list[Atom]]) -> Direction:
        b = Builder(REGISTRY)
        b.loc = self.loc
        returns = made(b, self.term, self._operands(), given)
        f = Function("matrix_function", (*given, *self.form.params), tuple(b.out), tuple(returns))
        return Direction(clone(f), tuple(range(len(returns))))


def _dotted(x: Var, name: str) -> Var:
    t = x.type
    return Var(x.name + name, Array(t.dtype, t.dims) if isinstance(t, Array) else t)


# ---- the two directions ----
def _pulled(b: Builder, term: Term, of: Operands, given: list[Var]) -> list[Atom]:
    (g,) = given
    turned = symmetric(b, term, g) if term.symmetric else g
    out = [real_part(b, differentiated(b, term, replace(of, along=(*of.along, turned))), of.matrix)]
    for k, x in enumerate(of.along):
        along = (*of.along[:k], turned, *of.along[k + 1 :])
        out.append(real_part(b, differentiated(b, term, replace(of, along=along)), x))
    for k, x in enumerate(of.others):
        if term.ruled[k]:
            out.append(real_part(b, _of_other(b, term, of, g, k), x))
    return out


def _of_other(b: Builder, term: Term, of: Operands, g: Var, k: int) -> Any:
    """The adjoint of another operand of f."""
    x = term.function.params[1 + k]
    slope = replace(term, function=term.function.derivative({x: Const(1.0, x.type)}))
    n = g.type.ndim
    made = b.mul(g, differentiated(b, slope, of))
    if not isinstance(of.others[k].type, Array):
        return b.sum(made, axes=tuple(range(n)))
    return b.sum_to(b.sum(made, axes=(n - 1,)), *of.others[k].type.dims)


def _pushed(b: Builder, term: Term, of: Operands, given: list[Var]) -> list[Atom]:
    dots = iter(given)
    parts = [differentiated(b, term, replace(of, along=(*of.along, next(dots))))]
    for k in range(len(of.along)):
        along = (*of.along[:k], next(dots), *of.along[k + 1 :])
        parts.append(differentiated(b, term, replace(of, along=along)))
    left = tuple(dots)
    if left:
        which = [k for k, r in enumerate(term.ruled) if r]
        new = [Var(x.name, Scalar(x.type.dtype)) for x in left]
        of_params = {term.function.params[1 + k]: v for k, v in zip(which, new, strict=True)}
        moved = Term(
            term.function.derivative(of_params, new), term.symmetric, term.dtype,
            (*term.ruled, *(True for _ in new)), (*term.varied, *(term.varied[k] for k in which)),
        )  # fmt: skip
        parts.append(differentiated(b, moved, replace(of, others=(*of.others, *left))))
    total = parts[0]
    for p in parts[1:]:
        total = b.add(total, p)
    return [total]


def differentiated(b: Builder, term: Term, of: Operands) -> Any:
    """A term with its derivatives, if it is not of the highest order."""
    order = len(of.along)
    value = FORMULAS[order](b, term, of)
    return attached(b, term, of, value) if order < 2 else value
