"""The price of a call option in Heston's model, and its Greeks, one thread per path.

    python examples/gpu_montecarlo.py

A path is a trip of `flow.prange`: on a GPU a thread runs it forward and in reverse, on a CPU the
same program runs on the cores. Without variance of the variance the model is Black and Scholes's,
whose price and Greeks are known; the others are compared with differences on the same draws.
"""

import math
import time
from typing import Any

import numpy as np

import srcgrad as flow

STRIKE, RATE, YEARS = 100.0, 0.03, 1.0


def price(spot, variance, reversion, level, volatility, correlation, z, w):
    """Euler steps of the logarithm and the variance, whose negative values count as none."""
    paths, steps = z.shape
    dt = YEARS / steps
    total = 0.0
    for p in flow.prange(paths):
        x, v = np.log(spot), variance
        for k in range(steps):
            positive = max(v, 0.0)
            root = np.sqrt(positive * dt + 1e-18)  # its slope is finite at 0
            x += (RATE - 0.5 * positive) * dt + root * z[p, k]
            other = correlation * z[p, k] + np.sqrt(1.0 - correlation**2) * w[p, k]
            v += reversion * (level - positive) * dt + volatility * root * other
        total += max(np.exp(x) - STRIKE, 0.0)
    return np.exp(-RATE * YEARS) * total / paths


def black_scholes(spot, variance):
    """Price, and slopes with respect to spot and variance."""

    def normal(d):
        return 0.5 * (1.0 + math.erf(d / math.sqrt(2.0)))

    sigma = math.sqrt(variance)
    d = (math.log(spot / STRIKE) + (RATE + 0.5 * variance) * YEARS) / (sigma * math.sqrt(YEARS))
    later = STRIKE * math.exp(-RATE * YEARS) * normal(d - sigma * math.sqrt(YEARS))
    density = math.exp(-0.5 * d * d) / math.sqrt(2.0 * math.pi)
    vega = spot * density * math.sqrt(YEARS)
    return spot * normal(d) - later, normal(d), vega / (2.0 * sigma)


def main(paths=None, steps=32):
    on_gpu = flow.cuda.is_available()
    paths = paths or (1_000_000 if on_gpu else 20_000)
    options: dict[str, Any] = {"target": "cuda"} if on_gpu else {"parallel": True}
    greeks = flow.value_and_grad(price, tuple(range(6)), **options)
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((2, paths, steps))
    draws[:, paths // 2 :] = -draws[:, : paths - paths // 2]  # antithetic paths

    flat = (100.0, 0.04, 1.0, 0.04, 0.0, 0.0)
    found, slopes = greeks(*flat, *draws)
    want, delta, vega = black_scholes(100.0, 0.04)
    # level and variance are one number there
    errors = found - want, slopes[0] - delta, (slopes[1] + slopes[3]) - vega
    print(f"Black-Scholes: price {found:.3f}, off by {errors[0]:+.3f}; delta by {errors[1]:+.4f}")
    near = all(abs(e) < bound for e, bound in zip(errors, (0.3, 0.02, 2.0), strict=True))

    heston = (100.0, 0.04, 1.5, 0.05, 0.4, -0.7)
    greeks(*heston, *draws)
    start = time.perf_counter()
    found, slopes = greeks(*heston, *draws)
    taken = time.perf_counter() - start
    names = ("spot", "variance", "reversion", "level", "volatility", "correlation")
    print(f"Heston: {paths} paths of {steps} steps, price {found:.3f}, {1e3 * taken:.1f} ms")
    print("  " + ", ".join(f"{n} {s:+.4f}" for n, s in zip(names, slopes, strict=True)))
    run = flow.compile(price, **options)
    high, low = (run(100.0 + h, *heston[1:], *draws) for h in (1e-3, -1e-3))
    return int(not (near and abs((high - low) / 2e-3 - slopes[0]) < 1e-3))


if __name__ == "__main__":
    raise SystemExit(main())
