"""Programs whose sparsity cannot be proved, and patterns that do not fit."""

import numpy as np

import srcgrad as flow
from tests.errors.programs import program


def of_positive(x):
    return x[x > 0]  # error: UnsupportedError: the sparsity cannot be found: the length of an array


@program(how="plain")
def sparsity_of_a_length_that_depends_on_values():
    flow.sparsity(flow.compile(of_positive, target="python"), np.ones(3))


def doubled(x):
    return 2.0 * x


@program(how="plain")
def sparsity_of_complex_arguments():
    flow.sparsity(
        flow.compile(doubled, target="python"), np.ones(3, complex)
    )  # error, no line: TypeError: a sparse Jacobian is one of real numbers


@program(how="plain")
def sparsity_with_other_columns():
    flow.sparse_jacobian(flow.compile(doubled, target="python"), sparsity=np.eye(2))(
        np.ones(3)
    )  # error, no line: ValueError: has 2 columns, the arguments have 3 floats


@program(how="plain")
def sparsity_with_other_rows():
    flow.sparse_jacobian(flow.compile(doubled, target="python"), sparsity=np.eye(2, 3))(
        np.ones(3)
    )  # error, no line: ValueError: has 2 rows, the results have 3 floats
