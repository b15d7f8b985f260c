"""`try` where compiled code is more permissive than Python: the handler that Python runs is run.

A body does what plain Python does with the same arguments, on each target, or is refused.
"""

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.as_python import TARGETS, outcome
from tests.fuzz.source import loaded

HEADER = "import cmath\nimport math\nimport operator\n\nimport numpy as np\n\n\n"
POINTS = [(0.5, 3), (-0.5, 1), (0.0, 0)]
TEXT = """\
def f(x, w, n):
    s = 0.5 * w
    try:
        BODY
    except Exception:
        s = s - 7.0
    return s + x[1]
"""


def alike(got: Any, wanted: Any) -> bool:
    """Equal numbers, whose class may be NumPy's on one path, or exceptions of one class."""
    if isinstance(wanted, tuple):
        return isinstance(got, tuple) and isinstance(got[1], type(wanted[1]))
    return not isinstance(got, tuple) and bool(
        np.isclose(got, wanted, rtol=1e-14, atol=0.0, equal_nan=True)
    )


def right_or_refused(f: Callable, refused: str) -> None:
    """What Python does at each point, or everywhere the same refusal."""
    for w, n in POINTS:
        args = (np.array([1.0, 2.0, 3.0]), w, n)
        with np.errstate(all="ignore"):
            wanted = outcome(f, args)
        for target in TARGETS:
            got = outcome(flow.compile(f, target=target, cache=False), args)
            if refused:
                assert isinstance(got[0], tuple) and isinstance(got[0][1], UnsupportedError), got
                assert refused in str(got[0][1])
            else:
                assert got[1] == wanted[1], (target, w, n)
                assert alike(got[0], wanted[0]), (target, w, n, got[0], wanted[0])


def check(text: str, refused: str = "") -> None:
    with loaded(HEADER + text, "hostile") as namespace:
        right_or_refused(namespace["f"], refused)


def body(text: str, refused: str = "") -> None:
    """A program whose `try` has these statements."""
    check(TEXT.replace("BODY", textwrap.indent(text, "        ").strip()), refused)


# ---- Python's floats ----
@pytest.mark.parametrize(
    "text",
    [
        "s = 1.0 / w",
        "s = 1.0 / -w",
        "s = 1.0 / abs(w)",
        "s = 1.0 // w",
        "s = 1.0 % (w * 0)",
        "s = operator.truediv(1.0, w)",
        "s = 1.0 / (x.tolist()[0] - 1.0)",
        "s /= w",
        "s = 1.0 / (x[0] - 1.0)",
        "s = np.floor_divide(1.0, w)",
        "s = np.mod(1.0, w)",
        "s = abs(1 / complex(w, 0.0))",
        "s = abs(complex(w, 0.0) / complex(w, 0.0))",
    ],
)
def test_divisions_of_floats(text):
    body(text)


EITHER = "this raises for Python's numbers, not for NumPy's"


@pytest.mark.parametrize(
    "text",
    [
        "s = 1 / max(0.0, x[0] - 1.0)",
        "s = 1 / max(w, x[0] - 1.0)",
        "s = 1 / sum(x[n:])",
        "s = w / (0.0 if n > 1 else x[0])",
        "s = 1 / -(x[0] - 1.0 if n > 0 else w)",
        "s = (w if n > 1 else x[0]) ** -1",
        "t = 0.0\nfor v in x[n:]:\n    t += v\ns = w / t",
        "t = 0.0\nfor v in x[n:]:\n    t += v\ns = t / n",
        "t = 0\nfor v in x[n:]:\n    t = x.argmin()\ns = w * (1 // t)",
        "kept = [0.0]\nfor v in x[n:]:\n    kept.append(v)\ns = 1.0 / kept[0]",
    ],
)
def test_a_number_of_python_or_of_numpy(text):
    body(text, EITHER)


def test_a_number_that_stays_of_either_class():
    """One side of a branch leaves it as it is: it still has both classes."""
    body("t = w if n > 1 else x[0] - 1.0\nif n == 7:\n    t = 0.0\ns = 1.0 / t", EITHER)


@pytest.mark.parametrize(
    "text",
    [
        "t = 0.0\nfor k in range(n):\n    t += w\ns = w / t",
        "kept = [0.0]\nfor k in range(n):\n    kept.append(w)\ns = 1.0 / kept[0]",
        "s = x[0] / (w if n > 1 else x[0] - 1.0)",
        "s = 1 / (w if n > 1 else 0)",
    ],
)
def test_numbers_of_one_class(text):
    body(text)


