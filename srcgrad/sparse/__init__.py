"""Sparse Jacobians and Hessians: which elements there are, few products, the values."""

from srcgrad.sparse.jacobian import SparseJacobian, sparse_hessian, sparse_jacobian
from srcgrad.sparse.patterns import sparsity
from srcgrad.tracebacks import entered

__all__ = ["SparseJacobian", "sparse_hessian", "sparse_jacobian", "sparsity"]
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
