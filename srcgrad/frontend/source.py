"""Finds the syntax tree of a function: in its file or notebook cell, or in `source=`.

The whole file is parsed, so lines and columns are the user's own; the definition is the one that
compiles to the function's code (`definitions.py`). Never executes anything.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import linecache
import os
import types
from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.errors import Location, SourceError, UnsupportedError
from srcgrad.frontend.definitions import all_statements, definition_of, described
from srcgrad.protocols import marked
from srcgrad.records import record


@record(frozen=True, eq=False)
class Source:
    """A function's tree (gast), its location, and its captures.

    A function of ours or of Python's library that is followed has a `place`: the call in the user's
    program, which errors and notes name.
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

    def key(self, node: Any) -> tuple[Any, ...]:
        """The place of a node as a key: of a function of ours also the call that it is for."""
        own = (self.file, node.lineno, node.col_offset)
        at = self.place
        return own if at is None else (at.file, at.line, at.column, *own)


SHARED = ("<string>", "<stdin>")  # names of texts that Python gives to more than one
_EXPLICIT: dict[types.CodeType, tuple[str, str]] = {}
_SENT: dict[str, tuple[str, str]] = {}  # file and text of code from another process, by fingerprint


def state_source(function: types.FunctionType, text: str) -> None:
    """Sets `text` as the source of `function` (which no file has)."""
    file = f"<srcgrad source of {function.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    _EXPLICIT[function.__code__] = (file, text)


def stated_source(function: types.FunctionType) -> str | None:
    """The source text set by `state_source`; None if none was."""
    return _EXPLICIT[function.__code__][1] if function.__code__ in _EXPLICIT else None


def fingerprint(code: types.CodeType) -> str:
    """A digest of a code object that is the same in every process, whatever file it names."""
    return hashlib.sha256(repr(described(code, lines=True)).encode()).hexdigest()


def receive_source(code: str, file: str, text: str) -> None:
    """Sets `text` of `file` as the source of a code, by fingerprint, unless a file here has it.

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
    if file.startswith("<frozen "):  # a module of the standard library that the interpreter holds
        file = function.__globals__.get("__file__", file)
    text = "".join(linecache.getlines(file, function.__globals__))
    return (file, text) if text or not _SENT else _SENT.get(fingerprint(code), (file, ""))


def find(function: types.FunctionType) -> Source:
    """The source of a plain Python function.

    Raises `SourceError` if it is in no file, notebook cell or `source=`.
    """
    file, node = definition(function)
    ours = str(function.__module__).startswith("srcgrad.")
    shown = file if marked(function, "srcgrad_callable") is None else ""  # a call not in the source
    found = Source(function, _to_gast(node, _class_of(function), ours), shown)
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedError(
            "'async def' is not supported", found.location(node), "write it as a plain function"
        )
    return found


def definition(function: types.FunctionType) -> tuple[str, ast.AST]:
    """The file and the definition of a function; raises `SourceError` if it is not found."""
    return _stated(function) if function.__code__ in _EXPLICIT else _found(function)


def _found(function: types.FunctionType) -> tuple[str, ast.AST]:
    """The file and the definition of a function: of the text that it was compiled from."""
    code = function.__code__
    file, text = text_of(function)
    node = _definition(function, file, text)
    if node is None:  # the file may have been edited, and imported anew, since it was read
        forget_text(file)
        file, new = text_of(function)
        node = _definition(function, file, new) if new != text else None
    if not text or (node is None and file in SHARED):
        raise SourceError(
            f"the source of {function.__name__}() was not found (it comes from {file})",
            None,
            "put it into a file or a notebook cell, or use flow.compile(f, source=...)",
        )
    if node is None:
        raise SourceError(
            f"{function.__name__}() was not found in {file}:{code.co_firstlineno}: the file has "
            "changed since it was imported, or the function's code has been changed",
            None,
            "reload the module, run the cell again, or use flow.compile(f, source=...)",
        )
    return file, node


def forget_text(file: str) -> None:
    """Lets a file be read anew; the texts of cells stay, which only this process has.

    Not `linecache.checkcache`: an edit may leave a file's size and, within a tick of the clock, its
    time as they were.
    """
    if os.path.isfile(file):
        linecache.cache.pop(file, None)


def _definition(function: types.FunctionType, file: str, text: str) -> ast.AST | None:
    """The definition of a function in a text; None if it is not there."""
    try:
        return definition_of(function, _parse(file, text), text)
    except SyntaxError:  # the imported text was whole
        return None


def _stated(function: types.FunctionType) -> tuple[str, ast.AST]:
    """The name of the text that was given as `source=`, and the definition in it."""
    file, text = _EXPLICIT[function.__code__]
    name = function.__code__.co_name
    try:
        module = _parse(file, text)
    except SyntaxError as e:
        raise SourceError(
            f"the source of {function.__name__}() does not parse: {e}", None, "correct it"
        ) from e
    node = _only_lambda(module) if name == "<lambda>" else _named(module, name)
    if node is None:
        raise SourceError(f"source= holds no function {function.__name__}()", None, "correct it")
    return file, node


def _only_lambda(module: ast.Module) -> ast.AST | None:
    found = [n for n in ast.walk(module) if isinstance(n, ast.Lambda)]
    return found[0] if len(found) == 1 else None


def _named(module: ast.Module, name: str) -> ast.AST | None:
    """The last definition of a name: a statement, which no expression holds."""
    found = [
        n
        for n in all_statements([module])
        if isinstance(n, ast.AsyncFunctionDef | ast.FunctionDef) and n.name == name
    ]
    return found[-1] if found else None


@functools.lru_cache(maxsize=1024)
def _to_gast(node: ast.AST, cls: str, ours: bool) -> Any:
    tree: Any = gast.ast_to_gast(node)
    _mangle(tree, cls)
    return _NotReworded().visit(tree) if ours else tree


class _NotReworded(ast.NodeTransformer):
    """Replaces a `try` by its body in functions of srcgrad, where it only rewords errors."""

    def visit_Try(self, node: Any) -> Any:
        self.generic_visit(node)
        reworded = all(
            len(h.body) == 1 and isinstance(h.body[0], gast.Raise) for h in node.handlers
        )
        return node.body if reworded and not node.finalbody + node.orelse else node


def _class_of(function: types.FunctionType) -> str:
    """The name of the innermost class that encloses a function's definition; empty if none.

    A class mangles each private name; the names of a function show whether one has, where its
    `__qualname__` has been set by a decorator or by what generates methods.
    """
    if any(map(_is_private, _names_of(function.__code__))):
        return ""
    parts = function.__qualname__.split(".")
    bodies = [a for a, b in itertools.pairwise(parts) if "<locals>" not in (a, b)]
    return bodies[-1] if bodies else ""


def _names_of(code: types.CodeType) -> Iterator[str]:
    """The names that a code object and those within it read and bind."""
    yield from (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _names_of(c)


_NAMING = (gast.Name, gast.Attribute, gast.FunctionDef)


def _mangle(tree: Any, cls: str) -> None:
    """Mangles private names as Python does in a class: `self.__x` is `self._Class__x`."""
    inner = tree.name if isinstance(tree, gast.ClassDef) else cls
    for field in ("id", "attr", "name") if isinstance(tree, _NAMING) else ():
        name = getattr(tree, field, None)
        if cls.strip("_") and isinstance(name, str) and _is_private(name):
            setattr(tree, field, f"_{cls.lstrip('_')}{name}")
    for child in gast.iter_child_nodes(tree):
        _mangle(child, inner)


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")