# ---- what compiled code raises and NumPy, or Python, does not ----
LIMITS = [
    ("s = x.argmin() // n * w", ZeroDivisionError, "gives 0 in NumPy"),
    ("s = np.int64(1) % n * w", ZeroDivisionError, "gives 0 in NumPy"),
    ("s = np.floor_divide(1, n) * w", ZeroDivisionError, "gives 0 in NumPy"),
    ("s = 2 ** (n - 1) * w", ValueError, "to a negative power is a float"),
    ("s = int(1e25 * x[0]) * w if n == 0 else w", OverflowError, "more than 64 bits"),
]


@pytest.mark.parametrize(("text", "cls", "said"), LIMITS)
def test_limits_pass_the_handlers(text, cls, said):
    """What only compiled code raises no handler takes; a program that meets no limit runs."""
    text = TEXT.replace("BODY", text)
    with loaded(HEADER + text, "hostile") as namespace:
        f, x = namespace["f"], np.array([1.0, 2.0, 3.0])
        for target in TARGETS:
            compiled = flow.compile(f, target=target, cache=False)
            for w, n in POINTS[:2]:
                assert alike(compiled(x, w, n), f(x, w, n))
            with pytest.raises(cls, match=said):
                compiled(x, 0.5, 0)


def test_an_integer_of_a_quotient():
    body("s = w * int(6.0 / (n - 1))")
    body("s = w / n * int(1e25 - 1e25 * min(n, 1))")  # the division raises before the limit


# ---- what Python raises and compiled code passed ----
@pytest.mark.parametrize(
    "text",
    [
        "s = w * (1 << n - 1)",
        "s = w * (8 >> n - 1)",
        "s = np.repeat(x, n - 1)[0]",
        "s = np.repeat(x, -1)[0]",
        "s = np.tile(x, n - 1)[0]",
        "s = np.pad(x, n - 1)[0]",
        "s = np.pad(x, n - 1, mode='edge')[0]",
        "s = np.diff(x, n=-1)[0]",
        "s = np.transpose(x, (0, 0))[0]",
        "s = math.dist([w], [w, w])",
        "s = math.dist(x, x[:n])",
    ],
)
def test_sizes_that_are_wrong(text):
    body(text)


@pytest.mark.parametrize(
    "text", ["w * (1 << n - 1)", "np.repeat(x, n - 1)[0]", "math.dist(x, [w])"]
)
def test_the_same_without_a_try(text):
    with loaded(f"{HEADER}def f(x, w, n):\n    return {text}\n", "hostile") as namespace:
        for target in TARGETS:
            compiled = flow.compile(namespace["f"], target=target, cache=False)
            with pytest.raises(ValueError):
                compiled(np.array([1.0, 2.0]), 0.5, 0)


def test_attributes_of_numpy_alone():
    body("s = (w if n > 1 else x[0]).mean()", "a Python number has no attribute 'mean'")


@pytest.mark.parametrize(
    "text, refused",
    [
        ("s = abs(complex(w, 0.0) ** -1)", "whether a power of complex numbers raises"),
        ("s = cmath.log(w).real", "whether cmath.log() raises"),
    ],
)
def test_complex_numbers(text, refused):
    body(text, refused)


# ---- how far Python comes ----
@pytest.mark.parametrize(
    "text",
    [
        "s = any(1.0 / (w - k * 0.5) > 1 for k in range(n + 1)) * w",
        "s = all(1.0 / (w - k * 0.5) < 1 for k in range(n + 1)) * w",
        "s = any(x[k] > 0.0 for k in range(n + 2)) * w",
        "s = any(map(math.sqrt, [w + 0.5, w])) * w",
    ],
)
def test_items_that_are_not_asked_for(text):
    body(text)


@pytest.mark.parametrize("line", ["s, x[n] = w, w", "s = x[n] = w", "(s, t), x[n] = (w, w), w"])
def test_a_name_that_is_bound_before_another_target(line):
    text = TEXT.replace("BODY", line).replace("s = s - 7.0", "pass")
    check(text, "'s' cannot be read here: the statement that raised may have bound it")


ENDLESS = """\
def g(x, k):
    try:
        return x[k] + g(x, k + 1)
    except IndexError:
        return 0.0


def f(x, w, n):
    return g(x, 0) * w
"""


def test_a_recursion_that_only_a_handler_ends():
    check(ENDLESS, "a 'try' that runs inside of so many others")


