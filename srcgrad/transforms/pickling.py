"""Pickles a compiled object as its function, its transforms and the source text it needs.

Pickle stores the function by its name in a module. A decorator may have bound that name to the
compiled object; the function is then stored under `NAME.portable`. cloudpickle stores functions of
scripts and notebooks, lambdas and inner functions by value, and their source text is sent along.
Never stores compiled code.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import sys
import types
from typing import Any

from srcgrad.frontend.source import (
    fingerprint,
    receive_source,
    state_source,
    stated_source,
    text_of,
)
from srcgrad.protocols import is_compiled, is_transform, marked
from srcgrad.transforms.batched import Batched
from srcgrad.transforms.callables import plain_function
from srcgrad.transforms.specs import Primal
from srcgrad.transforms.stack import stacked


def reduced(compiled: Any, transforms: tuple) -> tuple:
    """The arguments from which `restored` rebuilds a compiled object in another process."""
    function = compiled.function
    given = marked(function, "srcgrad_callable")
    if given is not None:  # a batch, a method, a partial, an instance: they pickle by themselves
        return type(compiled), transforms, compiled.options, given, _texts(given), None
    sent, texts = _sent(function), _texts(function)
    return type(compiled), transforms, compiled.options, sent, texts, stated_source(function)


def _sent(function: Any) -> Any:
    """A function as it is pickled: if its name is bound to a compiled object, as its `portable`."""
    found = _found(function) if isinstance(function, types.FunctionType) else function
    if found is function or not is_compiled(found):
        return function
    return found.portable if of_user(found.function) is function else function


def of_user(function: Any) -> Any:
    """The function below, of a call of a batch."""
    given = marked(function, "srcgrad_callable")
    return given.function if isinstance(given, Batched) else function


def _restored_batch(function: Any, in_axes: Any, out_axes: Any) -> Batched:
    return Batched(getattr(function, "srcgrad_original", None) or function, in_axes, out_axes)


copyreg.pickle(Batched, lambda v: (_restored_batch, (_sent(v.function), v.in_axes, v.out_axes)))


def restored(
    kind: type, transforms: tuple, options: Any, function: Any, texts: tuple = (),
    stated: str | None = None,
) -> Any:  # fmt: skip
    """Rebuilds a compiled object from the values of `reduced`."""
    function = getattr(function, "srcgrad_original", None) or function
    for code, file, text in texts:
        receive_source(code, file, text)
    if stated is not None:
        state_source(function, stated)
    function = plain_function(function)
    return kind(function, stacked(transforms, Primal(function)), options)


def portable(function: types.FunctionType) -> types.FunctionType:
    """A copy of a function that pickles as NAME.portable, because NAME is a compiled object."""
    f = function
    made = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__, made.__module__ = f.__kwdefaults__, f.__module__
    made.__qualname__ = f"{f.__qualname__}.portable"
    return made


def _found(function: Any) -> Any:
    """The object that the qualified name of a function resolves to; None if there is none."""
    try:
        module = importlib.import_module(function.__module__)
        return functools.reduce(getattr, function.__qualname__.split("."), module)
    except (ImportError, AttributeError):
        return None


# ---- source texts ----
def _texts(function: types.FunctionType) -> tuple[tuple[str, str, str], ...]:
    """Fingerprint, file and source text of the function, and of those it names, that go by value.

    Another process may run another main program, and the cells of a notebook are not files.
    """
    found: dict[str, tuple[str, str]] = {}
    seen: set[int] = set()
    todo: list[Any] = [function]
    while todo:
        f = todo.pop()
        f = getattr(f, "function", f) if is_transform(f) else f
        if not isinstance(f, types.FunctionType) or id(f) in seen:
            continue
        seen.add(id(f))
        if _goes_by_value(f):
            found[fingerprint(f.__code__)] = text_of(f)
            todo += _named(f)
    return tuple((code, file, text) for code, (file, text) in found.items() if text)


def _goes_by_value(f: types.FunctionType) -> bool:
    """Whether cloudpickle stores the function itself rather than its name."""
    module = f.__module__ or "__main__"
    cloudpickle: Any = sys.modules.get("cloudpickle")
    chosen = cloudpickle.list_registry_pickle_by_value() if cloudpickle else ()
    if module == "__main__" or any(f"{module}.".startswith(f"{name}.") for name in chosen):
        return True
    found = _found(f)
    return found is not f and getattr(found, "function", None) is not f


def _named(f: types.FunctionType) -> list[Any]:
    """The values that a function names: from its module and from enclosing functions."""
    cells = [c.cell_contents for c in f.__closure__ or () if _is_filled(c)]
    return [*cells, *(f.__globals__[n] for n in _names(f.__code__) if n in f.__globals__)]


def _names(code: types.CodeType) -> set[str]:
    inner = [_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*inner)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
