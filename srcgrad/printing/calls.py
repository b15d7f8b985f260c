"""Operations that are calls: NumPy's and SciPy's functions by their names, others by ours.

What neither library has a name for is defined before the program: see `header`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Def
from srcgrad.ir.text import plain
from srcgrad.ir.types import np_dtype
from srcgrad.primitives.callbacks import call_back
from srcgrad.primitives.draws import draw
from srcgrad.primitives.special import SPECIAL
from srcgrad.primitives.tapes import GrowingArray, References
from srcgrad.printing.header import Header, literal

AXES = frozenset(("sum", "max", "min", "any", "all", "argmax", "argmin"))
# what the arguments, by number, and the parameters, by name, are put into
FORMS = {
    "vecdot": "np.dot({0}, {1})",
    "product": "np.prod({0}, axis={axes})",
    "argsort": "np.argsort({0}, axis={axis}, kind='stable')",
    "nonzero": "np.flatnonzero({0})",
    "count_nonzero": "np.count_nonzero({0})",
    "trips": "len(range({0}, {1}, {2}))",
    "slots": "len({0}.data)",
    "tape_like": "Tape(len({0}.data), {0}.data.dtype)",
    "reftape": "References()",
    "reserve": "{0}.reserve({1})",
    "ref_put": "{0}.put({1}, {2})",
    "ref_get": "{0}[{1}]",
    "where": "np.where({0}, {1}, {2})",
}
CLASSES = {"tape": ("Tape", GrowingArray), "tape_like": ("Tape", GrowingArray),
           "reftape": ("References", References)}  # fmt: skip


def called(d: Def, args: list[str], header: Header) -> str:
    """The call of an operation; what it needs is added to the header."""
    name, params = d.op.name, {k: plain(v) for k, v in d.params.items()}
    if name in CLASSES:
        header.add(*CLASSES[name])
    if name == "tape":
        return f"Tape({args[0]}, np.{np_dtype(d.params['dtype']).name})"
    if name in FORMS:
        return FORMS[name].format(*args, **params)
    library = "" if params else _library(d, header)
    if library:
        return f"{library}({', '.join(args)})"
    named = [f"{k}={literal(v)}" for k, v in params.items()]
    return f"{defined(d, header)}({', '.join([*args, *named])})"


def raised(kind: str, message: str, args: list[str]) -> str:
    """The statement that raises an exception; of a class of the user's, of one that all know."""
    short = kind.rpartition(".")[2]
    prefix = "np.linalg." if short == "LinAlgError" else ""
    known = prefix or isinstance(getattr(builtins, short, None), type)
    text = repr(message if args else message.format())
    shown = f"{text}.format({', '.join(args)})" if args else text
    return f"raise {prefix}{short if known else 'RuntimeError'}({shown})"


def defined(d: Def, header: Header) -> str:
    """The name of an operation that the header defines."""
    name = d.op.name
    name = f"{name}_" if hasattr(builtins, name) else name
    if d.op not in (call_back, draw):  # into the user's program, which no text has
        header.add(name, d.op.impl)
    return name


def _library(d: Def, header: Header) -> str:
    """The name of the library's function that an operation is; empty if it is none."""
    name, impl = d.op.name, d.op.impl
    if name in SPECIAL:
        header.imports["from scipy import special"] = None
        return f"special.{SPECIAL[name]}"
    spaces: tuple[tuple[str, Any], ...] = (("np", np), ("np.linalg", np.linalg))
    for prefix, module in spaces:
        own = getattr(impl, "__name__", name)
        if getattr(module, own, None) is impl:
            return f"{prefix}.{own}"
    return ""
