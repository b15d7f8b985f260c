"""Runs the main job and reports it: fit, gradient check, timing, printed adjoint, picture.

The fit is SciPy's BFGS on the logarithms of the six unknowns, fed by ``flow.value_and_grad(loss)``.
The report never shows a figure that was not computed in this run, except the column "known".
"""

import statistics
import time
from pathlib import Path

import numpy as np

import srcgrad as flow
from srcgrad.demo import lynx_hare
from srcgrad.demo.lynx_hare import KNOWN, KNOWN_LOSSES, NAMES, START, SUBSTEPS, UNITS

PICTURE = "lynx_hare_fit.png"
ADJOINT_LINES = 24


def main(output=PICTURE, whole_adjoint=False):
    """Runs the job, saves the picture at ``output``; returns 0 if the known answer was reached."""
    years, pelts = lynx_hare.record()
    start = np.log(START)
    value_and_grad = flow.value_and_grad(lynx_hare.loss)
    loss = flow.compile(lynx_hare.loss)
    print(f"Hudson Bay lynx and hare, {years[0]}-{years[-1]}: {pelts.size} counts, 6 unknowns\n")
    _first_call("gradient", value_and_grad, start, pelts)
    _first_call("loss", loss, start, pelts)
    gradient_agrees = report_gradient(value_and_grad, start, pelts)
    theta, fitted = fit(value_and_grad, start, pelts)
    fit_agrees = report_fit(theta, fitted)
    report_timing(value_and_grad, loss, np.log(theta), pelts)
    report_adjoint(value_and_grad, whole_adjoint)
    draw(Path(output), years, pelts, theta)
    return 0 if gradient_agrees and fit_agrees else 1


def fit(value_and_grad, start, pelts):
    """Returns the fitted unknowns (6,) and the loss there; prints a line per BFGS iteration."""
    from scipy.optimize import minimize

    print("\niteration      loss   alpha    beta   gamma   delta    hare    lynx")

    def show(count, value, log_theta):
        columns = " ".join(f"{x:7.4g}" for x in np.exp(log_theta))
        print(f"{count:9d} {value:9.5f} {columns}")

    iterations = 0

    def progress(intermediate_result):
        nonlocal iterations
        iterations += 1
        show(iterations, intermediate_result.fun, intermediate_result.x)

    show(0, value_and_grad(start, pelts, SUBSTEPS)[0], start)
    began = time.perf_counter()
    result = minimize(
        value_and_grad, start, args=(pelts, SUBSTEPS), jac=True, method="BFGS", callback=progress
    )
    seconds = time.perf_counter() - began
    print(f"BFGS: {result.nfev} gradients in {1e3 * seconds:.1f} ms. {result.message}")
    return np.exp(result.x), float(result.fun)


def report_fit(theta, fitted):
    """Prints the fit beside the known answer; returns whether they agree to three digits."""
    print(f"\n{'parameter':>10} {'start':>8} {'fitted':>8} {'known':>8}  unit")
    for name, start, value, known, unit in zip(NAMES, START, theta, KNOWN, UNITS, strict=True):
        print(f"{name:>10} {start:8.3g} {value:8.3g} {known:8.3g}  {unit}")
    print(f"{'loss':>10} {KNOWN_LOSSES[0]:8.5g} {fitted:8.5g} {KNOWN_LOSSES[1]:8.5g}")
    agrees = np.allclose(theta, KNOWN, rtol=2e-3) and abs(fitted - KNOWN_LOSSES[1]) < 1e-3
    if not agrees:
        print("The fit missed the known answer.")
    return agrees


def central_differences(function, point, width=1e-5):
    """Returns the gradient of ``function`` at ``point`` (n,) by central differences."""
    moves = width * np.eye(len(point))
    return np.array([(function(point + m) - function(point - m)) / (2 * width) for m in moves])


def report_gradient(value_and_grad, start, pelts):
    """Prints the gradient at the start beside central differences; returns whether they agree."""
    _, gradient = value_and_grad(start, pelts, SUBSTEPS)
    plain = central_differences(lambda x: lynx_hare.loss(x, pelts, SUBSTEPS), start)
    error = np.max(np.abs(gradient - plain)) / np.max(np.abs(plain))
    print("\ngradient at the start, against central differences of the plain Python loss:")
    for name, ours, theirs in zip(NAMES, gradient, plain, strict=True):
        print(f"{'log ' + name:>14} {ours:14.8f} {theirs:14.8f}")
    print(f"greatest difference over greatest entry: {error:.1e}")
    return bool(error < 1e-6)


def median_seconds(call, samples=31, batch_seconds=2e-3):
    """Returns the median time of one ``call()`` over ``samples`` batches of equal length."""
    began = time.perf_counter()
    call()
    batch = max(1, int(batch_seconds / (time.perf_counter() - began)))
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        for _ in range(batch):
            call()
        times.append((time.perf_counter() - began) / batch)
    return statistics.median(times)


def report_timing(value_and_grad, loss, point, pelts):
    """Prints the median time of one gradient and of one loss, both compiled, and their ratio."""
    one_gradient = median_seconds(lambda: value_and_grad(point, pelts, SUBSTEPS))
    one_loss = median_seconds(lambda: loss(point, pelts, SUBSTEPS))
    plain = median_seconds(lambda: lynx_hare.loss(point, pelts, SUBSTEPS), samples=7)
    print(f"\none loss with its gradient {1e6 * one_gradient:9.1f} us")
    print(
        f"one compiled loss          {1e6 * one_loss:9.1f} us, ratio {one_gradient / one_loss:.2f}"
    )
    print(f"one loss in plain Python   {1e6 * plain:9.1f} us")


def report_adjoint(value_and_grad, whole):
    """Prints the adjoint program, or where its reverse sweep starts and how to see the rest."""
    lines = value_and_grad.source("adjoint").rstrip().splitlines()
    first = next(k for k, line in enumerate(lines) if "# grad of:" in line)
    shown = lines if whole else lines[first : first + ADJOINT_LINES]
    print("\nthe adjoint, as source:\n")
    if not whole:
        print(f"    {lines[0]}\n        ... {first - 1} lines of the forward sweep")
    print("\n".join("    " + line for line in shown))
    if not whole:
        rest = len(lines) - first - len(shown)
        print(f"        ... {rest} more lines: python -m srcgrad demo --adjoint")


def draw(output, years, pelts, theta):
    """Saves the picture at ``output``, or says that matplotlib is missing."""
    try:
        from srcgrad.demo import picture

        picture.save(output, years, pelts, theta)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "matplotlib":
            raise
        print("\nNo picture: matplotlib is not installed (pip install 'srcgrad[demo]').")
    else:
        print(f"\nsaved {output}")


def _first_call(name, function, start, pelts):
    began = time.perf_counter()
    function(start, pelts, SUBSTEPS)
    print(f"{name} ready (compiled or read from the cache) in {time.perf_counter() - began:.2f} s")
