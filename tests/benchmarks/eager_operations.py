"""Forward and backward of common operations on tensors of 10^6 elements, against PyTorch.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.eager_operations

One thread each, runs interleaved, several rounds over all operations; prints the table that is in
docs/benchmarks.md: medians in float32, and the ratios of medians in both dtypes. Needs torch; is
not part of the tests.
"""

import statistics
import time

import numpy as np
import torch

import srcgrad as flow

N = 1_000_000
ROUNDS, SECONDS = 3, 0.4
OPERATIONS = {
    # the twenty commonest
    "x + z": lambda m, x, z: x + z,
    "x - z": lambda m, x, z: x - z,
    "x * z": lambda m, x, z: x * z,
    "x / z": lambda m, x, z: x / z,
    "x * 2.5": lambda m, x, z: x * 2.5,
    "x + row": lambda m, x, z: x + z[0],
    "x ** 2": lambda m, x, z: x**2,
    "exp": lambda m, x, z: m.exp(x),
    "log": lambda m, x, z: m.log(x),
    "sqrt": lambda m, x, z: m.sqrt(x),
    "tanh": lambda m, x, z: m.tanh(x),
    "sigmoid": lambda m, x, z: m.sigmoid(x),
    "relu": lambda m, x, z: m.relu(x - 0.5),
    "softmax": lambda m, x, z: m.softmax(x, 1),
    "sum": lambda m, x, z: x.sum(),
    "sum(dim=1)": lambda m, x, z: x.sum(1),
    "mean": lambda m, x, z: x.mean(),
    "max(dim=1)": lambda m, x, z: x.max(1)[0],
    "matmul": lambda m, x, z: x @ z,
    "cat": lambda m, x, z: m.cat([x, z]),
    # and others
    "sin": lambda m, x, z: m.sin(x),
    "abs": lambda m, x, z: m.abs(x),
    "gelu": lambda m, x, z: m.nn.functional.gelu(x),
    "log_softmax": lambda m, x, z: m.log_softmax(x, 1),
    "maximum": lambda m, x, z: m.maximum(x, z),
    "clamp": lambda m, x, z: x.clamp(0.2, 0.8),
    "where": lambda m, x, z: m.where(x > z, x, z),
    "max": lambda m, x, z: x.max(),
    "var": lambda m, x, z: x.var(),
    "mse_loss": lambda m, x, z: m.nn.functional.mse_loss(x, z),
    "x[rows]": lambda m, x, z: x[m.arange(0, 1000, 2)],
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


def times(operation, arrays):
    """Times of neighbouring runs in ms, ours and PyTorch's."""
    runs = [runner(m, operation, arrays) for m in (flow, torch)]
    found = [[], []]
    for run in runs:
        run()
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(found[0]) < 7:
        for run, into in zip(runs, found, strict=True):
            start = time.perf_counter()
            run()
            into.append(1e3 * (time.perf_counter() - start))
    return found


def measured(dtype):
    """The median times of both for each operation, over all rounds."""
    rng = np.random.default_rng(0)
    arrays = [rng.random((1000, N // 1000)).astype(dtype) + 0.01 for _ in range(2)]
    found = {name: ([], []) for name in OPERATIONS}
    for _ in range(ROUNDS):
        for name, operation in OPERATIONS.items():
            for into, more in zip(found[name], times(operation, arrays), strict=True):
                into += more
    return {name: tuple(map(statistics.median, both)) for name, both in found.items()}


def main():
    torch.set_num_threads(1)
    single, double = measured("float32"), measured("float64")
    print("| operation | srcgrad, ms | PyTorch, ms | ratio | ratio in float64 |")
    print("|---|---|---|---|---|")
    for name, (ours, theirs) in single.items():
        ratio, other = ours / theirs, double[name][0] / double[name][1]
        print(f"| `{name}` | {ours:.2f} | {theirs:.2f} | {ratio:.2f} | {other:.2f} |")


if __name__ == "__main__":
    main()
