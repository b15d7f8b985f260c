"""A sample call of every function in docs/support.md, from `calls.txt`, and its inputs.

Tests of *every* function (its flags, its results for short arrays) start from these calls. A
function without one needs a reason in `WITHOUT`; `test_samples.py` checks that.
"""

from __future__ import annotations

import ast
import bisect
import cmath
import collections
import contextlib
import copy
import datetime
import functools
import heapq
import inspect
import itertools
import linecache
import logging
import math
import operator
import os
import threading
import time
import types
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import (
    constants,
    fft,
    fftpack,
    integrate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    special,
    stats,
)
from scipy.signal import _peak_finding_utils, _upfirdn
from scipy.spatial import distance

from srcgrad.frontend.formulas.distributions import CONTINUOUS, DISCRETE
from srcgrad.frontend.formulas.registry import FORMULAS
from srcgrad.frontend.handlers.registry import know_all
from srcgrad.frontend.handlers.scipy_stats import ALONE, OF_CONTINUOUS, OF_DISCRETE
from srcgrad.frontend.versions import there

P = inspect.Parameter
BY_PLACE = (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)
SPACE: dict[str, Any] = {
    "np": np, "math": math, "cmath": cmath, "bisect": bisect, "copy": copy,
    "functools": functools, "itertools": itertools, "operator": operator, "fft": fft,
    "constants": constants, "fftpack": fftpack,
    "integrate": integrate, "linalg": linalg, "ndimage": ndimage, "signal": signal,
    "special": special, "stats": stats, "distance": distance, "lapack": linalg.lapack,
}  # fmt: skip


def inputs(rows: int = 3, columns: int = 4, seed: int = 0) -> dict[str, Any]:
    """What the lines below read: new arrays at each call, of lengths that may be 0 or 1.

    `x` `y` `t` are (rows, columns), `x` between 0 and 1, `y` between 1 and 2, `t` of both signs;
    `i` `j` are integers, `b` booleans, `c` complex numbers of that shape; `u` `v` are (columns,)
    and `k` integers of that shape; `s` (columns,) is sorted; `A` `B` are well-conditioned square
    matrices of `rows`, `S` a symmetric positive definite one; `p` `q` are numbers.
    """
    draw = np.random.default_rng(seed)
    shape = (rows, columns)
    A = draw.normal(size=(rows, rows))
    return {
        "x": draw.uniform(0.1, 0.9, shape), "y": draw.uniform(1.1, 1.9, shape),
        "t": draw.normal(size=shape), "i": draw.integers(0, 3, shape),
        "j": draw.integers(1, 4, shape), "b": draw.uniform(size=shape) < 0.5,
        "c": draw.normal(size=shape) + 1j * draw.normal(size=shape),
        "u": draw.uniform(0.1, 0.9, columns), "v": draw.uniform(1.1, 1.9, columns),
        "k": draw.integers(0, 3, columns), "s": np.sort(draw.normal(size=columns)),
        "A": A + 2 * rows * np.eye(rows), "B": draw.normal(size=(rows, rows)) + 3 * np.eye(rows),
        "S": A @ A.T + np.eye(rows), "p": 0.7, "q": 1.3,
    }  # fmt: skip


# what not all versions of Python and of the libraries have
IN_SOME_VERSIONS = {
    "math": ("sumprod",),
    "itertools": ("batched",),
    "numpy": ("cumulative_prod", "cumulative_sum", "matvec", "row_stack", "unstack", "vecmat"),
}

# distributions, which give another with their arguments, and the methods of that one
MULTIVARIATE = (stats.multivariate_normal, stats.dirichlet)
FROZEN = [
    *(d.of for d in (*CONTINUOUS, *DISCRETE)), *MULTIVARIATE,
    *(getattr(type(of), name) for of, names in ((stats.norm(), OF_CONTINUOUS),
      (stats.poisson(1.0), OF_DISCRETE)) for name in (*names, *ALONE)),
]  # fmt: skip

# classes of sparse matrices, their methods and functions
know_all()


