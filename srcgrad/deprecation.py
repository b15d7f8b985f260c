"""Names that will go: calls of one warn, with what to write instead.

The policy is docs/versions.md: a name stays for at least one minor release after the one that
deprecates it.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from srcgrad.errors import ArgumentValueError
from srcgrad.tracebacks import users_level

T = TypeVar("T", bound=Callable[..., Any])


def deprecated(since: str, until: str, instead: str) -> Callable[[T], T]:
    """Marks a public function or class that goes in release `until`: calls of it warn.

    A DeprecationWarning at the caller's line names `instead`; name, signature, docstring and
    results are as before. ArgumentValueError unless a minor release lies between the two.

    >>> import warnings
    >>> @deprecated("0.2.0", "0.4.0", instead="flow.value_and_grad(f)")
    ... def grad_and_value(f):
    ...     return f
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     _ = grad_and_value(len)
    >>> print(found[0].message)
    grad_and_value is deprecated since 0.2.0 and goes in 0.4.0: write flow.value_and_grad(f)
    """
    first, last = _major_and_minor(since), _major_and_minor(until)
    if last < (first[0], first[1] + 2) and last[0] <= first[0]:
        raise ArgumentValueError(
            f"deprecated in {since}, gone in {until}: a minor release has to lie between them"
        )

    def mark(made: Any) -> Any:
        name = made.__qualname__
        text = f"{name} is deprecated since {since} and goes in {until}: write {instead}"
        if not inspect.isclass(made):
            return _warning(made, text)
        made.__init__ = _warning(made.__init__, text)
        return made

    return mark


def _warning(function: Callable[..., Any], text: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(text, DeprecationWarning, stacklevel=users_level())
        return function(*args, **kwargs)

    return warned


def _major_and_minor(version: str) -> tuple[int, int]:
    major, minor, *_ = (int(part) for part in version.split("."))
    return major, minor
