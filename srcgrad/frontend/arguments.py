"""Python's own words for arguments that do not fit a function.

`inspect` checks them in words of its own; a function with the same head and no body raises what a
call of the real one would. Runs nothing of the user's.
"""

from __future__ import annotations

import inspect
from typing import Any


def misfit(name: str, signature: inspect.Signature, args: Any, kwargs: dict[str, Any]) -> TypeError:
    """The TypeError of a call; `signature` does not take these arguments."""
    empty = inspect.Parameter.empty
    params = [
        p.replace(annotation=empty, default=empty if p.default is empty else None)
        for p in signature.parameters.values()
    ]
    head = inspect.Signature(params)
    scope: dict[str, Any] = {}
    exec(f"def call{head}: pass", scope)
    call = scope["call"]
    call.__name__ = call.__qualname__ = name
    try:
        call(*args, **kwargs)
    except TypeError as e:
        return TypeError(str(e))
    return TypeError(f"{name}() does not take these arguments")


def arguments_in(e: TypeError) -> str:
    """The text of such a TypeError without the name of the function.

    >>> arguments_in(TypeError("norm() got an unexpected keyword argument 'order'"))
    "got an unexpected keyword argument 'order'"
    """
    text = str(e)
    return text.split("() ", 1)[-1] if "() " in text else text
