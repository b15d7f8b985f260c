"""The page of `annotate` for kernels: lines belong to the user's, loops say where they run."""

import re

import numpy as np

import srcgrad as flow


def paths(s, sigma, noise):
    total = 0.0
    for k in flow.prange(noise.shape[0]):
        v = s
        for t in range(noise.shape[1]):
            v = v * (1.0 + sigma * noise[k, t])
        total += v
    return total


def relaxed(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + np.sin(u))
    return np.sum(u * u)


def test_lines_of_kernels_belong_to_lines_of_the_user():
    noise = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    made = flow.value_and_grad(paths, (0, 1), target="cuda").annotate(1.0, 0.1, noise)
    code = made._facts.code
    lines = code.text.splitlines()
    assert len(code.owners) == len(lines)
    kernels = lines[: lines.index(next(n for n in lines if n.startswith(f"def {code.name}(")))]
    mapped = [s for s in code.owners[: len(kernels)] if s is not None and s.loc is not None]
    assert {s.loc.role for s in mapped} == {"", "grad of: "}
    assert any("sigma * noise" in s.loc.text for s in mapped)
    rows = re.findall(r'<div class="row" role="option" id="c\d+" data-at="([^"]+)"', made.html)
    assert len(rows) > 10
    runs = [f.runs for f in made._facts.loops]
    assert runs == ["a kernel", "inside the kernel"] * 2
    assert made._facts.times.call > 0, "on the simulated device"


def test_a_time_loop_is_the_hosts():
    made = flow.value_and_grad(relaxed, target="cuda").annotate(np.ones(40), 3)
    outer = [f for f in made._facts.loops if f.depth == 0 and f.own]
    assert {f.runs for f in outer} == {"the host, trip by trip"} and all(f.reason for f in outer)
    assert "a kernel" in {f.runs for f in made._facts.loops if f.depth == 1}
