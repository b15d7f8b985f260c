"""Finds the syntax tree of a function: `inspect`'s file, then `linecache`, then `source=`.

The whole file is parsed, so lines and columns are the user's own. Never executes anything.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import linecache
import types
from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.errors import Location, SourceError, UnsupportedError
from srcgrad.records import record


@record(frozen=True, eq=False)
class Source:
    """A function's tree (gast), where it stands, and what it captures.

    A function of ours or of Python's library that is followed has a `place`: the call in the user's
    program, which is what errors and notes name.
    """

    function: types.FunctionType
    tree: Any  # gast.FunctionDef or gast.Lambda
    file: str
    place: Location | None = None

    @property
    def name(self) -> str:
        name = self.function.__name__
        return name if name.isidentifier() else "lambda_"

    @property
    def title(self) -> str:
        """The function's name for error texts; `name` is an identifier."""
        return self.function.__name__

    def location(self, node: Any) -> Location:
        if self.place is not None:
            return self.place
        line = getattr(node, "lineno", None) or self.tree.lineno
        same = getattr(node, "end_lineno", line) == line
        column = getattr(node, "col_offset", 0)
        end = node.end_col_offset if same and hasattr(node, "end_col_offset") else column + 1
        return Location(self.file, line, column, end or column + 1, self.function.__name__)


BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # where statements hold statements
_EXPLICIT: dict[types.CodeType, tuple[str, str]] = {}
_SENT: dict[str, tuple[str, str]] = {}  # file and text of code from another process, by fingerprint


def state_source(function: types.FunctionType, text: str) -> None:
    """Take `text` for the source of `function` (which no file has)."""
    file = f"<srcgrad source of {function.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    _EXPLICIT[function.__code__] = (file, text)


def stated_source(function: types.FunctionType) -> str | None:
    """The source text set by `state_source`; None if none was."""
    return _EXPLICIT[function.__code__][1] if function.__code__ in _EXPLICIT else None


def fingerprint(code: types.CodeType) -> str:
    """A digest of a code object that is the same in every process, whatever file it names."""
    return hashlib.sha256(repr(_described(code)).encode()).hexdigest()


def _described(constant: Any) -> Any:
    if isinstance(constant, types.CodeType):
        names = constant.co_names, constant.co_varnames, constant.co_freevars
        lines = constant.co_firstlineno, constant.co_linetable
        inside = [_described(c) for c in constant.co_consts]
        taken = constant.co_argcount, constant.co_posonlyargcount, constant.co_kwonlyargcount
        flags = (*taken, constant.co_flags)  # of one body: (x, y), (x, *y) and (x, *, y)
        return constant.co_qualname, flags, constant.co_code, names, lines, inside
    if isinstance(constant, frozenset):  # its order depends on the hashes of strings
        return "frozenset", sorted(map(repr, constant))
    return repr(constant)


def receive_source(code: str, file: str, text: str) -> None:
    """Take `text` of `file` for what defines the code of this fingerprint, if no file here does.

    A function that is pickled by value may arrive without the name of its file (cloudpickle 3.1.3).
    """
    if "".join(linecache.getlines(file)) != text:
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    _SENT[code] = (file, text)


@functools.lru_cache(maxsize=256)
def _parse(file: str, text: str) -> ast.Module:
    return ast.parse(text, file)


def text_of(function: types.FunctionType) -> tuple[str, str]:
    """The file that defines a function, and the file's text; an empty text if it is not known."""
    code = function.__code__
    file = code.co_filename
    text = "".join(linecache.getlines(file, function.__globals__))
    return (file, text) if text or not _SENT else _SENT.get(fingerprint(code), (file, ""))