# ---- what is raised for certain, past the handlers of a `try` ----
LEAVING = [
    """\
def f(x, w, n):
    s = w
    if w >= 0:
        try:
            raise ValueError("a")
        except KeyError:
            s = 2.0
    return s * x[0]
""",
    """\
def f(x, w, n):
    try:
        if w >= 0:
            try:
                raise ValueError("a")
            except KeyError:
                pass
    except ValueError:
        return 5.0 * w
    return w * x[0]
""",
    """\
def f(x, w, n):
    s = w
    if w > 0:
        try:
            raise KeyError("a")
        finally:
            s = 3.0
    return s * x[0]
""",
    """\
def f(x, w, n):
    for k in range(n):
        try:
            raise IndexError
        except ValueError:
            w = 3.0
    return w * 2.0
""",
    """\
def f(x, w, n):
    try:
        try:
            s = x[n]
        except IndexError:
            try:
                raise ValueError
            except KeyError:
                pass
    except ValueError:
        return w
    return s
""",
    """\
def f(x, w, n):
    try:
        try:
            s = x[n]
        except IndexError:
            s = 1.0 / w
            raise
        else:
            raise ValueError
    except ValueError:
        return w
    except IndexError:
        return w * 3.0
    except ZeroDivisionError:
        return 7.0
    return s
""",
    """\
def f(x, w, n):
    t = 0.3
    try:
        t = math.sqrt(w)
        try:
            s = dict(u=w)["v"]
        except ArithmeticError:
            pass
    except Exception:
        pass
    return t
""",
]


@pytest.mark.parametrize("text", LEAVING)
def test_what_no_handler_catches_goes_on(text):
    check(text)


SHOWN = "a 'finally' that changes something beside names"


@pytest.mark.parametrize("last", ["x[0] = 5.0", "print(n)"])
def test_finally_after_what_is_raised_for_certain(last):
    body(f"try:\n    raise ValueError\nfinally:\n    {last}", SHOWN)


def test_a_refusal_is_not_caught():
    text = "left = iter(x)\ns = s * next(left)\ns = s * next(left)"
    body(text, "an iterator is run over twice")
    check(
        "def g(x):\n    y = np.histogramdd(x)\n    raise ValueError\n\n\n"
        + TEXT.replace("BODY", "s = g(x)"),
        "numpy.histogramdd is not supported",
    )


@pytest.mark.parametrize(
    "text, refused",
    [
        ("s = ~w", "invert is not defined"),
        ("s = math.floor(complex(w, 0.0)) * w", "floor is not defined"),
    ],
)
def test_operators_of_other_kinds_of_numbers(text, refused):
    body(text, refused)


CHANGED = "what this changes shows although a later step may raise"


GROWN = """\
def f(x, w, n):
    kept = [1.0]
    try:
        LINE
    except IndexError:
        kept.append(50.0)
    return sum(kept) * w
"""


@pytest.mark.parametrize(
    "line, refused",
    [
        ("kept.extend(x[k] for k in range(n + 1))", CHANGED),
        ("kept += (x[k] for k in range(n + 1))", CHANGED),
        ("kept.extend(map(lambda k: x[k], range(n + 1)))", CHANGED),
        ("kept.extend([x[k] for k in range(n + 1)])", ""),
        ("kept += [x[0], x[n]]", ""),
    ],
)
def test_items_before_one_that_raises_are_in_the_list(line, refused):
    check(GROWN.replace("LINE", line), refused)


def test_pairs_before_one_that_raises_are_in_the_dict():
    text = "d = dict(a=w)\ntry:\n    d.update((k, x[n]) for k in ('a', 'b'))\n"
    text += "except IndexError:\n    d['a'] = 9.0\ns = d['a'] + len(d)"
    check("def f(x, w, n):\n" + textwrap.indent(text + "\nreturn s * w\n", "    "), CHANGED)


# ---- arrays ----
@pytest.mark.parametrize(
    "text, refused",
    [
        ("x @= x", ""),
        ("y = np.ones((3, 2))\ny @= x", ""),
        ("y = np.outer(x, x)\ny @= np.ones((2, 3, 3))", ""),
        ("x @= np.ones((3, n))\ns = w * x[0]", ""),
        ("np.put(x, [0, n], 9.0)", CHANGED),
        ("np.put(x, n, 9.0)", ""),
    ],
)
def test_stores_that_do_not_fit(text, refused):
    body(text, refused)


@pytest.mark.parametrize("second", ["x", "np.ones((2, 3, 3))"])
def test_products_in_place_that_do_not_fit(second):
    with loaded(f"{HEADER}def f(x):\n    x @= {second}\n    return np.sum(x)\n", "h") as namespace:
        with pytest.raises(ValueError):
            namespace["f"](np.ones(3))
        with pytest.raises(ValueError):
            flow.compile(namespace["f"], target="python")(np.ones(3))


@pytest.mark.parametrize(
    "line", ["s = np.sum(x[:n] * x[1:])", "x[:n] = x[1:]", "s = x[np.arange(0, 3, n)[0]]"]
)
def test_shapes_are_no_errors_of_linear_algebra(line):
    check(f"""\
def f(x, w, n):
    s = w
    try:
        {line}
    except np.linalg.LinAlgError:
        return 0.5 * w
    except ValueError:
        s = 3.0
    return s * x[1]
""")
