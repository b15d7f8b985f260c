"""A name of a library has one implementation: a handler or a formula."""

import numpy as np
import pytest

from srcgrad.frontend.formulas.registry import FORMULAS, enter, stands_for
from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import (
    TENSOR_FUNCTIONS,
    TENSOR_METHODS,
    follow_all,
    followed,
    implements,
    know_all,
    know_tensors,
    method,
)
from tests.frontend.handler_census import lines, thin_handlers


def another(*args):
    return args


@pytest.mark.parametrize(
    "register",
    [
        implements(np.sum), implements(np.exp, np.sum), implements(np.average),
        implements(method="sum"), method("array", "sum"), method("list", "append"),
        stands_for(np.average),
    ],
)  # fmt: skip
def test_a_second_is_an_error(register):
    with pytest.raises(ValueError, match="has a meaning already: srcgrad"):
        register(another)


def test_a_second_of_a_tensor_function_is_an_error():
    know_tensors()
    for table in (TENSOR_FUNCTIONS, TENSOR_METHODS):
        for name in table:
            with pytest.raises(ValueError, match="has a meaning already"):
                enter(table, name, another)


def test_a_formula_beside_a_handler_is_an_error():
    def formula(a):
        return a

    stands_for(np.sum)(formula)
    try:
        with pytest.raises(ValueError, match="has a meaning already"):
            follow_all()
    finally:
        del FORMULAS[np.sum]


def test_every_formula_is_followed():
    know_all()
    assert all(FUNCTIONS[f] is followed(formula) for f, formula in FORMULAS.items())


def test_thin_handlers_become_fewer():
    """The bound only falls: a new function of a library is written as a formula."""
    thin = thin_handlers()
    assert len(thin) <= 238 and lines(thin) <= 1306
