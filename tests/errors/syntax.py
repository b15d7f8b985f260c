"""Python that is not differentiated. Each is refused where it stands."""
# ruff: noqa: SIM115 (programs with mistakes)

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


@program(0.7)
def with_statement(x):
    with open("somewhere") as file:  # error: UnsupportedError: with
        y = x * len(file.read())
    return y


@program(vec(3))
def generator_function(x):
    for v in x:
        yield v * v  # error: UnsupportedError: in what is compiled itself ... return a list


@program(vec(3))
def deletion(x):
    y = x * x
    del y[0]  # error: UnsupportedError: del
    return np.sum(x)


@program(0.7)
async def coroutine(x):  # error: UnsupportedError: async
    return x * x


@program(0.7)
def evaluated_text_of_the_run(x):
    return eval(f"{x} * 2.0")  # error: UnsupportedError: a string with a number of the run


@program(0.7)
def evaluated_code(x):
    return eval(x)  # error: TypeError: eval() of a number (f64) is not supported


@program(0.7)
def evaluated_text_that_is_no_expression(x):
    return eval("x *")  # error: SyntaxError: this text is no expression


@program(0.7)
def evaluated_function(x):
    return eval("(lambda v: v * x)(2.0)")  # error: NameError: does not see the names


@program(0.7)
def evaluated_with_names_in_a_list(x):
    return eval("y * y", [x])  # error: TypeError: these names of a text are not supported


@program(0.7)
def executed_text_that_is_no_program(x):
    exec("y =")  # error: SyntaxError: this text is no program
    return x


@program(0.7)
def file_opened(x):
    text = open("somewhere")  # error: UnsupportedError: open
    return x * len(text)


@program(0.7)
def user_asked(x):
    return x * float(input())  # error: UnsupportedError: input


def endless(x):
    return x * endless(x + 1.0)  # error: UnsupportedError: recursion


@program(0.7)
def recursion_without_end(x):
    return endless(x)


@program(0.7, 5)
def set_of_run_time_values(x, n):
    total = 0.0
    for v in {x, 2.0}:  # error: UnsupportedError: the order of a set is not defined
        total += v
    return total


@program(vec(3))
def truth_of_a_text(x):
    return x if f"{x[0]}" else -x  # error: UnsupportedError: a string with a number of the run
