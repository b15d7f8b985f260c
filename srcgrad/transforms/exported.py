"""`export`: a program as a file of NumPy code that runs without srcgrad."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.protocols import is_compiled
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.printed import MOST, printed
from srcgrad.transforms.program import Program
from srcgrad.transforms.specialization import settled
from srcgrad.transforms.stack import described
from srcgrad.transforms.stacking import taken_apart


def export(fn: Any, file: str | os.PathLike[str], /, *args: Any, **kwargs: Any) -> None:
    """Writes what `fn` computes for arguments like these to a file of Python that needs NumPy only.

    `fn` is a function or what a transform gives: of `flow.value_and_grad(f)` the file has a
    function that returns the value and the gradient, in the same structure. It takes arguments of
    the same ranks, any lengths, and the same values of what the program was specialised on; others
    raise ValueError. SciPy is imported where its functions are used. Captured values are written
    out as they are now. UnsupportedError for a function that calls back to Python.

    >>> import numpy as np, pathlib, tempfile, srcgrad as flow
    >>> def f(x):
    ...     return np.sum(x**3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "slope.py")
    ...     flow.export(flow.grad(flow.compile(f, target="python")), path, np.ones(2))
    ...     print(path.read_text().partition("def ")[2].splitlines()[0])
    f_grad(x):
    """
    Path(file).write_text(exported(fn, args, kwargs), encoding="utf-8")


def exported(fn: Any, args: tuple, kwargs: dict[str, Any]) -> str:
    """The text of the file."""
    compiled = fn if is_compiled(fn) else Compiled(*taken_apart(fn))
    arguments = compiled._bind(args, kwargs)
    with compiled._building():
        program = compiled._program(arguments, any_lengths=True)[0]
        program = replace(program, function=settled(program.function))
        _refuse_calls_back(program)
        text = printed(program, arguments, compiled._signature, alone=True).text
    title = f"{described(compiled.spec)} of {compiled.__name__}".removeprefix("compile of ")
    return f'"""{title}, written by srcgrad; runs without it."""\n\n{text}'


def _refuse_calls_back(program: Program) -> None:
    """Refuses what calls a function of the user's or of SciPy's through the interpreter."""
    for s in walk(program.function.body):
        if isinstance(s, Def) and not all(map(_is_written, s.params.values())):
            raise UnsupportedError(
                f"{program.name}() calls back to Python here, which a file cannot",
                s.loc,
                "export the function around this call in parts",
            )
    for h in program.hidden:
        value = h.path.fetch()
        if isinstance(value, np.ndarray) and value.size > MOST:
            raise UnsupportedError(
                f"{program.name}() captures {h.name!r}, an array of {value.size} elements",
                None,
                "pass it as an argument",
            )


def _is_written(value: Any) -> bool:
    """Whether Python can write a parameter of an operation."""
    if isinstance(value, tuple | list):
        return all(map(_is_written, value))
    return isinstance(value, int | float | complex | str | np.generic | np.dtype | None)
