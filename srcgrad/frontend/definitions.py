"""Finds the definition of a code object in the text of its file, by compiling that text.

A file may have been edited since it was imported, and a name may be defined more than once. A
definition is taken only if it compiles to the code that runs: same instructions, constants, names
and variables, nested code included; lines may differ. Only the top-level statements that may hold
it are compiled. Never executes anything.
"""

from __future__ import annotations
import __future__

import ast
import functools
import types
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from typing import Any
from weakref import WeakKeyDictionary

from srcgrad.records import record

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# what `from __future__ import` leaves in the code of a function
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # fields that hold statements
FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # a cell of a notebook may await


@record(frozen=True, eq=False)
class _Part:
    """Top-level statements that share lines, with their text."""

    statements: list[ast.stmt]
    first: int
    last: int
    text: str
    imported: ast.Import | None  # the names that the module imports


def definition_of(function: types.FunctionType, module: ast.Module, text: str) -> ast.AST | None:
    """The node of `module`, which `text` parses to, that compiles to the function's code.

    The one at the line of the code if several do; None if none does.
    """
    code = function.__code__
    about = code.co_qualname, module, text  # by the name equal code objects may differ
    known = _known.get(code)
    if known is None or known[0] != about:
        known = _known[code] = about, _compiling_to(code, module, text)
    found = known[1]
    if not isinstance(found, list):
        return found
    return _rewritten(function, [p for p in found if p.first <= code.co_firstlineno <= p.last])


_Answer = ast.AST | list[_Part] | None
# answers of `_compiling_to`, and for which name, module and text
_known: WeakKeyDictionary[types.CodeType, tuple[Any, _Answer]] = WeakKeyDictionary()


def _compiling_to(code: types.CodeType, module: ast.Module, text: str) -> _Answer:
    """The answer of `definition_of`; if nothing compiles to the code, the parts that mention it."""
    line, wanted = code.co_firstlineno, described(code)
    sought = "lambda" if code.co_name == "<lambda>" else code.co_name
    parts = [p for p in _parts(module, text) if sought in p.text]
    parts.sort(key=lambda p: not p.first <= line <= p.last)  # those at the line come first
    for part in (way for p in parts for way in _ways(p)):
        made = [c for c in _compiled(part, code.co_flags & FUTURE) if c.co_name == code.co_name]
        same = [c for c in made if described(c) == wanted]
        if same:
            return _node(part, min(same, key=lambda c: c.co_firstlineno != line), wanted)
    return parts


def _ways(part: _Part) -> Iterator[_Part]:
    """A part with the names that its module imports, then compiled alone as a statement."""
    yield part
    if part.imported is not None:
        yield _alone(part)


@functools.lru_cache(maxsize=256)
def _alone(part: _Part) -> _Part:
    return replace(part, imported=None)


def described(constant: Any, lines: bool = False) -> Any:
    """A value that is equal for equal code objects, in every process; with their lines or not."""
    if isinstance(constant, types.CodeType):
        names = constant.co_names, constant.co_varnames, constant.co_freevars
        inside = [described(c, lines) for c in constant.co_consts]
        taken = constant.co_argcount, constant.co_posonlyargcount, constant.co_kwonlyargcount
        flags = (*taken, constant.co_flags)  # of one body: (x, y), (x, *y) and (x, *, y)
        run = constant.co_code, constant.co_exceptiontable
        place = (constant.co_firstlineno, constant.co_linetable) if lines else ()
        return constant.co_qualname, flags, run, names, place, inside
    if isinstance(constant, frozenset):  # its order depends on the hashes of strings
        return "frozenset", sorted(map(repr, constant))
    return repr(constant)


# ---- the statements of a file ----
@functools.lru_cache(maxsize=256)
def _parts(module: ast.Module, text: str) -> tuple[_Part, ...]:
    """The top-level statements of a module; those that share a line together."""
    lines, groups = text.splitlines(True), []
    for s in module.body:
        if groups and first_line(s) <= _last_line(groups[-1]):
            groups[-1].append(s)
        else:
            groups.append([s])
    spans = [(first_line(group[0]), _last_line(group)) for group in groups]
    imported = _imported(module)
    return tuple(
        _Part(group, first, last, "".join(lines[first - 1 : last]), imported)
        for group, (first, last) in zip(groups, spans, strict=True)
    )


def _imported(module: ast.Module) -> ast.Import | None:
    """A statement that imports all names which the module does.

    Python compiles `np.sum(x)` in one way if the module imports `np`, in another one if not. Of a
    cell IPython compiles each statement alone.
    """
    names: list[str] = []
    inside = list(module.body)
    while inside:
        s = inside.pop()
        if isinstance(s, ast.Import | ast.ImportFrom):
            names += [a.asname or a.name.partition(".")[0] for a in s.names if a.name != "*"]
        elif not isinstance(s, (*DEFINITIONS, ast.ClassDef)):
            inside += [n for n in ast.iter_child_nodes(s) if isinstance(n, ast.stmt)]
            inside += [n for h in getattr(s, "handlers", ()) for n in h.body]
            inside += [n for c in getattr(s, "cases", ()) for n in c.body]
    if not names:
        return None
    aliases = [ast.alias(n, lineno=1, col_offset=0) for n in dict.fromkeys(names)]
    return ast.Import(aliases, lineno=1, col_offset=0)


