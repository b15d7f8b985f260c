"""`flow.config`: the settings of the process, each an environment variable.

A setting is read where it is used, so a change holds from then on; `docs/configuration.md` is the
table below.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.errors import ArgumentValueError, nearest

PREFIX = "SRCGRAD_"
# the name of a setting: its values, the default first, and its meaning
SETTINGS = {
    "cache_dir": ("the user's cache folder, or a path", "where compiled programs are stored"),
    "cache_limit": ("2GB, a size, or off", "what exceeds it, used longest ago, is deleted"),
    "cache_stages": (
        "1, or 0",
        "whether the results of compiler stages are cached along with the machine code",
    ),
    "check": ("0, or 1", "compares gradients with forward mode and differences at first calls"),
    "cpu": ("unset, or guarded", "whether compiled code checks every access to memory"),
    "debug": ("0, or 1", "checks each pass, keeps whole tracebacks, prints programs with faults"),
    "log": ("warning, debug, info, error, critical", "the level of the logger srcgrad, on stderr"),
    "memory_limit": ("half of what is free, a size, or off", "what tapes may take"),
    "traceback": ("short, or full", "whether frames of srcgrad stay in tracebacks"),
}


class Settings:
    """The settings by name; call it for values that hold within a `with` block.

    They belong to the process: other threads see them too. ArgumentValueError for an unknown name.

    >>> import srcgrad as flow
    >>> with flow.config(memory_limit="8GB", check=True):
    ...     flow.config.memory_limit, flow.config.check
    ('8GB', '1')
    >>> flow.config.check
    ''
    """

    @contextmanager
    def __call__(self, **values: Any) -> Iterator[None]:
        before = {name: os.environ.get(_variable(name)) for name in values}
        for name, value in values.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def __getattr__(self, name: str) -> str:
        """The text that a setting has; empty for its default."""
        if name.startswith("__"):
            raise AttributeError(name)
        return os.environ.get(_variable(name), "")

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets it for the process; None is the default."""
        variable = _variable(name)
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = str(int(value) if isinstance(value, bool) else value)

    def __dir__(self) -> list[str]:
        return [*SETTINGS]

    def __repr__(self) -> str:
        width = max(map(len, SETTINGS))
        shown = {name: getattr(self, name) or "(default)" for name in SETTINGS}
        return "\n".join(f"{n:<{width}}  {v}  {SETTINGS[n][1]}" for n, v in shown.items())


def _variable(name: str) -> str:
    if name not in SETTINGS:
        near = nearest(name, [*SETTINGS])
        raise ArgumentValueError(
            f"{name!r} is no setting" + (f": did you mean {near}?" if near else ""),
            None,
            f"choose one of {', '.join(SETTINGS)}",
        )
    return PREFIX + name.upper()


def is_on(name: str) -> bool:
    """Whether a setting is there, and not 0."""
    return os.environ.get(_variable(name), "") not in ("", "0")


config: Settings = Settings()
