"""Programs that must be refused or must raise; importing this package registers them."""

import importlib
import pkgutil

from tests.errors.programs import PROGRAMS, Program

__all__ = ["PROGRAMS", "Program"]

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
