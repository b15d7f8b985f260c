"""`print` shows what Python's would: separators, ends, specifications, containers."""

import contextlib
import io
import sys

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees


def talkative(x, n):
    print("x =", x, (n, x), [n], {"n": n}, sep="|", end="!\n")
    print(f"{x:.2f} {n:>4d} {{}}", "%5.1f%%" % x, "{0:.1e}/{1}".format(x, n), end="")  # noqa: UP030, UP031, UP032 (all forms are tested)
    print()
    print(None, True, (1,), "a", ("a",), sep=None, end=None, flush=True)
    return x * x


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_is_printed_is_what_python_prints(target, capfd):
    talkative(0.5, 3)
    wanted = capfd.readouterr().out
    assert flow.compile(talkative, target=target, cache=False)(0.5, 3) == 0.25
    assert capfd.readouterr().out == wanted


def of_numpy(a):
    print(a[0], [a[0]], (a[1], 1.5), {"k": a[1]}, f"{a[0]!r} {a[0]}", repr(a[1]), [float(a[0])])
    return a[0]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_numbers_of_numpy_inside_of_containers(dtype, capfd):
    a = np.array([2.5, 3.0]).astype(dtype)
    of_numpy(a)
    wanted = capfd.readouterr().out
    flow.compile(of_numpy, target="python", cache=False)(a)
    assert capfd.readouterr().out == wanted


def arrays_inside(a, n):
    print([a], (a[:1], n), {"m": a.reshape(1, 2)}, a, f"{a!r} {a}", repr(a), f"{[a]}")
    if n > 5:
        raise ValueError([a])
    return a[0]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_arrays_inside_of_containers(dtype, target, capfd):
    a = np.array([2.5, 3.0]).astype(dtype)
    arrays_inside(a, 2)
    wanted = capfd.readouterr().out
    flow.compile(arrays_inside, target=target, cache=False)(a, 2)
    assert capfd.readouterr().out == wanted
    with pytest.raises(ValueError, match=r"\[\.\.\.\]"):
        flow.compile(arrays_inside, target=target, cache=False)(a, 9)


def texts_of_an_array_that_changes(x):
    total = 0.0
    for i in range(len(x)):
        part, whole = f"{x[i:]} {[x, 1.0]}", "%s" % x  # noqa: UP031 (tried)
        text = f"{x} " + repr(x)
        x[i] *= x[0]
        print(part, whole, text, x)
        total += x[i] * len(x[i:])
    return total


def test_a_text_has_what_an_array_held():
    agrees(texts_of_an_array_that_changes, np.array([0.7, 1.2, 0.9]))


def to_streams(x, n):
    sys.stderr.write("begins {}\n")
    print(f"x = {x}", file=sys.stderr, flush=True)
    for _ in range(n):
        sys.stderr.write(".")
    sys.stderr.writelines(["end", f" {x:.2f}\n"])
    sys.stdout.flush()
    length = sys.stdout.write("four")
    print("last", file=sys.stdout)
    return x * x * length


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_streams_get_what_python_writes(target, capfd):
    to_streams(0.5, 3)
    wanted = capfd.readouterr()
    assert wanted.err.startswith("begins {}\nx = 0.5\n...end 0.50")
    assert flow.compile(to_streams, target=target, cache=False)(0.5, 3) == 1.0
    assert capfd.readouterr() == wanted
    assert flow.grad(flow.compile(to_streams, target=target, cache=False))(0.5, 3) == 4.0
    assert capfd.readouterr() == wanted


FIRST = [sys.stderr]


def to_the_first(x):
    print("first", file=FIRST[0])
    return x


def test_a_stream_that_is_no_longer_that_of_sys_is_a_file():
    f = flow.compile(to_the_first, target="python", cache=False)
    first, second = io.StringIO(), io.StringIO()
    FIRST[:] = [first]
    with contextlib.redirect_stderr(first):
        f(1.0)
    with contextlib.redirect_stderr(second), pytest.raises(flow.UnsupportedError, match="a file"):
        f(1.0)
    assert (first.getvalue(), second.getvalue()) == ("first\n", "")


def texts_in_containers(x, n):
    t, u = f"a{x:.2f}", f"it's {n} {{}}\n"
    print([t], (t, u), {"k": t}, f"{t!r}", repr(u), [f'"{x}"', f"'\"{n}"])
    print(ValueError(t), KeyError(u), [KeyError(t)])
    return x


def test_texts_of_numbers_have_quotes_in_containers():
    agrees(texts_in_containers, 0.5, 3)
