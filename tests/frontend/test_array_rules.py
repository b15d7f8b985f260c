"""The rules for instances of classes of arrays are NumPy's: class, steps, and what NumPy reads."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.array_rules import FUNCTIONS, METHODS, Rule

X = np.array([3.0, 1.0, 2.0])
A = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]])
# calls where they take more than an instance of rank 1: `v` is one, `m` one of rank 2
CALLS = {
    "reshape": "np.reshape(m, (9,))", "repeat": "np.repeat(v, 2)", "take": "np.take(v, [0, 2])",
    "swapaxes": "np.swapaxes(m, 0, 1)", "clip": "np.clip(v, 1.5, 2.5)", "det": "np.linalg.det(m)",
    "expand_dims": "np.expand_dims(v, 0)", "moveaxis": "np.moveaxis(m, 0, 1)",
    "full_like": "np.full_like(v, 1.0)", "solve": "np.linalg.solve(m, v)", "cov": "np.cov(m)",
    "where": "np.where(v > 1.5, v, v)", "cross": "np.cross(v, v)", "outer": "np.outer(v, v)",
    "einsum": "np.einsum('i,i', v, v)", "interp": "np.interp(v, [1.0, 2.0, 3.0], v)",
    "broadcast_to": "np.broadcast_to(v, (2, 3))", "vdot": "np.vdot(v, v)", "diag": "np.diag(m)",
    "convolve": "np.convolve(v, v)", "array_equal": "np.array_equal(v, v)",
    "inv": "np.linalg.inv(m)", "cholesky": "np.linalg.cholesky(m)", "norm": "np.linalg.norm(v)",
    "eigvalsh": "np.linalg.eigvalsh(m)", "empty_like": "np.empty_like(v) * 0.0",
    **{n: f"np.{n}(m)" for n in ("diagonal", "fliplr", "flipud", "tril", "triu", "trace")},
    **{n: f"np.{n}([v, v])" for n in (
        "concatenate", "stack", "vstack", "hstack", "column_stack", "dstack",
    )},
    ".reshape": "m.reshape(9)", ".repeat": "v.repeat(2)", ".take": "v.take([0, 2])",
    ".swapaxes": "m.swapaxes(0, 1)", ".clip": "v.clip(1.5, 2.5)", ".fill": "v.fill(2.0)",
    ".searchsorted": "v.searchsorted(2.0)", ".astype": "v.astype(np.float32)",
    ".compress": "v.compress([True, False, True])", ".trace": "m.trace()", ".item": "v[:1].item()",
    ".diagonal": "m.diagonal()",
}  # fmt: skip
NAMES = [*(f.__name__ for f in FUNCTIONS), *(f".{name}" for name in METHODS)]
RULES = dict(zip(NAMES, [*FUNCTIONS.values(), *METHODS.values()], strict=True))
# what is called of any object, or of any instance of a class
ALWAYS = {
    "__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__doc__",
    "__getattribute__", "__setattr__", "__delattr__", "__array_finalize__", "__array_wrap__",
    "__array_ufunc__", "__array_function__", "__array_priority__", "__array_interface__",
    "__array_struct__", "__array__", "__array_namespace__", "__class_getitem__", "__hash__",
    "__reduce__", "__reduce_ex__", "__buffer__", "__dir__", "__sizeof__", "__setstate__",
    "__getstate__", "__format__", "__str__", "__repr__", "__copy__", "__deepcopy__",
}  # fmt: skip


class Counting(np.ndarray):
    def __array_finalize__(self, obj):
        self.steps = getattr(obj, "steps", 0) + 1


class Plain(np.ndarray):
    pass


def call_of(name):
    return CALLS.get(name, f"v{name}()" if name[0] == "." else f"np.{name}(v)")


def given(cls):
    v, m = X.copy().view(cls), A.copy().view(cls)
    if cls is Counting:
        v.steps = m.steps = 0
    return {"np": np, "v": v, "m": m}


def parts(out):
    return out if isinstance(out, tuple | list) else (out,)


def of_one_array(name):
    """A function of an instance alone, and its source."""
    source = f"def f(v):\n    return np.{name}(v.view(Plain))\n"
    program = {"np": np, "Plain": Plain}
    exec(source, program)
    return program["f"], source


def fits(name, x):
    try:
        of_one_array(name)[0](x.copy())
    except (TypeError, ValueError, AttributeError):  # it takes more arguments, or another rank
        return False
    return True


LIKE = [f.__name__ for f, rule in FUNCTIONS.items() if rule != Rule(None)]
OF_ONE = [(name, x) for name in LIKE for x in (X, A) if hasattr(np, name) and fits(name, x)]


@pytest.mark.parametrize(("name", "x"), OF_ONE, ids=[f"{n}_{x.ndim}" for n, x in OF_ONE])
def test_the_class_of_a_result_by_the_rank(name, x):
    f, source = of_one_array(name)
    compiled = flow.compile(f, source=source, target="python")
    assert type(compiled(x.copy())) is type(f(x.copy()))


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("empty_like", ".item")])
def test_as_many_instances_as_numpy_makes(name):
    for part in parts(eval(call_of(name), given(Counting))):
        wanted = None if RULES[name].of is None else RULES[name].steps
        assert getattr(part, "steps", None) == wanted


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("where", "empty_like", ".item")])
def test_numpy_reads_what_the_rule_says(name):
    def raising(member):
        def method(self, *args, **kwargs):
            raise AssertionError(f"{call_of(name)} reads {member}")

        return method if callable(getattr(np.ndarray, member)) else property(method)

    others = set(dir(np.ndarray)) - ALWAYS - {name.lstrip("."), *RULES[name].reads}
    eval(call_of(name), given(type("Raising", (np.ndarray,), {n: raising(n) for n in others})))


def same(a, b):
    assert type(a) is type(b), (type(a), type(b))
    if a is None:
        return
    if isinstance(a, tuple | list):
        for x, y in zip(a, b, strict=True):
            same(x, y)
        return
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
    assert np.asarray(a).dtype == np.asarray(b).dtype
    assert getattr(a, "__dict__", None) == getattr(b, "__dict__", None)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_an_instance_of_the_same_class(name):
    text = (
        f"def program(v, m):\n    v, m = v.view(Plain), m.view(Plain)\n    return {call_of(name)}\n"
    )
    scope = {"np": np, "Plain": Plain}
    exec(text, scope)
    program = scope["program"]
    compiled = flow.compile(program, source=text, target="python")
    same(compiled(X.copy(), A.copy()), program(X.copy(), A.copy()))
