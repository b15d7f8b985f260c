"""Keys of dicts, and classes that derive from dict."""

from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3))
def key_that_is_an_array(x):
    table = {"a": 1.0}
    table[x] = 2.0  # error: UnsupportedError: a key of a dict must be known
    return table["a"] * x[0]


@program(vec(3))
def key_deleted_that_is_not_there(x):
    table = {"a": x}
    del table["b"]  # error: UnsupportedError: the dict has no key 'b'
    return x[0]


@program(vec(3), 2)
def key_on_one_path(x, n):
    table = {"a": x[0]}
    if x[n] > 0.0:
        table[None] = x[1]  # error: UnsupportedError: has the key None on one path only ... before
    return table["a"]


class Result(dict):
    pass


@program(vec(3))
def dict_of_a_class_returned(x):
    return Result(x=x)  # error: ReturnTypeError: which derives from dict


class Shown(dict):
    def shown(self):
        return super().__repr__()  # error: UnsupportedError: '__repr__' of dict is not supported


@program(vec(3))
def text_of_a_dict_of_a_class_by_its_base(x):
    return len(Shown(a=2.0).shown()) * x[0]


@program(vec(3))
def attributes_of_a_dict_of_a_class(x):
    result = Result(x=x)
    result.k = 2.0
    return x[0] * vars(result)["k"]  # error: UnsupportedError: __dict__ of a Result


class FoundAsItself:
    """It says that it is equal to others, and is not found as one of them."""

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


@program(0.7)
def member_with_the_hash_of_object(x):
    key = FoundAsItself()
    return x * len({key, key})  # error: UnsupportedError: a FoundAsItself has an __eq__, and the
