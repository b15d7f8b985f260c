"""No name of a program meets one of ours: as a function, argument, local, field or global.

The names are Python's keywords that may be names, builtins, modules, the primitives, and all that
stands in texts that are generated for the targets.
"""

import builtins
import inspect
import keyword
import math

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu.text.module import CALLED
from srcgrad.backends.cuda.expressions import taken
from srcgrad.backends.cuda.launching import ASKING
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.frontend import trees
from srcgrad.ir.text import RESERVED, identifier
from srcgrad.primitives import REGISTRY
from tests.tools.turns import share

OURS = (
    "body", "srcgrad_body", "call", "called_", "srcgrad_called", "srcgrad_called_", "self", "cls",
    "it", "node", "np", "numpy", "math", "cmath", "flow", "srcgrad", "fast", "MISS", "ndarray",
    "part_0", "srcgrad_part_0", "a0", "a1", "h0", "v0", "v3", "r", "x", "s_a0", "made", "items",
    "_srcgrad_items", "_srcgrad_made", "_srcgrad_item", "item", "comprehension", "_", "args",
    "kwargs", "kind", "static", "site", "back", "codegen", "result", "typingctx", "failed",
    "operands", "cuda", "libdevice", "flat", "thread", "total", "place", "half", "values", "value",
    "device_zeros", "read", "look", "number", "block_add_f64", "srcgrad_block_add_f64", "f_0",
    "f_0_trip", "f_0_blocks", "finish_add_f64", "begin", "entry", "NAME", "NEST", "RESULT",
    "x_bar", "t1", "n", "m", "__name__", "__builtins__", "__file__", "__call__",
    "tensor", "grad", "inf", "nan", "f64", "i64",
)  # fmt: skip
NAMES = sorted(
    {
        *OURS, *keyword.softkwlist, *dir(builtins), *dir(math), *REGISTRY, *RESERVED, *ASKING,
        *taken(), *(n for names in CALLED.values() for n in names),
    }
    - {*keyword.kwlist, "__debug__"},
)  # fmt: skip
TEXT = """
import numpy as _numpy

class Holder_:
    def __init__(self, value):
        self.{name} = value

    def read_(self):
        return self.{name}

HELD_ = Holder_(2.0)

def as_local_(u_, w_):
    {name} = u_ * w_
    for _k in range_(3):
        {name} = {name} + u_ * _numpy.sin(w_)
    return {name}

def as_loop_(u_, w_):
    t_ = 0.0
    for {name} in range_(4):
        t_ = t_ + u_ * w_ ** {name}
    return t_

def as_argument_(u_, {name}):
    return u_ * {name} * {name}

def as_keyword_(u_, w_):
    return as_argument_(u_, {name}=w_)

def as_inner_(u_, w_):
    def {name}(v_):
        return v_ * w_
    return {name}(u_) + sum_([{name}(v_) for v_ in (u_, w_)])

def as_field_(u_, w_):
    h_ = Holder_(u_)
    h_.{name} = h_.{name} * w_
    return h_.read_() * HELD_.{name}

def as_item_(u_, w_):
    made_ = [{name} * w_ for {name} in (u_, w_, u_)]
    return made_[0] + (made_ * 2)[4]

def as_global_(u_, w_):
    return u_ * w_ * {name}

{name} = 3.0

def as_all_(u_, w_):
    one_ = as_local_(u_, w_) + as_loop_(u_, w_) + as_keyword_(u_, w_) + as_inner_(u_, w_)
    return one_ + as_field_(u_, w_) + as_item_(u_, w_) + as_global_(u_, w_) + as_called_(u_, w_)

class Other_:
    def {name}(self_, u_):
        return u_ * self_.value_

    value_ = 2.0

OTHER_ = Other_()

def as_called_(u_, w_):
    return OTHER_.{name}(u_) * w_
"""
FUNCTION = """
def {name}(u_, w_):
    return u_ * w_ + u_
"""


def module(text, name, folder):
    """The functions of a text; what it needs of Python has names of its own."""
    text = text.replace("{name}", name)
    file = folder / f"module_{len(list(folder.iterdir()))}.py"
    file.write_text(text, encoding="utf-8")
    scope = {"range_": range, "sum_": sum, "__name__": "module"}
    exec(compile(text, str(file), "exec"), scope)
    return {
        n: f for n, f in scope.items()
        if inspect.isfunction(f) and (n.startswith("as_") or n == name)
    }  # fmt: skip


