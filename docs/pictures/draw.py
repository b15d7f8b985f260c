"""Draws the pictures of the gallery from the examples: `python docs/pictures/draw.py [NAME ...]`.

Each is computed by the example itself, and saved beside this file as an SVG.
"""

import contextlib
import os
import sys
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import srcgrad as flow

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
os.environ["SOURCE_DATE_EPOCH"] = "0"  # the same file each time
rcParams["svg.hashsalt"] = "srcgrad"
rcParams["svg.fonttype"] = "none"
TEAL, RUST, GREY = "#1b7f79", "#c8552b", "0.6"


def axes_of(width=7.0, height=3.2, **labels):
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set(**labels)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def burgers_inversion():
    """The initial state of a flow, found from its final state."""
    from examples.burgers_inversion import inversion

    x, truth, observed, fit = inversion()
    figure, axes = axes_of(xlabel="x", ylabel="velocity")
    axes.plot(x, truth, color=GREY, linewidth=5, label="initial state")
    axes.plot(x, fit.x, color=TEAL, label="initial state, found")
    axes.plot(x, observed, "o", color=RUST, markersize=4, label="final state, observed")
    axes.legend(frameon=False)
    return figure


def orbit():
    """The velocities of a star over one period, before and after the fit."""
    from examples import orbit as example

    guess = {"period": 10.9, "eccentricity": 0.3, "argument": 0.6, "phase": 1.0, "speed": 40.0}
    fit = flow.scipy.least_squares(example.residuals, guess, x_scale="jac").x
    phase, period = example.TIMES % fit["period"], np.linspace(0.0, fit["period"], 300)
    figure, axes = axes_of(xlabel="days since the start of a period", ylabel="velocity (m/s)")
    axes.errorbar(phase, example.DATA, example.NOISE, fmt="o", color=RUST, markersize=4)
    with at_times(example, period):
        axes.plot(period, example.velocities(fit), color=TEAL, label="fitted orbit")
        axes.plot(period, example.velocities(guess), "--", color=GREY, label="first guess")
    axes.legend(frameon=False)
    return figure


def ode_parameters():
    """Two populations, measured, and the solution of the fitted equations."""
    from examples import ode_parameters as example

    guess = {"rates": np.array([0.9, 0.5, 0.9, 0.4]), "start": np.array([2.0, 1.0])}
    fit = flow.scipy.least_squares(example.residuals, guess).x
    figure, axes = axes_of(xlabel="time", ylabel="population")
    for measured, colour in zip(np.exp(example.DATA), (TEAL, RUST), strict=True):
        axes.plot(example.TIMES, measured, "o", color=colour, markersize=4)
    with at_times(example, np.linspace(0.0, 15.0, 300)):
        found, guessed = np.exp(example.populations(fit)), np.exp(example.populations(guess))
        axes.plot(example.TIMES, found[0], color=TEAL, label="prey")
        axes.plot(example.TIMES, found[1], color=RUST, label="hunters")
        axes.plot(example.TIMES, guessed.T, "--", color=GREY, label=("first guess", "_"))
    axes.legend(frameon=False)
    return figure


@contextlib.contextmanager
def at_times(example, times):
    """The example with other times, as a curve needs them."""
    kept, example.TIMES = example.TIMES, times
    try:
        yield
    finally:
        example.TIMES = kept


def reaction_diffusion():
    """The Brusselator in one dimension, over time, and the pattern of its Jacobian."""
    from examples.reaction_diffusion import A, B, N, rhs

    x = np.linspace(0.0, 1.0, N + 2)[1:-1]
    start = np.column_stack((A + np.sin(2 * np.pi * x), np.full(N, B))).ravel()
    compiled, jac = flow.compile(rhs), flow.sparse_jacobian(rhs)
    times = np.linspace(0.0, 12.0, 150)
    y = solve_ivp(
        lambda t, y: compiled(y), (0.0, 12.0), start, method="BDF", t_eval=times,
        jac=lambda t, y: jac(y),
    ).y  # fmt: skip
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1))
    shown = left.imshow(y[::2], aspect="auto", origin="lower", extent=(0, 12, 0, 1), cmap="viridis")
    left.set(xlabel="time", ylabel="x")
    figure.colorbar(shown, label="u")
    corner = jac(start).toarray()[:40, :40] != 0.0
    right.imshow(corner, cmap="Greys", interpolation="nearest")
    right.set(title="Jacobian, its first 40 rows", xticks=[], yticks=[])
    return figure


def bundle_adjustment():
    """Where the Jacobian of a bundle adjustment is not zero: cameras on the left, then points."""
    from examples.bundle_adjustment import CAMERA, residuals, scene

    truth, observed = scene(6, 80, 60)
    pattern = flow.sparsity(residuals, truth, *observed).toarray()
    figure, axes = axes_of(xlabel="unknowns", ylabel="residuals")
    axes.imshow(pattern, cmap="Greys", aspect="auto", interpolation="nearest")
    axes.axvline(6 * CAMERA - 0.5, color=RUST)
    return figure


def lynx_hare():
    """The record of 1900 to 1920, and the model that was fitted to it."""
    from srcgrad.demo import fit, lynx_hare, picture

    years, pelts = lynx_hare.record()
    theta, _ = fit.fit(flow.value_and_grad(lynx_hare.loss), np.log(fit.START), pelts)
    return lambda path: picture.save(path, years, pelts, theta)


PICTURES = {
    made.__name__: made
    for made in (
        lynx_hare, burgers_inversion, orbit, ode_parameters, reaction_diffusion, bundle_adjustment,
    )
}  # fmt: skip


def draw(name: str, folder: Path = HERE) -> Path:
    path = folder / f"{name}.svg"
    made = PICTURES[name]()
    if isinstance(made, Figure):
        made.savefig(path)
    else:
        made(path)
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        print(draw(name))
