"""Classes that derive from ndarray: what is not followed of them."""

import copy

import numpy as np

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program


class Plain(np.ndarray):
    pass


class Converted(np.ndarray):
    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)


class Wrapping(np.ndarray):
    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array


class WrappingAsBefore(np.ndarray):
    def __array_wrap__(self, array, context=None):
        return array


class Matrix(np.matrix):
    pass


class Keyed(np.ndarray):
    def __getitem__(self, key):
        return super().__getitem__(key)


class Slotted(np.ndarray):
    __slots__ = ()


class Static(np.ndarray):
    __array_finalize__ = staticmethod(lambda self, obj: None)


class Counting(np.ndarray):
    def __array_finalize__(self, obj):
        self.steps = getattr(obj, "steps", 0) + 1


class First(np.ndarray):
    __array_priority__ = 10.0


class Negative(np.ndarray):
    __array_priority__ = -1.0


class Leaving(np.ndarray):
    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return NotImplemented


class Copied(np.ndarray):
    def __copy__(self):
        return self


class Summing(np.ndarray):
    def sum(self, axis=None, dtype=None, out=None):
        return 2.0


@program(vec(3))
def class_of_arrays_without_a_new(x):
    return Plain(3)[0] * x[0]  # error: UnsupportedError: Plain() makes an array of nothing


@program(vec(3))
def class_of_matrices(x):
    return x.view(Matrix)[0, 0]  # error: UnsupportedError: derives from matrix


@program(vec(3))
def class_of_arrays_with_a_protocol(x):
    return x.view(Converted)[0]  # error: UnsupportedError: Converted defines __array__


@program(vec(3))
def class_of_arrays_that_wraps_as_before(x):
    return x.view(WrappingAsBefore) + 1.0  # error: UnsupportedError: is no method of an array


