"""Sample calls with their data given in other forms: 0-d arrays, numbers, nested lists and tuples.

`calls(sample)` replaces one argument, or two, by each form of what stands there.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support.samples import SPACE, Sample, _call_in, inputs, made


@dataclass(frozen=True)
class Call:
    """A program whose first arguments are those given in a form; the others are inputs."""

    name: str
    of: str  # the function
    f: Callable[..., Any]
    given: tuple
    rest: tuple


def calls(sample: Sample) -> Iterator[Call]:
    data = [(place, forms) for place, v in _arguments(sample) if (forms := dict(forms_of(v)))]
    for place, forms in data:
        for name, value in forms.items():
            yield _call(sample, {place: name}, (value,))
    if len(data) > 1:
        (p, first), (q, second) = data[:2]
        for a, c in (("0-d", "0-d"), ("list", "0-d"), ("number", "tuple"), ("zeros-d", "list")):
            if a in first and c in second:
                yield _call(sample, {p: a, q: c}, (first[a], second[c]))


def forms_of(v: Any) -> Iterator[tuple[str, Any]]:
    """What NumPy makes of these is what it makes of `v`, or of a part of it."""
    if isinstance(v, list | tuple) and v and all(isinstance(x, np.ndarray) for x in v):
        yield from (("tuple", tuple(v)), ("lists", [x.tolist() for x in v]))
        yield "mixed", [v[0].tolist(), *v[1:]]
        yield "zeros-d", [np.array(x.ravel()[0]) for x in v]
        yield "zero-d last", [*v[:-1], np.array(v[-1].ravel()[0])]
        return
    try:
        a = np.asarray(v)
    except ValueError:  # of parts of different shapes
        return
    if isinstance(v, bool) or a.dtype.kind not in "fiubc" or not a.size:
        return
    first = a.ravel()[0]
    yield from (("0-d", np.array(first)), ("number", first.item()), ("numpy", first))
    yield from (("flat", a.ravel()[:4].tolist()), ("zeros-d", list(map(np.array, a.ravel()[:2]))))
    yield from (("in lists", [[first.item()]]), ("in a tuple", (np.array(first),)))
    if a.ndim:
        nested = a.tolist()
        yield from (("list", nested), ("tuple", mapped(tuple, lambda x: x, nested)))
        yield from (("rows", list(a)), ("all zeros-d", mapped(list, np.array, nested)))
    if a.dtype.kind == "f":
        yield from (("mixed", [first.item(), 2]), ("single", [np.float32(0.75), first.item()]))


def mapped(kind: Any, f: Callable[[Any], Any], v: Any) -> Any:
    """A nest of lists and tuples, its leaves and containers made anew; `None` keeps these."""
    if not isinstance(v, list | tuple):
        return f(v)
    return (kind or type(v))(mapped(kind, f, x) for x in v)


def leaves(v: Any) -> list[Any]:
    return [x for part in v for x in leaves(part)] if isinstance(v, list | tuple) else [v]


def _arguments(sample: Sample) -> Iterator[tuple[int, Any]]:
    """The place of each argument, and what stands there."""
    for place, node in enumerate(_call_in(ast.parse(sample.line, mode="eval").body).args):
        text = ast.unparse(node)
        if not isinstance(node, ast.Starred | ast.Lambda):
            yield place, eval(text, {**SPACE, **inputs()})


def _call(sample: Sample, places: dict[int, str], given: tuple) -> Call:
    tree = ast.parse(sample.line, mode="eval").body
    call = _call_in(tree)
    names = [f"given{k}" for k in range(len(places))]
    for place, name in zip(places, names, strict=True):
        call.args[place] = ast.Name(name)
    reads = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & set(inputs()))
    text, first = ast.unparse(tree), ast.unparse(call.args[0]) if call.args else ""
    body = f"    {text}\n    return {first}\n" if sample.stores else f"    return {text}\n"
    f = made(f"def call({', '.join((*names, *reads))}):\n{body}")
    told = ", ".join(f"{k}: {name}" for k, name in places.items())
    return Call(
        f"{sample.line} with {told}", sample.name, f, given, tuple(inputs()[n] for n in reads)
    )
