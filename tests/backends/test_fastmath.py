"""The settings of `fastmath`: `False` keeps Python's order, the default only reassociates."""

import re
from importlib import import_module

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu.build import BACKEND
from srcgrad.backends.cpu.emit import driver
from srcgrad.backends.cpu.emit.called import CALLED
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.fastmath import FLAGS
from srcgrad.passes import run
from tests.backends.machine_code import assembly_of, optimised

FLAG = re.compile(r"\b(?:fast|reassoc|nnan|ninf|nsz|arcp|contract|afn)\b")
SETTINGS = (None, False, True)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


def regrouped(x, a, b):
    """What LLVM computes otherwise if it may, by operations that are rounded exactly.

    Sums are of five: those NumPy adds in order as well.
    """
    y = (x * a * b + 1.0) * 3.0 / 7.0
    t = 0.0
    for i in range(len(y)):
        t += a
        y[i] *= t * b
    return np.sum(y * y)


def downwards(x, a, b):
    """What our own passes compute in another order if they may."""
    y = x * a
    t = 0.0
    for i in reversed(range(len(x))):
        t += x[i] * b
    for _ in range(2):
        for i in range(len(x) - 1):
            y[i + 1] += t * x[i]
            y[i] += 0.3 * b
        y[1:] += x[:-1]
        y[:-1] += a * x[1:]
    return y


def spread(x, a, b):
    return np.sqrt(x) / 3.0 * 5.0 * a * b


def called(x, a, b):
    """Helpers of several sorts."""
    return np.sum(np.sort(np.sign(x) * np.maximum(x, a)) * np.exp(x)) * a * b


def points():
    rng = np.random.default_rng(1)
    return [(rng.random(5) + 0.2, 1.0 + rng.random(), 0.3 + rng.random()) for _ in range(20)]


def numbers(out):
    """Every number of a result in structures, as bits."""
    if isinstance(out, tuple):
        return b"".join(map(numbers, out))
    return np.asarray(out.numpy() if hasattr(out, "numpy") else out).tobytes()


def tensors(f, x, a, b):
    x = flow.tensor(x, dtype=flow.float64, requires_grad=True)
    f(x, a, b).backward()
    return x.grad


ROUTES = {
    "value": lambda f, *args: f(*args),
    "grad": lambda f, *args: flow.value_and_grad(f, (0, 1, 2))(*args),
    "vjp": lambda f, *args: flow.vjp(f, *args)[1](1.5),
    "jvp": lambda f, *args: flow.jvp(f, args, (args[0] * 0.7, 0.3, 0.1)),
    "tensors": tensors,
    "second": lambda f, *args: flow.grad(flow.grad(f, 1), 2)(*args),
}


def bits(ask, fn, target, setting):
    f = flow.compile(fn, target=target, fastmath=setting)
    return [numbers(ask(f, *p)) for p in points()]


@pytest.mark.parametrize("route", ROUTES)
def test_strict_is_python_bit_for_bit(route):
    ask = ROUTES[route]
    assert bits(ask, regrouped, "cpu", False) == bits(ask, regrouped, "python", None)


@pytest.mark.parametrize("fn", [regrouped, downwards])
def test_the_default_regroups(fn):
    """Or the others would show nothing."""
    ask = ROUTES["value"]
    want = bits(ask, fn, "python", None)
    assert bits(ask, fn, "cpu", False) == want
    assert bits(ask, fn, "cpu", None) != want


@pytest.mark.parametrize("jacobian", [flow.jacrev, flow.jacfwd])
def test_jacobians_have_the_setting_of_their_function(jacobian):
    ask = lambda f, *args: jacobian(f)(*args)
    assert bits(ask, spread, "cpu", False) == bits(ask, spread, "python", None)


def machine_code(fn, setting):
    """LLVM's text and assembly of a gradient, helpers included."""
    f = flow.grad(flow.compile(fn, fastmath=setting, cache=False), (0, 1, 2))
    f(*points()[0])
    (entry,) = [e for found in f._entries.values() for e in found]
    low = run(entry.program.function, passes=BACKEND.pipeline(f.options))
    program = Program(low, FLAGS[setting])
    module = optimised(program)
    helpers = [driver._ready[helper] for helper in program.helpers]
    text = "\n".join([str(module), *(t for m in helpers for t in m.inspect_llvm().values())])
    assembly = "\n".join(
        [assembly_of(module), *(t for m in helpers for t in m.inspect_asm().values())]
    )
    instructions = [line for line in text.splitlines() if " = " in line and "!" not in line[:1]]
    flags = {flag for line in instructions for flag in FLAG.findall(line)}
    return flags, assembly, str(module)


@pytest.mark.parametrize("fn", [regrouped, called])
def test_flags_in_the_machine_code(fn):
    strict, default, fast = (machine_code(fn, s) for s in (False, None, True))
    assert strict[0] == set() and default[0] == {"reassoc"} and "fast" in fast[0]
    for _, assembly, _ in (strict, default):
        assert not re.search(r"\bvfn?m(add|sub)|\bfn?m(add|sub|la)\b", assembly)


def test_sums_keep_the_sign_of_zero():
    """LLVM sorts the operands of chains of additions that do not."""
    assert re.search(r"fmul fast ", machine_code(regrouped, True)[2])
    assert not re.search(r"f(add|sub) [a-z ]*\b(fast|nsz)\b", machine_code(regrouped, True)[2])


@pytest.mark.parametrize(("module", "names"), CALLED.items())
def test_helpers_are_strict_whoever_calls_them_first(module, names):
    found = import_module(f"srcgrad.backends.cpu.{module}")
    for name in names:
        # unset it would be that of the first caller, for all others and in the files as well
        assert getattr(found, name).targetoptions["fastmath"] is False, name


def test_each_setting_is_compiled_apart(tmp_path):
    x, a, b = np.array([0.0, 1.0]), 1e200, 1e200
    product = lambda x, a, b: x * a * b
    made = [flow.compile(product, fastmath=setting)(x, a, b) for setting in SETTINGS]
    assert len(list(tmp_path.glob("k_*.o"))) == 3
    assert made[1].tolist() == [0.0, np.inf] and np.isnan(made[0][0])  # inf times 0


def test_transforms_keep_the_setting():
    strict = flow.compile(regrouped, fastmath=False)
    for f in (strict, flow.grad(strict), flow.compile(strict), flow.value_and_grad(strict)):
        assert f.options.fastmath is False
    assert flow.compile(strict, fastmath=True).options.fastmath is True
    assert flow.compile(fastmath=False)(regrouped).options.fastmath is False


def test_explain_says_the_setting():
    said = {
        setting: flow.compile(spread, fastmath=setting)
        .explain(*points()[0])
        .splitlines()[2]
        .strip()
        for setting in SETTINGS
    }
    assert said == {
        None: "fastmath   unset: sums and products may be regrouped",
        False: "fastmath   False: every operation in the order written",
        True: "fastmath   True: regrouped, and no regard for NaN, infinities and signed zeros",
    }
    assert "fastmath" not in flow.compile(spread, target="python").explain(*points()[0])


@pytest.mark.parametrize("given", ["yes", 1, {"reassoc"}, ()])
def test_other_settings_are_refused(given):
    with pytest.raises(TypeError, match="fastmath must be True or False, not ") as caught:
        flow.compile(regrouped, fastmath=given)
    assert "leave it out" in str(caught.value)
