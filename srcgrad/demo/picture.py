"""Draws the record and the fitted model: populations over time, and one against the other.

The only file of the demo that imports matplotlib; it never opens a window and leaves the caller's
matplotlib backend alone.
"""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from srcgrad.demo import lynx_hare

HARE, LYNX = "#1b7f79", "#c8552b"
STEPS_A_YEAR = 50


def save(output, years, pelts, theta):
    """Saves the picture as a PNG at ``output``; ``theta`` holds the six fitted unknowns."""
    times, path = lynx_hare.trajectory(theta, int(years[-1] - years[0]), STEPS_A_YEAR)
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    over_time, phase = figure.subplots(1, 2, width_ratios=(1.75, 1))
    _over_time(over_time, years, pelts, years[0] + times, path)
    _phase(phase, years, pelts, path)
    figure.suptitle("Hudson Bay pelts, 1900-1920, and the fitted Lotka-Volterra model")
    figure.savefig(output, dpi=150)


def _over_time(axes, years, pelts, times, path):
    for column, name, colour, mark in ((0, "hare", HARE, "o"), (1, "lynx", LYNX, "s")):
        axes.plot(times, path[:, column], color=colour, label=f"{name}, model")
        axes.plot(years, pelts[:, column], mark, color=colour, alpha=0.75, label=f"{name}, record")
    axes.set(xlabel="year", ylabel="pelts (thousands a year)", ylim=(0, None))
    axes.set_xticks(range(int(years[0]), int(years[-1]) + 1, 4))
    axes.legend(ncols=2, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.0))
    axes.set_ylim(top=1.25 * max(pelts.max(), path.max()))
    axes.spines[["top", "right"]].set_visible(False)


def _phase(axes, years, pelts, path):
    axes.plot(path[:, 0], path[:, 1], color="0.25", label="model")
    axes.plot(pelts[:, 0], pelts[:, 1], "o", color="0.55", label="record, every third year named")
    for year, place in list(zip(years, pelts, strict=True))[::3]:
        axes.annotate(str(year), place, (5, 4), textcoords="offset points", fontsize=8)
    axes.set(xlabel="hare (thousands a year)", ylabel="lynx (thousands a year)")
    axes.set(xlim=(0, None), ylim=(0, 1.25 * max(pelts[:, 1].max(), path[:, 1].max())))
    axes.legend(frameon=False, loc="upper right")
    axes.spines[["top", "right"]].set_visible(False)
