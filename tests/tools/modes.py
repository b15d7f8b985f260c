"""How each mode of srcgrad is asked for a derivative. Only this file knows the spelling."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import srcgrad as flow
from tests.cases import Case
from tests.tools.oracles import zeros_like


@dataclass(frozen=True)
class Modes:
    """One case compiled for one backend.

    Arguments are handed in by the caller, who can so look at them afterwards. Gradients come as a
    tuple with one entry per position of `case.wrt`, tangents go in the same way.
    """

    case: Case
    target: str = "python"

    @cached_property
    def compiled(self) -> Any:
        return flow.compile(self.case.fn, target=self.target)

    @cached_property
    def transform(self) -> Any:
        """One object, so that calls for differences run what the first one compiled."""
        return flow.value_and_grad(self.compiled, grad_position=self.case.position)

    def value(self, args: tuple[Any, ...]) -> Any:
        """The function itself; it may change `args`, as NumPy would."""
        self.case.reset()
        return self.compiled(*args)

    def value_and_grad(self, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        self.case.reset()
        value, grads = self.transform(*args)
        return value, self.as_tuple(grads)

    def gradient(self, *args: Any) -> tuple[Any, ...]:
        return self.value_and_grad(args)[1]

    def vjp(self, args: tuple[Any, ...], cotangent: Any, times: int = 1) -> list[Any]:
        """The gradients for `cotangent`, from one vjp function called `times` times."""
        self.case.reset()
        _, pull = flow.vjp(self.compiled, *args)
        return [tuple(pull(cotangent)[i] for i in self.case.wrt) for _ in range(times)]

    def jvp(self, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        self.case.reset()
        return flow.jvp(self.compiled, args, self.spread(args, tangents))

    def reverse_over_reverse(self, args: tuple[Any, ...], direction: tuple[Any, ...]) -> Any:
        """The gradient of h(args) = <direction, gradient(args)>."""
        self.case.reset()
        grad = flow.grad(self.compiled, grad_position=self.case.position)
        _, pull = flow.vjp(grad, *args)
        back = pull(direction[0] if len(self.case.wrt) == 1 else direction)
        return tuple(back[i] for i in self.case.wrt)

    def forward_over_reverse(self, args: tuple[Any, ...], direction: tuple[Any, ...]) -> Any:
        """The derivative of the gradient along `direction`."""
        self.case.reset()
        grad = flow.grad(self.compiled, grad_position=self.case.position)
        _, dot = flow.jvp(grad, args, self.spread(args, direction))
        return self.as_tuple(dot)

    def as_tuple(self, grads: Any) -> tuple[Any, ...]:
        return (grads,) if len(self.case.wrt) == 1 else tuple(grads)

    def spread(self, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, ...]:
        """One tangent per argument: zeros where nothing is differentiated, None without floats."""
        full = [zeros_like(a) for a in args]
        for i, tangent in zip(self.case.wrt, tangents, strict=True):
            full[i] = tangent
        return tuple(full)
