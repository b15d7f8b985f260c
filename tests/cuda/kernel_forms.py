"""Kernels that differ in names and comments only compile to the same: one of them is compiled."""

import ast
import builtins
import hashlib
import os
from pathlib import Path

import pytest

from srcgrad.backends.cuda.device import KernelText
from srcgrad.ir.types import Array, Type

KEPT = {"cuda", "np", "math", "cmath", "libdevice", *vars(builtins)}


class _Numbered(ast.NodeTransformer):
    """Names in the order in which they first occur."""

    def __init__(self):
        self.names: dict[str, str] = {}

    def numbered(self, name: str) -> str:
        return name if name in KEPT else self.names.setdefault(name, f"v{len(self.names)}")

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.numbered(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.numbered(node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.numbered(node.name)
        self.generic_visit(node)
        return node


def form(kernel: KernelText) -> str:
    """What decides whether a kernel compiles: its text without names, and its parameters."""
    text = ast.unparse(_Numbered().visit(ast.parse(kernel.source)))
    return repr((text, [*map(_kind, kernel.parameters)], kernel.fastmath))


def _kind(type_: Type) -> tuple[str, int, str]:
    if isinstance(type_, Array):
        return type_.dtype, type_.ndim, type_.layout
    return str(type_), 0, ""


class Compiled:
    """The forms that this run of the tests has compiled, in all of its processes."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def is_new(self, kernel: KernelText) -> bool:
        """Whether no test has asked for this form before."""
        try:
            name = hashlib.sha256(form(kernel).encode()).hexdigest()
            (self.folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    own = tmp_path_factory.getbasetemp()
    # those of the processes of one run lie beside each other
    return Compiled((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kernels")
