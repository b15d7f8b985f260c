"""A device of Python: kernels run on NumPy arrays, one thread after the other.

A function that reaches a barrier becomes a generator which yields there, so that the threads of a
block run in turn from barrier to barrier: in order, backwards or shuffled. A missing barrier shows
as a result that depends on the order, a barrier that some threads do not reach is an error, and
shared memory that was never written holds garbage. Never checks the types that the compiler infers.

    >>> from srcgrad.backends.cuda.device import KernelText
    >>> text = '''
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2.0
    ... '''
    >>> x = np.arange(3.0)
    >>> Simulator().load([KernelText("double", text, ())])["double"](2, 2, [x])
    >>> x
    array([0., 2., 4.])
"""

from __future__ import annotations

import ast
import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import numpy as np

from srcgrad.backends.cuda.device import Extent, Kernel, KernelText
from srcgrad.ir.types import Scalar, Type, np_dtype

Order = Literal["forward", "backward"] | int  # of threads and blocks; an int shuffles them

WARP = 32


@dataclass(frozen=True)
class Simulator:
    """The device; `order` is that of threads between two barriers, and of blocks."""

    order: Order = "forward"
    xp: ModuleType = np

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        return {k.name: _kernel(k, self.order) for k in kernels}

    def array(self, value: Any) -> np.ndarray:
        if hasattr(type(value), "__cuda_array_interface__"):  # for tests: it is the host's memory
            told = value.__cuda_array_interface__
            return np.asarray(SimpleNamespace(__array_interface__=told, owner=value))
        return np.array(value)

    def to_host(self, value: Any) -> np.ndarray:
        return np.array(value)


def _kernel(text: KernelText, order: Order) -> Kernel:
    machine = _Machine(_ordering(order))
    scope = {"cuda": machine, "np": np, "math": _Math(), "libdevice": _Libdevice(), **NUMBERS}
    scope["cmath"] = _Math()
    text.run_in(scope, _as_simulated(text.source, scope))
    return lambda blocks, threads, args: machine.launch(
        scope[text.name], _extent(blocks), _extent(threads), _converted(args, text.parameters)
    )


def _converted(args: Sequence[Any], parameters: tuple[Type, ...]) -> list[Any]:
    """The arguments with scalars of their declared dtypes (unchanged without a declaration)."""
    if not parameters:
        return list(args)
    return [
        np_dtype(type_.dtype).type(a) if isinstance(type_, Scalar) else a
        for a, type_ in zip(args, parameters, strict=True)
    ]


def _extent(given: Extent) -> tuple[int, int, int]:
    sizes = (given,) if isinstance(given, int) else given
    x, y, z = (*sizes, 1, 1)[:3]
    return int(x), int(y), int(z)


def _ordering(order: Order) -> Callable[[list], list]:
    if isinstance(order, int):
        rng = random.Random(order)
        return lambda items: rng.sample(items, len(items))
    return (lambda items: items) if order == "forward" else (lambda items: items[::-1])


# ---- functions with barriers, as generators; floats as in the compiler ----
_BARRIERS = ("syncthreads", "syncthreads_or", "syncthreads_and", "syncthreads_count")


NUMBERS = {"float": np.float64, "int": np.int64}  # a float32 times a float is a float64


def _as_simulated(source: str, scope: dict[str, Any]) -> ast.Module:
    """The text with `yield` for each barrier, and `yield from` for calls that reach one.

    Its floats are NumPy's, under names in the scope: they divide by zero as devices do.
    """
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    reaching: set[str] = set()
    while more := {f.name for f in functions if _reaches(f, reaching)} - reaching:
        reaching |= more
    return ast.fix_missing_locations(_Simulated(reaching, scope).visit(tree))


def _reaches(function: ast.FunctionDef, reaching: set[str]) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(_barrier(c) or _callee(c) in reaching for c in calls)


def _callee(call: ast.Call) -> str | None:
    return call.func.id if isinstance(call.func, ast.Name) else None


def _barrier(call: ast.Call) -> str | None:
    match call.func:
        case ast.Attribute(value=ast.Name(id="cuda"), attr=name) if name in _BARRIERS:
            return name
    return None


class _Simulated(ast.NodeTransformer):
    def __init__(self, reaching: set[str], scope: dict[str, Any]):
        self.reaching, self.scope = reaching, scope

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, float):
            return node
        name = f"float {node.value!r}"  # not a name in the text
        self.scope[name] = np.float64(node.value)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if name := _barrier(node):
            place = ast.Tuple([ast.Constant(name), ast.Constant(node.lineno)], ast.Load())
            said = ast.Tuple([place, *node.args], ast.Load())
            return ast.copy_location(ast.Yield(said), node)
        if _callee(node) in self.reaching:
            return ast.copy_location(ast.YieldFrom(node), node)
        return node


