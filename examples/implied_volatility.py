"""The sensitivities of an option price, and of a root that a `while` loop finds.

Delta, vega and gamma come from first and second derivatives of the price; the implied volatility
is the root of a Newton iteration written as a loop, and is differentiated through that loop. The
formulae that they are held against are Black and Scholes' own (1973).
Run it: python examples/implied_volatility.py
"""

import math

import srcgrad as flow

STRIKE, RATE, YEARS = 100.0, 0.03, 0.5


def normal(x):
    """The standard normal distribution function."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def call_price(spot, volatility):
    """The price of a European call."""
    spread = volatility * math.sqrt(YEARS)
    d1 = (math.log(spot / STRIKE) + (RATE + 0.5 * volatility**2) * YEARS) / spread
    return spot * normal(d1) - STRIKE * math.exp(-RATE * YEARS) * normal(d1 - spread)


def implied_volatility(price, spot):
    """The volatility at which a call has a price: Newton's method on differences."""
    volatility = 0.5
    error = call_price(spot, volatility) - price
    while abs(error) > 1e-12:
        step = 1e-6
        slope = (call_price(spot, volatility + step) - call_price(spot, volatility - step)) / (
            2.0 * step
        )
        volatility = volatility - error / slope
        error = call_price(spot, volatility) - price
    return volatility


def main():
    spot, volatility = 104.0, 0.24
    price, (delta, vega) = flow.value_and_grad(call_price, (0, 1))(spot, volatility)
    gamma = flow.grad(flow.grad(call_price))(spot, volatility)
    found, by_price = flow.value_and_grad(implied_volatility)(price, spot)

    spread = volatility * math.sqrt(YEARS)
    d1 = (math.log(spot / STRIKE) + (RATE + 0.5 * volatility**2) * YEARS) / spread
    density = math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    rows = (
        ("delta", delta, normal(d1)),
        ("vega", vega, spot * density * math.sqrt(YEARS)),
        ("gamma", gamma, density / (spot * spread)),
        ("implied volatility", found, volatility),
        ("its slope by the price", by_price, 1.0 / (spot * density * math.sqrt(YEARS))),
    )
    print(f"{'':24}{'srcgrad':>14}{'formula':>14}")
    for name, got, want in rows:
        print(f"{name:24}{got:14.8f}{want:14.8f}")
    return 0 if all(abs(got - want) < 1e-6 * abs(want) for _, got, want in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
