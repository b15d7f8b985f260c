"""What a lower layer asks of a higher one, which it never imports: set when srcgrad is imported.

`numpy_function(function, args, kwargs)`: the value of a function of NumPy's on tensors, as the
compiler follows it. NotImplementedError where it does not, ImportError where there is no compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

numpy_function: Callable[[Any, tuple, dict[str, Any]], Any]
