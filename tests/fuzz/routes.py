"""Computes the same gradient by other routes and compares the results.

Routes leave out a pass, use another backend, or multiply a Jacobian by the adjoints. The reference
is the first route, which has been verified. A route never changes the question, only how the
compiler answers it.
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.inputs import Values, magnitude
from tests.fuzz.results import same
from tests.fuzz.scheduled import OPTIONS, with_schedules
from tests.fuzz.second import reduced
from tests.fuzz.source import copied
from tests.fuzz.stages import demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

CHOICES = ("none", "sampled", "all", "joined", "jacobians", "batches", "names", "schedules")
JACOBIANS = ("jacrev", "jacfwd")
NAMES: tuple[dict[str, Any], ...] = ({"jacobian": "jacobian"}, {"hvp": True})  # options of routes
NEAR = 1e-9  # sums are added in another order, vector functions round to 2 units


@dataclass(frozen=True)
class Route:
    target: str = "python"
    off: str = ""  # the pass that is left out
    jacobian: str = ""  # the transform whose product with the adjoints is the gradient
    joined: bool = False  # with the passes for a device
    batch: bool = False  # as an item of a batch
    hvp: bool = False  # products with the Hessian, against forward mode of the gradient
    schedule: str = ""  # for its loops

    def __str__(self) -> str:
        by = f" by {self.jacobian}" if self.jacobian else " by hvp" * self.hvp
        by = f" {self.schedule}" if self.schedule else by
        of = " joined" if self.joined else " in a batch" if self.batch else ""
        return f"{self.target}{of}{by}{f' without {self.off}' if self.off else ''}"

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Compile by this route in the body."""
        from srcgrad.passes import without
        from tests.fuzz.joined import joined

        by_device = joined() if self.joined else nullcontext()
        with without(*([self.off] if self.off else [])), by_device:
            yield


def routes(choice: str, others: tuple[str, ...], seed: int) -> tuple[Route, ...]:
    """The other routes of a program: all, or one that depends on its seed; and other targets."""
    from srcgrad.passes import BEFORE_REVERSE, LOWERING, PIPELINE

    before = dict.fromkeys(p.name for p in (*PIPELINE, *BEFORE_REVERSE))
    plain = [Route(off=name) for name in before]
    names = dict.fromkeys(p.name for p in LOWERING if p.name != "lower")
    loops = [Route("loops"), *(Route("loops", off=name) for name in names)]
    loops.append(Route("loops", joined=True))
    if choice == "joined":
        return (Route("loops", joined=True), *(Route(t) for t in others))
    if choice == "names":
        return tuple(Route(t, **by) for t in ("python", *others) for by in NAMES)
    if choice == "jacobians":
        return tuple(Route(t, jacobian=j) for t in ("python", *others) for j in JACOBIANS)
    if choice == "schedules":
        return (Route(schedule=OPTIONS[seed % len(OPTIONS)]), *(Route(t) for t in others))
    if choice == "batches":
        return tuple(Route(t, batch=True) for t in ("python", *others))
    every = [*plain, *loops, *(Route(jacobian=name) for name in JACOBIANS)]
    every += [Route(**by) for by in NAMES]
    every += [Route(schedule=options) for options in OPTIONS]
    if choice == "sampled":
        every = [every[seed % len(every)]]
    chosen = every if choice != "none" else []
    return (*chosen, *(Route(target) for target in others))


def value_and_gradient(compiled: Any, trial: Trial, subject: Subject) -> tuple[Any, Values]:
    """Value and gradient; for a scalar mostly from one program, which halves Numba's time."""
    at, adjoints = trial.at, trial.reduction.adjoints
    if adjoints is None and subject.value_and_grad and trial.program.seed % 8:
        both = subject.value_and_grad(compiled, grad_position=at.positions)
        return both(*copied(at.args))
    derivative = subject.gradient(compiled, at.positions, adjoints)
    return compiled(*copied(at.args)), derivative(*copied(at.args))


def _has_jacobian(trial: Trial, subject: Subject) -> bool:
    """Whether the Jacobian is supported: not for complex outputs and complex arguments."""
    given = [trial.at.args[k] for k in trial.at.positions]
    both = any(map(np.iscomplexobj, given)) and any(
        map(np.iscomplexobj, trial.reduction.adjoints or ())
    )
    return subject.jacobian is not None and not both


def _by_jacobian(name: str, compiled: Any, trial: Trial, subject: Subject) -> Values:
    """The gradient as the product of the adjoints with the Jacobian."""
    at, adjoints = trial.at, trial.reduction.adjoints
    assert subject.jacobian is not None
    made = subject.jacobian(name, compiled, at.positions)(*copied(at.args))
    rows = (made,) if adjoints is None else made
    parts = [blocks if len(at.positions) > 1 else (blocks,) for blocks in rows]
    seeds = adjoints or (1.0,)
    return tuple(
        sum(_product(c, blocks[k]) for c, blocks in zip(seeds, parts, strict=True))
        for k in range(len(at.positions))
    )


