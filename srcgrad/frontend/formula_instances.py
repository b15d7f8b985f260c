"""Functions of NumPy of instances of classes of formulas, which have formulas for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import OF_NUMPY
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.masked_constant import Masked, formulas
from srcgrad.frontend.values import Record
from srcgrad.protocols import home_module


def of_instances(it: Interpreter, f: Any, args: Sequence[Any], node: Node) -> Callable | None:
    """The formula of a function for an instance among its arguments, or in a list of them."""
    home = f"{home_module(f)}."
    method = isinstance(getattr(f, "__self__", None), np.ufunc)
    if not (method or isinstance(f, np.ufunc) or home.startswith(("numpy.", "scipy."))):
        return None  # without a look at the items of a list, which a program then depends on
    cls = next(_classes(args), None)
    if cls is None:
        return None
    known = OF_NUMPY[cls](f)
    if known is None and not home.startswith("numpy.ma."):
        said = f"{f.__name__}() of a masked array is not supported"
        it.refuse(node, said, "use its data, or m.filled(...)")
    return known


def _classes(args: Sequence[Any]) -> Iterator[Any]:
    for v in args:
        for part in v if isinstance(v, list | tuple) else (v,):
            if isinstance(part, Masked):
                formulas()
                yield part.cls
            elif isinstance(part, Record) and part.cls in OF_NUMPY:
                yield part.cls
