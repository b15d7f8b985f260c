"""The cache folder: its location, and the files that are put there and found again.

A file is named by the hash of everything that it depends on, so an entry is never stale. A digest
covers its name and its contents: a damaged file, or one with another's name, is made again. Files
that others may have written are not used (`private.py`): a folder of this process replaces them.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from srcgrad.backends import cache_files, private

PACKAGE = "srcgrad.backends.generated"
DIGITS = 24  # of the hash, in a module's name
PATIENCE = 60.0  # seconds to wait for another process that makes the same file
SIZE = hashlib.sha256().digest_size


def cache_dir() -> Path:
    """$SRCGRAD_CACHE_DIR, else srcgrad's folder among the user's caches (need not exist)."""
    chosen = os.environ.get("SRCGRAD_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "srcgrad" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "srcgrad"
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(xdg) if os.path.isabs(xdg) else Path.home() / ".cache") / "srcgrad"


def module_name(text: str, depends: Iterable[str] = ()) -> str:
    """k_<hash>: of the text, and of the other influences on the compiled code."""
    digest = hashlib.sha256(text.encode())
    for part in depends:
        digest.update(b"\0" + part.encode())
    return f"k_{digest.hexdigest()[:DIGITS]}"


def keep(file: str, text: str) -> None:
    """Puts a text into the folder, for readers; if that fails it is not stored."""
    _put(file, text.encode())


def keep_bytes(file: str, data: bytes) -> None:
    """Puts a file into the folder, under its digest; if that fails it is not stored."""
    _put(file, _digest(file, data) + data)


def kept_bytes(file: str) -> bytes | None:
    """The bytes that `keep_bytes` put there; None if there is nothing, or something else."""
    with suppress(OSError):
        folder = cache_dir()
        if not private.usable(folder):
            folder = private.temporary()
        found = private.read(folder / file)
        if found and _digest(file, found[SIZE:]) == found[:SIZE]:
            return found[SIZE:]
    return None


@contextmanager
def making(file: str) -> Iterator[None]:
    """Lets one process at a time make a file of the folder; whoever has waited may find it there.

    The system unlocks it when a process ends, by SIGKILL too. Where locks are missing, or after
    `PATIENCE`, several make it, and the last one's stays.
    """
    lock = None
    with suppress(OSError):
        folder = cache_dir()
        if not private.made(folder):
            folder = private.temporary()
        lock = folder / f".{file}.lock"
    handle = None if lock is None else private.locked(lock, PATIENCE)
    try:
        yield
    finally:
        if handle is not None:
            assert lock is not None
            lock.unlink(missing_ok=True)  # before it is unlocked: who waits looks for the file
            os.close(handle)


def _digest(file: str, data: bytes) -> bytes:
    return hashlib.sha256(file.encode() + b"\0" + data).digest()


def _put(file: str, data: bytes) -> None:
    with suppress(OSError):
        folder = cache_dir()
        if not private.made(folder):
            folder = private.temporary()
        private.write(folder / file, data)
        cache_files.limit_at_exit(folder)


def in_memory(name: str, text: str) -> ModuleType:
    """A module made of a text; tracebacks and debuggers find its text without a file."""
    shown = f"<srcgrad {name}>"
    linecache.cache[shown] = (len(text), None, text.splitlines(True), shown)
    full = f"{PACKAGE}.{name}"
    module = ModuleType(full)
    module.__file__ = shown
    module.__package__ = PACKAGE
    exec(compile(text, shown, "exec"), module.__dict__)
    # by its name Numba finds the module again when it loads compiled code of it
    sys.modules[full] = module
    return module
