"""Anomaly mode: a NaN in a gradient is an error that names the line which recorded the operation.

While it is on, each node remembers the user's line that made it; a backward pass checks what
every node passes on. Slow: for finding a fault, not for training. Changes no gradient.
"""

from __future__ import annotations

import linecache
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.eager import mode
from srcgrad.eager.graph import Node
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import AutogradError, cell_of

_PACKAGE = str(Path(__file__).parents[1])
_lines: weakref.WeakKeyDictionary[Node, tuple[str, int, str]] = weakref.WeakKeyDictionary()


class _Watcher:
    """A watcher, called with each node when it is made and when it is walked."""

    def __init__(self, check_nan: bool):
        self.check_nan = check_nan

    def made(self, node: Node) -> None:
        """Records the user's line."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        if frame is not None:
            code = frame.f_code
            _lines[node] = code.co_filename, frame.f_lineno, code.co_name

    def walked(self, node: Node, g: Any, keep: bool, record: bool) -> Any:
        """Runs the node on its gradient; an error names its line."""
        try:
            made = node.vjp_recorded(g, keep) if record else node.vjp(g, keep)
        except Exception as error:
            error.add_note(f"Error detected in {node.name()}.{_place(node)}")
            raise
        if self.check_nan:
            several = made if node.many and not isinstance(made, dict) else (made,)
            for k, c in enumerate(several):
                if _has_nan(c):
                    raise AutogradError(
                        f"Function '{node.name()}' returned nan values in its {k}th output."
                        + _place(node)
                    )
        return made


def _has_nan(c: Any) -> Any:
    a = c._a if isinstance(c, Tensor) else c
    return isinstance(a, np.ndarray | np.generic) and a.dtype.kind in "fc" and np.isnan(a).any()


def _place(node: Node) -> str:
    """The line that recorded a node, as a traceback shows it."""
    if node not in _lines:
        return " It was recorded outside of anomaly mode."
    file, line, name = _lines[node]
    text = linecache.getline(file, line).strip()
    shown = f"\n    {text}" if text else ""
    at = cell_of(file) or f'File "{file}"'
    return f" It was recorded here:\n  {at}, line {line}, in {name}{shown}"


class set_detect_anomaly:
    """Switches anomaly mode on or off, from this statement on; as a context, inside it only.

    With `check_nan=False` only the errors of a backward pass get their line.

    >>> import srcgrad as flow
    >>> x = flow.tensor(0.0, requires_grad=True)
    >>> try:
    ...     with flow.autograd.set_detect_anomaly(True):
    ...         (x / x).backward()
    ... except RuntimeError as error:
    ...     print(str(error).split(". ")[0])
    Function 'DivBackward0' returned nan values in its 1th output
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self._before = _current()
        _switch(_Watcher(check_nan) if mode else None)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _switch(self._before)


class detect_anomaly:
    """Anomaly mode inside a `with`: see `set_detect_anomaly`.

    >>> import srcgrad as flow
    >>> with flow.autograd.detect_anomaly():
    ...     flow.autograd.is_anomaly_enabled()
    True
    """

    def __init__(self, check_nan: bool = True):
        self._check_nan, self._before = check_nan, []

    def __enter__(self) -> None:
        self._before.append(_current())
        _switch(_Watcher(self._check_nan))

    def __exit__(self, *exc: object) -> None:
        _switch(self._before.pop())


def is_anomaly_enabled() -> bool:
    """Whether this thread is in anomaly mode.

    >>> import srcgrad as flow
    >>> flow.autograd.is_anomaly_enabled()
    False
    """
    return _current() is not None


def _current() -> Any:
    return mode.watcher()


def _switch(by: Any) -> None:
    mode.watch(by)
