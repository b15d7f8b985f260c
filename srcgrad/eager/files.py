"""`save` and `load`: tensors, and containers of them, as a pickle. Reads no other format."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any


def save(obj: Any, f: Any) -> None:
    """Writes an object with tensors in it to a path or a file that is open for writing.

    RuntimeError for a tensor with history: detach it first.

    >>> import io
    >>> import srcgrad as flow
    >>> file = io.BytesIO()
    >>> flow.save({"w": flow.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> flow.load(file)
    {'w': tensor([1., 1.], dtype=srcgrad.float32)}
    """
    if hasattr(f, "write"):
        pickle.dump(obj, f)
        return
    with Path(f).open("wb") as file:
        pickle.dump(obj, file)


def load(f: Any, map_location: Any = None) -> Any:
    """Reads what `save` wrote. A pickle runs code: load only what you trust."""
    if hasattr(f, "read"):
        return pickle.load(f)
    with Path(f).open("rb") as file:
        return pickle.load(file)
