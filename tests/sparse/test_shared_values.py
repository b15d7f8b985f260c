"""What conversions of sparse matrices share with the matrix, and what they copy: stores show it."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import srcgrad as flow

DENSE = np.diag(np.arange(3.0, 7.0)) - np.diag(np.ones(3), 1)
X = np.array([0.7, -1.1, 0.4, 1.3])
CONVERSIONS = [
    "a.tocsr()", "a.tocsr(copy=True)", "a.tocsc()", "a.tocsc(copy=True)", "a.tocoo()",
    "a.tocoo(copy=False)", "a.tocoo(copy=True)", "a.copy()", "a.asformat('csr')",
    "a.asformat('csr', copy=True)", "a.asformat('csc', True)", "a.asformat('coo')",
    "a.asformat(None)", "a.asformat(None, copy=True)", "a.T.T", "a.transpose(copy=True).T",
    "a.conj()", "a.conj(copy=False)", "a.real", "sparse.csr_array(a)", "sparse.csc_matrix(a)",
    "sparse.csr_array(a, copy=True)", "sparse.coo_array(a)", "sparse.coo_array(a, copy=True)",
]  # fmt: skip
OF_PARTS = [
    "sparse.csr_array((a.data, a.indices, a.indptr), shape=(4, 4))",
    "sparse.csr_array((a.data, a.indices, a.indptr), shape=(4, 4), copy=True)",
]
STORES = ["b.data[:] = 2.0 * b.data", "b.data = b.data * 2.0", "b.data *= 2.0"]


def program(conversion: str, store: str):
    source = f"def f(a, x):\n    a = a * x[0]\n    b = {conversion}\n    {store}\n"
    source += "    return a @ x + (b @ x) * x\n"
    scope = {"sparse": sparse}
    exec(source, scope)
    return flow.compile(scope["f"], target="python", source=source), scope["f"]


@pytest.mark.parametrize("cls", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("store", STORES)
def test_stores_to_a_conversion_are_seen_where_scipy_shares(cls, store):
    a = cls(DENSE)
    for conversion in CONVERSIONS + OF_PARTS * (cls is sparse.csr_array):
        compiled, plain = program(conversion, store)
        expected = plain(a, X)
        assert_allclose(compiled(a, X), expected, rtol=1e-13, err_msg=conversion)
        _, slope = flow.jvp(partial(compiled, a), (X,), (np.ones(4),))
        difference = (plain(a, X + 1e-6) - plain(a, X - 1e-6)) / 2e-6
        assert_allclose(slope, difference, atol=1e-8, err_msg=conversion)


@pytest.mark.parametrize("part", ["a.real", "a.imag"])
def test_parts_of_complex_matrices_are_views_that_are_not_stored_to(part):
    compiled, _ = program(part, "b.data[:] = 2.0 * b.data")
    with pytest.raises(flow.SrcgradError, match="is a view in NumPy"):
        compiled(sparse.csr_array(DENSE * 1j), X)


def test_a_format_that_is_not_followed_is_refused():
    a = sparse.csr_array(DENSE)
    with pytest.raises(flow.SrcgradError, match=r"use a\.tocsr\(\)"):
        flow.compile(lambda x: a.asformat("dia") @ x, target="python")(X)
