"""Sparse Jacobians: which elements are there, how few products give them all, and their values."""

from srcgrad.sparse.jacobian import SparseJacobian, sparse_jacobian
from srcgrad.sparse.patterns import sparsity
from srcgrad.tracebacks import entered

__all__ = ["SparseJacobian", "sparse_jacobian", "sparsity"]
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
