"""Gradient of a Monte-Carlo option price: srcgrad, JAX and torch.compile on one GPU.

    python -m tests.cuda.bench_montecarlo [--paths 1000000] [--steps 64]

An Asian call in float32: the value and its derivatives by price and volatility, of paths made of
the same normal numbers. A library that is not installed, or has no GPU, is left out.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

import srcgrad as flow
from tests.cuda.device_programs import option
from tests.cuda.timing import milliseconds, require_gpu


def of_srcgrad(z) -> Callable:
    import cupy

    gradient = flow.value_and_grad(option, (1, 2), target="cuda")
    s0, sigma, there = np.float32(1.0), np.float32(0.2), cupy.asarray(z)
    return lambda: gradient(there, s0, sigma)


def of_jax(z) -> Callable:
    import jax
    import jax.numpy as jnp

    if jax.default_backend() != "gpu":
        raise ImportError("it has no GPU")
    m = z.shape[1]

    def of_path(s0, sigma, row):
        def step(s, zk):
            s = s * jnp.exp(-0.5 * sigma**2 / m + sigma * math.sqrt(1.0 / m) * zk)
            return s, s

        return jnp.maximum(jnp.mean(jax.lax.scan(step, s0, row)[1]) - 1.0, 0.0)

    def mean_price(s0, sigma, z):
        return jnp.mean(jax.vmap(of_path, (None, None, 0))(s0, sigma, z))

    gradient = jax.jit(jax.value_and_grad(mean_price, (0, 1)))
    there = jnp.asarray(z)
    return lambda: jax.block_until_ready(gradient(jnp.float32(1.0), jnp.float32(0.2), there))


def of_torch(z) -> Callable:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("it has no GPU")
    m = z.shape[1]

    @torch.compile
    def mean_price(s0, sigma, z):
        s, mean = s0, 0.0
        for k in range(m):
            s = s * torch.exp(-0.5 * sigma**2 / m + sigma * math.sqrt(1.0 / m) * z[:, k])
            mean = mean + s
        return torch.mean(torch.clamp(mean / m - 1.0, min=0.0))

    there = torch.as_tensor(z, device="cuda")

    def call():
        s0 = torch.tensor(1.0, device="cuda", requires_grad=True)
        sigma = torch.tensor(0.2, device="cuda", requires_grad=True)
        value = mean_price(s0, sigma, there)
        return value, torch.autograd.grad(value, (s0, sigma))

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=10**6)
    parser.add_argument("--steps", type=int, default=64)
    given = parser.parse_args()
    require_gpu()
    z = np.random.default_rng(0).standard_normal((given.paths, given.steps), np.float32)
    for name, make in (("srcgrad", of_srcgrad), ("jax", of_jax), ("torch.compile", of_torch)):
        try:
            call = make(z)
        except ImportError as missing:
            print(f"{name}: left out, {missing}")
            continue
        value, (delta, vega) = call()
        took = milliseconds(call)
        print(f"{name}: {took:.2f} ms, {float(value):.6f} {float(delta):.6f} {float(vega):.6f}")


if __name__ == "__main__":
    main()
