"""`flow.linalg`: linear algebra on tensors by PyTorch's names, computed by rows of the table."""

from typing import Any

from srcgrad.eager.functions.linear_algebra import NAMES
from srcgrad.tracebacks import entered

_PUBLIC = NAMES | entered(NAMES, __name__)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return _PUBLIC[name]
    raise AttributeError(f"module 'srcgrad.linalg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(NAMES)
