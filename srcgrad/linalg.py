"""`flow.linalg`: linear algebra on tensors by PyTorch's names.

Rows of the table, and decompositions, which are NumPy's functions on tensors: compiled, with one
node. No derivative is defined here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.functions.linear_algebra import NAMES
from srcgrad.eager.functions.results import named
from srcgrad.errors import nearest
from srcgrad.tracebacks import entered

_Eigh = named("linalg_eigh", "eigenvalues", "eigenvectors")
_Svd = named("linalg_svd", "U", "S", "Vh")
_Qr = named("linalg_qr", "Q", "R")


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix, of which one half is read.

    Gradients are by the half that is read.

    >>> import srcgrad as flow
    >>> flow.linalg.eigh(flow.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    values, vectors = np.linalg.eigh(A, UPLO)  # type: ignore[arg-type]  (takes tensors)
    return _Eigh(values, vectors)


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a symmetric matrix, ascending.

    >>> import srcgrad as flow
    >>> flow.linalg.eigvalsh(flow.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    return np.linalg.eigvalsh(A, UPLO)  # type: ignore[arg-type, return-value]  (takes tensors)


def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """The singular value decomposition U diag(S) Vh, singular values descending.

    >>> import srcgrad as flow
    >>> flow.linalg.svd(flow.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.], dtype=srcgrad.float32)
    """
    u, s, vh = np.linalg.svd(A, full_matrices)
    return _Svd(u, s, vh)


def svdvals(A: Tensor) -> Tensor:
    """The singular values, descending.

    >>> import srcgrad as flow
    >>> flow.linalg.svdvals(flow.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.], dtype=srcgrad.float32)
    """
    return np.linalg.svd(A, compute_uv=False)  # type: ignore[arg-type, return-value]  (takes tensors)


def qr(A: Tensor) -> Any:
    """The factors Q, with orthonormal columns, and R, upper triangular, of the reduced form.

    >>> import srcgrad as flow
    >>> q, r = flow.linalg.qr(flow.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> flow.allclose(q @ r, flow.tensor([[1.0, 2.0], [3.0, 4.0]]), atol=1e-5)
    True
    """
    q, r = np.linalg.qr(A)
    return _Qr(q, r)


DECOMPOSITIONS: dict[str, Any] = {f.__name__: f for f in (eigh, eigvalsh, qr, svd, svdvals)}
_PUBLIC = NAMES | entered(NAMES, __name__)
globals().update(entered(DECOMPOSITIONS, __name__))


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return _PUBLIC[name]
    near = "" if name.startswith("_") else nearest(name, __dir__())
    said = f". Did you mean: '{near}'?" if near else ""
    raise AttributeError(f"module 'srcgrad.linalg' has no attribute {name!r}{said}", name=name)


def __dir__() -> list[str]:
    return sorted([*NAMES, *DECOMPOSITIONS])