# ---- the machine: the object `cuda` of a kernel ----
class _Machine:
    """The machine: one launch at a time; the attributes are those of the running thread."""

    warpsize = WARP

    def __init__(self, ordered: Callable[[list], list]):
        self._ordered = ordered
        self._shared: dict[Any, np.ndarray] = {}
        self.threadIdx, self.blockIdx = SimpleNamespace(), SimpleNamespace()
        self.blockDim, self.gridDim = SimpleNamespace(), SimpleNamespace()
        self.shared = SimpleNamespace(array=self._shared_array)
        self.local = SimpleNamespace(array=_poisoned)
        self.atomic = _Atomic()

    def launch(self, kernel: Callable, blocks: tuple, threads: tuple, args: list[Any]) -> None:
        _set(self.gridDim, blocks)
        _set(self.blockDim, threads)
        with np.errstate(all="ignore"):
            for block in self._ordered(_places(blocks)):
                _set(self.blockIdx, block)
                self._shared.clear()
                self._block(kernel, _places(threads), args)

    def _block(self, kernel: Callable, threads: list, args: list[Any]) -> None:
        waiting = {}
        for thread in self._ordered(threads):
            _set(self.threadIdx, thread)
            started = kernel(*args)
            if started is not None:  # a generator, which has not begun
                waiting[thread] = started
        answers: dict = dict.fromkeys(waiting)
        while waiting:
            arrived = {}
            for thread in self._ordered(list(waiting)):
                _set(self.threadIdx, thread)
                try:
                    arrived[thread] = waiting[thread].send(answers[thread])
                except StopIteration:
                    continue
            answers = _meet(arrived, len(threads))
            waiting = {thread: waiting[thread] for thread in arrived}

    def grid(self, ndim: int) -> Any:
        return _some(ndim, self.blockIdx, self.blockDim, self.threadIdx)

    def gridsize(self, ndim: int) -> Any:
        zero = SimpleNamespace(x=0, y=0, z=0)
        return _some(ndim, self.gridDim, self.blockDim, zero)

    @property
    def laneid(self) -> int:
        t, n = self.threadIdx, self.blockDim
        return (t.x + n.x * (t.y + n.y * t.z)) % WARP

    def threadfence(self) -> None:
        """Does nothing: threads run one after the other, so writes are visible."""

    def _shared_array(self, shape: Any, dtype: Any) -> np.ndarray:
        """A shared array: one per block for each line that makes one."""
        frame = sys._getframe(1)
        place = frame.f_code.co_filename, frame.f_lineno
        if place not in self._shared:
            self._shared[place] = _poisoned(shape, dtype)
        return self._shared[place]


def _places(extent: tuple) -> list[tuple[int, int, int]]:
    return [(x, y, z) for z, y, x in product(*map(range, reversed(extent)))]


def _set(where: SimpleNamespace, xyz: tuple) -> None:
    where.x, where.y, where.z = xyz


def _some(ndim: int, a: Any, b: Any, c: Any) -> Any:
    xyz = a.x * b.x + c.x, a.y * b.y + c.y, a.z * b.z + c.z
    return xyz[0] if ndim == 1 else xyz[:ndim]


def _meet(arrived: dict, threads: int) -> dict:
    """The result that each thread gets from the barrier that all of them have reached."""
    if not arrived:
        return {}
    places = {place for place, *_ in arrived.values()}
    if len(arrived) < threads or len(places) > 1:
        raise RuntimeError(f"{len(arrived)} of {threads} threads are at a barrier: {places}")
    ((name, _),) = places
    values = [bool(value[0]) for _, *value in arrived.values() if value]
    answer = {"or": any, "and": all, "count": sum}.get(name.removeprefix("syncthreads_"))
    return dict.fromkeys(arrived, int(answer(values)) if answer else None)


def _poisoned(shape: Any, dtype: Any) -> np.ndarray:
    dtype = np.dtype(dtype)
    return np.full(shape, np.nan if dtype.kind in "fc" else dtype.type(85), dtype)


class _Atomic:
    """Atomic operations: each returns the old value, as on the device."""

    def add(self, array: np.ndarray, place: Any, value: Any) -> Any:
        return self._replace(array, place, array[place] + value)

    def max(self, array: np.ndarray, place: Any, value: Any) -> Any:
        return self._replace(array, place, max(array[place], value))

    def min(self, array: np.ndarray, place: Any, value: Any) -> Any:
        return self._replace(array, place, min(array[place], value))

    def exch(self, array: np.ndarray, place: Any, value: Any) -> Any:
        return self._replace(array, place, value)

    def cas(self, array: np.ndarray, place: Any, expected: Any, value: Any) -> Any:
        old = array[place]
        return self._replace(array, place, value if old == expected else old)

    def _replace(self, array: np.ndarray, place: Any, value: Any) -> Any:
        old = array[place]
        array[place] = value
        return old


class _Libdevice:
    """The functions of `libdevice`, in single and double precision; NaN in gives NaN out."""

    def __getattr__(self, name: str) -> Callable:
        inverse = "arc" + name[1:]  # asin is NumPy's arcsin
        for found in (name, name.removesuffix("f"), inverse, inverse.removesuffix("f")):
            if hasattr(np, found):
                return getattr(np, found)
        import scipy.special

        return getattr(scipy.special, _SCIPY.get(name, name))


_SCIPY = {
    "lgamma": "gammaln", "tgamma": "gamma", "normcdf": "ndtr", "normcdfinv": "ndtri",
    "cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1",
}  # fmt: skip


class _Math(_Libdevice):
    """`math` as on the device: a float32 for a float32, and no exceptions."""

    pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
    floor, ceil, trunc = math.floor, math.ceil, math.trunc  # integers
