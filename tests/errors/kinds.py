"""Names, results and arguments whose kind cannot be told, or has no derivative."""
# ruff: noqa: F841 (programs stop before they use what they assign)

import numpy as np

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(3)
def integer_argument(n):  # error, no line: TypeError: n ... 3.0
    return n * 2.0


@program(0.5, 3, position=1)
def integer_second_argument(x, count):  # error, no line: TypeError: count ... 3.0
    return x * count


@program(True)
def boolean_argument(flag):  # error, no line: TypeError: flag ... float
    return 2.0 if flag else 1.0


@program(np.arange(3))
def integer_array(values):  # error, no line: TypeError: values ... .astype(float)
    return np.sum(values * 2.0)


@program(vec(3), np.arange(3) > 1, position=(0, 1))
def boolean_array(x, mask):  # error, no line: TypeError: mask ... .astype(float)
    return np.sum(x * mask)


@program("linear")
def string_argument(kind):  # error, no line: TypeError: kind
    return 2.0 if kind == "linear" else 1.0


@program(0.7, position=1)
def position_out_of_range(x):  # error, no line: RuntimeError: Position index 1
    return x * x


@program(0.7)
def forgotten_return(x):  # error, no line: TypeError: forgotten_return ... None
    y = x * x


@program(0.7)
def return_on_one_side(x):  # error: NotImplementedError: returns None here
    if x > 1.0:
        return x * x


@program(0.7)
def string_result(x):  # error, no line: TypeError: string_result
    return f"{x:.2f}"


@program(vec(3))
def integer_result(x):  # error, no line: TypeError: integer_result
    return len(x)


