"""Hooks of modules: functions that are called before and after `forward`. Never compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.records import record


@record(frozen=True)
class Hook:
    """A hook, and whether it gets the keywords; a new object each time that it is registered."""

    function: Callable[..., Any]
    with_kwargs: bool


@record(frozen=True)
class Removal:
    """The result of registering a hook; `remove()` removes the hook."""

    module: Any
    place: str
    hook: Hook

    def remove(self) -> None:
        """Removes the hook; does nothing the second time."""
        own = self.module.__dict__
        own[self.place] = tuple(h for h in own.get(self.place, ()) if h is not self.hook)
        own["_watched"] = _is_watched(self.module)

    def __enter__(self) -> Removal:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()


def added(
    module: Any, place: str, function: Callable[..., Any], prepend: bool, with_kwargs: bool
) -> Removal:
    """Registers a hook before or after a module's calls."""
    hook, held = Hook(function, with_kwargs), getattr(module, place)
    module.__dict__[place] = (hook, *held) if prepend else (*held, hook)
    module.__dict__["_watched"] = True
    return Removal(module, place, hook)


def _is_watched(module: Any) -> bool:
    return bool(module._before or module._after or type(module)._watched)


def call_with_hooks(
    module: Any, run: Callable[..., Any], args: tuple[Any, ...], params: dict[str, Any]
) -> Any:
    """Runs the hooks before the call, the call, and the hooks after it."""
    for hook in module._before:
        if hook.with_kwargs:
            changed = hook.function(module, args, params)
            args, params = (args, params) if changed is None else changed
        else:
            changed = hook.function(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    out = run(*args, **params)
    for hook in module._after:
        given = (args, params, out) if hook.with_kwargs else (args, out)
        changed = hook.function(module, *given)
        out = out if changed is None else changed
    return out
