"""Commands on a function of a file: check, show, explain, annotate, export."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

STAGES = ("primal", "adjoint", "tangent", "numba", "llvm", "asm", "ir")
TRANSFORMS = ("compile", "grad", "value_and_grad", "jacobian", "hessian")


class Misused(Exception):
    """A command that cannot be run as it is written."""


def check(parsed: argparse.Namespace) -> int:
    """Compiles the function and compares its gradients; prints every problem that is found."""
    fn, args = _function(parsed.place), None

    def run() -> str:
        from srcgrad.testing import gradcheck

        nonlocal args
        args = _arguments(fn, parsed.args)
        gradcheck(fn, args)
        return f"{fn.__name__}: the gradients of both modes agree with differences"

    return _printed(run)


def show(parsed: argparse.Namespace) -> int:
    """Prints a stage of the function, or of the transform of it."""

    def run() -> str:
        made, args = _transformed(parsed)
        if parsed.stage == "ir":
            return made.ir("adjoint" if "grad" in parsed.transform else "primal", *args)
        return made.source(parsed.stage, *args)

    return _printed(run)


def explain(parsed: argparse.Namespace) -> int:
    """Describes what is built for the arguments."""

    def run() -> str:
        made, args = _transformed(parsed)
        return str(made.explain(*args))

    return _printed(run)


def annotate(parsed: argparse.Namespace) -> int:
    """Writes the page."""

    def run() -> str:
        made, args = _transformed(parsed)
        made.annotate(*args, path=parsed.output)
        return f"{parsed.output}: {parsed.transform} of {made.__name__}, open it in a browser"

    return _printed(run)


def export(parsed: argparse.Namespace) -> int:
    """Writes the file."""

    def run() -> str:
        import srcgrad as flow

        made, args = _transformed(parsed)
        flow.export(made, parsed.output, *args)
        return f"{parsed.output}: {parsed.transform} of {made.__name__}, needs NumPy only"

    return _printed(run)


def _printed(run: Callable[[], str]) -> int:
    """Prints a result, or an error of the function's without srcgrad's frames."""
    text, error = _attempted(run)
    if error is None:
        print(text.rstrip())
    elif isinstance(error, Misused):
        raise error
    else:
        print(_said(error))
    return int(error is not None)


def _attempted(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """The result of what is the user's, or the exception that it raises."""
    try:
        return run(), None
    except Exception as error:
        return None, error


def _said(error: Exception) -> str:
    from srcgrad.errors import SrcgradError

    if isinstance(error, SrcgradError):
        return f"{type(error).__name__}: {error}"
    return "".join(traceback.format_exception_only(error)).rstrip()


def _transformed(parsed: argparse.Namespace) -> tuple[Any, tuple]:
    """The transform of the function, and the arguments."""
    import srcgrad as flow

    fn = _function(parsed.place)
    args = _arguments(fn, parsed.args)
    if parsed.transform == "compile":
        return flow.compile(fn), args
    try:
        positions = tuple(int(k) for k in parsed.wrt.split(","))
    except ValueError:
        raise Misused(f"--wrt {parsed.wrt}: positions are numbers, 0 or 0,2") from None
    position = positions[0] if len(positions) == 1 else positions
    return getattr(flow, parsed.transform)(fn, position), args


def _function(place: str) -> Any:
    """The function that FILE:FUNCTION says."""
    file, colon, name = place.rpartition(":")
    if not colon or not name:
        raise Misused(f"{place}: write FILE:FUNCTION, such as model.py:loss")
    path = Path(file)
    if not path.is_file():
        raise Misused(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise Misused(f"{file} is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.absolute()))
    sys.modules[path.stem] = module
    _, error = _attempted(functools.partial(spec.loader.exec_module, module))
    if error is not None:
        raise Misused(
            f"{file} raises where it is imported: {_said(error)}\n"
            '  put what the file runs besides under if __name__ == "__main__":'
        )
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        own = [
            n
            for n, v in vars(module).items()
            if getattr(v, "__module__", "") == path.stem and callable(v)
        ]
        raise Misused(f"{file} has no function {name!r}; it has {', '.join(own) or 'none'}")
    return found


def _arguments(fn: Any, text: str | None) -> tuple:
    """The arguments that a text says, with the names of the function's module."""
    import inspect

    import numpy as np

    if text is None:
        needed = [p.name for p in inspect.signature(fn).parameters.values() if p.default is p.empty]
        if needed:
            said = ", ".join("..." for _ in needed)
            raise Misused(f'{fn.__name__}() takes {", ".join(needed)}: --args "{said}"')
        return ()
    own = getattr(fn, "__wrapped__", fn)
    scope = {"np": np, **getattr(own, "__globals__", {})}
    made, error = _attempted(lambda: eval(f"({text},)", scope))
    if error is not None:
        raise Misused(f'--args "{text}": {_said(error)}')
    return made