def _product(adjoint: Any, block: Any) -> Any:
    """Contract an adjoint with a block; the real part for complex outputs."""
    made = np.tensordot(np.conj(adjoint), block, np.ndim(adjoint))
    return np.real(made) if np.iscomplexobj(adjoint) else made


def _by_batch(trial: Trial, subject: Subject, target: str) -> Iterator[tuple[Any, Values]]:
    """The value and the gradient of each of two items that are alike, but for their adjoints."""
    assert subject.vmap is not None and subject.vjp is not None
    at, adjoints = trial.at, trial.reduction.adjoints or (1.0,)
    axes = tuple(_axis(a, k + trial.program.seed) for k, a in enumerate(at.args))
    batch = [v if a is None else np.stack([v, v], a) for v, a in zip(at.args, axes, strict=True)]
    fn = subject.compile(subject.vmap(trial.fn, axes), target=target)
    out, pull = subject.vjp(fn, *copied(tuple(batch)))
    found = pull(*[np.stack([c, FACTOR * c]) for c in adjoints])
    for k, factor in enumerate((1.0, FACTOR)):
        value = tuple(v[k] for v in out) if isinstance(out, tuple) else out[k]
        own = [found[j].take(k, axes[j]) / factor for j in at.positions]
        yield value, tuple(own)


FACTOR = -2.0  # of the adjoints of the second item


def _axis(value: Any, seed: int) -> int | None:
    """An axis for an argument of a batch; the integer is shared."""
    return None if isinstance(value, int) else seed % (np.ndim(value) + 1)


def by_other_routes(
    gradient: Values,
    trial: Trial,
    subject: Subject,
    chosen: tuple[Route, ...],
) -> None:
    """Compare what every route gives."""
    for route in chosen:
        if route.jacobian and not _has_jacobian(trial, subject):
            continue
        if route.schedule:
            found = with_schedules(trial, subject, route.target, route.schedule)
            if found is not None:
                agree(*found, gradient, trial, str(route))
            continue
        if route.batch:
            for value, got in _by_batch(trial, subject, route.target):
                agree(value, got, gradient, trial, str(route))
            continue
        with route.taken():
            compiled = subject.compile(trial.fn, target=route.target)
            if route.hvp:
                products_agree(compiled, trial, subject, route)
                continue
            if route.jacobian:
                value, got = trial.out, _by_jacobian(route.jacobian, compiled, trial, subject)
            else:
                value, got = value_and_gradient(compiled, trial, subject)
        agree(value, got, gradient, trial, str(route))


def _numbers(out: Any) -> Any:
    """Results with numbers in place of arrays of rank 0, as they are among those of a batch."""
    return tuple(map(_numbers, out)) if isinstance(out, tuple) else np.asarray(out)[()]


def products_agree(compiled: Any, trial: Trial, subject: Subject, route: Route) -> None:
    """Raise Mismatch where a product with the Hessian is not forward mode of the gradient.

    The product of the adjoints with several results is a program of its own.
    """
    if subject.hvp is None:
        return
    at = trial.at
    with reduced(compiled, trial, subject, route.target) as one:
        u = at.direction(np.random.default_rng(3))
        gradient = subject.grad(one, grad_position=at.positions)
        _, want = subject.jvp(gradient, copied(at.args), at.tangents(u))
        args = copied(at.args)
        names = inspect.signature(trial.fn).parameters
        given = dict(zip(names, args, strict=True))
        got = subject.hvp(one, at.positions)(**given, v=tuple(copied(u)))
        for before, after in zip(at.args, args, strict=True):
            kept = np.array_equal(before, after, equal_nan=True)
            demand(kept, f"arguments, {route}", after, before)
    for one_, other in zip(want, got, strict=True):
        scale = max(1.0, float(np.max(np.abs(one_), initial=0.0)))
        equal = np.allclose(one_, other, rtol=NEAR, atol=NEAR * scale, equal_nan=True)
        demand(equal, f"product, {route}", other, one_)


def agree(value: Any, got: Values, gradient: Values, trial: Trial, route: str) -> None:
    """Raise Mismatch where a route gives another value or another gradient."""
    near = 1e-11 * max([trial.scale, *(abs(s.value) for s in trial.slopes)])
    same(value, _numbers(trial.out), near, f"value, {route}")
    for one, other in zip(gradient, got, strict=True):
        # relative to what it is made of, which is more than what it comes to
        scale = max(1.0, magnitude((one,), (np.sign(one),)))
        equal = np.allclose(one, other, rtol=NEAR, atol=NEAR * scale, equal_nan=True)
        demand(equal, f"gradient, {route}", other, one)
