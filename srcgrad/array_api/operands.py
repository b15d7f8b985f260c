"""Operands of the standard's functions, promoted by its rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.tensor import Tensor


def promoted(*xs: Any) -> list[Any]:
    """The operands with their tensors in one dtype; a number takes that of the tensors.

    Of two dtypes NumPy's promotion decides, whatever the dims: where PyTorch's leaves a tensor
    with dims as it is beside one without, here the wider dtype wins.
    """
    target = np.result_type(*[x._a if isinstance(x, Tensor) else x for x in xs])
    return [cast(x, target) if isinstance(x, Tensor) else x for x in xs]
