"""A pass changes no number: with each one off, and as the loop nests that they lower to."""

from srcgrad.passes import BEFORE_REVERSE, LOWERING, PIPELINE, checking, without
from tests.cases import sample
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close
from tests.tools.blocks import small_blocks
from tests.tools.modes import Modes
from tests.tools.products import small_products
from tests.tools.strips import small_strips
from tests.tools.turns import share

SAMPLE = frozenset(share(sample(120)))


@check(always=never, changes=True)
def without_each_pass(record: Record):
    for each in (*PIPELINE, *BEFORE_REVERSE):
        with without(each.name):
            value, grads = Modes(record.case).value_and_grad(record.case.arguments())
        close(value, record.value, 1e-12, f"value without {each.name}")
        close(grads, record.grads, 1e-11, f"gradient without {each.name}")


def check_lowered(record: Record, *off: str):
    """As loop nests, run by the reference backend."""
    with without(*off), checking():
        value, grads = Modes(record.case, "loops").value_and_grad(record.case.arguments())
    close(value, record.value, 1e-11, f"value as loops without {off}")
    close(grads, record.grads, 1e-10, f"gradient as loops without {off}")


@check(of=lambda c: c.cpu, always=SAMPLE.__contains__, changes=True)
def lowered(record: Record):
    check_lowered(record)


@check(of=lambda c: c.cpu, always=never, changes=True)
def lowered_without_each_pass(record: Record):
    for name in dict.fromkeys(p.name for p in LOWERING if p.name != "lower"):
        check_lowered(record, name)


@check(always=never, changes=True)
def as_products(record: Record):
    """With products of matrices for loops of any length."""
    with small_products():
        value, grads = Modes(record.case).value_and_grad(record.case.arguments())
    close(value, record.value, 1e-12, "value by products")
    close(grads, record.grads, 1e-11, "gradient by products")


@check(of=lambda c: c.cpu, always=never, changes=True)
def in_strips(record: Record):
    """As loop nests in which recurrences run in strips, along diagonals or in blocks of three."""
    with small_strips(), small_blocks():
        check_lowered(record)
