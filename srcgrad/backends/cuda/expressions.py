"""The expression of a scalar primitive in a kernel, and the texts of the functions it calls.

They are those of the cpu's text if numba-cuda has the same function; the others are here, mostly
functions of libdevice. An operation in neither table has no kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from srcgrad.backends.cpu.text.expressions import TEMPLATES, named_dtype, scalar
from srcgrad.ir.nodes import Atom, Def, Var
from srcgrad.ir.text import OURS
from srcgrad.ir.types import is_complex
from srcgrad.operation import Primitive
from srcgrad.primitives import REGISTRY, arcs, bessel, memory
from srcgrad.primitives import elementwise as e
from srcgrad.primitives import error_functions as ef
from srcgrad.primitives import special as sp
from srcgrad.primitives.incomplete import BY_SHAPES

# of a block: powers of two, for the trees of sums; and of one that runs a trip
THREADS = 128
WARP, MOST_THREADS = 32, 256

# libdevice's names for float64; those for float32 end with an f
LIBDEVICE: dict[Primitive, str] = {
    e.floor: "floor", e.ceil: "ceil", e.trunc: "trunc", e.rint: "rint", e.exp2: "exp2",
    e.cbrt: "cbrt", sp.gammaln: "lgamma", sp.gammafn: "tgamma", ef.erfinv: "erfinv",
    ef.erfcinv: "erfcinv", ef.erfcx: "erfcx", ef.ndtr: "normcdf", ef.ndtri: "normcdfinv",
    bessel.bessel_j0: "j0", bessel.bessel_j1: "j1", bessel.bessel_y0: "y0", bessel.bessel_y1: "y1",
}  # fmt: skip
OTHERS = {
    e.signbit: "math.copysign(1.0, a) < 0",
    e.fmod: "math.fmod(a, b)",
    e.logaddexp: "logaddexp(a, b)",
    sp.rgamma: "rgamma(a)",
    sp.xlogy: "xlogy(a, b)",
    sp.xlog1py: "xlog1py(a, b)",
    memory.wrap: "a + b if a < 0 else a",
    memory.index: "a + b if a < 0 else a",
    memory.slice_start: "slice_end(a, b, c)",
    memory.slice_stop: "slice_end(a, b, c)",
    memory.broadcast_dim: "b if a == 1 else a",
    memory.trips: "trips(a, b, c)",
}
_SCIPY = {*map(REGISTRY.__getitem__, sp.SPECIAL), *BY_SHAPES}
# numba-cuda has the functions of math: np.arcsin is math.asin
_SAME = {
    op: text.replace("np.arc", "math.a").replace("np.", "math.")
    for op, text in TEMPLATES.items()
    if op not in _SCIPY
}
COMPLEX = (
    {op: _SAME[op] for op in (e.add, e.sub, e.mul, e.div, e.neg, e.pow, e.eq, e.ne, e.where)}
    | {op: _SAME[op] for op in (e.real, e.imag, e.conj, e.abs, e.absorb, e.stop_gradient)}
    | {op: f"cmath.{op.name}(a)" for op in (e.exp, e.log, e.sqrt, e.isnan, e.isinf, e.isfinite)}
    | {op: f"cmath.{op.name[0]}{op.name[3:]}(a)" for op in (arcs.arcsin, arcs.arccos, e.arctan)}
    | {op: f"complex_{op.name}(a)" for op in (e.sin, e.cos, e.sinh, e.cosh)}
)
KERNEL = {
    suffix: {**_SAME, **OTHERS, **{op: f"libdevice.{n}{suffix}(a)" for op, n in LIBDEVICE.items()}}
    for suffix in ("", "f")
} | {"c": COMPLEX}
MODULES = ("srcgrad.backends.cpu.kernels", "srcgrad.backends.cuda.functions")


def expression(s: Def, operands: list[ast.expr]) -> ast.expr | None:
    """The expression of a scalar definition; None if kernels do not have it."""
    dtype = s.args[-1].type.dtype
    kind = "c" if is_complex(dtype) else "f" if dtype == "f32" else ""
    return scalar(s, operands, KERNEL[kind])


def is_written(s: Def) -> bool:
    """Whether kernels can have a scalar definition."""
    if s.var is None or not s.args:
        return False
    return expression(s, [ast.Name(id="x")] * len(s.args)) is not None


def combined(op: Primitive, v: Var, a: str, b: str) -> str:
    """The expression that combines two values of trips."""
    atoms: tuple[Atom, ...] = (v, v)
    made = expression(Def(v, op, atoms), [ast.Name(id=a), ast.Name(id=b)])
    assert made is not None
    return ast.unparse(made)


# ---- functions ----
def called_by(text: str) -> list[str]:
    """The texts of the functions that a text calls, each after its own callees."""
    found: dict[str, str] = {}

    def visit(text: str) -> None:
        for name in re.findall(r"(?<![.\w])(\w+)\(", text):
            if name in sources() and name not in found:
                visit(sources()[name].partition(":\n")[2])
                found[name] = sources()[name]

    visit(text)
    return list(found.values())


@cache
def sources() -> dict[str, str]:
    """The texts of the functions that kernels may call, by their names."""
    found: dict[str, str] = {}
    for module in MODULES:
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                node.decorator_list = []
                found[node.name] = ast.unparse(node) + "\n"
    return found


def block_function(op: Primitive, v: Var, threads: int = THREADS) -> tuple[str, str]:
    """The name and text of a function that combines values of a block's threads, in a fixed tree.

    There are `threads` of them at most; any power of two makes a tree.
    """
    name = f"{OURS}block_{op.name}_{v.type.dtype}"
    lines = [
        f"def {name}(value):",
        f"    values = cuda.shared.array({threads}, {named_dtype(v.type.dtype)})",
        "    place = cuda.threadIdx.x",
        "    values[place] = value",
        "    cuda.syncthreads()",
        "    half = cuda.blockDim.x // 2",
        "    while half > 0:",
        "        if place < half:",
        f"            values[place] = {combined(op, v, 'values[place]', 'values[place + half]')}",
        "        cuda.syncthreads()",
        "        half //= 2",
        "    result = values[0]",
        "    cuda.syncthreads()",
        "    return result",
    ]
    return name, "\n".join(lines) + "\n"


def taken() -> Iterable[str]:
    """Names that a kernel's own variables must not have."""
    own = {"cuda", "cmath", "libdevice", "flat", "thread", "total", "place", "half", "values"}
    return {*sources(), *own}
