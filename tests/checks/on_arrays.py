"""A case run on the tape, on arrays and numbers: the compiled gradient, or a located refusal."""

from typing import Any

import numpy as np

import srcgrad as flow
from tests.cases import Case, sample
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close_each
from tests.tools.oracles import zeros_like
from tests.tools.structures import copied, float_leaves, mapped, same

# there Python's max and min take the first of equal numbers, as they do
TAKE_THE_FIRST = {"builtin_max_tie", "ties_in_a_loop"}
# its own errors, and kinds of results
OF_NUMBA = {"calls_compiled_helper", "compiled_itself", "compiled_by_numba"}


def runs_on_the_tape(case: Case) -> bool:
    complex_ = any(np.iscomplexobj(v) for v in float_leaves(case.args))
    return not complex_ and case.name not in TAKE_THE_FIRST | OF_NUMBA


@check(of=runs_on_the_tape, always=never, rotates=True)
def tape_of_arrays(record: Record):
    case = record.case
    args = case.arguments()
    case.reset()
    try:
        value, made = flow.value_and_grad(case.fn, case.position, mode="tape")(*args)
    except flow.UnsupportedError as error:
        assert error.location is not None
        return
    grads = record.reference.as_tuple(made)
    want_value, want = record.value_and_grads
    close_each(float_leaves(grads), float_leaves(want), 1e-9, "gradient")
    close_each(float_leaves(value), float_leaves(want_value), 1e-10, "value")
    assert kinds(grads) == kinds(want)
    assert kinds(value) == kinds(case.plain(*case.args))
    assert same(args, case.args), "the tape has changed its arguments"


TWICE = frozenset(sample(90))


def has_products(case: Case) -> bool:
    return runs_on_the_tape(case) and case.second_order and case.dot and case in TWICE


@check(of=has_products, always=never, rotates=True)
def tape_of_second_order(record: Record):
    """The derivative of the gradient along itself."""
    case = record.case
    args, directions = case.arguments(), copied(record.grads)
    own = [zeros_like(a) for a in args]
    for k, d in zip(case.wrt, directions, strict=True):
        own[k] = d
    case.reset()
    try:
        made = flow.grad(against(case, directions), case.position, mode="tape")(*args)
    except flow.UnsupportedError as error:
        assert error.location is not None
        return
    want = record.reference.reverse_over_reverse(case.arguments(), directions)
    got = float_leaves(record.reference.as_tuple(made))
    close_each(got, float_leaves(want), 1e-7, "product with the Hessian")


def against(case: Case, directions: tuple[Any, ...]) -> Any:
    """The function <directions, gradient>."""
    gradient = flow.grad(case.fn, case.position, mode="tape")

    def product(*args: Any) -> Any:
        made = gradient(*args)
        parts = (made,) if len(case.wrt) == 1 else made
        pairs = zip(float_leaves(parts), float_leaves(directions), strict=True)
        return sum((np.sum(g * d) for g, d in pairs), 0.0)

    return product


def kinds(value: Any) -> list[Any]:
    """The classes of the leaves, the dtypes and shapes of floats."""
    found: list[Any] = []
    mapped(
        lambda v: found.append((type(v), getattr(v, "dtype", None), np.shape(v))),
        value,
        lambda v: found.append(type(v)),
    )
    return found
