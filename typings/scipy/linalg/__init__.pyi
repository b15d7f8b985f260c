"""See scipy/__init__.pyi: what rules call of it."""

from typing import Any

def __getattr__(name: str) -> Any: ...
