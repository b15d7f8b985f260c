"""The source of what NumPy has no name for: functions that a printed program calls.

The text is that of the implementations that the reference backend runs, cut to what is reached:
without documentation, types and what only arrays on a device need.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

OTHER_ARRAYS = frozenset(("on_device", "is_large"))  # tests that are false of small NumPy arrays


class Header:
    """Imports and definitions, in the order in which they are needed."""

    def __init__(self) -> None:
        self.imports: dict[str, None] = {"import numpy as np": None}
        self.definitions: dict[str, str] = {}

    def text(self) -> str:
        """The lines before the program."""
        parts = ["\n".join(self.imports), *self.definitions.values()]
        return "\n\n\n".join(parts) + "\n"

    def add(self, name: str, source: Any) -> None:
        """Defines `name` as what a function, class or constant of the package is."""
        if name in self.definitions:
            return
        if isinstance(source, types.ModuleType):
            self.imports[_import(source.__name__, name)] = None
            return
        if not callable(source):
            self.definitions[name] = f"{name} = {literal(source)}"
            return
        source = inspect.unwrap(source)
        if not source.__module__.startswith("srcgrad"):
            self.imports[_import(f"{source.__module__}.{source.__name__}", name)] = None
            return
        node = _definition(source)
        node.name = name
        tree = _Cut().visit(node)
        if "special" in _names(tree):
            self.imports["from scipy import special"] = None
        self.definitions[name] = ""  # its place, and the end of recursions
        _Enclosed(_enclosed(source)).visit(tree)
        scope = vars(inspect.getmodule(source))
        for read in _read(tree, scope):
            self._needed(tree, read, scope[read])
        del self.definitions[name]  # after what it needs
        self.definitions[name] = ast.unparse(ast.fix_missing_locations(tree))

    def _needed(self, tree: ast.AST, name: str, value: Any) -> None:
        if value is np:
            return
        if hasattr(value, "impl"):  # a primitive: `absorb.impl(a, b)`
            new = f"{name}_" if hasattr(builtins, name) else name
            _Renamed(name, "impl", new).visit(tree)
            self.add(new, value.impl)
        elif isinstance(value, types.ModuleType) and value.__name__.startswith("srcgrad"):
            for attribute in _attributes(tree, name):
                _Renamed(name, attribute, attribute).visit(tree)
                self.add(attribute, getattr(value, attribute))
        else:
            self.add(name, value)


def _import(module: str, name: str) -> str:
    parent, _, last = module.rpartition(".")
    if not parent:
        return f"import {module}" if name == module else f"import {module} as {name}"
    return f"from {parent} import {last}" + (f" as {name}" if last != name else "")


def _enclosed(source: Any) -> dict[str, Any]:
    """The values that a function has from the one around it."""
    if isinstance(source, type):
        return {}
    cells = (c.cell_contents for c in source.__closure__ or ())
    return dict(zip(source.__code__.co_freevars, cells, strict=True))


def _read(tree: ast.AST, scope: Mapping[str, Any]) -> list[str]:
    """The names that are read from the scope."""
    own = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_store(n)}
    return [n for n in dict.fromkeys(_names(tree)) if n in scope and n not in own]


def _is_store(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _names(tree: ast.AST) -> list[str]:
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    return [n.id for n in nodes if isinstance(n.ctx, ast.Load)]


def _attributes(tree: ast.AST, name: str) -> list[str]:
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    return [n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id == name]


def _definition(source: Any) -> Any:
    """The syntax of a function or class; a lambda becomes a function."""
    file = inspect.getsourcefile(source) or ""
    tree = ast.parse("".join(linecache.getlines(file)))
    if isinstance(source, type):
        named = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
        return next(n for n in named if n.name == source.__name__)
    code = source.__code__
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == source.__name__:
            lines = (node.lineno, *(d.lineno for d in node.decorator_list))
            if code.co_firstlineno in lines:
                node.decorator_list = []
                return node
        elif isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            names = tuple(a.arg for a in node.args.args)
            if names == code.co_varnames[: code.co_argcount]:
                body: list[ast.stmt] = [ast.Return(node.body)]
                return ast.FunctionDef("", node.args, body, [], None, None)
    raise AssertionError(f"no source of {source}")


def literal(value: Any) -> str:
    """A number, text or tuple as Python and NumPy write it."""
    if isinstance(value, float) and not np.isfinite(value):
        return f"np.{value!r}" if value >= 0 or value != value else "-np.inf"
    return repr(value)


class _Cut(ast.NodeTransformer):
    """Leaves out documentation, types, and what other arrays than small ones of NumPy's need."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        for a in (*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if a is not None:
                a.annotation = None
        if ast.get_docstring(node) is not None:
            del node.body[0]
        self.generic_visit(node)
        ends = [k for k, s in enumerate(node.body) if isinstance(s, ast.Return)]
        if ends:
            del node.body[ends[0] + 1 :]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        if ast.get_docstring(node) is not None:
            del node.body[0]
        node.bases = [b.value if isinstance(b, ast.Subscript) else b for b in node.bases]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        assert node.value is not None
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Call(self, node: ast.Call) -> Any:
        """SciPy's special functions are those of NumPy's arrays."""
        special = isinstance(node.func, ast.Name) and node.func.id == "special_of"
        return ast.Name("special", ast.Load()) if special else self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        known = _known(node.test)
        return node if known is None else node.body if known else node.orelse

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        known = _known(node.test)
        return node if known is None else node.body if known else node.orelse or None


def _known(test: ast.expr) -> bool | None:
    """The value of a test for other arrays; None if it depends on something else."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            known = _known(operand)
            return None if known is None else not known
        case ast.BoolOp(op, values):
            known = [_known(v) for v in values]
            deciding = isinstance(op, ast.Or)
            return deciding if deciding in known else None
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in OTHER_ARRAYS:
            return False
        case _:
            return None


class _Enclosed(ast.NodeTransformer):
    """Writes out the numbers, texts and functions of NumPy's that a function has enclosed."""

    def __init__(self, values: dict[str, Any]):
        self.values = values

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.values:
            return node
        value = self.values[node.id]
        if callable(value):
            return ast.Attribute(ast.Name("np", ast.Load()), value.__name__, ast.Load())
        return ast.Constant(value)


class _Renamed(ast.NodeTransformer):
    """Gives what belongs to a name, `name.attribute`, another name."""

    def __init__(self, name: str, attribute: str, new: str):
        self.name, self.attribute, self.new = name, attribute, new

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        match node:
            case ast.Attribute(ast.Name(self.name), self.attribute):
                return ast.Name(self.new, ast.Load())
            case _:
                return self.generic_visit(node)
