"""Every parameter of every handler and formula is listed as static or as a run-time value."""

import inspect
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.formulas.registry import FORMULAS
from srcgrad.frontend.handlers.parameters import COUNTS, FLAGS, NAMES, is_known
from srcgrad.frontend.handlers.registration import FUNCTIONS, METHODS
from srcgrad.frontend.handlers.registry import OwnSource, know_all
from srcgrad.frontend.values import Closure, Formatted, Range
from srcgrad.ir.nodes import Const, Unknown, Var
from srcgrad.ir.types import INT

# arrays, numbers and functions of the program; counts that may be run-time values, or that the
# handler makes static itself
OF_THE_RUN = frozenset({
    "A", "A_eq", "A_ub", "b_eq", "b_ub", "integrality", "lsmr_maxiter", "lsmr_tol", "lsq_solver",
    "max_iter", "Dfun", "bands", "desired", "dy", "numtaps",
    "M", "N", "X", "XA", "XB", "_", "__", "what", "a", "a1", "a2", "a_max", "a_min", "abs_tol",
    "absolute_sigma", "action", "all", "alpha", "angles", "append", "ar", "ar1", "ar2", "arg1",
    "argnums", "args", "arr", "array", "arrays", "arrays_and_dtypes", "ary", "assume_sorted", "at",
    "atol", "aweights", "b", "band", "base", "bbox", "bc_type", "beta", "bias", "bins", "bound",
    "bounds", "bounds_error", "bp", "bracket", "c", "c_or_r", "callback", "category", "changes",
    "choicelist", "choices", "classes", "cls", "code", "columns", "condition", "condlist",
    "constraints", "coordinates", "correction", "count", "cov", "cval", "d", "data", "ddof",
    "default", "deg", "delta", "der", "destination", "diag", "diagonals", "diff_step", "dimensions",
    "endwith", "hard_mask", "keep_mask", "mapping", "shrink",
    "discont", "dst", "dx", "dydx", "element", "end", "epsabs", "epsfcn", "epsrel", "events", "ext",
    "file",
    "extrapolate", "f", "f_scale", "factor", "fields", "fill_value", "fillvalue", "filt", "fn",
    "formula", "fp", "fprime", "fprime2", "ftol", "full", "fun", "func", "func1d", "funclist",
    "function", "functions", "fweights", "given", "grad_position", "gtol", "h", "h0",
    "hess", "i", "steps", "strides",
    "hessp", "hi", "hmax", "hmin", "in1", "in2", "ind", "index", "indices", "indices_or_sections",
    "initial", "input", "item", "items", "iter", "ixpr", "jac", "jac_sparsity", "k", "key", "keys",
    "keywords", "kth", "kwargs", "kx", "ky", "leaves", "left", "level", "library", "like", "limit",
    "limits", "limlst", "lmbda", "lo", "loop", "loss", "m", "made", "mask", "max", "max_nfev",
    "maxfev", "maxit", "maxiter", "maxp1", "maxsize", "mean", "memo", "memory", "message", "min",
    "minlength", "ml", "mu", "multi_index", "mxhnil", "mxordn", "mxords", "mxstep", "n", "name",
    "named", "names", "nan", "neginf", "new_shape", "newshape", "num", "obj", "of_nothing",
    "offsets", "options", "ord", "origin", "other", "others", "out", "output", "over", "own",
    "owner", "p", "p0", "pad_width", "per", "period", "phi", "places", "points", "posinf",
    "prepend", "printmessg", "pyfunc", "q", "quat", "quiet", "r", "radius", "range", "rcond",
    "reason", "rel_tol", "repeat", "repeats", "reps", "residual", "rhs", "right", "rotvec", "rows",
    "rtol", "run", "s", "sections", "segments", "self", "sep", "seq_of_zeros", "settings", "shape",
    "shift", "sigma", "size", "solver", "solver_args", "source", "spacing", "src", "stacklevel",
    "start", "step", "stop", "structure", "t", "t0", "t_eval", "t_span", "tangents", "task", "tck",
    "tcrit", "tensor", "test_elements", "times", "to_begin", "to_end", "tol", "tr_options",
    "tr_solver", "tree_", "truncate", "type", "type1", "type2", "typed", "tz", "u", "upper", "v",
    "vals", "value", "values", "variable", "verbose", "w", "way_out", "weight", "weights", "where",
    "window_shape", "wopts", "workers", "wrapped", "wrapper", "wvar", "x", "x0", "x1", "x2",
    "x_scale", "xb", "xdata", "xe", "xi", "xp", "xs", "xtol", "y", "y0", "ydata", "yi", "z", "zi",
    "percentile", "rank", "number", "ndigits", "footprint",
    "brack", "c1", "c2", "direc", "epsilon", "gfun", "hess_inv0", "hfun", "initial_simplex",
    "maxfun", "xrtol",
    "T", "accept", "accept_test", "init", "initial_temp", "interval", "iters", "kernel_size",
    "minimizer_kwargs", "mutation", "niter", "niter_success", "no_local_search", "polish",
    "popsize", "recombination", "restart_temp_ratio", "rng", "sampling_method", "seed", "stepsize",
    "states", "stepwise_factor", "strategy", "take_step", "target_accept_rate", "updating", "visit",
    "volume",
    "F", "acc", "accuracy", "alphamax", "avextol", "cache_size", "catol", "cons", "consargs",
    "eqcons", "eta", "f_eqcons", "f_ieqcons", "f_rtol", "f_tol", "factr", "fhess", "fhess_p",
    "fmin", "fprime_eqcons", "fprime_ieqcons", "ieqcons", "inner_M", "inner_maxiter", "iprint",
    "maxCGit", "max_rank", "maxls", "messages", "opts", "outer_k", "pgtol", "qfun", "ranges",
    "rdiff", "rescale", "rfun", "rhobeg", "rhoend", "scale", "stepmx", "tol_norm", "w0",
    "x_rtol", "x_tol", "xin", "xk",
    "globals", "locals", "default_factory", "diff_n", "gamma", "groups", "heap", "iterable", "last",
    "angle", "matrix", "maxlen", "output_shape", "zoom",
    "Ns", "eps", "f_min", "f_min_rtol", "finish", "finite_diff_jac_sparsity",
    "finite_diff_rel_step", "keep_feasible", "lb", "len_tol", "ub", "vol_tol",
    "detrend", "down", "fs", "in_len", "len_h", "nfft", "noverlap", "nperseg", "sos", "up",
    "a_band", "e", "select_range", "distance", "peaks", "priority", "wlen",
    "B", "C", "D", "U", "X0", "Zxx", "center", "compare", "den", "diags", "dt", "exp", "gain", "j",
    "longer", "mod", "pk", "poles", "popmean", "proportiontocut", "qk", "scores", "selectors",
    "system", "v1", "v2", "whole", "zeros",
    "bit_generator", "generator", "high", "lambd", "loc", "low", "parts", "pvals", "replace",
    "shuffle",
    "window", "mrp", "object", "predicate", "rotations", "theta",
})  # fmt: skip