@program(vec(3))
def class_of_arrays_that_reads_the_context(x):
    class Reading(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return array if context is None else context[1]  # error: UnsupportedError: the context

    return x.view(Reading) + 1.0


@program(vec(3))
def class_of_arrays_that_wraps_parts(x):
    return np.std(x.view(Wrapping))  # error: UnsupportedError: is called for parts of the result


@program(vec(3))
def class_of_arrays_that_wraps_parts_of_a_mean(x):
    m = np.outer(x, x).view(Wrapping)
    return m.mean(axis=(0, 1))  # error: UnsupportedError: is called for parts of the result


@program(vec(3))
def class_of_arrays_that_wraps_out(x):
    return np.add(x, 1.0, out=x.view(Wrapping))  # error: UnsupportedError: out= whose class


@program(vec(3))
def class_of_arrays_that_wraps_in_place(x):
    v = x.copy().view(Wrapping)
    v += 1.0  # error: UnsupportedError: an operator in place where the class defines
    return v


@program(0.7)
def class_of_an_array_of_rank_zero(x):
    return x * isinstance(np.asarray(x), np.ndarray)  # error: UnsupportedError: of rank 0 or a


@program(vec(3))
def class_of_arrays_with_slots(x):
    return x.view(Slotted)[0]  # error: UnsupportedError: Slotted has __slots__


@program(vec(3))
def class_of_arrays_with_a_static_finalize(x):
    return x.view(Static)[0]  # error: UnsupportedError: __array_finalize__ of Static is no method


@program(flow.tensor([1.0, 2.0, 3.0]))
def class_of_arrays_in_a_function_of_tensors(x):
    return np.asarray(x).view(Plain)[0]  # error: UnsupportedError: in a function of tensors


@program(vec(3))
def view_of_a_sum_as_a_class(x):
    return x.view(Plain).sum().view(Plain)  # error: UnsupportedError: a view of an array of rank 0


@program(vec(3))
def view_of_a_class_as_another_dtype(x):
    return x.view(Plain).view(np.int64)[0] * x[0]  # error: UnsupportedError: a class of arrays


@program(vec(3))
def function_that_is_not_known_of_a_class(x):
    return np.roll(x.view(Plain), 1)[0]  # error: UnsupportedError: class of its result is not known


@program(vec(3))
def axis_of_an_argmax_of_a_class(x):
    return x[np.argmax(x.view(Plain), axis=0)]  # error: UnsupportedError: with these arguments


@program(vec(3))
def class_among_arrays(x):
    return np.clip(x, x.view(Plain), 2.0)[0]  # error: UnsupportedError: among other arguments


@program(vec(3))
def out_of_two_results_of_a_class(x):
    out = (x * 0.0, x * 0.0)
    out = np.divmod(x.view(Plain), 2.0, out=out)  # error: UnsupportedError: these arguments
    return out[0][0]


@program(vec(3))
def priority_below_that_of_arrays(x):
    return np.sin(x.view(Negative))[0]  # error: UnsupportedError: is no positive number


@program(vec(3))
def class_with_a_priority_joined(x):
    v = x.view(First)
    return np.concatenate([v, v])[0]  # error: UnsupportedError: has an __array_priority__


@program(vec(3))
def several_steps_of_a_class(x):
    return x.view(Counting).std()  # error: UnsupportedError: calls __array_finalize__ of Counting


@program(vec(3))
def buffer_of_a_class(x):
    return x.view(Plain).base[0]  # error: UnsupportedError: the attribute 'base' of a Plain


@program(vec(3))
def method_that_is_not_known_of_a_class(x):
    return x.view(Plain).squeeze()[0]  # error: UnsupportedError: the method 'squeeze' of a Plain


@program(vec(3))
def reshaped_sum_of_a_class(x):
    return x.view(Plain).sum().reshape(1)[0]  # error: UnsupportedError: of rank 0


@program(vec(3))
def function_of_a_method_defined_anew(x):
    return np.sum(x.view(Summing))  # error: UnsupportedError: whose class defines sum anew


@program(vec(3))
def shape_of_a_class_that_is_set(x):
    v = x.view(Plain)
    v.shape = (3, 1)  # error: UnsupportedError: a store to 'shape' of a Plain
    return v[0, 0]


@program(vec(3))
def copy_by_a_method_of_a_class(x):
    return copy.copy(x.view(Copied))[0]  # error: UnsupportedError: by its own method


@program(vec(3))
def operator_that_is_left_to_numpy(x):
    return (x + x.view(Leaving))[0]  # error: UnsupportedError: both leave it to NumPy


@program(vec(3))
def sum_of_a_class_in_place(x):
    s = x.view(Plain).sum()
    s += 1.0  # error: UnsupportedError: an operator in place on an instance of rank 0
    return s


@program(vec(3))
def product_of_a_class_in_place(x):
    m = np.outer(x, x).view(Plain)
    m @= np.outer(x, x)  # error: UnsupportedError: @= of an array in place
    return m[0, 0]


@program(vec(3))
def number_of_numpys_on_the_left_of_a_class(x):
    v = x.view(Leaving)
    w = x[0] + v  # error: UnsupportedError: number on the left need not call __radd__ of a Leaving
    return w[0]


@program(vec(3))
def store_by_slices_where_items_are_defined_anew(x):
    v = x.copy().view(Keyed)
    v[1:] = 2.0  # error: UnsupportedError: a store by slices where the class defines __getitem__
    return v[0]


@program(vec(3))
def function_that_is_not_known_of_a_matrix(x):
    return np.kron(np.matrix(x), x)[0, 0]  # error: UnsupportedError: kron() of a np.matrix


@program(vec(3))
def method_that_is_not_known_of_a_matrix(x):
    return np.matrix(x).ptp() + x[0]  # error: UnsupportedError: 'ptp' of a np.matrix


@program(vec(3))
def matrix_of_a_text(x):
    return np.matrix("1 2; 3 4")[0, 0] * x[0]  # error: UnsupportedError: a np.matrix of a text


@program(vec(3))
def matrix_with_a_new_axis(x):
    return np.matrix(x)[None][0, 0, 0]  # error: UnsupportedError: of more than two axes


@program(vec(3))
def iteration_where_items_are_defined_anew(x):
    v = x.view(Keyed)
    return sum(v)  # error: UnsupportedError: iterating where the class defines __getitem__


class Equal(np.ndarray):
    def __eq__(self, other):
        return np.asarray(self) == other

    __hash__ = None


@program(vec(3))
def item_of_a_class_with_an_equality(x):
    return x[0] * (2.0 in x.view(Equal))  # error: UnsupportedError: `in` where the class defines
