"""What a signature must specialise on, as earlier attempts of a compiled object found out.

Arguments that must be static, loops to unroll, lists that grow. Nothing is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Respecialise(Exception):
    """Interpretation must start again: the demands have grown."""


@dataclass
class Demands:
    """What is known to be needed beyond dtypes and ranks."""

    static_leaves: set[tuple] = field(default_factory=set)  # paths of arguments
    static_dims: set[tuple] = field(default_factory=set)  # (path, axis)
    unrolled: set[tuple] = field(default_factory=set)  # loops by (file, line), and comprehensions
    grown: dict[Any, Any] = field(default_factory=dict)  # lists, by place
    inputs: set[tuple] = field(default_factory=set)  # captured numbers that change
    weights: tuple[Any, ...] = ()  # tensors that a gradient is taken by
    tensors: bool = False  # some are met after something was judged by there being none
