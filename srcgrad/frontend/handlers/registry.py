"""The tables of handlers: functions by identity, methods by the kind of their owner and name."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.followed_names import FOLLOWED
from srcgrad.frontend.formulas.registry import FORMULAS, UFUNCS, as_ufunc, enter
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.library_source import is_of_class, is_of_library, python_of
from srcgrad.frontend.values import GrownList, is_value
from srcgrad.frontend.versions import there
from srcgrad.protocols import held, home_module
from srcgrad.tracebacks import within

FUNCTIONS: dict[Any, Callable] = {}
CONTEXTS: dict[Any, Callable] = {}  # context managers of `with`
WRAPPERS: dict[Any, Callable] = {}  # by their code: what decorators of libraries make of functions
BY_NAME: dict[tuple[Any, Any], Callable] = {}  # of libraries that are not imported here
PRIVATE: dict[tuple[str, str], Callable] = {}  # by library and name: helpers of its own source
# by the name of a method of a C class: makes its handler from the object
OF_OWNER: dict[str, Callable[[Any], Callable]] = {}
OF_STREAM: dict[str, Callable] = {}  # methods of `sys.stdout` and `sys.stderr`
# classes of SciPy: the class of formulas that an instance is followed as, and where its parts are
OBJECTS: dict[type, tuple[type, dict[str, str]]] = {}
METHODS: dict[tuple[str, str], Callable] = {}
# library functions that are refused with a reason and a way out of their own
REFUSED: dict[Any, tuple[str, str]] = {}
# The same for functions and methods of tensors; the layers above fill them in when `LATE` is
# called, which is when a tensor or one of its functions is first met.
TENSOR_FUNCTIONS: dict[Any, Callable] = {}
TENSOR_METHODS: dict[str, Callable] = {}
TENSOR_CLASS: list[type] = []
TENSOR_PROMOTION: list[Callable] = []  # from operands, one of which is a tensor, to those cast
LATE: list[Callable[[], Any]] = []
# modules of libraries that NumPy does not import, and those with the handlers or formulas of their
# functions: imported when such a function is met and the program has imported its module
ON_DEMAND = {
    "numpy.ma": "srcgrad.frontend.formulas.masked_made",
    "numpy.random": "srcgrad.frontend.handlers.random_choices",  # which imports `random_of_numpy`
    "random": "srcgrad.frontend.handlers.random_of_python",
    "scipy.special": "srcgrad.frontend.handlers.scipy_special",
    "scipy.linalg": "srcgrad.solvers.scipy_riccati",  # which imports the handlers of the others
    "scipy.stats": "srcgrad.frontend.handlers.scipy_stats",
    "scipy.integrate": "srcgrad.solvers.scipy_integrate",  # which imports the formulas of samples
    "scipy.interpolate": "srcgrad.frontend.handlers.scipy_interpolate",
    "scipy.optimize": "srcgrad.solvers.scipy_optimize",  # which imports `scipy_roots`
    "scipy.fft": "srcgrad.frontend.handlers.scipy_fft",
    "scipy.fftpack": "srcgrad.frontend.formulas.scipy_fftpack",
    "scipy.signal": "srcgrad.frontend.formulas.linear_systems",  # which imports the others
    "scipy.spatial.distance": "srcgrad.frontend.formulas.scipy_spatial",
    "scipy.spatial.transform": "srcgrad.frontend.handlers.scipy_rotation",
    "scipy.ndimage": "srcgrad.frontend.formulas.moved_images",  # which imports the others
    "scipy.sparse": "srcgrad.frontend.formulas.scipy_sparse_made",
    "scipy.sparse.linalg": "srcgrad.solvers.scipy_sparse",
}


def implements(*functions: Any, method: str = "") -> Callable[[Callable], Callable]:
    """Registers a handler for functions, and for a method of arrays."""

    def register(handler: Callable) -> Callable:
        for f in functions:
            enter(FUNCTIONS, within(f), handler)
        if method:
            enter(METHODS, ("array", method), handler)
        return handler

    return register


def method(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Registers a handler for methods of a kind of value ("array", "list", "dict", "str")."""

    def register(handler: Callable) -> Callable:
        for name in names:
            enter(METHODS, (kind, name), handler)
        return handler

    return register


class Followed:
    """A handler that interprets a formula in place of the call."""

    def __init__(self, formula: Callable):
        self.formula = formula
        self.__module__, self.__qualname__ = formula.__module__, formula.__qualname__

    def __call__(self, it: Interpreter, node: Node, /, *args: Any, **keywords: Any) -> Any:
        f = UFUNCS.get(self.formula)
        if f is not None:
            return it.call(as_ufunc, [f, self.formula, *args], keywords, node)
        return it.call(self.formula, list(args), keywords, node)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of a handler with the arguments of the formula; few calls need it."""
        own = inspect.signature(self.formula)
        first = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in ("it", "node")]
        return own.replace(parameters=[*first, *own.parameters.values()])


followed = functools.cache(Followed)


class OwnSource:
    """A handler that interprets the library's own source of a function."""

    def __init__(self, f: Any, function: types.FunctionType):
        self.shown, self.function = f, function
        self.__module__, self.__qualname__ = f.__module__, f.__qualname__

    def __call__(self, it: Interpreter, node: Node, /, *args: Any, **keywords: Any) -> Any:
        return it.follow_library(self, args, keywords, node)

    @property
    def __signature__(self) -> inspect.Signature:
        own = inspect.signature(self.function)
        first = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in ("it", "node")]
        return own.replace(parameters=[*first, *own.parameters.values()])


