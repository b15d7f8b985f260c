"""SciPy has no types of its own, and what pyright infers of it is unknown in most places."""

from typing import Any

def __getattr__(name: str) -> Any: ...
