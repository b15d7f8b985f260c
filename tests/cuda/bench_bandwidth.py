"""Memory bandwidth of elementwise-and-reduce gradients against that of a copy.

    python -m tests.cuda.bench_bandwidth [--size 100000000]

The gradients read two arrays and write two. The target is 80 % of the copy.
"""

import argparse

import numpy as np

import srcgrad as flow
from tests.cuda.timing import milliseconds, require_gpu


def loss(x, w):
    return np.sum(x * x * w + x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=10**8)
    size = parser.parse_args().size
    require_gpu()
    import cupy

    for dtype in (cupy.float32, cupy.float64):
        x, w = cupy.full(size, 0.5, dtype), cupy.full(size, 2.0, dtype)
        out = cupy.empty_like(x)
        copy = 2 * x.nbytes / milliseconds(lambda a=out, b=x: cupy.copyto(a, b)) / 1e6
        gradient = flow.value_and_grad(loss, (0, 1), target="cuda")
        _, (by_x, by_w) = gradient(x, w)
        assert float(abs(by_x - (2 * x * w + 1)).max()) == 0
        assert float(abs(by_w - x * x).max()) == 0
        took = milliseconds(lambda f=gradient, a=x, b=w: f(a, b))
        reached = 4 * x.nbytes / took / 1e6
        print(
            f"{np.dtype(dtype).name}: copy {copy:.0f} GB/s, gradient {took:.2f} ms, "
            f"{reached:.0f} GB/s, {reached / copy:.0%} of the copy"
        )


if __name__ == "__main__":
    main()
