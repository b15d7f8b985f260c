"""Functions that take a container, an object or None as it is, where others run over its items."""

from __future__ import annotations

import collections
import operator
import sys

from srcgrad.frontend.formulas.dicts_of_the_run import count
from srcgrad.frontend.formulas.groups import own_number, taken_over
from srcgrad.frontend.formulas.longer_lists import count_before, item_from_the_end, read_whole
from srcgrad.frontend.formulas.members import hashable, members

# methods of containers that take None as any other item
KEEPING = (("list", "append"), ("list", "insert"), ("dict", "setdefault"))
# functions that look at no item of a container
OF_ANY_ITEMS = frozenset((dict, enumerate, isinstance, iter, len, list, next, reversed, tuple, zip))
# functions that take an object itself; others run over its items
OF_OBJECTS = frozenset((
    isinstance, type, hasattr, getattr, setattr, delattr, callable, print, str, repr, dict,
    collections.OrderedDict, collections.defaultdict, collections.Counter, count, count_before,
    hashable, item_from_the_end, own_number, read_whole, taken_over,
    *filter(callable, vars(operator).values()),
))  # fmt: skip
# libraries whose functions may take None as any object
LIBRARIES_OF_OBJECTS = sys.stdlib_module_names - {"math", "cmath", "random", "statistics"}
# among them functions whose results are no values of a path
OF_NO_NONE = frozenset((str, repr, enumerate, zip, map, filter, iter, reversed))
# functions whose result does not depend on the order of the items
OF_ANY_ORDER = frozenset((bool, sorted, len, min, max, any, all, sum, set, frozenset, members))
