"""Functions of one item for a batch: gradients of samples, trajectories, roots by a `while`.

    python examples/batches.py

Each function is written for one sample, one initial state, one planet; `flow.vmap` makes one
compiled loop of it. Trajectories take as many steps as their tolerance needs, and roots as many as
they need to converge. Both are differentiated as they stand.
"""

import numpy as np

import srcgrad as flow


def loss(net, x, y):
    """The loss of one sample; the network's weights are a dict."""
    hidden = np.tanh(net["w"] @ x + net["b"])
    return (net["v"] @ hidden - y) ** 2


def swing(state, stiffness, times):
    """The positions of a mass on a spring, by an adaptive method."""
    return flow.odeint(acceleration, state, times, stiffness)[:, 0]


def acceleration(state, t, stiffness):
    return np.stack([state[1], -stiffness * state[0]])


def eccentric_anomaly(mean, eccentricity):
    """The root of Kepler's equation: Newton's method, until it has converged."""
    e = mean
    step = 1.0
    while abs(step) > 1e-13:
        step = (e - eccentricity * np.sin(e) - mean) / (1.0 - eccentricity * np.cos(e))
        e = e - step
    return e


def of_samples(rng):
    """The mean of the gradients of samples is the gradient of the mean."""
    net = {"w": rng.normal(size=(8, 4)), "b": rng.normal(size=8), "v": rng.normal(size=8)}
    x, y = rng.normal(size=(64, 4)), rng.normal(size=64)
    losses = flow.vmap(loss, in_axes=(None, 0, 0))
    grads = flow.vmap(flow.grad(loss), in_axes=(None, 0, 0))(net, x, y)
    norms = np.sqrt(sum(np.sum(g.reshape(64, -1) ** 2, axis=1) for g in grads.values()))
    print(f"norms of the gradients of samples: {norms.min():.3f} to {norms.max():.3f}")
    whole = flow.grad(lambda net, x, y: np.mean(losses(net, x, y)))(net, x, y)
    return max(np.max(np.abs(grads[k].mean(axis=0) - whole[k])) for k in net)


def of_trajectories():
    """Positions and their derivatives by the stiffness, of springs that are all different."""
    stiffness, times = np.linspace(0.5, 4.0, 12), np.linspace(0.0, 3.0, 7)
    states = np.stack([np.ones(12), np.zeros(12)], axis=1)
    batch = flow.vmap(swing, in_axes=(0, 0, None))
    found = batch(states, stiffness, times)
    slopes = flow.grad(lambda k: np.sum(batch(states, k, times)[:, -1]))(stiffness)
    omega, last = np.sqrt(stiffness), times[-1]
    print(f"positions at the end: {found[0, -1]:.4f} to {found[-1, -1]:.4f}")
    exact = np.cos(omega[:, None] * times)
    return max(
        np.max(np.abs(found - exact)),
        np.max(np.abs(slopes + np.sin(omega * last) * last / (2.0 * omega))),
    )


def of_roots():
    """Anomalies of orbits, from a circle to a comet's, and their derivatives."""
    mean, eccentricity = np.linspace(0.1, 3.0, 50), np.linspace(0.0, 0.95, 50)
    root = flow.vmap(eccentric_anomaly)
    e, slope = flow.jvp(root, (mean, eccentricity), (np.ones(50), np.zeros(50)))
    print(f"anomalies: {e[0]:.6f} to {e[-1]:.6f}")
    return max(
        np.max(np.abs(e - eccentricity * np.sin(e) - mean)),
        np.max(np.abs(slope - 1.0 / (1.0 - eccentricity * np.cos(e)))),
    )


def main():
    errors = of_samples(np.random.default_rng(0)), of_trajectories(), of_roots()
    print("differences from the known values:", *(f"{e:.1e}" for e in errors))
    return 0 if all(e < 1e-6 for e in errors) else 1


if __name__ == "__main__":
    raise SystemExit(main())