def parameters() -> set[inspect.Parameter]:
    know_all()
    handlers: set[Any] = {*FUNCTIONS.values(), *METHODS.values(), *FORMULAS.values()}
    handlers -= {h for h in handlers if isinstance(h, OwnSource)}
    found = {p for h in handlers for p in inspect.signature(h).parameters.values()}
    return {p for p in found if p.name not in ("it", "node")}


def test_each_is_known_or_of_the_run():
    of_the_run = {p for p in parameters() if not is_known(p) and p.annotation != "OfTheRun"}
    unsaid = {p.name for p in of_the_run} - OF_THE_RUN
    assert not unsaid, f"say here or in frontend/handlers/parameters.py what these are: {unsaid}"


def test_no_name_is_both():
    assert not (FLAGS | NAMES | COUNTS.keys()) & OF_THE_RUN


# ---- what stands for a value of the run ----
X = Var("x", INT)


@pytest.mark.parametrize(
    "asked",
    [
        lambda: bool(X), lambda: not X, lambda: X == 1, lambda: X in (None, "fro"),
        lambda: X == "x", lambda: bool(Const(1, INT)), lambda: Const(1, INT) == 1,
        lambda: bool(Range(0, X, 1)), lambda: bool(Formatted("{}", [X])),
        lambda: not Closure(None, {}, [], [], None, "f"),
    ],
)  # fmt: skip
def test_it_has_no_truth_and_equals_no_constant(asked: Any):
    with pytest.raises(Unknown):
        asked()


def test_variables_are_themselves():
    assert Var("x", INT) != X and X in (Const(1, INT), X) and {X: 1}[X] == 1


# ---- one program for each value ----
def reduced(x, keep=False):
    return np.sum(x * x, axis=0, keepdims=keep)


def test_each_value_has_its_own_program():
    f, x = flow.compile(reduced, target="python"), np.ones((2, 3))
    shapes = [f(x, *keep).shape for keep in ((True,), (), (False,), (1,), (0,), (True,))]
    assert shapes == [(1, 3), (3,), (3,), (1, 3), (3,), (1, 3)]


def test_what_is_known_has_no_derivative():
    def f(x, p):
        return np.linalg.norm(x, p) * p

    g, x = flow.compile(f, target="python"), np.eye(2)
    assert flow.jvp(g, (x, 1.0), (x, None))[1] == 1.0
    for asked in (lambda: flow.jvp(g, (x, 1.0), (x, 1.0)), lambda: flow.grad(g, 1)(x, 1.0)):
        with pytest.raises(flow.UnsupportedError, match="has no derivative"):
            asked()