def find(function: types.FunctionType) -> Source:
    """The source of a plain Python function.

    Raises `SourceError` if no file, notebook cell or `source=` has it.
    """
    code = function.__code__
    if code in _EXPLICIT:
        file, text = _EXPLICIT[code]
    else:
        file, text = text_of(function)
        if not text:
            raise SourceError(
                f"the source of {function.__name__}() was not found (it comes from {file})",
                None,
                "put it into a file or a notebook cell, or use flow.compile(f, source=...)",
            )
    try:
        module = _parse(file, text)
    except SyntaxError as e:
        raise SourceError(
            f"the source of {function.__name__}() does not parse: {e}", None, "correct it"
        ) from e
    node = _locate(module, function, explicit=code in _EXPLICIT)
    if node is None and code in _EXPLICIT:
        raise SourceError(f"source= holds no function {function.__name__}()", None, "correct it")
    if node is None:
        raise SourceError(
            f"{function.__name__}() was not found in {file}:{code.co_firstlineno}",
            None,
            "the file may have changed since it was imported; import it again, or pass source=...",
        )
    ours = str(function.__module__).startswith("srcgrad.")
    found = Source(function, _to_gast(node, _class_of(function), ours), file)
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedError(
            "'async def' is not supported", found.location(node), "write it as a plain function"
        )
    return found


@functools.lru_cache(maxsize=1024)
def _to_gast(node: ast.AST, cls: str, ours: bool) -> Any:
    tree: Any = gast.ast_to_gast(node)
    _mangle(tree, cls)
    return _NotReworded().visit(tree) if ours else tree


class _NotReworded(ast.NodeTransformer):
    """In functions of srcgrad: what a `try` runs, where errors are only raised in other words."""

    def visit_Try(self, node: Any) -> Any:
        self.generic_visit(node)
        reworded = all(
            len(h.body) == 1 and isinstance(h.body[0], gast.Raise) for h in node.handlers
        )
        return node.body if reworded and not node.finalbody + node.orelse else node


def _class_of(function: types.FunctionType) -> str:
    """The name of the innermost class that encloses a function's definition; empty if none."""
    parts = function.__qualname__.split(".")
    bodies = [a for a, b in itertools.pairwise(parts) if "<locals>" not in (a, b)]
    return bodies[-1] if bodies else ""


_NAMING = (gast.Name, gast.Attribute, gast.FunctionDef)


def _mangle(tree: Any, cls: str) -> None:
    """Mangle private names as Python does in a class: `self.__x` is `self._Class__x`."""
    inner = tree.name if isinstance(tree, gast.ClassDef) else cls
    for field in ("id", "attr", "name") if isinstance(tree, _NAMING) else ():
        name = getattr(tree, field, None)
        if cls.strip("_") and isinstance(name, str) and _is_private(name):
            setattr(tree, field, f"_{cls.lstrip('_')}{name}")
    for child in gast.iter_child_nodes(tree):
        _mangle(child, inner)


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _locate(module: ast.Module, function: types.FunctionType, explicit: bool) -> ast.AST | None:
    code = function.__code__
    if code.co_name == "<lambda>":
        return _locate_lambda(module, code, explicit)
    return _locate_named(module, code.co_name, None if explicit else code.co_firstlineno)


@functools.lru_cache(maxsize=1024)
def _locate_named(module: ast.Module, name: str, line: int | None) -> ast.AST | None:
    found = None
    for node in _statements(module):
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and node.name == name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if line in (None, first, node.lineno):
                found = node
    return found


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """All statements, level by level; no expression has one inside, so none is entered."""
    level: list[ast.AST] = [module]
    while level:
        yield from level
        parts = [getattr(node, name, ()) for node in level for name in BLOCKS]
        # the body of a lambda and that of a conditional expression are no lists
        level = [n for part in parts if isinstance(part, list) for n in part]


def _locate_lambda(module: ast.Module, code: types.CodeType, explicit: bool) -> ast.AST | None:
    lambdas = [n for n in ast.walk(module) if isinstance(n, ast.Lambda)]
    if explicit:
        return lambdas[0] if len(lambdas) == 1 else None
    places = {(line, col) for line, _, col, _ in code.co_positions() if col is not None and line}
    on_line = [n for n in lambdas if n.lineno == code.co_firstlineno]
    if len(on_line) <= 1:
        return on_line[0] if on_line else None
    inside = [
        n
        for n in on_line
        if any(n.body.lineno == line and n.body.col_offset == col for line, col in places)
    ]
    if len(inside) != 1:
        raise UnsupportedError(
            "several lambdas stand on one line and cannot be told apart",
            Location(code.co_filename, code.co_firstlineno),
            "put each on a line of its own, or use def",
        )
    return inside[0]
