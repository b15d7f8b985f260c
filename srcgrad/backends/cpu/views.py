"""Views as NumPy expressions that Numba types as contiguous wherever the IR says so.

A unit step is printed as `x[a:b]`, new axes of a contiguous array as a reshape (which never
copies there). Only references to existing memory come from here, never a copy.
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.nodes import Atom, Const, Def
from srcgrad.primitives import Primitive, memory, tapes

Text = Callable[[Atom | int], str]


def tuple_text(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _transpose(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    perm = definition.params["perm"]
    if definition.var.type.layout == "C":  # only axes of length 1 changed places
        return f"{source}.reshape({_dims(definition, text)})"
    if perm == tuple(reversed(range(len(perm)))):
        return f"{source}.T"  # Numba knows its order, BLAS needs no copy
    return f"{source}.transpose({', '.join(map(str, perm))})"


def _reshape(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    if len(getattr(definition.args[0].type, "dims", ())) == 1 == definition.var.type.ndim:
        return f"{source}[:]"  # Numba may not know that it is contiguous
    return f"{source}.reshape({_dims(definition, text)})"


def _tape_view(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    dims, start = definition.var.type.dims, text(definition.args[1])
    size = " * ".join(text(d) for d in dims) or "1"
    if len(dims) == 1:
        return f"{source}[{start}:{start} + {size}]"
    return f"tape_view({source}, {start}, {size}, {_dims(definition, text)})"


def _dims(definition: Def, text: Text) -> str:
    assert definition.var is not None
    return tuple_text([text(d) for d in definition.var.type.dims])


def _view(definition: Def, source: str, text: Text) -> str:
    assert definition.var is not None
    spec, atoms = definition.params["spec"], list(definition.args[1:])
    # Numba loses track of contiguity where a span and a new axis meet
    as_reshape = definition.var.type.layout == "C" and {"s", "n"} <= set(spec)
    items: list[str] = []
    axis = 0
    for code in spec:
        if code == "n":
            items += [] if as_reshape else ["None"]
            continue
        if code == "i":
            items.append(text(atoms.pop(0)))
        elif code == "s":
            span, atoms = atoms[:3], atoms[3:]
            items.append(_span(span, f"{source}.shape[{axis}]", text))
        else:
            items.append(":")
        axis += 1
    while items and items[-1] == ":":
        items.pop()
    if not definition.var.type.dims and items:  # an index would give a number
        return f"cell({source}[{', '.join(f'{i}:' for i in items)}])"
    out = f"{source}[{', '.join(items)}]" if items else source
    if as_reshape:
        out += f".reshape({_dims(definition, text)})"
    return out


def _span(span: list[Atom], size: str, text: Text) -> str:
    start, length, step = map(text, span)
    if isinstance(span[2], Const) and span[2].value > 0:
        if span[2].value == 1:
            return f"{start}:{start} + {length}" if start != "0" else f":{length}"
        return f"{start}:{start} + {length} * {step}:{step}"
    stop = f"span_stop({start}, {length}, {step}, {size})"
    return f"max({start}, 0):{stop}:{step}"


# the text of a view, from its definition and the text of what it is a view of
VIEWS: dict[Primitive, Callable[[Def, str, Text], str]] = {
    memory.view: _view,
    memory.transpose: _transpose,
    memory.reshape: _reshape,
    tapes.tape_view: _tape_view,
    tapes.ref_get: lambda s, source, text: f"{source}[{text(s.args[1])} + 1]",
}
