"""Hooks through which a lower layer calls a higher one, set when srcgrad is imported.

`numpy_function(function, args, kwargs)` evaluates a NumPy function on tensors by compiling the
call. It raises UnsupportedError if the compiler refuses the call, and ImportError if the compiler
is not installed. Never imports the higher layer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

numpy_function: Callable[[Any, tuple, dict[str, Any]], Any]
