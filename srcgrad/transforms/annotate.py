"""`annotate`: a page that shows a gradient beside its source."""

from __future__ import annotations

import os
from typing import Any

from srcgrad.protocols import is_compiled
from srcgrad.transforms.annotated.page import Annotation
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.stacking import taken_apart


def annotate(
    fn: Any, /, *args: Any, path: str | os.PathLike[str] | None = None, **kwargs: Any
) -> Annotation:
    """A page of HTML with the source of `fn` beside its gradient's program and what runs.

    `fn` is a function, whose gradient by its first argument is shown, or what a transform gives. A
    line that is pointed at lights up what belongs to it in the other panes; lines show their time
    and the bytes that they keep for the reverse sweep. The page is written to `path`, and is
    returned: a notebook shows it, `save(path)` writes it, `html` is its text. It needs no network.

    The program runs some thirty times on copies of the arguments, with a clock between its
    statements (docs/annotate.md); once if it prints or calls a function back. Raises what a call
    with these arguments raises.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return np.sum(np.sin(x) * x)
    >>> flow.annotate(f, np.ones(3))
    <annotation of value_and_grad of f(x): save("page.html") writes it>
    """
    compiled = fn if is_compiled(fn) else Compiled(*taken_apart(fn))
    return compiled.annotate(*args, path=path, **kwargs)