def _last_line(group: list[ast.stmt]) -> int:
    return max(s.end_lineno or s.lineno for s in group)


def first_line(node: Any) -> int:
    """The line of a node, or of its first decorator: where the code of a function begins."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _definitions(statements: list[ast.stmt]) -> list[Any]:
    return [n for s in statements for n in ast.walk(s) if isinstance(n, DEFINITIONS)]


def all_statements(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements and those inside, level by level, with what holds them: handlers, cases.

    No expression has a statement inside, so none is entered.
    """
    level = [*statements]
    while level:
        yield from level
        parts = [getattr(node, name, ()) for node in level for name in BLOCKS]
        # the bodies of lambdas and of conditional expressions are not lists
        level = [n for part in parts if isinstance(part, list) for n in part]


# ---- what they compile to ----
@functools.lru_cache(maxsize=256)
def _compiled(part: _Part, future: int) -> tuple[types.CodeType, ...]:
    """The code objects of a part, at their lines."""
    tree = ast.parse("\n" * (part.first - 1) + part.text)
    return tuple(_codes(_compile(part, tree, future)))


def _compile(part: _Part, tree: ast.Module, future: int) -> types.CodeType:
    """The code of the statements of a part; `future`: what its module has from `__future__`."""
    others = [s for s in tree.body if getattr(s, "module", "") != "__future__"]
    tree.body = [*([part.imported] if part.imported is not None else []), *others]
    with warnings.catch_warnings():  # Python has issued them when it compiled the file
        warnings.simplefilter("ignore")
        return compile(tree, "<text>", "exec", future | FLAGS, dont_inherit=True)


def _node(part: _Part, code: types.CodeType, wanted: Any) -> ast.AST | None:
    """The definition that compiled to this code; None if it is one of several on a line.

    Of lambdas on one line a copy is compiled in which each has lines of its own: all of them move,
    for Python 3.12 has instructions for changes of the line.
    """
    by_name = code.co_name != "<lambda>"
    nodes = (all_statements if by_name else _definitions)(part.statements)
    found = [
        n
        for n in nodes
        if isinstance(n, DEFINITIONS)
        and first_line(n) == code.co_firstlineno
        and _name(n) == code.co_name
    ]
    if len(found) == 1:
        return found[0]
    nodes = _definitions(part.statements)
    copy, apart = ast.parse(part.text), part.last - part.first + 2
    for number, node in enumerate(_definitions(copy.body), 1):  # outer ones before inner ones
        if isinstance(node, ast.Lambda):
            ast.increment_lineno(node, number * apart + (node.lineno - 1) % apart + 1 - node.lineno)
    future = code.co_flags & FUTURE
    made = (c for c in _codes(_compile(part, copy, future)) if c.co_name == code.co_name)
    same = [nodes[(c.co_firstlineno - 1) // apart - 1] for c in made if described(c) == wanted]
    return next((n for n in same if n in found), None)


def _name(node: Any) -> str:
    return getattr(node, "name", "<lambda>")


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects inside of one, nested ones included."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


# ---- modules that were changed as they were imported ----
def _rewritten(function: types.FunctionType, parts: list[_Part]) -> ast.AST | None:
    """The definition of a function with `assert` whose module an import hook has changed.

    pytest writes asserts in its own way. All else that is written must be in the function's code.
    """
    code = function.__code__
    if type(function.__globals__.get("__loader__")) is SourceFileLoader:
        return None
    for part in parts:
        tree = _WithoutAsserts().visit(ast.parse(part.text))
        ast.increment_lineno(tree, part.first - 1)
        for made in _codes(_compile(part, tree, code.co_flags & FUTURE)):
            place = made.co_firstlineno, made.co_qualname
            if place == (code.co_firstlineno, code.co_qualname) and _contains(code, made):
                node = _node(part, made, described(made))
                return node if node is not None and _has_assert(node) else None
    return None


class _WithoutAsserts(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)


def _has_assert(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Assert) for n in ast.walk(node))


def _contains(code: types.CodeType, part: types.CodeType) -> bool:
    """Whether all names and constants of a code object are those of another one too."""
    return code.co_varnames[: part.co_argcount] == part.co_varnames[: part.co_argcount] and not (
        _written(part) - _written(code)
    )


def _written(code: types.CodeType) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in (code, *_codes(code)):
        found.update(each.co_names)
        found.update(repr(c) for c in each.co_consts if not isinstance(c, types.CodeType))
    return found
