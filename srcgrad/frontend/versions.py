"""Finds out how the installed versions of Python and its libraries behave, where versions differ.

Makes a small call and reads its result or exception. Never compares version numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any


def there(module: Any, *names: str) -> tuple[Any, ...]:
    """The named functions that the installed version of a library has.

    >>> import numpy as np
    >>> there(np, "vstack", "no_such_stack") == (np.vstack,)
    True
    """
    return tuple(getattr(module, name) for name in names if hasattr(module, name))


def raised(f: Callable[..., Any], *args: Any, **named: Any) -> Exception | None:
    """The exception of a call, if it raises one; its warnings are not shown.

    >>> raised([].pop), raised(abs, -1)
    (IndexError('pop from empty list'), None)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(*args, **named)
    except Exception as e:
        return e
    return None


def error_class(f: Callable[..., Any], *args: Any, **named: Any) -> type[Exception] | None:
    """The class of the exception that a call raises, or None; for the argument `like` of `refuse`.

    >>> error_class([].pop), error_class(abs, -1)
    (<class 'IndexError'>, None)
    """
    error = raised(f, *args, **named)
    return None if error is None else type(error)


def error_text(f: Callable[..., Any], *args: Any) -> str:
    """The text of the exception of a call.

    >>> error_text(divmod, 1, 0) in ("integer division or modulo by zero", "division by zero")
    True
    """
    return str(raised(f, *args))
