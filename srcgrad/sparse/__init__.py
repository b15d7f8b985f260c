"""Sparse Jacobians and Hessians: which elements there are, few products, the values."""

from srcgrad.namespace import publish
from srcgrad.sparse.jacobian import SparseJacobian, sparse_hessian, sparse_jacobian
from srcgrad.sparse.patterns import sparsity

__all__ = ["SparseJacobian", "sparse_hessian", "sparse_jacobian", "sparsity"]
publish(globals())
