"""`Compiled.explain`: what it says is what is built, and what it cannot know it says so."""

import re

import numpy as np
import pytest

import srcgrad as flow

SCALE = np.ones(3)
POWER = 2


def smooth(u, w, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + w * (u[i - 1] * u[i + 1])
    return u[1]


def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = np.sqrt(y * y * y / x) + 0.0 * y
        y = 0.5 * (y + x / y)
    return y


def filtered(x):
    total = 0.0
    for i in range(len(x)):
        z = np.zeros(len(x[i]))
        for j in range(4):
            z[j] += x[i, j] + x[i, 3 - j]
        square = z[0] * z[1]
        total += square + np.exp(z[2])
    return total


def doubled(x):
    found = []
    for v in x:
        found.append(2.0 * v)
    return sum(found)


def captures(x, axis):
    y = np.sin(x) * SCALE
    z = np.exp(y) * y**POWER
    return np.sum(np.sum(z, axis=axis))


def section(text: str, title: str) -> list[str]:
    parts = [part.splitlines() for part in text.split("\n\n")]
    return next([line.strip() for line in p[1:]] for p in parts if p[0].startswith(title))


@pytest.fixture(scope="module")
def gradient():
    return flow.grad(flow.compile(smooth, target="python"), (0, 1))


def test_head(gradient):
    lines = gradient.explain(np.ones(10), 0.5, 3).splitlines()
    assert lines[0] == "<srcgrad.grad(0, 1) of smooth(u, w, steps) on python>"
    assert lines[1].split() == ["target", "python"]
    assert lines[2].split(maxsplit=1)[1] == "smooth_grad(u: f64[n], w: float, steps: int)"


def test_stages_are_those_of_the_program(gradient):
    rows = [line.split() for line in section(gradient.explain(np.ones(10), 0.5, 3), "stages")]
    assert [r[0] for r in rows] == ["ms", "frontend", "passes", "reverse", "passes"]
    text = gradient.ir("adjoint", np.ones(10), 0.5, 3)
    # every statement is a line; loops carry, branches join and end with lines of their own
    assert 0 < int(rows[-1][2]) <= len(text.splitlines())
    assert all(float(r[1]) > 0 for r in rows[1:])


def test_saved_values_at_these_arguments(gradient):
    for n, steps in ((10, 3), (1002, 20)):
        (line,) = section(gradient.explain(np.ones(n), 0.5, steps), "saved")
        assert "steps * (len(u) - 2) slots" in line and "u[...]" in line and "u[i] = u[i] +" in line
        number, unit = re.search(r"([\d.]+) (B|kB|MB)", line).groups()
        assert float(number) * {"B": 1, "kB": 1e3}[unit] == pytest.approx(
            8 * steps * (n - 2), rel=0.01
        )


def test_what_grows_is_not_known_before_running():
    text = flow.grad(flow.compile(newton, target="python")).explain(2.0)
    lines = section(text, "saved")
    assert any("not known before running" in line and "grows" in line for line in lines)


def test_who_reads_a_tape(gradient):
    (line,) = section(gradient.explain(np.ones(10), 0.5, 3), "saved")
    number = smooth.__code__.co_firstlineno + 3
    assert line.endswith(f"read by the reverse of line {number}")
    text = flow.grad(flow.compile(filtered, target="python")).explain(np.ones((3, 4)))
    read = [line.split("read by the reverse of ")[1:] for line in section(text, "saved")]
    first = filtered.__code__.co_firstlineno
    assert read == [[f"line {first + 6}"], [f"line {first + 7}"], []]


def test_a_list_that_only_the_program_reads():
    text = flow.grad(flow.compile(doubled, target="python")).explain(np.ones(3))
    assert section(text, "saved")[0].endswith("read by the program alone")


def chosen_rows(x):
    large = x[x > 0.4]
    rows = np.array([np.sin(v * x[:2]) for v in large])
    return np.sum(rows**2)


def test_a_length_that_an_array_decides_is_not_known():
    text = flow.grad(flow.compile(chosen_rows, target="python")).explain(np.ones(3))
    assert any("not known before running" in line for line in section(text, "saved"))


def test_nothing_saved():
    text = flow.compile(smooth, target="python").explain(np.ones(4), 0.5, 1)
    assert section(text, "saved") == ["nothing on tapes"]
    assert section(text, "captured") == ["nothing"]
    assert section(text, "guards") == ["nothing"]


def test_captured_values_and_guards():
    text = flow.grad(flow.compile(captures, target="python")).explain(np.ones((2, 3)), 0)
    assert re.search(r"static +axis = 0", text)
    assert re.fullmatch(r"SCALE +f64\[\w+\]", section(text, "captured")[0])
    assert [line.split() for line in section(text, "guards")] == [
        ["POWER", "2"], ["np", "module", "numpy"],
    ]  # fmt: skip
    assert any(line.startswith("(begun ") for line in section(text, "stages"))


def test_on_the_cpu():
    g = flow.grad(captures)
    text = g.explain(np.ones((2, 3)), 0)
    rows = [line.split() for line in section(text, "stages")]
    assert [r[0] for r in rows][-2:] == ["lowering", "LLVM"] or rows[-1][0].startswith("(begun")
    nests = section(text, "loop nests")
    own, fused, single = (int(line.split()[-1]) for line in nests[:3])
    assert own <= fused < single
    assert any(re.match(r"fused: .*line \d+, .*line \d+", line) for line in nests[3:])
    assert "LLVM" in text and ("compiled" in text or "loaded from the cache folder" in text)
    assert "loaded from the cache folder" in g.explain(np.ones((2, 3)), 0), "the second time"


def test_without_arguments_it_explains_what_was_compiled_last():
    made = flow.grad(flow.compile(smooth, target="python"))
    made(np.ones(5), 0.5, 2)
    texts = [made.explain(), made.explain(np.ones(5), 0.5, 2)]
    first, second = (re.sub(r"\d+\.\d", "", text) for text in texts)
    assert first == second


def test_explaining_changes_nothing(gradient):
    u = np.ones(6)
    gradient.explain(u, 0.5, 3)
    assert np.array_equal(u, np.ones(6))


def test_without_arguments_and_without_a_call():
    with pytest.raises(ValueError, match="call the function once first"):
        flow.compile(newton, target="python").explain()
