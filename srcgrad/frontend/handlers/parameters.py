"""Lists, by name, the parameters of library functions that must be static.

NumPy, SciPy and PyTorch use one name for a parameter of one meaning in all their functions. Those
listed as static determine the program: axes, counts, flags, modes. A run-time integer or bool
passed for one is specialized on: each value has a program of its own. Any other run-time value is
refused. tests/frontend/test_parameters.py lists the others. Where a name has several meanings and
must be static, its annotation is `Known`; where it must not, `OfTheRun`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.ir.nodes import Var
from srcgrad.tree import leaves, mapped

FLAGS = frozenset({
    "adjoint", "allow_singular", "approx_grad", "assume_unique", "assume_valid", "balanced",
    "cache", "calc_q", "ceil_mode", "check_finite", "checks", "col_deriv", "complex_func",
    "compute_expm", "compute_uv", "copy", "count_include_pad", "degrees", "dense_output", "density",
    "derivative", "descending", "disp", "eigvals_only", "endpoint", "equal_nan", "equal_var",
    "exact", "fisher", "flush", "full_matrices", "full_output", "grid_mode", "has_aux", "hermitian",
    "ilp64", "include_initial", "inclusive", "increasing", "input_onesided", "interp", "invert",
    "keepdim", "keepdims", "largest", "locally_biased", "lower", "orthogonalize", "overwrite_a",
    "overwrite_ab", "overwrite_b", "overwrite_data", "overwrite_input", "overwrite_x", "p_indices",
    "padded", "permute_l", "pivoting", "prefilter", "real", "repetition", "reshape", "retall",
    "retstep", "return_counts", "return_ids", "return_index", "return_inverse", "return_onesided",
    "return_rank", "return_sign", "returned", "reverse", "rowvar", "scalar_first", "show", "sorted",
    "sparse", "stable", "strict", "subok", "tfirst", "training", "transposed", "truncated",
    "unbiased", "unit_diagonal", "use_umfpack", "vectorized", "wrap", "writeable", "zero_phase",
})  # fmt: skip
NAMES = frozenset({
    "UPLO", "alternative", "api_version", "assume_a", "boundary", "buffersize", "casting",
    "device", "doc", "dtype", "excluded", "flags", "force", "format", "ftype", "indexing",
    "interpolation", "itershape", "kind", "lapack_driver", "line_search", "method", "metric",
    "mode", "nan_policy", "norm", "optimize", "op_axes", "op_dtypes", "op_flags", "order",
    "otypes", "permc_spec", "plan", "quadrature", "reduction", "reduction_method", "requirements",
    "scaling", "seq", "side", "signature", "singular", "trim",
})  # fmt: skip
# axes and counts, with their names in error texts
COUNTS = {
    **dict.fromkeys(
        (
            "axis", "axis1", "axis2", "axisa", "axisb", "axisc", "baxis", "caxis", "outaxis", "dim",
            "axes", "dims", "freq_axis", "time_axis",
        ),
        "an axis",
    ),
    "decimals": "decimals", "digits": "digits",
    "edge_order": "the order at the edges", "ndim": "the number of axes", "ndmin": "ndmin",
    "offset": "the offset of a diagonal", "trans": "trans",
}  # fmt: skip


def known_arguments(
    it: Interpreter, handler: Callable, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments, with those of static parameters made static."""
    places, named, rest = _known(handler)
    names = [*places, *[rest] * max(len(args) - len(places), 0)]
    args = [known(it, v, node, name) if name else v for v, name in zip(args, names, strict=False)]
    return args, {n: known(it, v, node, n) if n in named else v for n, v in kwargs.items()}


def known(it: Interpreter, v: Any, node: Node, name: str) -> Any:
    """A static value; restarts with a specialization on any run-time integer in it."""
    if isinstance(v, Var):
        return it.static_int(v, node, COUNTS.get(name, f"'{name}'"))
    if not isinstance(v, tuple | list) or not any(isinstance(p, Var) for p in leaves(v)):
        return v
    return mapped(v, lambda p: known(it, p, node, name))


@functools.cache
def _known(handler: Callable) -> tuple[tuple[str, ...], frozenset[str], str]:
    """A handler's static parameters: by position ("" if not), all names, that of `*args`."""
    own = list(inspect.signature(handler).parameters.values())
    own = own[2:] if [p.name for p in own[:2]] == ["it", "node"] else own
    names = frozenset(p.name for p in own if is_known(p) and p.kind is not p.VAR_POSITIONAL)
    places = tuple(p.name if p.name in names else "" for p in own if p.kind in BY_PLACE)
    rest = next((p.name for p in own if p.kind is p.VAR_POSITIONAL and is_known(p)), "")
    return places, names, rest


P = inspect.Parameter
BY_PLACE = (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)


def is_known(p: inspect.Parameter) -> bool:
    """Whether a parameter must be static."""
    listed = p.name in FLAGS or p.name in NAMES or p.name in COUNTS
    return p.annotation == "Known" or (listed and p.annotation != "OfTheRun")
