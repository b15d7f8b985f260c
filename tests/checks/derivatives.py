"""Value, reverse mode, forward mode and second order on the reference backend."""

import numpy as np

from tests.cases import Case
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close
from tests.tools.oracles import (
    check_dot,
    check_form,
    check_gradient,
    check_hessian_product,
    check_same,
    check_unchanged,
    random_like,
)
from tests.tools.structures import flatten, float_leaves


@check()
def gradient(record: Record):
    """Reverse mode against differences or the convention; nothing of the caller's changes."""
    case, args = record.case, record.case.arguments()
    value, grads = record.reference.value_and_grad(args)
    check_unchanged(args, case.args)
    check_form(grads, [case.args[i] for i in case.wrt])
    close(value, case.plain(*case.args), 1e-12, "value beside the gradient")
    if case.expected is not None:
        close(grads, case.expected, 1e-12, "gradient against the convention")
    if case.differences:
        check_gradient(case.plain, case.args, case.wrt, grads)
    check_same(record.value_and_grads, (value, grads))


@check(always=never, rotates=True)
def value(record: Record):
    """The compiled function computes and overwrites what the plain one does."""
    case = record.case
    case.reset()
    want_args = case.arguments()
    want = case.fn(*want_args)
    args = case.arguments()
    got = record.reference.value(args)
    close(got, want, 1e-12, "value")
    check_form(got, want)
    close(args, want_args, 1e-12, "arguments after the call")


@check(of=lambda c: c.dot, always=never, rotates=True)
def forward(record: Record):
    """<v, J u> = <J' v, u>, and a vjp function gives the same answer twice."""
    case, modes, args = record.case, record.reference, record.case.arguments()
    tangents = random_like(tuple(case.args[i] for i in case.wrt), 1)
    cotangent = random_like(case.plain(*case.args), 2)
    out, out_dot = modes.jvp(args, tangents)
    first, second = modes.vjp(args, cotangent, times=2)
    check_unchanged(args, case.args)
    check_same(first, second, "vjp function called twice")
    close(out, case.plain(*case.args), 1e-12, "value beside the tangent")
    # float32 cases round at 6e-8; the identity is exact otherwise.
    narrow = any(np.asarray(v).dtype == np.float32 for v in float_leaves(case.args))
    check_dot(out_dot, cotangent, first, tangents, 1e-5 if narrow else 1e-10)


def is_twice_differentiable(case: Case) -> bool:
    return case.second_order and case.differences


@check(of=is_twice_differentiable, always=never, rotates=True)
def second_order(record: Record):
    """Reverse over reverse, forward over reverse and differences of the gradient agree."""
    case, modes, args = record.case, record.reference, record.case.arguments()
    direction = random_like(tuple(case.args[i] for i in case.wrt), 3)
    reverse = modes.reverse_over_reverse(args, direction)
    forward = modes.forward_over_reverse(args, direction)
    check_unchanged(args, case.args)
    along = flatten(direction)
    check_hessian_product(reverse, forward, modes.gradient, case.args, case.wrt, along)
