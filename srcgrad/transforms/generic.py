"""Type variables of the transforms: a transformed function has the parameters of its function."""

from __future__ import annotations

from typing import ParamSpec, TypeVar

P = ParamSpec("P")  # the parameters of a function
Q = ParamSpec("Q")  # those after the first
R = TypeVar("R")  # its result
T = TypeVar("T")  # an argument
