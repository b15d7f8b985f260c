"""Runs six programs on arrays through srcgrad and its peers, each in an environment of its own.

    python -m tests.benchmarks.peers --jax PYTHON --torch PYTHON --autograd PYTHON

A program is given unchanged, with the peer's namespace instead of NumPy's, as its documentation
says; JAX is given a rewritten form as well. A gradient counts if its product with a random
direction agrees with a central difference of the program that Python runs. Prints a table: the
minimum of repeated calls, on one thread, and the first call, which compiles; or the exception, or
that a limit of time has passed. First calls, and calls that cannot be repeated often, are counted
in time of the processor, so that other work on the machine does not show.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.benchmarks import six_programs

LIMIT = 200.0  # seconds for a program, its first call included
REPEATED = 2.0  # seconds of repeated calls
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def main():
    parser = argparse.ArgumentParser(description="six programs, through srcgrad and its peers")
    for peer in ("jax", "torch", "autograd"):
        parser.add_argument(f"--{peer}", metavar="PYTHON", help="an interpreter that has it")
    parser.add_argument("--one", nargs=2, metavar=("PEER", "PROGRAM"), help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    if parsed.one:
        print(json.dumps(run(*parsed.one)))
        return
    columns = {"srcgrad": sys.executable}
    for peer, more in (("jax", ["jax rewritten"]), ("torch", []), ("autograd", [])):
        if interpreter := getattr(parsed, peer):
            columns |= dict.fromkeys([peer, *more], interpreter)
    cells = {
        (program, peer): in_a_process(interpreter, peer, program)
        for program in six_programs.calls()
        for peer, interpreter in columns.items()
    }
    print(table(list(columns), cells))


def in_a_process(interpreter: str, peer: str, program: str) -> dict[str, Any]:
    command = [interpreter, "-m", "tests.benchmarks.peers", "--one", peer, program]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env={**os.environ, **ONE_THREAD}
        )
    except subprocess.TimeoutExpired:
        return {"said": f"no result in {LIMIT:.0f} s"}
    if done.returncode:
        return {"said": f"ended by {done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def run(peer: str, program: str) -> dict[str, Any]:
    """The version of a peer, and what it made of a program: `ms` and `first`, or what it `said`."""
    version, gradient_of = PEERS[peer]()
    args, count = six_programs.calls()[program]
    found: dict[str, Any] = {"version": version}
    try:
        gradient = gradient_of(program, args, count)
        begin = time.process_time()
        by_peer = gradient()
        found["first"] = time.process_time() - begin
    except Exception as error:
        return found | {"said": f"`{type(error).__name__}`"}
    if not agrees(program, args, by_peer):
        return found | {"said": "wrong"}
    best = shortest(gradient, time.perf_counter)
    if best > REPEATED / 20:
        best = shortest(gradient, time.process_time)
    return found | {"ms": 1e3 * best}


def shortest(gradient: Callable, clock: Callable[[], float]) -> float:
    best, until = np.inf, time.perf_counter() + REPEATED
    while time.perf_counter() < until:
        begin = clock()
        gradient()
        best = min(best, clock() - begin)
    return best


def agrees(program: str, args: tuple, gradient: tuple) -> bool:
    f = getattr(six_programs, program)
    draw = np.random.default_rng(1)
    directions = [draw.standard_normal(np.shape(g)) for g in gradient]
    if program == "solve":  # the other triangle is not read
        directions[0] = np.tril(directions[0])
    step = 1e-5

    def moved(by: float) -> float:
        near = [a + by * d for a, d in zip(args, directions, strict=False)]
        return f(*near, *args[len(near) :])

    slope = (moved(step) - moved(-step)) / (2 * step)
    product = sum(np.sum(np.asarray(g) * d) for g, d in zip(gradient, directions, strict=True))
    return bool(abs(product - slope) <= 1e-5 * max(1.0, abs(slope)))


# ---- each peer: its version, and the function that takes a gradient ----
def of_srcgrad() -> tuple[str, Callable]:
    import srcgrad as flow

    def gradient_of(program: str, args: tuple, count: int):
        gradient = flow.value_and_grad(getattr(six_programs, program), tuple(range(count)))
        return lambda: as_tuple(gradient(*args)[1])

    return flow.__version__, gradient_of


def of_jax(forms: Callable[[Any], Any] = lambda jnp: with_namespace(jnp)) -> tuple[str, Callable]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def gradient_of(program: str, args: tuple, count: int):
        f = getattr(forms(jnp), program, None) or getattr(with_namespace(jnp), program)
        static = tuple(k for k, a in enumerate(args) if isinstance(a, int))
        gradient = jax.jit(jax.value_and_grad(f, tuple(range(count))), static_argnums=static)
        held = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        return lambda: jax.block_until_ready(gradient(*held))[1]

    return jax.__version__, gradient_of


def of_jax_rewritten() -> tuple[str, Callable]:
    def forms(jnp: Any) -> Any:
        from tests.benchmarks import rewritten_for_jax

        return rewritten_for_jax

    return of_jax(forms)


def of_torch() -> tuple[str, Callable]:
    import torch

    torch.set_num_threads(1)

    def gradient_of(program: str, args: tuple, count: int):
        f = getattr(with_namespace(torch), program)
        held = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in args]

        def gradient():
            leaves = [a.requires_grad_() for a in held[:count]]
            return torch.autograd.grad(f(*leaves, *held[count:]), leaves)

        return gradient

    return metadata.version("torch"), gradient_of


def of_autograd() -> tuple[str, Callable]:
    import autograd
    import autograd.numpy

    def gradient_of(program: str, args: tuple, count: int):
        f = getattr(with_namespace(autograd.numpy), program)
        gradient = autograd.grad(f, tuple(range(count)))
        return lambda: as_tuple(gradient(*args))

    return metadata.version("autograd"), gradient_of


PEERS = {
    "srcgrad": of_srcgrad,
    "jax": of_jax,
    "jax rewritten": of_jax_rewritten,
    "torch": of_torch,
    "autograd": of_autograd,
}


def with_namespace(namespace: Any) -> ModuleType:
    """The programs with a peer's namespace as `np`."""
    made = ModuleType("six_programs")
    text = Path(six_programs.__file__).read_text(encoding="utf-8")
    exec(compile(text, six_programs.__file__, "exec"), made.__dict__)
    made.np = namespace
    return made


def as_tuple(gradients: Any) -> tuple:
    return gradients if isinstance(gradients, tuple) else (gradients,)


# ---- the table ----
def table(peers: list[str], cells: dict[tuple[str, str], dict[str, Any]]) -> str:
    versions = {peer: c["version"] for (_, peer), c in cells.items() if "version" in c}
    heads = [
        f"{peer.replace(' ', f' {versions.get(peer)}, ', 1)}"
        if " " in peer
        else f"{peer} {versions.get(peer)}"
        for peer in peers
    ]
    rows = [["program", *heads], ["---"] * (len(peers) + 1)]
    for program in six_programs.calls():
        told = (getattr(six_programs, program).__doc__ or "").rstrip(".")
        rows.append([f"`{program}`: {told}", *(cell(cells[program, peer]) for peer in peers)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cell(found: dict[str, Any]) -> str:
    if "said" in found:
        return found["said"]
    return f"{duration(found['ms'] / 1e3)} ({duration(found['first'])})"


def duration(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds >= 0.1 else f"{1e3 * seconds:.2g} ms"


if __name__ == "__main__":
    main()
