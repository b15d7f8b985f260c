"""From a source text to a function that `inspect.getsource` can read back, without a file.

The text is registered in `linecache` under a name such as `<fuzz 12>` for as long as the `with`
block runs; afterwards nothing is left behind.
"""

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np

_variant = count(1)


@contextmanager
def loaded(text: str, label: str, **names: Any) -> Iterator[dict[str, Any]]:
    """The namespace of a module with this text and, to begin with, these names."""
    # Every text has its own file name: a cache keyed by name never answers with another program.
    filename = f"<fuzz {label}.{next(_variant)}>"
    namespace: dict[str, Any] = {"__name__": "srcgrad_fuzz", **names}
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    try:
        exec(compile(text, filename, "exec"), namespace)
        yield namespace
    finally:
        linecache.cache.pop(filename, None)


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays copied, strides kept: a program may write into them."""
    return tuple(_copy(a) if hasattr(a, "copy") else a for a in args)


def _copy(array: Any) -> Any:
    if array.base is None or array.flags.c_contiguous:
        return array.copy()
    memory = array.base.copy(order="K")  # in the order of its own memory
    offset = array.ctypes.data - array.base.ctypes.data
    return np.ndarray(array.shape, array.dtype, memory, offset, array.strides)


def on_copies(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: fn(*copied(args))
