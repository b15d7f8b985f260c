"""Questions about the syntax tree of one function. Nothing is evaluated here."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import gast


def handler_bodies(node: Any) -> list[list[Any]]:
    """The statements of each handler of a `try`."""
    return [h.body for h in node.handlers]


def parameters_of(tree: Any) -> list[str]:
    """The names of a function's positional and keyword parameters."""
    a = tree.args
    return [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


@functools.lru_cache(maxsize=1024)
def own_statements(tree: Any) -> tuple[Any, ...]:
    """The nodes of a function, those of the functions inside it excluded."""
    return tuple(nodes_within(tree.body))


def nodes_within(block: Iterable[Any]) -> list[Any]:
    """The nodes of statements, those of the functions inside them excluded."""
    out, todo = [], list(block)
    while todo:
        n = todo.pop()
        out.append(n)
        if not isinstance(
            n, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef | gast.Lambda
        ):
            todo += gast.iter_child_nodes(n)
    return out


@functools.lru_cache(maxsize=1024)
def nonlocals(tree: Any) -> frozenset[str]:
    """The names that a function takes from the one around it."""
    return frozenset(
        n for s in own_statements(tree) if isinstance(s, gast.Nonlocal) for n in s.names
    )


@functools.lru_cache(maxsize=1024)
def globals_of(tree: Any) -> frozenset[str]:
    """The names that a function declares to be its module's."""
    return frozenset(n for s in own_statements(tree) if isinstance(s, gast.Global) for n in s.names)


# ---- exits ----
def _remembered(question: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A question about a node that each block around it asks: the node keeps the answer."""
    name = question.__name__

    def asked(node: Any) -> Any:
        if name not in vars(node):
            setattr(node, name, question(node))
        return getattr(node, name)

    return asked


def exits(stmts: list[Any]) -> set[str]:
    """The kinds of exits ("return", "break", "continue") that may leave the present block."""
    return set().union(*map(_exits, stmts))


@_remembered
def _exits(s: Any) -> set[str]:
    match s:
        case gast.Return() | gast.Break() | gast.Continue():
            return {type(s).__name__.lower()}
        case gast.For() | gast.While():
            return exits(s.orelse) | (exits(s.body) & {"return"})
        case gast.If():
            return exits(s.body) | exits(s.orelse)
        case gast.With():
            return exits(s.body)
        case gast.Try():
            return exits([*s.body, *s.orelse, *s.finalbody, *chain(*handler_bodies(s))])
        case gast.Match():
            return exits([t for c in s.cases for t in c.body])
    return set()


def always_exits(stmts: list[Any]) -> bool:
    """Whether control never falls out of the end of a block."""
    return bool(stmts) and _always_exits(stmts[-1])


@_remembered
def _always_exits(s: Any) -> bool:
    match s:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
            return True
        case gast.If():
            return always_exits(s.body) and always_exits(s.orelse)
        case gast.Try():
            ends = always_exits(s.body) or always_exits(s.orelse)
            return ends and all(map(always_exits, handler_bodies(s)))
    return False


OWN = "_srcgrad_"  # of names in texts of ours that stand around the user's
OURS = "ª"  # what they begin with there: no text gives such a name, since Python reads ª as a
COMPREHENSION = """\
def comprehension(_srcgrad_items):
    _srcgrad_made = []
    _srcgrad_made.append(0)
    return _srcgrad_made
"""
MAKING_SET = """\
def comprehension(_srcgrad_items):
    _srcgrad_made = set()
    _srcgrad_made.add(0)
    return _srcgrad_made
"""
MAKING_DICT = """\
def comprehension(_srcgrad_items):
    _srcgrad_made = {}
    _srcgrad_made[0] = 0
    return _srcgrad_made
"""


UNTIL = """\
def until(_srcgrad_items):
    return None
    return None
"""


YIELDING = """\
def generator(_srcgrad_items):
    yield 0
"""


def _parsed(text: str) -> Any:
    """The function that a text of srcgrad's defines, with unique names: `ªmade`, `ªrange`."""
    made: Any = gast.parse(text).body[0]
    for n in gast.walk(made):
        if isinstance(n, gast.Name) and (n.id.startswith(OWN) or hasattr(builtins, n.id)):
            n.id = OURS + n.id.removeprefix(OWN)
    return made


@functools.lru_cache(maxsize=1024)
def as_function(comprehension: Any, stop: bool | None = None) -> Any:
    """A comprehension as a function of its first iterable, with names that are unique.

    With `stop`: whether one of its items has that truth value, else the opposite.

    >>> import ast
    >>> tree = gast.parse("[k * v for k, v in table if v]").body[0].value
    >>> print(ast.unparse(gast.gast_to_ast(as_function(tree))))
    def comprehension(ªitems):
        ªmade = []
        for k, v in ªitems:
            if v:
                ªmade.append(k * v)
        return ªmade
    """
    texts = {gast.DictComp: MAKING_DICT, gast.SetComp: MAKING_SET}
    text = texts.get(type(comprehension), COMPREHENSION)
    made: Any = _parsed(text if stop is None else UNTIL)
    inner: Any = made.body[-2]
    if isinstance(comprehension, gast.DictComp):
        inner.targets[0].slice, inner.value = comprehension.key, comprehension.value
    elif stop is None:
        inner.value.args = [comprehension.elt]
    else:
        inner.value, made.body[-1].value = (gast.Constant(v, None) for v in (stop, not stop))
        test = comprehension.elt if stop else gast.UnaryOp(gast.Not(), comprehension.elt)
        inner = gast.If(test, [inner], [])
    made.body[-2] = _looped(comprehension, inner)
    if names := walruses(comprehension):
        made.body.insert(0, gast.Nonlocal(sorted(names)))
    return _placed(made, comprehension)


@functools.lru_cache(maxsize=1024)
def as_generator_function(expression: Any) -> Any:
    """A generator expression as a generator function of its first iterable."""
    made: Any = _parsed(YIELDING)
    made.body[0].value.value = expression.elt
    made.body = [_looped(expression, made.body[0])]
    return _placed(made, expression)


def _looped(comprehension: Any, inner: Any) -> Any:
    """The loops and conditions of a comprehension around a statement."""
    for g in reversed(comprehension.generators):
        for test in reversed(g.ifs):
            inner = gast.If(test, [inner], [])
        inner = gast.For(g.target, g.iter, [inner], [], None)
    inner.iter = gast.Name("ªitems", gast.Load(), None, None)
    return inner


def walruses(node: Any) -> set[str]:
    """The names that `:=` binds below a node: of a comprehension those of the function around."""
    return {n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)}


def _placed(made: Any, at: Any) -> Any:
    """A tree of srcgrad's around parts of the user's, located at the place of `at`."""
    own = set(map(id, gast.walk(at)))
    for n in gast.walk(made):
        if id(n) not in own:
            gast.copy_location(n, at)
    return gast.fix_missing_locations(made)


ITEM = "def item(_srcgrad_item):\n    _ = _srcgrad_item\n    return 0"


@functools.lru_cache(maxsize=1024)
def item_functions(generator: Any) -> tuple[Any, Any]:
    """A generator expression's value and its condition (or None), as functions of an item.

    >>> import ast
    >>> tree = gast.parse("(k * v for k, v in table if v)").body[0].value
    >>> print(ast.unparse(gast.gast_to_ast(item_functions(tree)[1])))
    def item(ªitem):
        k, v = ªitem
        return v
    """
    (g, *_) = generator.generators
    tests = g.ifs if len(g.ifs) < 2 else [gast.BoolOp(gast.And(), g.ifs)]

    def of(value: Any) -> Any:
        made: Any = _parsed(ITEM)
        made.body[0].targets, made.body[1].value = [g.target], value
        return _placed(made, generator)

    return of(generator.elt), of(tests[0]) if tests else None


LISTING = """\
def list(items):
    made = []
    for v in items:
        made.append(v)
    return made
"""
EXTENDING = """\
def extend(owner, items):
    for v in items:
        owner.append(v)
"""


REPEATING = """\
def repeat(items, times):
    made = []
    for k in range(times):
        for v in items:
            made.append(v)
    return made
"""


MAPPING = """\
def map(f, items):
    made = []
    for v in items:
        made.append(f(*v))
    return made
"""
ANY = """\
def any(f, items):
    for v in items:
        if f(*v):
            return True
    return False
"""
ALL = """\
def all(f, items):
    for v in items:
        if not f(*v):
            return False
    return True
"""
SOME = """\
def any(items):
    for v in items:
        if v:
            return True
    return False
"""
EVERY = """\
def all(items):
    for v in items:
        if not v:
            return False
    return True
"""
FINDING = """\
def index(item, items, start, stop):
    for k, v in enumerate(items):
        if start <= k < stop and v == item:
            return k
    raise ValueError("list.index(x): x not in list")
"""
CONTAINS = """\
def contains(item, items):
    for v in items:
        if v == item:
            return True
    return False
"""
COUNTING = """\
def count(item, items):
    n = 0
    for v in items:
        if v == item:
            n += 1
    return n
"""
LARGEST = """\
def max(key, items):
    if len(items) == 0:
        raise ValueError("max() iterable argument is empty")
    place, high = 0, key(items[0])
    for k in range(1, len(items)):
        mine = key(items[k])
        if mine > high:
            place, high = k, mine
    return items[place]
"""
SMALLEST = LARGEST.replace("max", "min").replace("> high", "< high")
ITSELF = """\
def itself(item):
    return item
"""
SAME = """\
def same(a, b):
    if len(a) != len(b):
        return False
    for k, v in enumerate(b):
        if a[k] != v:
            return False
    return True
"""
FIRST = """\
def first(default, items):
    for v in items:
        return v
    return default
"""
NEXT = """\
def next(items):
    for v in items:
        return v
    raise StopIteration
"""
FILTERING = """\
def filter(f, items):
    made = []
    for v in items:
        if f(v):
            made.append(v)
    return made
"""


def function_at(place: Any, text: str) -> Any:
    """A function of srcgrad's, located at the place of a node."""
    made = _parsed(text)
    for n in gast.walk(made):
        gast.copy_location(n, place)
    return made


def signature_of(tree: Any, defaults: list[Any], kw_defaults: list[Any]) -> inspect.Signature:
    """The signature of a nested function, whose defaults have been evaluated."""
    a, P = tree.args, inspect.Parameter
    params = [P(x.id, P.POSITIONAL_ONLY) for x in a.posonlyargs]
    params += [P(x.id, P.POSITIONAL_OR_KEYWORD) for x in a.args]
    first = len(params) - len(defaults)
    params = [
        p if k < first else p.replace(default=defaults[k - first]) for k, p in enumerate(params)
    ]
    if a.vararg is not None:
        params.append(P(a.vararg.id, P.VAR_POSITIONAL))
    for x, d, given in zip(a.kwonlyargs, kw_defaults, a.kw_defaults, strict=True):
        params.append(P(x.id, P.KEYWORD_ONLY, default=P.empty if given is None else d))
    if a.kwarg is not None:
        params.append(P(a.kwarg.id, P.VAR_KEYWORD))
    return inspect.Signature(params)
