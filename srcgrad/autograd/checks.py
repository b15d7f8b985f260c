"""`gradcheck` and `gradgradcheck`: gradients of a function of tensors against differences.

Arguments, class of error and texts are PyTorch's. Every column of the Jacobian is checked; the
inputs should be float64. For functions of arrays there is `flow.testing.check_grads`.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, mode
from srcgrad.eager.create import randn_like
from srcgrad.eager.engine import grad
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentValueError, TensorError, UnsupportedError


class GradcheckError(TensorError):
    """A wrong gradient found by `gradcheck`; a RuntimeError."""


def gradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Tensor],
    *,
    eps: float = 1e-06,
    atol: float = 1e-05,
    rtol: float = 0.001,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Checks that the gradients of `func` agree with differences of step `eps`; returns True.

    A gradient may differ by `atol + rtol * |difference|`. Otherwise GradcheckError, or False
    without `raise_exception`. ValueError if no input requires grad. `fast_mode` checks just as
    much.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
    >>> flow.autograd.gradcheck(lambda x: (x * x).sum(), (x,))
    True
    """
    if check_forward_ad or check_batched_grad or check_batched_forward_grad:
        raise UnsupportedError("tensors have no forward mode and no batched gradients to check")
    xs = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    try:
        _checked_inputs(xs)
        if check_backward_ad:
            _check(func, xs, eps, atol, rtol, nondet_tol, check_grad_dtypes)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _checked_inputs(xs: tuple[Any, ...]) -> None:
    wanted = [t for t in xs if isinstance(t, Tensor) and t.requires_grad]
    if not wanted:
        raise ArgumentValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    for k, t in enumerate(xs):
        if isinstance(t, Tensor) and t.requires_grad and t._a.dtype != np.float64:
            warnings.warn(
                f"Input #{k} requires gradient and is not a double precision floating point. This "
                "check will likely fail if all the inputs are not of double precision.",
                stacklevel=3,
            )


def _outputs(func: Callable[..., Any], xs: Sequence[Any]) -> list[Tensor]:
    """The floating results of the function."""
    made = func(*xs)
    every = list(made) if isinstance(made, tuple | list) else [made]
    return [t for t in every if isinstance(t, Tensor) and t._a.dtype.kind == "f"]


def _check(
    func: Callable[..., Any],
    xs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet: float,
    dtypes: bool,
) -> None:
    with mode.enable_grad():
        outputs = _outputs(func, xs)
    wrt = [k for k, t in enumerate(xs) if isinstance(t, Tensor) and t.requires_grad]
    numerical = [_differences(func, xs, k, eps) for k in wrt]
    if not any(out.requires_grad for out in outputs):
        if any(np.any(np.abs(m) > atol) for row in numerical for m in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    for i, out in enumerate(outputs):
        first = _analytical(out, [xs[k] for k in wrt], dtypes)
        again = _analytical(out, [xs[k] for k in wrt], dtypes)
        for place, k in enumerate(wrt):
            want, got = numerical[place][i], first[place]
            if not np.allclose(got, want, rtol, atol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {i} with respect to input {k},\n"
                    f"numerical:{make(want)!r}\nanalytical:{make(got)!r}\n"
                )
            if np.max(np.abs(got - again[place]), initial=0.0) > nondet:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values, although analytical "
                    "gradient matches numerical gradient. The tolerance for nondeterminism was "
                    f"{nondet}."
                )


def _differences(
    func: Callable[..., Any], xs: tuple[Any, ...], k: int, eps: float
) -> list[np.ndarray]:
    """Central differences as a matrix per output, with a row per element of the input."""
    a = xs[k]._a
    rows: list[list[np.ndarray]] = []
    with mode.no_grad():
        for place in np.ndindex(a.shape):
            values = []
            for step in (eps, -eps):
                moved = a.copy()
                moved[place] += step
                args = [*xs[:k], make(moved), *xs[k + 1 :]]
                args = [t.detach() if isinstance(t, Tensor) else t for t in args]
                values.append([np.array(t._a, np.float64) for t in _outputs(func, args)])
            rows.append([(p - m).ravel() / (2 * eps) for p, m in zip(*values, strict=True)])
        count = len(_outputs(func, xs)) if not rows else len(rows[0])
    return [np.array([r[i] for r in rows]).reshape(a.size, -1) for i in range(count)]


def _analytical(out: Tensor, wrt: list[Tensor], dtypes: bool) -> list[np.ndarray]:
    """The same matrices by backward passes, a column per element of the output."""
    columns: list[list[np.ndarray]] = [[] for _ in wrt]
    for place in np.ndindex(out._a.shape):
        weight = np.zeros(out._a.shape, out._a.dtype)
        weight[place] = 1
        made: tuple[Any, ...] = (None,) * len(wrt)
        if out.requires_grad:
            made = grad([out], wrt, [make(weight)], retain_graph=True, allow_unused=True)
        for j, (g, t) in enumerate(zip(made, wrt, strict=True)):
            if g is not None and dtypes and g._a.dtype != t._a.dtype:
                raise GradcheckError(
                    f"gradient has dtype {g.dtype}, its input {t.dtype} (check_grad_dtypes)"
                )
            columns[j].append(np.zeros(t._a.size) if g is None else g._a.ravel())
    return [
        np.array(c, np.float64).reshape(out._a.size, t._a.size).T
        for c, t in zip(columns, wrt, strict=True)
    ]


def gradgradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    *,
    eps: float = 1e-06,
    atol: float = 1e-05,
    rtol: float = 0.001,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Checks gradients of gradients of `func` against differences: see `gradcheck`.

    `grad_outputs` are the weights of the first gradient, random ones if None; the gradients with
    respect to them are checked too.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
    >>> flow.autograd.gradgradcheck(lambda x: x**3, (x,))
    True
    """
    if check_fwd_over_rev:
        raise UnsupportedError("tensors have no forward mode to check")
    xs: tuple[Any, ...] = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    _checked_inputs(xs)
    with mode.enable_grad():
        outputs = [t for t in _outputs(func, xs) if t.requires_grad]
    if grad_outputs is None:
        weights = [randn_like(t.detach()).requires_grad_() for t in outputs]
    else:
        given = grad_outputs if isinstance(grad_outputs, tuple | list) else [grad_outputs]
        weights: list[Any] = list(given)
    n = len(xs)

    def slopes(*args: Any) -> tuple[Any, ...]:
        with mode.enable_grad():
            given = [
                t.detach().requires_grad_() if isinstance(t, Tensor) and not t.requires_grad
                and x.requires_grad else t
                for t, x in zip(args[:n], xs, strict=True)
            ]  # fmt: skip
            out = [t for t in _outputs(func, given) if t.requires_grad]
            wrt = [t for t in given if isinstance(t, Tensor) and t.requires_grad]
            made = grad(out, wrt, args[n:], create_graph=True, allow_unused=True)
        return tuple(g for g in made if g is not None)

    return gradcheck(
        slopes, (*xs, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad,
        fast_mode=fast_mode, masked=masked,
    )  # fmt: skip
