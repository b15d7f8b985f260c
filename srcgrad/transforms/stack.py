"""A stack of transforms: its parts, its name, and the program that shows one of its stages.

Never builds a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.equal_lengths import OfCall
from srcgrad.transforms.jacobian_program import Jacobian
from srcgrad.transforms.specs import Gradient, Primal, Tangent


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
    if isinstance(transform, Jacobian):
        return _with_positions("jacfwd" if transform.forward else "jacrev", transform)
    if not isinstance(transform, Gradient):
        return type(transform).__name__
    if transform.seeded:
        return "vjp"
    name = "value_and_grad" if transform.with_value else "grad"
    return _with_positions(name, transform, ["weights"] if transform.weights else [])


def _with_positions(name: str, transform: Any, others: Sequence[str] = ()) -> str:
    shown = [*map(str, transform.positions or ()), *others]
    return name if shown == ["0"] else f"{name}({', '.join(shown)})"


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
        case "tangent" if isinstance(spec, Jacobian) and spec.forward:
            return spec
        case "adjoint" if isinstance(spec, Gradient):
            return replace(spec, bare=False, with_value=True)
        case "adjoint":
            return Gradient(_base(spec), (0,), bare=False, with_value=True)
        case "tangent":
            return spec if isinstance(spec, Tangent) else Tangent(_base(spec))
    return _base(spec)
