"""Forward and backward of common operations on tensors of 10^6 elements, against PyTorch.

    python -m tests.benchmarks.eager_operations [float32|float64]

One thread each (for NumPy's products set OPENBLAS_NUM_THREADS=1), runs interleaved; prints the
medians and their ratio as a table. Needs torch; is not part of the tests.
"""

import statistics
import sys
import time

import numpy as np
import torch

import srcgrad as flow

N = 1_000_000
OPERATIONS = {
    "x + z": lambda m, x, z: x + z,
    "x - z": lambda m, x, z: x - z,
    "x * z": lambda m, x, z: x * z,
    "x / z": lambda m, x, z: x / z,
    "x * 2.5": lambda m, x, z: x * 2.5,
    "x ** 2": lambda m, x, z: x**2,
    "exp": lambda m, x, z: m.exp(x),
    "log": lambda m, x, z: m.log(x),
    "sqrt": lambda m, x, z: m.sqrt(x),
    "sin": lambda m, x, z: m.sin(x),
    "tanh": lambda m, x, z: m.tanh(x),
    "sigmoid": lambda m, x, z: m.sigmoid(x),
    "relu": lambda m, x, z: m.relu(x - 0.5),
    "abs": lambda m, x, z: m.abs(x),
    "maximum": lambda m, x, z: m.maximum(x, z),
    "clamp": lambda m, x, z: x.clamp(0.2, 0.8),
    "where": lambda m, x, z: m.where(x > z, x, z),
    "x + row": lambda m, x, z: x + z[0],
    "sum": lambda m, x, z: x.sum(),
    "sum(dim=1)": lambda m, x, z: x.sum(1),
    "mean": lambda m, x, z: x.mean(),
    "max": lambda m, x, z: x.max(),
    "softmax": lambda m, x, z: m.softmax(x, 1),
    "log_softmax": lambda m, x, z: m.log_softmax(x, 1),
    "matmul": lambda m, x, z: x @ z,
    "cat": lambda m, x, z: m.cat([x, z]),
    "x.T.reshape(-1)": lambda m, x, z: x.T.reshape(-1),
    "x[:, ::2]": lambda m, x, z: x[:, ::2],
}


def runner(m, operation, arrays):
    """A function that runs an operation forward, then backward from a gradient of ones."""
    xs = [m.from_numpy(a.copy()).requires_grad_() for a in arrays]
    seed = m.ones_like(operation(m, *xs)).detach()

    def run():
        for x in xs:
            x.grad = None
        operation(m, *xs).backward(seed)

    return run


def measured(operation, arrays, seconds=0.5):
    """The median times of both, in ms, and the median of the ratios of neighbouring runs."""
    runs = [runner(m, operation, arrays) for m in (flow, torch)]
    times = [[], []]
    for run in runs:
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 7:
        for run, found in zip(runs, times, strict=True):
            start = time.perf_counter()
            run()
            found.append(1e3 * (time.perf_counter() - start))
    ratios = [a / b for a, b in zip(*times, strict=True)]
    return (*map(statistics.median, times), statistics.median(ratios))


def main():
    torch.set_num_threads(1)
    dtype = sys.argv[1] if len(sys.argv) > 1 else "float32"
    rng = np.random.default_rng(0)
    arrays = [rng.random((1000, N // 1000)).astype(dtype) + 0.01 for _ in range(2)]
    print(f"| {dtype} | srcgrad, ms | PyTorch, ms | ratio |\n|---|---|---|---|")
    ratios = []
    for name, operation in OPERATIONS.items():
        ours, theirs, ratio = measured(operation, arrays)
        ratios.append(ratio)
        print(f"| `{name}` | {ours:.2f} | {theirs:.2f} | {ratio:.2f} |", flush=True)
    print(f"\nmedian ratio {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
