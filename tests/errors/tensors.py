"""Where compiled code would have to know whether a value is a tensor or an array."""

import numpy as np

import srcgrad as flow
from tests.errors.programs import program


def on(f, *args):
    """The gradient of a compiled function, which never goes to the tape."""
    flow.grad(flow.compile(f, target="python"))(flow.tensor([1.0, 2.0, 3.0]), *args)


@program(how="plain")
def method_of_a_tensor_or_an_array():
    def f(x, n):
        y = np.zeros(3)
        for i in range(n):
            y = y + x if i > 0 else y * 1.0
        return y.std()  # error: UnsupportedError: std() ... means two things ... np.std

    on(f, 2)


@program(how="plain")
def class_of_a_tensor_or_an_array():
    def f(x, n):
        y = np.zeros(3)
        for _ in range(n):
            y = y + x
        return x.sum() if type(y) is np.ndarray else -x.sum()  # error: UnsupportedError: the class

    on(f, 2)


@program(how="plain")
def tensor_without_dims_or_a_number():
    def f(x):
        s = x.sum()
        known = isinstance(s, flow.Tensor)  # error: UnsupportedError: does not distinguish numbers
        return s if known else -s

    on(f)


@program(how="plain")
def numpy_of_a_tensor():
    def f(x):
        y = x.numpy()  # error: UnsupportedError: numpy() is not supported here ... leave it out
        return np.sum(y)

    on(f)


WEIGHT = flow.Parameter(flow.tensor(0.0))


@program(how="plain")
def weight_that_chooses_an_axis():
    def f(x):  # error: UnsupportedError: must be known at compile time: it has no gradient
        return np.sum(np.sum(x, axis=int(WEIGHT)))

    compiled = flow.compile(f, target="python")
    flow.grad(compiled, None, weights=WEIGHT)(np.ones((2, 3)))


@program(how="plain")
def list_where_a_tensor_is_expected():
    def f(x):
        y = x.index_fill(0, [0], 1.0)  # error: UnsupportedError: expected a Tensor, not a list
        return y.sum()

    on(f)


@program(how="plain")
def order_of_axes_of_a_tensor_or_an_array():
    def f(x, n):
        y = np.zeros((2, 2, 3))
        for i in range(n):
            y = y + x if i > 0 else y * 1.0
        return y[0, :, np.array([0, 1])].sum()  # error: UnsupportedError: the order of the axes

    on(f, 2)


@program(how="plain")
def store_to_windows():
    def f(x):
        windows = x.unfold(0, 1, 2)  # error: UnsupportedError: unfold() is a view
        windows[0] = 2.0
        return x.sum()

    on(f)


@program(how="plain")
def try_in_a_function_of_tensors():
    def f(x):
        try:  # error: UnsupportedError: 'try' is not supported in a function of tensors
            return (x / x.sum()).sum()
        except RuntimeError:
            return x.sum()

    on(f)


@program(how="plain")
def list_of_the_run_of_tensors():
    def f(x):
        items = []
        for i in range(len(x)):
            items.append(x[i:] * 2.0)
        return items  # error: UnsupportedError: cannot be returned by a function of tensors

    flow.compile(f, target="python")(flow.tensor([1.0, 2.0, 3.0]))
