"""The fast path of calls with tensors: one generated function per signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.bridge.kernel import kernel_of
from srcgrad.eager.inplace import touched
from srcgrad.transforms.fast_path import Writer, compare_lengths, opened, test, tuple_of
from srcgrad.transforms.weights import none_active
from srcgrad.tree import Leaf


def tensor_path(
    entry: Any, arguments: dict[str, Any], names: tuple[str, ...], by: tuple, trained: tuple
) -> Callable | None:
    """The function for calls with tensors like this one; None where the general path is needed.

    `by`: the functions that run the kernel, finish a result, and may decline.

    A step stores to the Parameters `trained`.
    """
    if entry.shapes:
        return None
    w = Writer()
    inputs = opened(w, entry, arguments, names, _test_tensor)
    if inputs is None:
        return None
    if by[2] is not None:
        w.unless(f"{w.name(by[2])}()")
    for k, hidden in enumerate(entry.program.hidden):
        fetch = hidden.fetch if trained and hidden.parameter is not None else hidden.tensor
        fetch = fetch or hidden.fetch
        if hidden.parameter is not None and hidden.tensor is None:
            w.unless(f"{w.name(none_active)}()")
        w.lines.append(f"    h{k} = {w.name(fetch)}()")
        if not _test_tensor(w, f"h{k}", fetch()):
            return None
        inputs.append(f"h{k}")
    compare_lengths(w, entry.program.lengths, names)
    run, kernel = w.name(entry.run), w.name(kernel_of(entry))
    w.lines.append(f"    x = ({''.join(f'{i}, ' for i in inputs)})")
    if entry.stored:
        w.unless(f"{w.name(entry.apart)}(x)")
    w.lines.append(f"    r = {w.name(by[0])}({kernel}, x, {run})")
    if trained:
        w.lines.append(f"    {w.name(touched)}({w.name(trained)})")
    result = _template(
        entry.program.output, f"{w.name(by[1])}({w.name(entry)}, x, {{0}}, r[{{0}}])"
    )
    if result is None:
        return None
    w.lines.append(f"    return {result}")
    return w.made()


def _test_tensor(w: Writer, p: str, value: Any) -> bool:
    """Tests the kind of one argument, which may be a tensor; False if it is not a plain one."""
    if not hasattr(type(value), "srcgrad_value"):
        return test(w, p, value)
    w.unless(f"type({p}) is {w.name(type(value))}")
    return test(w, f"{p}._a", value._a)


def _template(shape: Any, leaf: str) -> str | None:
    """The text of the result, with the number of each leaf in it."""
    if isinstance(shape, Leaf):
        return leaf.format(shape.k)
    return tuple_of(shape, lambda p: _template(p, leaf))
