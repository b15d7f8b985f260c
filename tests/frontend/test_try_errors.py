"""`try`: which errors of numbers and arrays a body raises, for Python's classes and NumPy's."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS
from tests.frontend.try_bodies import CHANGED, HEADER, POINTS, TEXT, alike, body, check
from tests.fuzz.source import loaded


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


@pytest.mark.parametrize(
    "text, refused",
    [
        ("s = ~w", "invert is not defined"),
        ("s = math.floor(complex(w, 0.0)) * w", "floor is not defined"),
    ],
)
def test_operators_of_other_kinds_of_numbers(text, refused):
    body(text, refused)


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
