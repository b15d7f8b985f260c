"""The text of a tensor, in PyTorch's form: width, precision, scientific notation, summaries.

All elements of a tensor share one format. The dtype is always shown. Knows arrays and the three
decorations (dtype, requires_grad, grad_fn), nothing else.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.eager import devices
from srcgrad.records import record


@record(frozen=True)
class Options:
    """Options for printing numbers; see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed; options not given stay, a profile sets all.

    >>> import srcgrad as flow
    >>> flow.set_printoptions(precision=2)
    >>> flow.tensor([1.23456])
    tensor([1.23], dtype=srcgrad.float32)
    >>> flow.set_printoptions(profile="default")
    """
    global _options
    profiles = {
        None: _options,
        "default": Options(),
        "short": Options(precision=2, edgeitems=2),
        "full": Options(threshold=math.inf),
    }
    given = {
        "precision": precision, "threshold": threshold, "edgeitems": edgeitems,
        "linewidth": linewidth,
    }  # fmt: skip
    changed = {k: v for k, v in given.items() if v is not None}
    _options = replace(profiles[profile], **changed, sci_mode=sci_mode)


def _formatter(a: Any) -> Any:
    """A function from an element to its text, all of one width."""
    if a.dtype.kind == "b":
        width = max((len(str(bool(v))) for v in a.flat), default=0)
        return lambda v: f"{bool(v)!s:>{width}}"
    if a.dtype.kind in "iu":
        width = max((len(str(int(v))) for v in a.flat), default=0)
        return lambda v: f"{int(v):>{width}}"
    if a.dtype.kind == "c":
        real, imag = _formatter(a.real), _formatter(np.abs(a.imag))
        return lambda v: f"{real(v.real)}{'-' if v.imag < 0 else '+'}{imag(abs(v.imag)).strip()}j"
    show = _float_formatter(a)
    width = max((len(show(float(v))) for v in a.flat), default=0)
    return lambda v: f"{show(float(v)):>{width}}"


def _float_formatter(a: np.ndarray) -> Any:
    finite = np.abs(a[np.isfinite(a) & (a != 0)].astype(np.float64))
    p = _options.precision
    if not finite.size:
        return lambda v: f"{v:.0f}." if math.isfinite(v) else f"{v}"
    low, high = float(finite.min()), float(finite.max())
    whole = bool((finite == np.ceil(finite)).all())
    sci = high / low > 1000 or high > 1e8 or (low < 1e-4 and not whole)
    if _options.sci_mode is not None:
        sci = _options.sci_mode
    if sci:
        return lambda v: f"{v:.{p}e}"
    if whole:
        return lambda v: f"{v:.0f}." if math.isfinite(v) else f"{v}"
    return lambda v: f"{v:.{p}f}"


def _rows(a: np.ndarray, show: Any, indent: int, summarize: bool) -> str:
    edge = _options.edgeitems
    if a.ndim == 0:
        return show(a[()])
    short = summarize and len(a) > 2 * edge
    if a.ndim == 1:
        if short:
            items = [show(v) for v in a[:edge]] + [" ..."] + [show(v) for v in a[-edge:]]
        else:
            items = [show(v) for v in a]
        width = (len(items[0]) if items else 0) + 2
        per_line = max(1, (_options.linewidth - indent) // width)
        lines = [items[k : k + per_line] for k in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"
    if short:
        parts = [_rows(r, show, indent + 1, summarize) for r in a[:edge]] + ["..."]
        parts += [_rows(r, show, indent + 1, summarize) for r in a[-edge:]]
    else:
        parts = [_rows(r, show, indent + 1, summarize) for r in a]
    return "[" + ("," + "\n" * (a.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _shown_elements(a: np.ndarray) -> np.ndarray:
    """The elements that a summary shows: they alone decide the format."""
    edge = _options.edgeitems
    for axis, n in enumerate(a.shape):
        if n > 2 * edge:
            a = np.take(a, [*range(edge), *range(n - edge, n)], axis)
    return a


def tensor_text(t: Any, prefix: str = "tensor(") -> str:
    """The text that `repr` of a tensor gives."""
    a = devices.moved(t._a, devices.CPU)
    summarize = a.size > _options.threshold
    if a.size:
        body = _rows(a, _formatter(_shown_elements(a) if summarize else a), len(prefix), summarize)
    else:
        body = "[]"
    suffixes = [] if a.size or a.ndim == 1 else [f"size={tuple(a.shape)}"]
    if t.is_cuda:
        suffixes.append(f"device='{t.device}'")
    suffixes.append(f"dtype={t.dtype!r}")
    if t.grad_fn is not None:
        suffixes.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    text = prefix + body
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            last = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"
