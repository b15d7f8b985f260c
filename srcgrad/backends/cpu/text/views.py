"""Views as NumPy expressions: references to existing memory, never copies."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.nodes import Atom, Const, Def
from srcgrad.primitives import Primitive, memory, tapes

Text = Callable[[Atom | int], str]


def tuple_text(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _transpose(definition: Def, source: str, text: Text) -> str:
    perm = definition.params["perm"]
    if perm == tuple(reversed(range(len(perm)))):
        return f"{source}.T"
    return f"{source}.transpose({', '.join(map(str, perm))})"


def _reshape(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    return f"{source}.reshape({tuple_text([text(d) for d in definition.var.type.dims])})"


def _tape_view(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    dims, start = definition.var.type.dims, text(definition.args[1])
    size = " * ".join(text(d) for d in dims) or "1"
    part = f"{source}[{start}:{start} + {size}]"
    return part if len(dims) == 1 else _reshape(definition, part, text)


def _view(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    spec, atoms = definition.params["spec"], list(definition.args[1:])
    items: list[str] = []
    for code in spec:
        if code == "i":
            items.append(text(atoms.pop(0)))
        elif code == "s":
            span, atoms = atoms[:3], atoms[3:]
            items.append(_span(span, text))
        else:
            items.append("None" if code == "n" else ":")
    while items and items[-1] == ":":
        items.pop()
    if not definition.var.type.dims and items:  # an index would give a number
        items.append("...")
    return f"{source}[{', '.join(items)}]" if items else source


def _span(span: list[Atom], text: Text) -> str:
    start, length, step = map(text, span)
    if isinstance(span[2], Const) and span[2].value > 0:
        if span[2].value == 1:
            return f"{start}:{start} + {length}" if start != "0" else f":{length}"
        return f"{start}:{start} + {length} * {step}:{step}"
    return f"span({start}, {length}, {step})"


# the text of a view, from its definition and the text of its source
VIEWS: dict[Primitive, Callable[[Def, str, Text], str]] = {
    memory.view: _view,
    memory.transpose: _transpose,
    memory.reshape: _reshape,
    tapes.tape_view: _tape_view,
    tapes.ref_get: lambda s, source, text: f"{source}[{text(s.args[1])}]",
}