def _formulas_of(module: str) -> list[Any]:
    return [f for f in FORMULAS if str(getattr(f, "__module__", "")).startswith(module)]


OF_MASKED = [f for f, formula in FORMULAS.items() if ".masked_" in formula.__module__]
OF_SPARSE, OF_INTERPOLATORS = _formulas_of("scipy.sparse"), _formulas_of("scipy.interpolate")

FORMULAS_OF_ROTATIONS = [
    f for f, formula in FORMULAS.items() if formula.__module__.endswith(".rotations")
]

CLOCK = "gives a reading or an identifier: tests/frontend/test_clocks.py"
# functions without numbers to compare: what they do instead
WITHOUT = {
    dict: "makes a container", frozenset: "makes a container", set: "makes a container",
    enumerate: "gives an iterator", filter: "gives an iterator", map: "gives an iterator",
    slice: "makes an index",
    itertools.count: "gives an iterator", itertools.chain.from_iterable: "gives an iterator",
    eval: "evaluates a text: tests/frontend", exec: "runs a text: tests/frontend",
    locals: "gives names: tests/frontend", np.broadcast: "makes an iterator: tests/frontend",
    np.lib.stride_tricks.as_strided: "reads memory as it lies",
    callable: "asks about a kind", np.result_type: "asks about a kind",
    np.isscalar: "asks about a kind",
    **{getattr(time, n): CLOCK for n in (
        "time", "perf_counter", "monotonic", "process_time", "thread_time", "time_ns",
        "perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns",
    )},
    datetime.datetime.now: CLOCK, datetime.datetime.today: CLOCK,
    **dict.fromkeys((uuid.uuid1, uuid.uuid4, os.getpid, os.getppid, threading.get_ident,
                     threading.get_native_id), CLOCK),
    **dict.fromkeys(OF_MASKED, "takes masked arrays: tests/frontend/test_masked_arrays.py"),
    np.asmatrix: "gives a matrix: tests/frontend/test_fields_and_matrices.py",
    np.matrix: "gives a matrix: tests/frontend/test_fields_and_matrices.py",
    np.iterable: "asks about a kind", dir: "asks about an object",
    inspect.getmembers: "asks about an object",
    _upfirdn._output_len: "counts samples",
    **dict.fromkeys((_peak_finding_utils._local_maxima_1d,
                     _peak_finding_utils._select_by_peak_distance,
                     _peak_finding_utils._peak_prominences), "is a part of find_peaks"),
    **dict.fromkeys((np.finfo, np.iinfo, np.issubdtype, np.isdtype, np.can_cast, np.promote_types,
                     np.dtype),
                    "asks about a dtype"),
    **{getattr(of, n): "writes" for of in (logging, logging.Logger)
       for n in ("debug", "info", "warning", "error", "critical")},
    warnings.warn: "writes", warnings.simplefilter: "sets a filter",
    warnings.filterwarnings: "sets a filter",
    **{f: "is of a distribution" for f in FROZEN},
    sparse.issparse: "asks about a kind",
    **dict.fromkeys(OF_SPARSE, "makes or takes a sparse matrix: tests/sparse"),
    **dict.fromkeys(FORMULAS_OF_ROTATIONS, "makes a rotation: frontend/test_rotations.py"),
    **dict.fromkeys(OF_INTERPOLATORS, "interpolates: tests/frontend/test_interpolators.py"),
    **dict.fromkeys((
        optimize.brentq, optimize.bisect, optimize.newton, optimize.fsolve, optimize.root,
        optimize.root_scalar, optimize.fixed_point, integrate.solve_ivp, integrate.odeint,
        integrate.quad, optimize.minimize, optimize.minimize_scalar, optimize.least_squares,
        optimize.leastsq, optimize.curve_fit, optimize.brenth, optimize.ridder, optimize.toms748,
        optimize.fmin, optimize.fmin_bfgs, optimize.fmin_cg, optimize.fmin_powell,
        optimize.fminbound, optimize.brent, optimize.golden, integrate.dblquad,
        integrate.fixed_quad, optimize.anderson, optimize.broyden1, optimize.broyden2,
        optimize.diagbroyden, optimize.excitingmixing, optimize.linearmixing,
        optimize.newton_krylov, optimize.fmin_l_bfgs_b, optimize.fmin_tnc, optimize.fmin_slsqp,
        optimize.fmin_cobyla, optimize.fmin_ncg, optimize.approx_fprime,
        optimize.differential_evolution, optimize.dual_annealing, optimize.shgo,
        optimize.basinhopping, optimize.direct, optimize.brute,
        integrate.nquad, integrate.tplquad, integrate.quad_vec,
    ), "takes a function"),
    **dict.fromkeys((ndimage.shift, ndimage.zoom, ndimage.affine_transform, ndimage.rotate),
                    "moves an image: tests/frontend/test_moved_images.py"),
    **dict.fromkeys((optimize.Bounds, optimize.LinearConstraint, optimize.NonlinearConstraint),
                    "states limits: tests/solvers/test_scipy_constraints.py"),
    **dict.fromkeys((signal.lti, signal.dlti, signal.TransferFunction, signal.ZerosPolesGain,
                     signal.StateSpace), "makes a system: tests/frontend/test_linear_systems.py"),
    optimize.isotonic_regression: "solves by the library: tests/solvers/test_scipy_isotonic.py",
    **dict.fromkeys((optimize.nnls, optimize.lsq_linear, optimize.linprog),
                    "solves by the library: tests/solvers/test_scipy_bounds.py"),
    **dict.fromkeys((functools.cache, functools.lru_cache, functools.wraps,
                     functools.update_wrapper, contextlib.contextmanager), "makes a function"),
    **dict.fromkeys((collections.deque, collections.OrderedDict, collections.defaultdict,
                     collections.Counter), "makes a container"),
    **dict.fromkeys((heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace,
                     heapq.heappushpop, heapq.nsmallest, heapq.nlargest),
                    "takes a list: tests/cases/chosen_by_the_run.py"),
    **dict.fromkeys((bin, hex, oct), "makes a text"),
    **dict.fromkeys((itertools.cycle, itertools.groupby, itertools.tee,
                     *there(itertools, "batched")),
                    "gives iterators: tests/frontend/test_python_libraries.py"),
    **dict.fromkeys((bisect.insort_left, bisect.insort_right, operator.setitem, operator.delitem),
                    "changes a list: tests/frontend/test_python_libraries.py"),
    collections.OrderedDict.fromkeys: "makes a dict",
    vars: "reads a name", ord: "takes a text", chr: "makes a text",
    collections.namedtuple: "makes a class", types.SimpleNamespace: "makes an instance",
    **dict.fromkeys((np.seterr, np.geterr, np.errstate), "sets how errors are handled"),
    **dict.fromkeys((inspect.signature, inspect.getfullargspec,
                     inspect.Signature.bind, inspect.Signature.bind_partial,
                     inspect.BoundArguments.apply_defaults, inspect.BoundArguments.args.fget,
                     inspect.BoundArguments.kwargs.fget), "asks about a function"),
    globals: "reads a name",
    np.vectorize: "makes a function", np.fromiter: "takes an iterator",
    logging.getLogger: "gives a logger", logging.Logger.isEnabledFor: "asks a logger",
    isinstance: "asks about a kind", type: "asks about a kind", issubclass: "asks about a kind",
    iter: "makes an iterator", next: "takes an item", dict.fromkeys: "makes a dict",
    object.__init__: "makes an instance",
    getattr: "reads a name", hasattr: "reads a name", setattr: "stores to a name",
    delattr: "deletes a name",
    **dict.fromkeys((list.__new__, tuple.__new__, int.__new__, float.__new__), "makes an instance"),
    object.__new__: "makes an instance", object.__setattr__: "stores to a name",
    super: "reads a class", print: "writes", repr: "makes a text", str: "makes a text",
    operator.index: "makes an index", id: "makes a key", functools.partial: "makes a function",
    operator.attrgetter: "makes a function", linalg.get_lapack_funcs: "makes functions",
    operator.itemgetter: "makes a function", operator.methodcaller: "makes a function",
    np.mgrid: "takes an index", np.ogrid: "takes an index", np.ndarray: "is uninitialised",
    np.recarray: "is uninitialised",
    **dict.fromkeys((np.rec.array, np.rec.fromarrays, np.rec.fromrecords), "gives records"),
    **dict.fromkeys((np.ndindex, np.ndenumerate, np.nditer), "gives an iterator"),
    **dict.fromkeys(there(np, "row_stack"), "is deprecated, and is vstack"),
    **{np.dtype(n).type: "converts a number" for n in "?bhilBHILefdFD"},
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """A call, `np.max(t)`: the function, its name `np.max`, and the inputs that the call reads."""

    line: str
    name: str
    function: Any
    reads: tuple[str, ...]
    stores: bool = False

    def source(self, **given: str) -> str:
        """A function `call` of what is read, and of `given`: more arguments of the call by name.

        >>> sample_of(np.max).source(keepdims="flag")
        'def call(t, flag):\\n    return np.max(t, keepdims=flag)\\n'
        """
        tree = ast.parse(self.line, mode="eval").body
        call = _call_in(tree)
        for name, variable in given.items():
            _give(call, self._place(name), name, ast.Name(variable))
        arguments = ", ".join((*self.reads, *given.values()))
        text = ast.unparse(tree)
        body = [text, f"return {self.reads[0]}"] if self.stores else [f"return {text}"]
        return f"def call({arguments}):\n" + "".join(f"    {line}\n" for line in body)

    def _place(self, name: str) -> int | None:
        """Where an argument stands that is given by position."""
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return None
        by_place = [n for n, p in parameters.items() if p.kind in BY_PLACE]
        return by_place.index(name) if name in by_place else None

    def program(self, **given: str) -> Callable[..., Any]:
        """The function of that source, which can be found by `inspect`."""
        return made(self.source(**given))

    def arguments(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """Of `inputs()`, those that the call reads."""
        return tuple(values[n] for n in self.reads)


def made(source: str, **names: Any) -> Callable[..., Any]:
    """The function `call` of a source, which may read `names` as well."""
    file = f"<sample {source}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {**SPACE, **names}
    exec(compile(source, file, "exec"), scope)
    return scope["call"]


def _give(call: ast.Call, place: int | None, name: str, value: ast.expr) -> None:
    """Put an argument in the place where the call has one, or add it by name."""
    call.keywords = [k for k in call.keywords if k.arg != name]
    if place is not None and place < len(call.args):
        call.args[place] = value
    else:
        call.keywords.append(ast.keyword(name, value))


def _call_in(tree: Any) -> ast.Call:
    """The call itself, where a line takes a part of what it gives, calls it, or lists it."""
    while not isinstance(tree, ast.Call):
        tree = tree.elts[0] if isinstance(tree, ast.List) else tree.value
    return tree.func if isinstance(tree.func, ast.Call) else tree


def _sample(line: str, names: set[str], stores: bool) -> Sample:
    tree = ast.parse(line, mode="eval")
    function = _call_in(tree.body).func
    name = ast.unparse(function)
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & names
    return Sample(line, name, eval(name, dict(SPACE)), tuple(sorted(read)), stores)


def _samples() -> tuple[Sample, ...]:
    """The lines of `calls.txt`; those below `# stores` give nothing and change their first."""
    names, section, out = set(inputs()), "", []
    for line in Path(__file__).with_name("calls.txt").read_text().splitlines():
        if line.startswith("#"):
            section = line.removeprefix("# ")
        elif line and not is_missing(line):
            out.append(_sample(line, names, section == "stores"))
    return tuple(out)


def is_missing(line: str) -> bool:
    """Whether the installed versions do not have the function of a line, as some do not."""
    module, _, name = line.partition("(")[0].rpartition(".")
    some = {n for names in IN_SOME_VERSIONS.values() for n in names}
    return name in some and not hasattr(eval(module, dict(SPACE)), name)


SAMPLES = _samples()


def sample_of(function: Any) -> Sample:
    return next(s for s in SAMPLES if s.function is function)
