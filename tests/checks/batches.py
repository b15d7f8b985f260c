"""A case as the function of the items of a batch: `vmap` against the loop in Python over them."""

from typing import Any

import numpy as np

import srcgrad as flow
from tests.cases import Case, sample
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close
from tests.tools.structures import copied, flatten, float_leaves, mapped
from tests.tools.turns import in_one_of

# a string among the results; a reshape that is refused in every loop
REFUSED = {"dataclass_result", "reshapes_of_new_arrays_that_are_stored_to"}
# an item stores to what the next one reads
STATE = {
    "captured_array_accumulated",
    "captured_array_overwritten",
    "bound_from_changed_array",
    "argument_read_and_changed",
}
COMPILED = frozenset(sample(6))
COUNT = 2  # items
NEAR = 0.99951171875  # of the floats of an item those of the next


def is_mapped(v: Any) -> bool:
    return isinstance(v, np.ndarray) and v.ndim > 0


def is_batch(case: Case) -> bool:
    """Whether there are arrays of floats, which can be stacked."""
    return case.name not in REFUSED and any(map(is_mapped, float_leaves(case.args)))


def axes_of(args: Any) -> Any:
    """Arrays of floats are mapped; all else is shared by the items."""
    return mapped(lambda v: 0 if is_mapped(v) else None, args, lambda v: None)


def batch_of(args: Any) -> Any:
    """The arguments of a batch whose items are near them."""

    def stack(v: Any) -> Any:
        return np.stack([(v * NEAR**k).astype(v.dtype) for k in range(COUNT)])

    return mapped(lambda v: stack(v) if is_mapped(v) else v, args)


def item_of(batch: Any, like: Any, k: int) -> Any:
    """The arguments of an item: parts of the batch, and what all items share, itself."""

    def part(shared: Any, original: Any) -> Any:
        originals = [is_mapped(v) for v in float_leaves(original)]
        if not any(originals):
            return shared
        of_each = iter(originals)
        return mapped(lambda v: v[k] if next(of_each) else v, shared)

    return tuple(part(b, v) for b, v in zip(batch, like, strict=True))


@check(of=is_batch, always=never, rotates=True)
def batched(record: Record) -> None:
    """The results for a batch are those of its items, and so is what they store."""
    case = record.case
    if not in_one_of(case.id, 5):
        return
    fn = flow.vmap(flow.compile(case.fn, target="python"), axes_of(case.args))
    args, want_args = (copied(batch_of(case.args)) for _ in range(2))
    case.reset()
    got = fn(*args)
    case.reset()
    want = [case.fn(*item_of(want_args, case.args, k)) for k in range(COUNT)]
    for k in range(COUNT):
        mine = flatten(mapped(lambda v, k=k: v[k], got))
        close(mine, flatten(want[k]), 1e-12, f"item {k}")
    close(args, want_args, 1e-12, "arguments after the call")


def has_gradient(case: Case) -> bool:
    return is_batch(case) and not case.instance and case.name not in STATE


@check(of=has_gradient, always=never, rotates=True)
def batch_gradient(record: Record) -> None:
    """The gradient of a batch is that of each item, and their sum for what they share."""
    if in_one_of(record.case.id, 16):
        check_gradient(record, "python")


@check(of=lambda c: has_gradient(c) and c in COMPILED)
def batch_gradient_on_cpu(record: Record) -> None:
    check_gradient(record, "cpu")


def check_gradient(record: Record, target: str) -> None:
    case, batch = record.case, batch_of(record.case.args)
    fn = flow.compile(flow.vmap(case.fn, axes_of(case.args)), target=target)
    case.reset()
    got = flow.grad(fn, case.position)(*copied(batch))
    originals = float_leaves([case.args[i] for i in case.wrt])
    total = [np.zeros_like(v) for v in float_leaves([batch[i] for i in case.wrt])]
    for k in range(COUNT):
        grads = record.reference.gradient(*copied(item_of(batch, case.args, k)))
        for t, v, g in zip(total, originals, float_leaves(list(grads)), strict=True):
            t[(k,) if is_mapped(v) else ()] += g
    single = any(t.dtype == np.float32 for t in total)
    close(float_leaves([got]), total, 1e-5 if single else 1e-9, "gradient")
