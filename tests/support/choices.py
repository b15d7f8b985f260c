"""Values that tests pass for the parameters of library functions, one parameter at a time.

Flags are recognised by their defaults; other parameters are listed here by name. `DATA` lists the
names of operands: arrays, numbers and functions that a program computes with.
"""

from __future__ import annotations

import inspect

import numpy as np

from srcgrad.frontend.handlers.registry import OwnSource, handler_of
from tests.support.samples import Sample

FLAG = (True, False, 1, 0)
AXIS = (0, 1, -1)
DATA = frozenset({
    "A", "B", "C", "D", "E", "M", "N", "T", "U", "X", "X0", "XA", "XB", "Zxx", "_nil", "a", "a1",
    "a2", "a_band", "a_max", "a_min", "ab", "abs_tol", "alpha", "append", "ar", "ar1", "ar2", "arr",
    "array", "arrays", "ary", "atol", "aweights", "b", "base", "beta", "bins", "blocksize", "bp",
    "c", "c_and_lower", "c_or_cr", "c_or_r", "center", "choicelist", "choices", "compare", "cond",
    "condition", "condlist", "coordinates", "cov", "cval", "d", "data", "default", "dims", "disp",
    "dst", "dx", "e", "element", "exp", "f", "fill_value", "fillvalue", "filt", "fp", "fs", "func",
    "func1d", "funclist", "function", "fweights", "h", "imag", "in1", "in2", "inclusive", "ind",
    "indices", "initial", "input", "iterable", "k", "key", "keys", "l_and_u", "left", "like",
    "limits", "lu_and_piv", "lwork", "m", "mask", "max", "mean", "memo", "min", "multi_index", "n",
    "nan", "neginf", "new_shape", "number", "obj", "object", "out", "p", "period", "phi", "pk",
    "plan", "popmean", "posinf", "predicate", "prepend", "proportiontocut", "prototype", "q", "qk",
    "r", "rcond", "real", "rel_tol", "right", "rng", "rtol", "s", "scale", "scores", "selectors",
    "seq", "seq_of_zeros", "sequence", "shape", "sigma", "sorter", "sos", "src", "start",
    "start_or_stop", "step", "stop", "system", "t", "test_elements", "theta", "to_begin", "to_end",
    "tol", "truncate", "tup", "u", "v", "val", "vals", "values", "variable", "volume", "w",
    "weights", "where", "window_shape", "x", "x0", "x1", "x2", "xp", "y", "z", "zi",
    "bands", "desired", "weight",
})  # fmt: skip
CHOICES: dict[str, tuple] = {
    **dict.fromkeys(
        (
            "axis", "axis1", "axis2", "axisa", "axisb", "axisc", "baxis", "caxis", "outaxis",
            "source", "destination", "time_axis", "freq_axis",
        ),
        AXIS,
    ),
    "axes": ((0, 1), (1, 0), 1, 0), "k": (0, 1, -1), "N": (2, 3), "M": (2, 3), "n": (2, 3, 1),
    "m": (1, 2), "d": (1, 2), "r": (1, 2), "p": (2, 1, np.inf), "deg": (1, 2), "num": (3, 4),
    "decimals": (0, 1, -1), "ndigits": (0, 1, None), "ddof": (0, 1), "correction": (0, 1),
    "edge_order": (1, 2), "ndim": (1, 2), "ndmin": (1, 3), "ndmax": (1, 3), "offset": (0, 1, -1),
    "ord": (None, 1, 2, 0, -1, 3.5, np.inf, -np.inf, "fro", "nuc"), "minlength": (3, 6),
    "trans": (0, 1, 2, "T", "N", "C"), "type": (1, 2, 3, 4, "linear", "constant"),
    "lo": (0, 1), "hi": (None, 2), "i": (2, -1), "diff_n": (0, 1, 2),
    "kth": (0, 1), "repeats": (2, 3), "reps": (2, 3), "shift": (1, 2, True, -1, 1.5),
    "indices_or_sections": (1, 2), "pad_width": (1, 2), "ind": (1, 2), "discont": (1.0, 4.0),
    "footprint": (None, [[1, 0], [1, 1]]), "percentile": (50, 0, 100), "rank": (0, 2, -1),
    "radius": (1, 2), "size": (2, 3), "origin": (0, 1, -1), "mod": (3, None), "start": (0, 1),
    "shape": ((2, 4), (3, 4)), "new_shape": ((2, 2), (3, 1)), "dimensions": ((2, 3), (3, 2)),
    "dims": ((3, 3), (4, 4)), "s": ((2, 3), (3, 4)), "l_and_u": ((1, 1), (0, 1)),
    "requirements": (None, "C", ["W", "C"]),
    "right": FLAG, "left": (0.0, 1.0), "cov": FLAG, "keepdims": FLAG, "full": FLAG,
    "up": (1, 2), "down": (1, 2), "nperseg": (4, 5), "noverlap": (1, 2), "nfft": (12, 15),
    "window": ("hann", "boxcar"), "scaling": ("density", "spectrum"), "average": ("mean", "median"),
    "select": ("a", "i", 1), "select_range": (None, (0, 1)), "max_ev": (0, 1),
    "ftype": ("iir", "fir"), "kernel_size": (3, 5), "detrend": ("constant", "linear", False),
    "lwork": (100, 200), "numtaps": (3, 5), "order": ("C", "F", 0, 1),
    "mode": ("full", "same", "valid", "reflect", "wrap", "constant", "edge", "clip", "raise", "r",
             "reduced", "complete", 1),
    "method": ("linear", "lower", "nearest", "direct", "fft", "auto", 1),
    "kind": ("stable", "quicksort", 1), "side": ("left", "right", 1),
    "norm": ("ortho", "forward", "backward", None, 1), "indexing": ("ij", "xy", 1),
    "boundary": ("fill", "wrap", "symm", 1), "metric": ("euclidean", "cityblock", 1),
    "UPLO": ("L", "U", 1), "casting": ("same_kind", "unsafe", 1), "dtype": (np.float32, float, 1),
    "nan_policy": ("propagate", "omit", 1), "extend": ("zero", "complex", 1),
    "singular": ("raise", "lstsq", 1), "assume_a": ("gen", "pos", None, 1),
    "driver": ("evr", "ev", 1), "lapack_driver": ("gelsd", "gesdd", 1), "device": ("cpu", None, 1),
    "workers": (1, 2, None), "optimize": (True, False, "greedy"), "output": (None, np.float32),
    "like": (None, 1), "subset_by_index": (None, (0, 1)), "subset_by_value": (None, (0.0, 9.0)),
    "range": (None, (0.0, 1.0)), "density": (None, True, False), "stable": (None, True, False),
    "descending": (None, True, False),
    "force": ("no", "tomatrix", "tovector"),
    "equal_nan": FLAG, "steps": (None, 1), "copy": FLAG, "orthogonalize": (None, True, False),
    "retstep": FLAG, "repeat": (1, 2), "times": (1, 2), "strict": FLAG,
    # until NumPy 2.4
    "trim": ("f", "b", "fb"),
    "alternative": ("two-sided", "less", 1),
    "interpolation": (None, "lower"), "bias": FLAG, "newshape": ((3, 4), (2, 6)),
}  # fmt: skip
# of functions in C, which do not say what they take
UNSAID = {
    "zip": ("strict",), "itertools.product": ("repeat",), "itertools.repeat": ("times",),
}  # fmt: skip
# what NumPy leaves open: nothing to compare with
OPEN = {("np.unique", "sorted"): "the order of what is not sorted"}
OF_UFUNCS = ("axis", "casting", "dtype", "keepdims", "order", "subok")


def parameters_of(sample: Sample) -> dict[str, tuple]:
    """The parameters that change how a function works, each with values to give to it."""
    if isinstance(sample.function, np.ufunc):
        keepdims = {"keepdims": FLAG, "subok": FLAG}
        return {n: keepdims.get(n) or CHOICES[n] for n in OF_UFUNCS}
    try:
        signature = inspect.signature(sample.function)
    except (TypeError, ValueError):
        return {n: CHOICES[n] for n in UNSAID.get(sample.name, ())}
    given = {p.name: _choices(p, sample) for p in signature.parameters.values()}
    return {n: values for n, values in given.items() if values}


def _choices(p: inspect.Parameter, sample: Sample) -> tuple:
    if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) or (sample.name, p.name) in OPEN:
        return ()
    if isinstance(p.default, bool):
        return FLAG
    if p.name in CHOICES:
        return CHOICES[p.name]
    if p.name in DATA:
        return ()
    if isinstance(handler_of(sample.function), OwnSource):
        return ()  # its source says what it does with data
    raise AssertionError(f"what is {sample.name}({p.name}=...) given? say so in {__name__}")
