"""Fourier transforms: NumPy's own loops, called for all transforms along an axis.

A loop transforms along one axis for each place of a second one; a function of the module goes
through the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.backends.cpu.emit.buffers import made
from srcgrad.backends.cpu.emit.products import inside
from srcgrad.backends.cpu.emit.values import Ref, decimal, is_constant, not_emitted, parts_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.ufuncs import LETTERS
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex
from srcgrad.primitives import transforms

Axis = tuple[str, str, str]  # its length, its steps in the operand and in the result


def transform(w: Writer, s: Def) -> Ref:
    """Calls a loop for a transform without a factor in front of the sums."""
    if w.owners is None:
        raise not_emitted(f"{s.op.name} in a nest")
    assert s.var is not None
    x, axis, type = w.ref(s.args[0]), s.params["axis"], s.var.type
    if w.program.guarded:
        inside(w, x)
    out = made(w, s, w.dims(type), type.dtype)
    loop, data = _loop(w, s, x.dims[axis])
    others = _others(w, x, out, axis)
    lengths = [x.dims[axis], out.dims[axis], x.strides[axis], out.strides[axis]]
    words = [*lengths, *(n for each in others for n in each)]
    called = w.program.function_named(_text(parts_of(x.dtype)[0], len(others)), "transform")
    pointers = [w.pointer(x), w.pointer(out), loop, data]
    given = [*(f"ptr {p}" for p in pointers), *(f"i64 {n}" for n in words)]
    w.put(f"call void @{called}({', '.join(given)})")
    return out


def _loop(w: Writer, s: Def, n: str) -> tuple[str, str]:
    """The addresses of the loop and of its data."""
    assert s.var is not None
    dtypes = (s.args[0].type.dtype, s.var.type.dtype)
    letter = LETTERS[next(t for t in dtypes if is_complex(t))]

    def named(name: str) -> list[str]:
        libraries = (("fourier", ["ptr"] * 4), ("fourier_data", []))
        return [f"@{w.program.routine(m, f'{name}_{letter}', given)}" for m, given in libraries]

    if s.op is not transforms.rfft:
        loop, data = named("ifft" if s.params.get("inverse") else s.op.name)
        return loop, data
    if is_constant(n):
        loop, data = named("rfft_n_odd" if int(n) % 2 else "rfft_n_even")
        return loop, data
    odd = w.do(f"trunc i64 {n} to i1")
    loop, data = (
        w.choose(odd, a, b, "ptr")
        for a, b in zip(*map(named, ("rfft_n_odd", "rfft_n_even")), strict=True)
    )
    return loop, data


def _others(w: Writer, x: Ref, out: Ref, axis: int) -> list[Axis]:
    """The axes besides that of the transform, of a contiguous operand as few as possible.

    The last one is the loop's: as in NumPy one with several places, which it transforms at once.
    """
    found = list(zip(x.dims, x.strides, out.strides, strict=True))
    before, after = found[:axis], found[axis + 1 :]
    if x.layout != "C":
        return [*before, *after] or [("1", "0", "0")]
    outer, inner = _together(w, before), _together(w, after)
    if not after or not before:
        return [inner if after else outer]
    single = w.do(f"icmp eq i64 {inner[0]}, 1")
    return [_chosen(w, single, *each) for each in ((inner, outer), (outer, inner))]


def _chosen(w: Writer, condition: str, a: Axis, b: Axis) -> Axis:
    n, step, to = (w.choose(condition, *each) for each in zip(a, b, strict=True))
    return n, step, to


def _together(w: Writer, axes: Sequence[Axis]) -> Axis:
    """Neighbouring axes of contiguous arrays as one."""
    _, step, to = axes[-1] if axes else ("1", "0", "0")
    return w.items([n for n, _, _ in axes]), step, to


def _text(kind: str, axes: int) -> str:
    """A function that calls a loop for each place of all axes but the last."""
    names = ["n", "m", "step", "to.step"]
    names += [f"{name}{k}" for k in range(axes) for name in ("n", "step", "to.step")]
    params = ", ".join(
        [*(f"ptr %{p}" for p in ("x", "to", "loop", "data")), *(f"i64 %{n}" for n in names)]
    )
    last, at, to = axes - 1, "%x", "%to"
    lines = [
        "entry:",
        f"%one = alloca {kind}, align 8",
        f"store {kind} {decimal(1.0, 'f32' if kind == 'float' else 'f64')}, ptr %one",
        *_stored("counts", [f"%n{last}", "%n", "%m"], "i64"),
        *_stored("steps", [f"%step{last}", "0", f"%to.step{last}", "%step", "%to.step"], "i64"),
        "%args = alloca [3 x ptr], align 8",
    ]
    before = "entry"
    for k in range(last):
        lines += [
            f"br label %head{k}",
            f"head{k}:",
            f"%k{k} = phi i64 [ 0, %{before} ], [ %next{k}, %latch{k} ]",
            f"%more{k} = icmp slt i64 %k{k}, %n{k}",
            f"br i1 %more{k}, label %body{k}, label %done{k}",
            f"body{k}:",
            f"%skip{k} = mul nsw i64 %k{k}, %step{k}",
            f"%to.skip{k} = mul nsw i64 %k{k}, %to.step{k}",
            f"%x{k} = getelementptr i8, ptr {at}, i64 %skip{k}",
            f"%to{k} = getelementptr i8, ptr {to}, i64 %to.skip{k}",
        ]
        at, to, before = f"%x{k}", f"%to{k}", f"body{k}"
    lines += [
        *_elements("args", [at, "%one", to], "ptr"),
        "call void %loop(ptr %args, ptr %counts, ptr %steps, ptr %data)",
    ]
    for k in reversed(range(last)):
        lines += [
            f"br label %latch{k}",
            f"latch{k}:",
            f"%next{k} = add nsw i64 %k{k}, 1",
            f"br label %head{k}",
            f"done{k}:",
        ]
    lines.append("ret void")
    return f"void @NEST({params}) noinline nounwind {{\n" + "\n".join(lines) + "\n}"


def _stored(name: str, values: Sequence[str], kind: str) -> list[str]:
    made = f"%{name} = alloca [{len(values)} x {kind}], align 8"
    return [made, *_elements(name, values, kind)]


def _elements(name: str, values: Sequence[str], kind: str) -> list[str]:
    lines = []
    for k, value in enumerate(values):
        lines.append(f"%{name}.{k} = getelementptr {kind}, ptr %{name}, i64 {k}")
        lines.append(f"store {kind} {value}, ptr %{name}.{k}, align 8")
    return lines