@functools.cache
def of_class(f: types.FunctionType) -> OwnSource:
    """The handler of a method of a class of the library's that is followed."""
    return OwnSource(f, f)


def follow_all() -> None:
    """Registers a handler for every formula; again once SciPy's have joined them."""
    for f, formula in FORMULAS.items():
        implements(f)(followed(formula))
    for module, names in FOLLOWED.items():
        for f in there(sys.modules.get(module), *names):
            if f not in FUNCTIONS and (function := python_of(f)) is not None:
                implements(f)(OwnSource(f, function))


def handler_of(f: Any) -> Callable | None:
    f = within(f)
    try:
        found = FUNCTIONS.get(f)
    except (TypeError, ValueError):  # a memoryview
        return None
    if found is None and BY_NAME:
        found = BY_NAME.get((home_module(f), str(held(f, "__qualname__"))))
    if found is None and is_of_library(f):
        library = home_module(f).partition(".")[0]
        found = PRIVATE.get((library, getattr(f, "__name__", "")))
        if found is None and isinstance(f, types.FunctionType) and is_of_class(f):
            return of_class(f)
    if found is None and isinstance(f, types.BuiltinMethodType) and f.__qualname__ in OF_OWNER:
        return OF_OWNER[f.__qualname__](f.__self__)
    if found is None and isinstance(f, types.MethodType | types.BuiltinMethodType):
        stream = name_of_stream(f.__self__)
        if stream is not None and f.__name__ in OF_STREAM:
            return functools.partial(OF_STREAM[f.__name__], stream)
    if found is None and _is_on_demand(f):
        new = [m for m in ON_DEMAND if m in sys.modules]
        for module in new:
            importlib.import_module(ON_DEMAND.pop(module))
        if new:
            follow_all()
        return FUNCTIONS.get(f)
    if found is None and is_tensor_function(f):
        know_tensors()
        return TENSOR_FUNCTIONS.get(f)
    return found


def gives_strong(f: Any) -> bool:
    """Whether a function is one of NumPy's that never return a Python number, as its source may."""
    if isinstance(f, np.ufunc):
        return True
    home = home_module(f)
    numpy = home.split(".")[0] == "numpy" and not home.startswith("numpy.random")
    return numpy and not isinstance(handler_of(f), OwnSource) and f not in (
        np.ndim, np.size, np.shape, np.real, np.imag, np.count_nonzero,
    )  # fmt: skip


def name_of_stream(v: Any) -> str | None:
    """The name in `sys` of a stream that a program writes to, which is the one of that moment."""
    return next((n for n in ("stdout", "stderr") if v is getattr(sys, n) and v is not None), None)


# modules that are not imported here
OF_OTHERS = ("scipy.", "numpy.ma.", "numpy.random.", "random.")


def _is_on_demand(f: Any) -> bool:
    """Whether a function may be of such a module: ufuncs and LAPACK's do not name theirs."""
    named = f"{home_module(f)}.".startswith(OF_OTHERS)
    special = isinstance(f, np.ufunc) and "scipy.special" in sys.modules
    return named or special or type(f).__name__ == "fortran"


def follows_as(cls: type, formula: type, **parts: str) -> None:
    """Says of which attributes of an object of a library its stand-in is made."""
    OBJECTS[cls] = formula, parts


def followed_as(value: Any) -> tuple[type, dict[str, str]] | None:
    """The class of formulas that an object of SciPy is followed as, and the names of its parts."""
    cls = type(value)
    if not str(cls.__module__).startswith("scipy."):
        return None
    handler_of(cls)  # imports the handlers of its module
    return next((OBJECTS[c] for c in cls.__mro__ if c in OBJECTS), None)


def know_all() -> None:
    """Registers all functions of libraries, whether their modules are imported or not."""
    while ON_DEMAND:
        importlib.import_module(ON_DEMAND.popitem()[1])
    follow_all()


def refusal_of(f: Any) -> tuple[str, str] | None:
    """The reason and the way out if a library function is refused with its own; else None."""
    try:
        return REFUSED.get(f)
    except TypeError:
        return None


def know_tensors() -> None:
    """Registers the functions of the eager mode, once."""
    if LATE:
        LATE.pop()()


def is_tensor_function(f: Any) -> bool:
    cls = f if isinstance(f, type) else type(f)
    return hasattr(cls, "srcgrad_value") or home_module(f).startswith("srcgrad.eager")


def kind_of_owner(owner: Any) -> str:
    """The kind of value that methods are registered for."""
    match owner:
        case list() | GrownList():
            return "list"
        case dict():
            return "dict"
        case str():
            return "str"
        case tuple():
            return "tuple"
        case set():
            return "set"
    return "array" if is_value(owner) else type(owner).__name__
