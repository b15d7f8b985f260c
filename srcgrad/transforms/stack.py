"""A stack of transforms: its parts, its name, and the program that shows one of its stages.

Never builds a program.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.equal_lengths import OfCall
from srcgrad.transforms.jacobian_program import Jacobian
from srcgrad.transforms.second_order import Hessian, HessianDiagonal, HessianProduct, SecondOrder
from srcgrad.transforms.specs import ByPosition, Gradient, Primal, Tangent

KINDS = ("primal", "adjoint", "tangent")
GENERATED = {
    "numba": "cpu",
    "llvm": "cpu",
    "asm": "cpu",
    "cuda": "cuda",
}  # kinds of generated text, and the targets they belong to
# the transforms that are known by a name and differ in it only
LAYERS: dict[str, ByPosition] = {
    "jacrev": Jacobian(None, ()),
    "jacfwd": Jacobian(None, (), forward=True),
    "jacobian": Jacobian(None, (), forward=None),
    "value_and_jac": Jacobian(None, (), forward=None, with_value=True),
    "hvp": HessianProduct(None, ()),
    "vhp": HessianProduct(None, (), from_left=True),
    "value_grad_hess": Hessian(None, ()),
    "hessian_diag": HessianDiagonal(None, ()),
    "laplacian": HessianDiagonal(None, (), total=True),
}


def layer(
    name: str, positions: tuple[int, ...], bare: bool, has_aux: bool, direction: str
) -> ByPosition:
    """The transform of this name, of nothing yet."""
    made = replace(LAYERS[name], positions=positions, bare=bare, has_aux=has_aux)
    return replace(made, direction=direction) if isinstance(made, HessianProduct) else made


def _options(transform: ByPosition) -> tuple:
    """The fields in which transforms of one class differ by name."""
    names = ("forward", "with_value", "from_left", "total")
    return tuple(getattr(transform, n, None) for n in names)


def transforms(spec: Any) -> tuple:
    """The transforms of a stack from the outside in, without the function below."""
    return () if isinstance(spec, Primal) else (replace(spec, inner=None), *transforms(spec.inner))


def stacked(transforms: tuple, primal: Any) -> Any:
    """The transforms, from the outside in, on a function."""
    spec = primal
    for transform in reversed(transforms):
        spec = replace(transform, inner=spec)
    return spec


def of_call(spec: Any, known: Lengths | None) -> Any:
    """A stack whose program is that for calls with its arguments."""
    return stacked(transforms(spec), replace(_base(spec), of_call=OfCall(known)))


def described(spec: Any) -> str:
    """A stack of transforms in words: "grad of value_and_grad(0, 1)", or "compile"."""
    return " of ".join(map(_described, transforms(spec))) or "compile"


def _described(transform: Any) -> str:
    if isinstance(transform, Tangent):
        return "jvp"
    for name, like in LAYERS.items():
        if type(like) is type(transform) and _options(like) == _options(transform):
            return _with_positions(name, transform)
    if not isinstance(transform, Gradient):
        return type(transform).__name__
    if transform.seeded:
        return "vjp"
    name = "value_and_grad" if transform.with_value else "grad"
    return _with_positions(name, transform, ["weights"] if transform.weights else [])


def _with_positions(name: str, transform: Any, others: Sequence[str] = ()) -> str:
    shown = [*map(str, transform.positions or ()), *others]
    return name if shown == ["0"] else f"{name}({', '.join(shown)})"


def signature_of(spec: Any, own: inspect.Signature) -> inspect.Signature:
    """The parameters of a stack on a function with these: a product has its direction more."""
    for transform in reversed(transforms(spec)):
        if isinstance(transform, HessianProduct):
            own = transform.signature(own)
    return own


def primal_arguments(spec: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the function below a stack."""
    for transform in transforms(spec):
        if isinstance(transform, ByPosition):
            arguments = transform.below(arguments)
    return arguments


def weights_of(spec: Any) -> tuple[Any, ...]:
    """The Parameters that some transform of a stack differentiates with respect to."""
    found = [t.weights for t in transforms(spec) if isinstance(t, Gradient)]
    return tuple(p for w in found if w is not None for p in w.parameters)


def _base(spec: Any) -> Any:
    while not isinstance(spec, Primal):
        spec = spec.inner
    return spec


def shown_by(spec: Any, kind: str) -> Any:
    """The stack of transforms whose program shows a stage."""
    match kind:
        case "adjoint" if isinstance(spec, Jacobian) and not spec.forward:
            return spec
        case "tangent" if isinstance(spec, Jacobian) and spec.forward is not False:
            return spec
        case "tangent" if isinstance(spec, SecondOrder):
            return spec
        case "adjoint" if isinstance(spec, SecondOrder):
            return spec.gradient()
        case "adjoint" if isinstance(spec, Gradient):
            return replace(spec, with_value=True)
        case "adjoint":
            return Gradient(_base(spec), (0,), with_value=True)
        case "tangent":
            return spec if isinstance(spec, Tangent) else Tangent(_base(spec))
    return _base(spec)


def check_stage(kind: object, kinds: tuple[str, ...]) -> None:
    """Raises unless the argument is the name of a stage."""
    if not isinstance(kind, str):
        raise ArgumentTypeError(
            f"the first argument is a stage, not {type(kind).__name__}: one of {', '.join(kinds)};"
            " the function's own arguments follow"
        )
    if kind not in kinds:
        raise ArgumentValueError(f"{kind!r}: choose one of {', '.join(kinds)}")
