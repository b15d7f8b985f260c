"""What the fuzzer tests: the transforms, gathered so that a test can put others in their place.

The real ones are imported only when `Subject.srcgrad()` is called; the fuzzer's own tests pass
transforms made of difference quotients, right ones and wrong ones.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class Subject:
    compile: Callable[..., Any]  # compile(fn, target=...)
    grad: Callable[..., Any]  # grad(fn, grad_position=...)
    jvp: Callable[..., Any]  # jvp(fn, args, tangents) -> (out, out_dot)
    refusal: type[Exception]  # raised for a program that is not supported
    vjp: Callable[..., Any] | None = None  # vjp(fn, *args) -> (out, adjoints -> gradients)
    value_and_grad: Callable[..., Any] | None = None  # value_and_grad(fn, grad_position=...)
    # raised for a line that would fail, whether or not it would be run
    misfit: Any = ()
    # raised where a program is supported and cannot be built: a refusal by its class alone
    fault: Any = ()
    jacobian: Callable[..., Any] | None = None  # jacobian(the transform's name, fn, positions)
    vmap: Callable[..., Any] | None = None  # vmap(fn, in_axes)
    hvp: Callable[..., Any] | None = None  # hvp(fn, positions), called with a direction `v` more
    # within it, transforms of one function trace and prepare it once
    shared: Callable[[], AbstractContextManager[None]] = nullcontext

    def gradient(self, fn: Any, positions: tuple[int, ...], adjoints: Any) -> Callable[..., Any]:
        """The gradient function; of several results, of their product with `adjoints`."""
        if adjoints is None:
            return self.grad(fn, grad_position=positions)

        def pulled(*args: Any) -> tuple[Any, ...]:
            assert self.vjp is not None
            every = self.vjp(fn, *args)[1](*adjoints)
            return tuple(every[k] for k in positions)

        return pulled

    @staticmethod
    def srcgrad() -> "Subject":
        import srcgrad as flow
        from srcgrad.errors import CompilerError, ShapeError, UnsupportedError
        from tests.tools.memo import Memo

        # no program is compiled twice: the disk cache is off
        compile, both = partial(flow.compile, cache=False), flow.value_and_grad
        return Subject(
            compile, flow.grad, flow.jvp, UnsupportedError, flow.vjp, both, ShapeError,
            CompilerError, lambda name, fn, positions: getattr(flow, name)(fn, positions),
            flow.vmap,
            flow.hvp,
            lambda: Memo().active(),
        )  # fmt: skip


def fault(rule: str | None) -> AbstractContextManager[Any]:
    """Reverse mode with one of its rules switched off, to see whether the fuzzer notices."""
    if rule is None:
        return nullcontext()
    from tests.tools import faults

    return faults.inject(rule)
