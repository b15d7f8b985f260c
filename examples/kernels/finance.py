"""Options: closed forms, simulated paths with the draws passed in, finite differences."""

import math

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(spot, strike, t, rate, volatility):
    """Calls and puts in closed form, one after another (Black & Scholes 1973)."""
    call = np.empty_like(spot)
    put = np.empty_like(spot)
    for i in range(len(spot)):
        root = volatility * math.sqrt(t[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility**2) * t[i]) / root
        present = strike[i] * math.exp(-rate * t[i])
        call[i] = spot[i] * normal_cdf(d1) - present * normal_cdf(d1 - root)
        put[i] = call[i] - spot[i] + present
    return call, put


def asian_option(spot, strike, rate, volatility, t, draws):
    """An arithmetic Asian call by simulated paths, `draws` (paths, steps)."""
    dt = t / draws.shape[1]
    logs = np.cumsum((rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * draws, axis=1)
    prices = spot * np.exp(logs)
    payoff = np.maximum(prices.mean(axis=1) - strike, 0)
    return np.exp(-rate * t) * payoff.mean()


def heston(spot, strike, rate, v0, kappa, theta, xi, rho, t, draws):
    """A call under stochastic volatility, Euler's scheme, fully truncated (Lord et al. 2010)."""
    _, paths, steps = draws.shape
    dt = t / steps
    s = np.full(paths, np.log(spot))
    v = np.full(paths, v0)
    for i in range(steps):
        dw1 = np.sqrt(dt) * draws[0, :, i]
        dw2 = rho * dw1 + np.sqrt((1 - rho**2) * dt) * draws[1, :, i]
        vp = np.maximum(v, 0)
        s += (rate - 0.5 * vp) * dt + np.sqrt(vp) * dw1
        v += kappa * (theta - vp) * dt + xi * np.sqrt(vp) * dw2
    payoff = np.exp(s) - strike
    payoff[payoff < 0] = 0
    return np.exp(-rate * t) * payoff.mean()


def barrier_option(spot, strike, barrier, rate, volatility, t, draws):
    """A down-and-out call, path by path until one is knocked out."""
    paths, steps = draws.shape
    dt = t / steps
    total = 0.0
    for p in range(paths):
        s = spot
        for i in range(steps):
            s *= np.exp((rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * draws[p, i])
            if s <= barrier:
                break
        else:
            total += max(s - strike, 0.0)
    return np.exp(-rate * t) * total / paths


def american_put(spot, strike, rate, volatility, t, steps):
    """Cox, Ross and Rubinstein's tree, rolled back by slices (1979)."""
    dt = t / steps
    up = np.exp(volatility * np.sqrt(dt))
    down = 1 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    prices = spot * up ** np.arange(steps, -steps - 1, -2)
    values = np.maximum(strike - prices, 0)
    for n in range(steps - 1, -1, -1):
        values = np.exp(-rate * dt) * (p * values[:-1] + (1 - p) * values[1:])
        prices = spot * up ** np.arange(n, -n - 1, -2)
        values = np.maximum(values, strike - prices)
    return values[0]


def libor_portfolio(forward, volatility, draws, maturities, swap_rates, delta):
    """Swaptions on simulated forward rates (Giles & Glasserman 2006)."""
    n = len(forward)
    total = 0.0
    for path in range(draws.shape[0]):
        rates = forward.copy()
        for step in range(draws.shape[1]):
            drift = 0.0
            for i in range(step + 1, n):
                lam = volatility[i - step - 1]
                con = delta * lam
                drift += con * rates[i] / (1 + delta * rates[i])
                rates[i] *= np.exp(
                    con * drift + lam * (np.sqrt(delta) * draws[path, step] - 0.5 * con)
                )
        bond = 1.0
        annuity = 0.0
        bonds = np.zeros(n)
        annuities = np.zeros(n)
        for i in range(draws.shape[1], n):
            bond /= 1 + delta * rates[i]
            annuity += delta * bond
            bonds[i] = bond
            annuities[i] = annuity
        value = 0.0
        for maturity, swap_rate in zip(maturities, swap_rates):
            m = maturity + draws.shape[1] - 1
            payoff = bonds[m] + swap_rate * annuities[m] - 1
            if payoff < 0:
                value -= 100 * payoff
        for step in range(draws.shape[1]):
            value /= 1 + delta * rates[step]
        total += value
    return total / draws.shape[0]


KERNELS = [
    Kernel(
        black_scholes,
        lambda n: (100 * positive(n), 100 * positive(n, seed=1), positive(n, seed=2), 0.03, 0.3),
        (4,),
        (50000,),
    ),
    Kernel(
        asian_option,
        lambda n, t: (100.0, 98.0, 0.03, 0.3, 1.0, signed(n, t)),
        (4, 3),
        (5000, 20),
        wrt=(0, 1, 2, 3, 4),
    ),
    Kernel(
        heston,
        lambda n, t: (100.0, 98.0, 0.03, 0.09, 1.2, 0.08, 0.3, -0.6, 1.0, signed(2, n, t)),
        (4, 3),
        (5000, 20),
        wrt=(0, 1, 2, 3, 4, 5, 6, 7, 8),
    ),
    Kernel(
        barrier_option,
        lambda n, t: (100.0, 98.0, 80.0, 0.03, 0.3, 1.0, signed(n, t)),
        (5, 4),
        (5000, 20),
        wrt=(0, 1, 3, 4, 5),
    ),
    Kernel(
        american_put,
        lambda n: (100.0, 105.0, 0.03, 0.25, 1.0, n),
        (5,),
        (300,),
        wrt=(0, 1, 2, 3, 4),
    ),
    Kernel(
        libor_portfolio,
        lambda n, m, p: (
            0.05 * positive(n),
            0.2 * positive(n, seed=1),
            0.3 * signed(p, m, seed=2),
            np.arange(1, n - m + 1, 2),
            0.045 * positive(len(np.arange(1, n - m + 1, 2)), seed=3),
            0.25,
        ),
        (6, 2, 2),
        (80, 40, 100),
        wrt=(0, 1, 4, 5),
    ),
]
