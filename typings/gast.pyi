"""gast makes its classes at run time; a type checker may take any of them for granted."""

from typing import Any

def __getattr__(name: str) -> Any: ...