def found_or_none(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return x[i]
    return None


@program(vec(3))
def helper_returns_none(x):
    return found_or_none(x, 9.0) * 2.0  # error: TypeError: for *: 'NoneType' and 'float'


@program(vec(3), np.array([4]))
def tuples_of_four_lengths(x, n):
    if n[0] == 0:
        y = (x[0],)
    elif n[0] == 1:
        y = (x[0], x[1])
    elif n[0] == 2:
        y = (x[0], x[1], x[2])
    else:
        y = (x[0], x[0], x[0], x[0])
    return y[0]  # error: UnsupportedError: 'y' ... it is a tuple of several structures


@program(vec(3))
def two_that_may_be_none(x):
    a, b = found_or_none(x, 9.0), found_or_none(x, 1.0)
    return x[0] if a is b else x[1]  # error: UnsupportedError: 'is' between values that may be None


@program(vec(3), 2, how="pullback")
def returns_two_ranks(x, n):
    y = x
    if n > 1:
        y = np.outer(x, x)
    return y  # error: UnsupportedError: do not fit together ... rank 2 ... rank 1


@program(vec(3), 2)
def structure_grows_in_loop(x, n):
    y = x
    for _ in range(n + int(x[0])):  # error: UnsupportedError: y changes kind
        y = (y, x)
    return np.sum(y[-1])


@program(0.3, 0.7)
def read_after_two_kinds(x, y):
    if x > y:
        a = x
    else:
        a = (x, y)
    return a * 2.0  # error: TypeError: arithmetic with a tuple


@program(vec(4), 2)
def list_of_texts_grows(x, n):
    rows = []
    for i in range(len(x) - 1):
        if x[i] > 0.0:
            rows.append(str(i))  # error: UnsupportedError: must be a list of numbers
    return x * len(rows)


@program(vec(3), 2)
def appended_and_stored_to(x, n):
    kept = []
    for _ in range(n):
        x += 1.0
        kept.append(x)  # error: UnsupportedError: the array itself ... stored to ... .copy()
    return np.sum(np.array(kept))


@program(vec(3), 2)
def appended_and_stored_to_through_a_name(x, n):
    kept = []
    u = x.copy()
    for _ in range(n):
        new = u * 2.0
        new[0] = 1.0
        kept.append(new)  # error: UnsupportedError: the array itself ... stored to ... .copy()
        u = new
    return np.sum(np.array(kept))


@program(vec(3), 2)
def stored_to_after_it_was_appended(x, n):
    kept = []
    for _ in range(n):
        row = np.zeros(3)
        kept.append(row)  # error: UnsupportedError: the array itself ... stored to ... .copy()
        row[:] = x
    return np.sum(np.array(kept))


@program(vec(3), 2)
def item_of_a_growing_list_stored_to(x, n):
    kept = []
    for k in range(n):
        kept.append(x * k)
    kept[0][1] = 5.0  # error: UnsupportedError: the array itself ... stored to
    return np.sum(np.array(kept))


@program(vec(3), 2)
def item_of_a_growing_list_replaced(x, n):
    kept = []
    for k in range(n):
        kept.append(x * k)
    kept[0] = range(n)  # error: UnsupportedError: in a list of arrays of rank 1 (f64) that grows
    return np.sum(kept[1])


@program(mat(2, 2), 2)
def largest_of_a_list_of_arrays(x, n):
    kept = []
    for k in range(n):
        kept.append(x * k)
    return np.sum(max(kept))  # error: UnsupportedError: max() takes numbers


@program(0.7, 2)
def string_built_in_loop(x, n):
    name = ""
    for _ in range(n + int(x)):  # error: UnsupportedError: name changes kind
        name = name + "a"
    return x * len(name)


@program(vec(3), 1)
def axis_known_only_at_run_time(x, n):
    k = 0
    for _ in range(n):
        k = k + 1
    return np.sum(np.sum(x, axis=k))  # error: UnsupportedError: axis


@program(vec(3))
def object_array(x):
    boxes = np.array([x, "text"], dtype=object)  # error: UnsupportedError: object
    return np.sum(x)


@program(vec(8))
def reshaped_with_gaps_and_stored_to(x):
    y = x[::2].reshape(2, 2)  # error: UnsupportedError: not contiguous is a view in NumPy
    y[0, 1] = 9.0
    return np.sum(x)


@program(vec(8)[::2])
def flat_with_gaps(x):
    x.flat[0] = 5.0  # error: UnsupportedError: .flat of an array that is not contiguous
    return np.sum(x)


@program(mat(2, 2), how="call")
def diagonal_returned_after_a_store(x):
    d = np.diagonal(x)  # error: UnsupportedError: its source is stored to before it is read
    x[0, 0] = 5.0
    return d


@program(vec(4))
def reshape_of_a_reshape_read_after_a_store(x):
    y = x[::2].reshape(2, 1)
    z = np.broadcast_to(y.T, (2, 2))  # error: UnsupportedError: its source is stored to before it
    x[0] = 5.0
    return np.sum(z)


@program(mat(2, 2), 3)
def diagonal_of_an_earlier_trip(x, n):
    d = np.zeros(2)
    for i in range(n):
        x[0, 0] += 1.0
        if i == 0:
            d = np.diagonal(x)  # error: UnsupportedError: its source is stored to before it is
    return np.sum(d)


@program(vec(3))
def grid_read_after_a_store(x):
    y, z = np.meshgrid(x, x, copy=False)  # error: UnsupportedError: meshgrid gives with copy=False
    x[0] = 5.0
    return np.sum(y * z)


@program(mat(3, 3))
def diagonal_read_after_a_store(x):
    d = np.diagonal(x)  # error: UnsupportedError: its source is stored to before it is read
    x[0, 0] = 5.0
    return np.sum(d)


@program(vec(3))
def broadcast_stored_to(x):
    y = np.broadcast_to(x[:1], (3,))  # error: UnsupportedError: it is stored to ... .copy()
    y[0] = 2.0
    return np.sum(y)


@program(vec(3))
def unknown_attribute(x):
    return x.ctypes.data * x[0]  # error: UnsupportedError: has no attribute 'ctypes'


@program(vec(3), 1e30)
def integer_beyond_64_bits(x, t):
    return x[0] * int(t)  # error: OverflowError: more than 64 bits


@program(0.7)
def two_names_of_a_choice(x):
    s = np.where(x > 0.0, x, 2.0 * x)
    t = s
    s += 1.0  # error: UnsupportedError: array of rank 0 ... x = x + y
    return t


@program(mat(3, 4))
def reshape_of_what_is_transposed_in_memory(x):
    y = x.T * 2.0  # laid out as x.T is, so that its reshape is a copy
    y.reshape(12)[:] = 1.0  # error: UnsupportedError: a reshape is a copy in NumPy if its axes
    return np.sum(y * x[0, 0])


@program(mat(3, 4), 2)
def reshape_of_what_a_loop_transposes(x, n):
    y = np.ones((3, 3)) * x[0, 0]
    for _ in range(n):
        z = y.reshape(9)  # error: UnsupportedError: which they may, and it is stored to
        z[1] = x[0, 1]
        y = np.sin(y.T)
    return np.sum(y)


@program(mat(3, 4))
def reshape_of_an_array_like_another(x):
    y = np.zeros_like(x.T)
    y.ravel()[2] = x[0, 0]  # error: UnsupportedError: a reshape is a copy in NumPy
    return np.sum(y)


@program(mat(3, 4))
def reshape_of_gathered_columns(x):
    y = x[:, np.array([0, 2, 2, 1])]
    y.reshape(12)[1] = 4.0  # error: UnsupportedError: a reshape is a copy in NumPy
    return np.sum(y)


@program(mat(3, 4))
def reshape_of_columns_in_memory(x):
    y = np.ones((3, 4), order="F")
    y.reshape(12)[1] = x[0, 0]  # error: UnsupportedError: a reshape is a copy in NumPy
    return np.sum(y)


@program(mat(3, 4).T)
def reshape_of_what_is_made_of_a_strided_argument(x):
    y = np.sin(x)
    y.reshape(12)[1] = 2.0  # error: UnsupportedError: a reshape is a copy in NumPy
    return np.sum(y)


@program(2.0)
def one_of_several_lists(x):
    rows = {1.0: {"a": x}, 2.0: {"a": 2.0 * x}, 3.0: {"a": 3.0 * x}}
    if x > 0.0:  # error: UnsupportedError: which of several lists, dicts or objects ... tuples
        found = rows[x]
    else:
        found = {"a": x * x}
    return found["a"]
