"""Compiled code and simulated kernels against the reference backend."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.errors import UnsupportedError
from tests.cases import sample
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close, with_arrays
from tests.checks.derivatives import is_twice_differentiable
from tests.conftest import forget
from tests.tools.modes import Modes
from tests.tools.oracles import check_form, check_unchanged, random_like
from tests.tools.structures import restrided
from tests.tools.turns import share

# what a run compiles: 0.3 to 1 s each
UNGUARDED = frozenset(share(sample(60)))
GUARDED = frozenset(share(sample(90)))


def check_cpu(record: Record):
    case, args = record.case, record.case.arguments()
    value, grads = Modes(case, "cpu").value_and_grad(args)
    check_unchanged(args, case.args)
    check_form(grads, [case.args[i] for i in case.wrt])
    # Sums and products may be regrouped, and the vector functions round to 2 ulp.
    close(value, record.value, 1e-11, "value on the cpu")
    close(grads, record.grads, 1e-10, "gradient on the cpu")


@contextmanager
def guarded() -> Iterator[None]:
    """The cpu backend with every access checked: decisions/nests_as_llvm.md."""
    with mock.patch.dict(os.environ, SRCGRAD_CPU="guarded"):
        forget()
        yield
    forget()


@check(of=lambda c: c.cpu, always=UNGUARDED.__contains__)
def cpu(record: Record):
    check_cpu(record)


@check(of=lambda c: c.cpu, always=GUARDED.__contains__)
def cpu_guarded(record: Record):
    with guarded():
        check_cpu(record)


@check(of=lambda c: c.cpu and c.strided and with_arrays(c), always=never)
def cpu_strided_and_forward(record: Record):
    """Negative strides and forward mode, guarded."""
    case = record.case
    with guarded():
        args = restrided(case.args, -2)
        _, grads = Modes(case, "cpu").value_and_grad(args)
        check_unchanged(args, case.args)
        close(grads, record.grads, 1e-10, "gradient")
        if case.dot:
            tangents = random_like(tuple(case.args[i] for i in case.wrt), 1)
            _, out_dot = Modes(case, "cpu").jvp(case.arguments(), tangents)
            _, want = record.reference.jvp(case.arguments(), tangents)
            close(out_dot, want, 1e-10, "tangent")


@check(of=lambda c: c.cpu and is_twice_differentiable(c) and not c.instance, always=never)
def cpu_second_order(record: Record):
    """Reverse over reverse and forward over reverse, guarded, as on the reference backend."""
    case = record.case
    direction = random_like(tuple(case.args[i] for i in case.wrt), 3)
    with guarded():
        for ask in (Modes.reverse_over_reverse, Modes.forward_over_reverse):
            got = ask(Modes(case, "cpu"), case.arguments(), direction)
            want = ask(record.reference, case.arguments(), direction)
            close(got, want, 1e-9, ask.__name__)


@check(always=never, rotates=True)
def simulated_kernels(record: Record):
    """On the simulated device a case is right, or refused with a line."""
    case = record.case
    try:
        with using(Simulator()):
            value, grads = Modes(case, "cuda").value_and_grad(case.arguments())
    except UnsupportedError as refused:
        assert refused.location is not None, str(refused)
        return
    close(value, record.value, 1e-11, "value")
    close(grads, record.grads, 1e-10, "gradient")
