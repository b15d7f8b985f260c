"""`print` shows what Python's would: separators, ends, specifications, containers."""

import pytest

import srcgrad as flow


def talkative(x, n):
    print("x =", x, (n, x), [n], {"n": n}, sep="|", end="!\n")
    print(f"{x:.2f} {n:>4d} {{}}", "%5.1f%%" % x, "{0:.1e}/{1}".format(x, n), end="")  # noqa: UP030, UP031, UP032
    print()
    print(None, True, (1,), "a", ("a",), sep=None, end=None, flush=True)
    return x * x


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_is_printed_is_what_python_prints(target, capfd):
    talkative(0.5, 3)
    wanted = capfd.readouterr().out
    assert flow.compile(talkative, target=target, cache=False)(0.5, 3) == 0.25
    assert capfd.readouterr().out == wanted
