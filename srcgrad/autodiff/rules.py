"""Runs the rules of the table on IR values: one adjoint contribution.

Products of partials, un-broadcasting and the transpose of a cast happen here and nowhere else.
Never decides how an operand is recovered (`Values` does), never stores to a buffer.
"""

from __future__ import annotations

from typing import Any

from srcgrad.autodiff.traced import Traced, Tracer, Values, scalar_of
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import Array, Scalar, Type, float_type, is_complex, same_dims
from srcgrad.primitives import rules as primitives
from srcgrad.primitives.norms import OF_SQUARES
from srcgrad.primitives.registry import REGISTRY, ZERO
from srcgrad.primitives.special import SPECIAL


# ---- which arguments a result depends on ----
def rule_of(definition: Def, k: int) -> Any:
    """The rule for argument `k`: ZERO if the row declares a zero derivative, None without one."""
    rule, op = primitives.rule_of(definition.op, k), definition.op
    flat = op.kind == "nondiff" and rule is ZERO and not op.fresh
    return None if flat and not holds(definition) else rule


def depends(definition: Def, k: int) -> bool:
    """Whether the result may vary with argument `k`: both floats, and not declared constant.

    True for a primitive without a rule: it is refused when its derivative is requested.
    """
    v = definition.var
    if v is None or not float_type(v.type) or not float_type(definition.args[k].type):
        return False
    return rule_of(definition, k) is not ZERO


# ---- reverse ----
def contribution(
    builder: Builder, definition: Def, k: int, g: Atom, values: Values | None = None
) -> Atom | None:
    """The adjoint that argument `k` receives from the result's adjoint `g`; None if zero.

    It may be `g` itself or a view of it, and has the dims of the result: see `fitted`.
    """
    op, rule = definition.op, rule_of(definition, k)
    if rule is ZERO:
        return None
    if rule is None or not holds(definition):
        raise no_rule(definition, k)
    tracer = tracer_for(builder, definition, values)
    y, args = tracer.operands()
    seed = tracer.known(g)
    if op.kind == "derive":
        partial = slope(definition, rule, values)(y, *args, **definition.params)
        return made(primitives.product(seed, partial, _absorbs(definition, k, values)))
    return made(rule(seed, y, *args, **definition.params))


def slope(definition: Def, rule: Any, values: Values | None) -> Any:
    """The rule, or that of a root of a sum of squares."""
    if values is not None and definition.var in values.roots:
        return OF_SQUARES[definition.op]
    return rule


def _absorbs(definition: Def, k: int, values: Values | None) -> bool:
    """Whether a zero adjoint may meet a partial for argument `k` that is infinite or NaN."""
    if values is None or values.may_be_nonfinite is None:
        return definition.op.singular
    may_be_nonfinite = values.may_be_nonfinite
    op = definition.op
    suspect = (op.singular or op.nonfinite == "complex") and definition.var not in values.roots
    if suspect and not may_be_nonfinite.stays_finite(definition):
        return True
    positions, result = reads(definition, k)
    atoms = [a for p, a in enumerate(definition.args) if p in positions or isinstance(a, Const)]
    return any(may_be_nonfinite(a) for a in [*atoms, *([definition.var] if result else [])])


def fitted(builder: Builder, g: Atom, like: Type, full: bool = False) -> Atom:
    """The contribution `g` with the dims and the dtype of a value of type `like`.

    Undoes broadcasting and casts; a real value next to complex ones gets the real part. A scalar
    `g` means an array filled with it: it becomes that array only if `full`. May be `g` itself.
    """
    ours = g.type.dims if isinstance(g.type, Array) else None
    theirs = like.dims if isinstance(like, Array) else None
    if ours and not theirs:
        g, ours = builder.sum(g, axes=tuple(range(len(ours)))), None
    elif ours == () and theirs is None:
        g, ours = builder.load(g), None
    if ours is None and theirs is not None:
        g = converted(builder, g, Scalar(like.dtype))  # type: ignore[union-attr]  (an array type)
        return builder.broadcast_to(g, *theirs) if full else g
    if ours is not None and theirs is not None and not same_dims(ours, theirs):
        g = builder.sum_to(g, *theirs)
    return converted(builder, g, scalar_of(like))


_READS: dict[tuple[Any, ...], tuple[frozenset[int], bool]] = {}


def reads(definition: Def, k: int) -> tuple[frozenset[int], bool]:
    """The positions of the variables that the rule for argument `k` reads, and whether the result.

    Found by running the rule once on dummies. Dims are not counted: `Values.dim` has them.
    """
    op, args, var = definition.op, definition.args, definition.var
    assert var is not None
    kinds = tuple((a.type.dtype, len(getattr(a.type, "dims", ()))) for a in args)
    key = (op, k, kinds, repr(definition.params))
    if key not in _READS:
        recorder = _Recorder(definition)
        contribution(Builder(REGISTRY), definition, k, Var("g", var.type), recorder)
        _READS[key] = frozenset(recorder.read), recorder.reads_result
    positions, result = _READS[key]
    return frozenset(p for p in positions if isinstance(args[p], Var)), result


class _Recorder(Values):
    """Hands out dummies and records which ones were read."""

    def __init__(self, definition: Def):
        super().__init__(definition)
        self.read: set[int] = set()
        self.reads_result = False

    def __call__(self, k: int) -> Atom:
        self.read.add(k)
        return Var("a", self.definition.args[k].type)

    def result(self) -> Atom:
        self.reads_result = True
        return Var("y", super().result().type)


# ---- shared ----
def tracer_for(builder: Builder, definition: Def, values: Values | None) -> Tracer:
    assert definition.var is not None
    return Tracer(builder, scalar_of(definition.var.type), values or Values(definition))


def made(out: Any) -> Atom | None:
    """The result of a rule: a value, nothing, or the literal 0.0."""
    out = primitives.plain(out)
    if out is None or isinstance(out, Traced):
        return None if out is None else out.atom
    return Const(out, Scalar("f64", weak=True)) if out else None


def no_rule(definition: Def, k: int | None = None) -> UnsupportedError:
    """The refusal of a derivative by argument `k` that the table does not have."""
    back = definition.params.get("back")
    if back is not None:
        return UnsupportedError(
            f"{back.name}() is opaque: nothing is known of its derivative",
            definition.loc,
            "give flow.opaque a vjp= or a jvp=, or call stop_gradient on its arguments",
        )
    name = SPECIAL.get(definition.op.name, definition.op.name)
    which = f" by its {_ORDINALS[k]} argument" if k is not None and len(definition.args) > 1 else ""
    said = f"{name} has no derivative{which} here"
    return UnsupportedError(
        said if holds(definition) else f"{name} of complex numbers has no derivative here",
        definition.loc,
        "call flow.stop_gradient on that argument if it is to count as a constant",
    )


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def holds(definition: Def) -> bool:
    """Whether the row's rules cover such operands: not all cover complex numbers."""
    if definition.op.kind not in ("custom", "nondiff") or definition.op.analytic:
        return True
    return not any(float_type(a.type) and is_complex(a.type.dtype) for a in definition.args)


def converted(builder: Builder, a: Atom, target: Scalar) -> Atom:
    """An adjoint or a tangent with another dtype; for a real value it is the real part."""
    if is_complex(a.type.dtype) and not is_complex(target.dtype):
        a = builder.real(a)
    return builder.cast(a, target)


__all__ = [
    "Values", "contribution", "converted", "depends", "fitted", "reads", "rule_of", "same_dims",
]  # fmt: skip
