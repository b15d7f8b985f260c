"""Structures as trees: `flow.tree`.

`register` lets instances of a user's class be structures; `map`, `leaves`, `flatten`, `unflatten`
and `structure` do what JAX's and PyTorch's functions of these names do. Tuples, named tuples,
lists, dicts (in their own order) and dataclasses are structures by themselves; anything else is a
leaf, None included. The other names are internal.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.tracebacks import entrance
from srcgrad.tree.array_classes import PROTOCOLS, VALUE, is_array_class
from srcgrad.tree.registered import Opened, Registered, is_hashable
from srcgrad.tree.structured import (
    RECORDS,
    Fields,
    by_name,
    field_ranks,
    has_fields,
    is_structured,
    with_whole,
)
from srcgrad.tree.structures import (
    Kind,
    Leaf,
    add_kind,
    add_leaves,
    at_path,
    children,
    copied,
    filled,
    form_of,
    instance,
    is_by_fields,
    is_leaf,
    keys,
    leaf_numbers,
    leaves,
    mapped,
    mapped_by_path,
    matched,
    nodes,
    opened,
    outside,
    part,
    paths,
    placed,
    rebuilt,
    registered_as,
    spelled,
    static_of,
    unflattened,
)
from srcgrad.tree.users import add_registered, verified

__all__ = ["Structure", "flatten", "leaves", "map", "register", "structure", "unflatten"]


@entrance
def register(
    cls: type[Any],
    flatten: Callable[[Any], tuple[Sequence[Any], Any]],
    unflatten: Callable[[Any, tuple[Any, ...]], Any],
) -> None:
    """Lets instances of a class be structures: arguments, results, captured values, gradients.

    `flatten(value)` returns (children, static). Children are numbers, arrays, None, and structures
    of them; they are inputs, and floats among them have gradients. The static part is hashable:
    what is compiled depends on it. `unflatten(static, children)` makes an instance that has these
    very children, which may also be None. The order of its parameters is that of
    `jax.tree_util.register_pytree_node`, so functions written for that fit (PyTorch's `unflatten`
    takes the children first). Compiled code knows an instance by what `unflatten` makes, and
    follows both functions. Classes derived from `cls` are not registered with it.

    >>> import srcgrad as flow
    >>> class Line:
    ...     def __init__(self, slope, start, name):
    ...         self.slope, self.start, self.name = slope, start, name
    >>> flow.tree.register(
    ...     Line, lambda v: ((v.slope, v.start), v.name), lambda name, parts: Line(*parts, name)
    ... )
    >>> flow.tree.leaves(flow.tree.map(lambda v: 2 * v, Line(1.0, 2.0, "a")))
    [2.0, 4.0]
    """
    add_registered(cls, flatten, unflatten)


class Structure:
    """The structure of a value without its leaves, to be compared or filled with other leaves.

    >>> import srcgrad as flow
    >>> flow.tree.structure((1.0, [2.0])).num_leaves
    2
    """

    def __init__(self, value: Any):
        numbers = itertools.count()
        self.template: Any = mapped(value, lambda leaf: Leaf(next(numbers)), opened)
        self.num_leaves: int = next(numbers)

    def fitting(self, leaves: Iterable[Any]) -> list[Any]:
        """The leaves, which must be as many as there are places."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ArgumentValueError(f"{len(given)} leaves for {self.num_leaves} places")
        return given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and form_of(self.template) == form_of(other.template)

    def __hash__(self) -> int:
        return hash(form_of(self.template))

    def __repr__(self) -> str:
        return f"Structure({mapped(self.template, lambda leaf: _STAR)!r})"


class _Star:
    def __repr__(self) -> str:
        return "*"


_STAR = _Star()


@entrance
def structure(value: Any) -> Structure:
    """The structure of a value without its leaves; None is a leaf.

    >>> structure((1.0, {"a": 2.0})), structure([1, 2]) == structure([3, 4])
    (Structure((*, {'a': *})), True)
    """
    return Structure(value)


@entrance
def flatten(value: Any) -> tuple[list[Any], Structure]:
    """The leaves of a value, and its structure.

    >>> flatten({"w": 1.0, "b": [2.0]})
    ([1.0, 2.0], Structure({'w': *, 'b': [*]}))
    """
    return leaves(value), Structure(value)


@entrance
def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """The value with this structure and these leaves, which `flatten` gives.

    >>> unflatten(structure((1.0, {"a": 2.0})), [3.0, 4.0])
    (3.0, {'a': 4.0})
    """
    if not isinstance(structure, Structure):
        raise ArgumentTypeError("unflatten() takes a structure first, then leaves")
    return filled(structure.template, structure.fitting(leaves))


@entrance
def map(f: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The structure of `f(leaf, ...)`, for the leaves of one structure or of several like it.

    >>> map(lambda p, g: p - 0.5 * g, {"w": 1.0, "b": [2.0]}, {"b": [4.0], "w": 0.0})
    {'w': 1.0, 'b': [0.0]}
    """
    rows = columns(tree, others)
    return mapped(tree, lambda leaf: f(*next(rows)), outside)


def columns(tree: Any, others: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Each leaf of a structure with its counterparts in others like it."""
    rows = [[g for _, _, g in matched(tree, other, _refuse_other)] for other in others]
    return iter(list(zip(leaves(tree), *rows, strict=True)))


def _refuse_other(path: tuple[Any, ...], given: Any, like: Any) -> None:
    where = f" at {spelled(('tree', *path))}" if path else ""
    raise ArgumentValueError(f"map(): structures differ{where}: {given!r} for {like!r}")


def __dir__() -> list[str]:
    return __all__