def agree(f, target):
    """The value, and the gradient against differences."""
    at = np.array([0.7, 1.3])
    value, grads = flow.value_and_grad(flow.compile(f, target=target, cache=False), (0, 1))(*at)
    assert value == pytest.approx(f(*at), rel=1e-12)
    for k, g in enumerate(grads):
        step = 1e-6 * np.eye(2)[k]
        assert g == pytest.approx((f(*(at + step)) - f(*(at - step))) / 2e-6, rel=1e-7)


@pytest.mark.parametrize("names", share([NAMES[k::40] for k in range(40)]), ids=lambda n: n[0])
def test_names(names, tmp_path):
    for name in names:
        try:
            agree(module(TEXT, name, tmp_path)["as_all_"], "python")
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error


HARD = ("body", "srcgrad_body", "a0", "np", "float", "part_0", "grow", "__name__", "type", "range")


@pytest.mark.parametrize("name", HARD)
def test_names_of_functions_in_machine_code(name, tmp_path):
    named = module(FUNCTION, name, tmp_path)[name]
    agree(named, "cpu")
    assert identifier(name) in flow.grad(flow.compile(named)).source("llvm", 0.7, 1.3)


def test_names_in_machine_code(tmp_path):
    """One program with all of them."""
    lines = "".join(f"    {n} = u * {k}.5 + w\n    s = s + {n}\n" for k, n in enumerate(HARD[:-1]))
    text = f"def f(u, w):\n    s = 0.0\n{lines}    return s * u\n"
    agree(module(text + "as_f = f\n", "f", tmp_path)["f"], "cpu")


KERNEL = """
def {name}(u_):
    out_ = _np.zeros(len_(u_))
    for k_ in range_(len_(u_)):
        out_[k_] = u_[k_] * u_[k_]
    return _np.sum(out_)

def as_local_(u_):
    out_ = _np.zeros(len_(u_))
    for k_ in range_(len_(u_)):
        {name} = _np.sin(u_[k_])
        out_[k_] = {name} * {name}
    {name} = _np.sum(out_)
    return {name}

def as_array_({name}):
    return _np.sum({name} * {name})
"""
IN_KERNELS = sorted({*OURS, *taken(), *ASKING} - {*keyword.kwlist})


@pytest.mark.parametrize("names", share([IN_KERNELS[k::12] for k in range(12)]), ids=lambda n: n[0])
def test_names_in_kernels(names, tmp_path):
    x = np.array([0.5, 1.5, -0.3])
    for name in names:
        text = KERNEL.replace("{name}", name)
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        scope = {"_np": np, "len_": len, "range_": range}
        exec(compile(text, str(file), "exec"), scope)
        for f in (scope[name], scope["as_local_"], scope["as_array_"]):
            with using(Simulator()):
                compiled = flow.compile(f, target="cuda", cache=False)
                value, g = flow.value_and_grad(compiled)(x)
            want, g_want = flow.value_and_grad(flow.compile(f, target="python"))(x)
            assert value == pytest.approx(want), name
            np.testing.assert_allclose(g, g_want, 1e-12, err_msg=name)


def test_a_builtin_that_the_program_replaces_is_not_ours():
    """What stands around a program's expressions names builtins of Python's."""

    def f(x):
        range = sum = list = 2.0
        return ([x, x * x] * 2)[3] * range * sum * list

    assert flow.compile(f, target="python")(3.0) == 72.0
    assert "range" in trees.REPEATING


def test_an_argument_called_self():
    f = lambda self, x: self * x
    assert flow.compile(f, target="python")(self=2.0, x=3.0) == 6.0
    assert flow.value_and_grad(flow.compile(f, target="python"))(self=2.0, x=3.0) == (6.0, 3.0)


class Called:
    def __call__(self, srcgrad_called, called_):
        return srcgrad_called * called_


def test_an_instance_whose_arguments_are_called_so():
    assert flow.value_and_grad(flow.compile(Called(), target="python"))(2.0, 3.0) == (6.0, 3.0)


def srcgrad_called(x):
    return x * x


def test_a_function_called_so():
    from functools import partial

    called = partial(srcgrad_called)
    called.__name__ = "srcgrad_called"
    assert flow.value_and_grad(flow.compile(called, target="python"))(3.0) == (9.0, 6.0)
