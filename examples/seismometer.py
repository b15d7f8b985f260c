"""Fit a damped oscillator that is shaken: dataclasses in, a dataclass of gradients out.

The parameters are a frozen dataclass; the recursion appends to a list, as one writes it in Python.
A Gauss-Newton step needs the Jacobian of the trace: forward mode gives a column at a time.
Run it: python examples/seismometer.py
"""

from dataclasses import astuple, dataclass

import numpy as np

import srcgrad as flow


@dataclass(frozen=True)
class Instrument:
    """A seismometer: natural frequency in rad/s, damping as a share of the critical one, gain."""

    frequency: float
    damping: float
    gain: float


def trace(instrument, ground, dt):
    """The recorded displacement (n,) for a ground acceleration (n,), by semi-implicit Euler."""
    position, speed = 0.0, 0.0
    out = []
    for a in ground:
        friction = 2.0 * instrument.damping * instrument.frequency * speed
        speed = speed + dt * (-a - friction - instrument.frequency**2 * position)
        position = position + dt * speed
        out.append(instrument.gain * position)
    return np.array(out)


def misfit(instrument, ground, observed, dt):
    return 0.5 * np.sum((trace(instrument, ground, dt) - observed) ** 2)


def columns(instrument, ground, dt):
    """The Jacobian (n, 3) of the trace, a forward run for each parameter."""
    basis = [Instrument(*row) for row in np.eye(3).tolist()]
    still = (np.zeros_like(ground), 0.0)
    runs = [flow.jvp(trace, (instrument, ground, dt), (one, *still))[1] for one in basis]
    return np.column_stack(runs)


def main():
    dt = 0.02
    ground = np.random.default_rng(1).normal(size=400)
    truth = Instrument(6.0, 0.7, 2.5)
    observed = trace(truth, ground, dt)
    guess = Instrument(5.0, 0.5, 2.0)

    gradient = flow.grad(misfit)(guess, ground, observed, dt)
    print("gradient at the start:", gradient)
    for k in range(6):
        jacobian = columns(guess, ground, dt)
        residual = trace(guess, ground, dt) - observed
        if k == 0:  # reverse mode against forward mode
            assert np.allclose(jacobian.T @ residual, astuple(gradient), rtol=1e-9)
        step = np.linalg.lstsq(jacobian, residual, rcond=None)[0]
        guess = Instrument(*(np.array(astuple(guess)) - step).tolist())
        print(f"step {k + 1}: misfit {misfit(guess, ground, observed, dt):.3e}, {guess}")
    return 0 if np.allclose(astuple(guess), astuple(truth), rtol=1e-6) else 1


if __name__ == "__main__":
    raise SystemExit(main())
