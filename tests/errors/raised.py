"""The user's own exceptions: their classes, and texts as Python formats them."""

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


class OutOfRange(ValueError):
    """Of the user; it makes its text itself."""

    def __init__(self, value):
        super().__init__(f"{value} is out of range")


class Unphysical(Exception):
    """Of the user; it takes more than a text."""

    def __init__(self, quantity, value):
        super().__init__(quantity, value)
        self.quantity = quantity


FROZEN = ArithmeticError("the state is frozen")


def too_large(value, name):
    if name == "x":
        return OutOfRange(value)
    return Unphysical(name, value)


class Model:
    def failure(self):
        return FROZEN


MODEL = Model()


@program(1.7)
def made_by_a_function(x):
    if x > 1.0:
        raise too_large(x, "x")  # error: OutOfRange: 1.7 is out of range
    return x


@program(1.7)
def made_by_a_function_with_two_arguments(x):
    if x > 1.0:
        raise too_large(value=x, name="mass")  # error: Unphysical: ('mass', 1.7)
    return x


@program(1.7)
def made_by_a_method(x):
    if x > 1.0:
        raise MODEL.failure()  # error: ArithmeticError: the state is frozen
    return x


@program(0.7, 3)
def with_format_specifications(x, n):
    if x < 1.0:
        text = f"{x:.3f}|{n:03d}|{x:>8.2f}|{x:.{n}e}"
        raise ValueError(text)  # error: ValueError: 0.700|003| ... 0.70|7.000e-01
    return x


@program(0.7, 3)
def with_the_method_format(x, n):
    if x < 1.0:
        text = "{1}: {0:.2f} {name!r}".format(x, n, name="a")
        raise ValueError(text)  # error: ValueError: 3: 0.70 'a'
    return x


@program(0.7, 3)
def with_the_percent_sign(x, n):
    if x < 1.0:
        text = "step %d: %.2f%% of %s" % (n, x, "all")  # noqa: UP031 (the old form is tested)
        raise ValueError(text)  # error: ValueError: step 3: 0.70% of all
    return x


@program(0.7, 3)
def with_texts_put_together(x, n):
    if x < 1.0:
        raise ValueError("at " + str(n) + ": " + f"{x:.1f} {{}}")  # error: ValueError: at 3: 0.7 {}
    return x


@program(vec(4))
def with_a_shape_and_an_array(x):
    if len(x) == 4:
        raise ValueError(f"shape {x.shape}")  # error: ValueError: shape (4,)
    return np.sum(x)


@program(0.7)
def with_a_text_that_is_not_formatted(x):
    assert x > 1.0, "x{} in {0} %d"  # error: AssertionError: x{} in {0} %d
    return x


@program(0.7, 3)
def with_a_wrong_specification(x, n):
    if x < 1.0:
        raise ValueError(f"{x:d}")  # error: ValueError: format code 'd'
    return x


@program(1.7)
def class_with_its_own_text(x):
    if x > 1.0:
        raise OutOfRange(x)  # error: OutOfRange: 1.7 is out of range
    return x


@program(1.7)
def class_with_two_arguments(x):
    if x > 1.0:
        raise Unphysical("mass", x)  # error: Unphysical: ('mass', 1.7)
    return x


@program(1.7)
def class_without_arguments(x):
    if x > 1.0:
        raise StopIteration  # error: StopIteration: StopIteration
    return x


@program(1.7)
def kept_exception(x):
    if x > 1.0:
        raise FROZEN  # error: ArithmeticError: the state is frozen
    return x


@program(vec(3), 2.5)
def raised_in_a_loop(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if s > limit / 10.0:
            text = f"s = {s:.1f} after {i + 1} of {len(x)}"
            raise OverflowError(text)  # error: OverflowError: s = 1.1 after 1 of 3
    return s


@program(1.7)
def raised_whatever_x_is(x):
    y = x * x
    raise KeyError(f"y = {y}")  # error: KeyError: y = ...
    return y


@program(1.7)
def raised_on_each_path(x):
    if x > 2.0:
        raise KeyError("large")
    else:
        raise TypeError("small")  # error: TypeError: small


@program(1.7)
def raised_after_another_exception(x):
    if x > 1.0:
        raise KeyError("large")  # error: KeyError: large
    raise TypeError("small")


@program(1.7)
def raised_after_an_assertion(x):
    y = x * x
    assert y < 2.0, f"{y:.2f}"  # error: AssertionError: 2.89
    raise TypeError(f"y = {y}")


@program(vec(3), 3)
def raised_after_an_index(x, i):
    y = x[i]  # error: IndexError: index 3
    raise ValueError(f"y = {y}")


@program(0.7, 0)
def zero_to_a_negative_power(x, n):
    return x * n ** (-1)  # error: ZeroDivisionError: negative power


@program(vec(2), np.array([2, 3]), np.array([1, -1]))
def integers_to_negative_powers(x, k, m):
    return np.sum(x * k**m)  # error: ValueError: Integers to negative integer powers


@program(0.7, np.int64(3))
def integer_of_numpy_to_a_negative_power(x, n):
    return x * n ** (-2)  # error: ValueError: Integers to negative integer powers


@program(0.7)
def one_by_the_constant_zero(x):
    n = 0
    return x * (1 / n)  # error: ZeroDivisionError: division by zero


@program(0.7)
def root_of_a_negative_constant(x):
    import math

    return x * math.sqrt(-1.0)  # error: ValueError: as plain Python says


@program(None)
def none_in_arithmetic(x):
    return x * 2.0  # error: TypeError: unsupported operand ... 'NoneType' and 'float'
