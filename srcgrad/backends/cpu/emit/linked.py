"""Functions that programs share: compiled once per machine, loaded by symbol."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Sequence

from srcgrad.backends import cache as files
from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.backends.cpu.emit.symbols import Product, Routine
from srcgrad.backends.cpu.environment import environment

# machine code, the functions of SciPy's that it calls with their arity, the products that it calls
Made = tuple[bytes, dict[tuple[str, str], int], tuple[Product, ...]]
_ready: set[Product | Routine] = set()
_lock = threading.RLock()  # the handler of a signal may need a function as well


def ready(
    what: Product | Routine,
    depends: Sequence[str],
    made: Callable[[], Made],
    called: Callable[[Product], None] = lambda _: None,
) -> None:
    """Compiles a function, or finds its machine code, and gives its symbol an address.

    `depends`: what determines the code, besides the processor; `called` makes ready what it
    calls in turn.
    """
    from srcgrad.backends.cpu import loading

    with _lock:
        if what in _ready:
            return
        depends = (*loading.processor(), *environment(), *depends)
        file = f"{files.module_name(what.symbol, depends)}.o"
        found = files.kept_bytes(file)
        if found is None:
            found = pickle.dumps(made())
            files.keep_bytes(file, found)
        if what in _ready:  # such a handler has loaded it
            return
        code, routines, products = pickle.loads(found)
        for (library, name), arity in routines.items():
            name_routine(library, name, arity)
        for p in products:
            called(p)
        loading.name_functions(code, [what.symbol])
        _ready.add(what)
