"""Whether something is a sparse matrix: never, as these are not taken."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node


@implements(sparse.issparse, sparse.isspmatrix)
def is_sparse(it: Interpreter, node: Node, x: Any) -> bool:
    return bool(sparse.issparse(x))
