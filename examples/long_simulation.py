"""Find the conductivity of a rod from a long record of the temperature at one place.

Reverse mode would keep each of the many steps. Here it keeps where segments of them begin:
`flow.checkpointed` takes the number of segments, or the memory that there is.
Run it: python examples/long_simulation.py
"""

import numpy as np

import srcgrad as flow

CELLS, STEPS = 1000, 100_000
PLACE = 30


def record(log_k, steps, memory):
    """The temperatures at one place of a rod that is heated at its left end."""
    u, seen, k = np.zeros(CELLS), np.zeros(steps), 0.4 * np.exp(log_k)
    for t in flow.checkpointed(range(steps), memory=memory):
        new = np.empty_like(u)
        new[0], new[-1] = 1.0 + 0.5 * np.sin(1e-4 * t), u[-2]
        new[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = new
        seen[t] = u[PLACE]
    return seen


def misfit(log_k, observed, memory):
    """Half the mean squared distance of a record from the observed one."""
    seen = record(log_k, len(observed), memory)
    return 0.5 * np.mean((seen - observed) ** 2)


def main(steps=STEPS, memory="50MB"):
    x = np.linspace(0.0, 1.0, CELLS)
    observed = record(-0.3 * np.exp(-2e3 * (x - 0.02) ** 2), steps, memory)
    slope = flow.value_and_grad(misfit)
    value, gradient = slope(np.zeros(CELLS), observed, memory)
    direction = np.exp(-1e3 * (x - 0.02) ** 2)
    h = 1e-4
    high, low = (misfit(s * direction, observed, memory) for s in (h, -h))
    difference = (high - low) / (2.0 * h)
    error = abs(gradient @ direction / difference - 1.0)
    plain = 8 * CELLS * steps / 1e6
    print(f"{steps} steps of {CELLS} cells: {plain:.0f} MB of states, of which {memory} are used")
    print(
        f"misfit {value:.3e}; its slope {gradient @ direction:.6e}, by differences {difference:.6e}"
    )
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
