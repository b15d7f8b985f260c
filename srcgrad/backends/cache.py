"""The folder of generated modules: where it is, how a module gets there, what is trusted in it.

A module is named by the hash of its text and of everything it depends on, so an entry is never
stale. What runs is the text in memory; the file is there to be read and for Numba's cache beside
it. Never executes a file, and never hands Numba a cached binary whose digest is not on record.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

PACKAGE = "srcgrad.backends.generated"
DIGITS = 24  # of the hash, in a module's name


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
    """k_<hash>: of the text, and of what else decides the compiled code."""
    digest = hashlib.sha256(text.encode())
    for part in depends:
        digest.update(b"\0" + part.encode())
    return f"k_{digest.hexdigest()[:DIGITS]}"


def load(name: str, text: str) -> tuple[ModuleType, bool]:
    """The module `name` made of `text`, and whether a file of the cache folder backs it."""
    path = cache_dir() / f"{name}.py"
    backed = _write(path, text)
    return (_module(name, text, str(path)) if backed else in_memory(name, text)), backed


def keep(file: str, text: str) -> None:
    """Put a text into the folder, to be read; where the folder cannot be written it is not kept."""
    _write(cache_dir() / file, text)


def keep_bytes(file: str, data: bytes) -> None:
    """Put machine code into the folder, behind its digest."""
    with suppress(OSError):
        path = cache_dir() / file
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _replace(path, hashlib.sha256(data).digest() + data)


def kept_bytes(file: str) -> bytes | None:
    """What `keep_bytes` put there; None if there is nothing, or something else."""
    try:
        found = (cache_dir() / file).read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    return found[size:] if hashlib.sha256(found[size:]).digest() == found[:size] else None


def in_memory(name: str, text: str) -> ModuleType:
    """The module without a file; tracebacks and debuggers find its text all the same."""
    shown = f"<srcgrad {name}>"
    linecache.cache[shown] = (len(text), None, text.splitlines(True), shown)
    return _module(name, text, shown)


def _module(name: str, text: str, shown: str) -> ModuleType:
    full = f"{PACKAGE}.{name}"
    module = ModuleType(full)
    module.__file__ = shown
    module.__package__ = PACKAGE
    exec(compile(text, shown, "exec"), module.__dict__)
    # by its name Numba finds the module again when it reloads what it cached
    sys.modules[full] = module
    return module


def _write(path: Path, text: str) -> bool:
    """Make the file hold exactly this text; False where the folder cannot be written."""
    try:
        if path.is_file() and path.read_bytes() == text.encode():
            return os.access(path.parent, os.W_OK)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _replace(path, text.encode())
    except OSError:
        return False
    return True


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that another process sees all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


# ---- Numba's files beside a module: an index and machine code, which Numba does not verify ----
def _binaries(folder: Path, name: str) -> list[Path]:
    return sorted(f for pattern in ("nbi", "nbc") for f in folder.glob(f"{name}.*.{pattern}"))


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for f in files:
        digest.update(f.name.encode() + b"\0" + f.read_bytes())
    return digest.hexdigest()


def distrust(folder: Path, name: str) -> None:
    """Delete the binaries of a module unless they are what `seal` saw."""
    try:
        files = _binaries(folder, name)
        record = folder / f"{name}.sum.py"
        if files and not (record.is_file() and record.read_bytes() == _record(files)):
            for f in files:
                f.unlink(missing_ok=True)
    except OSError:
        return


def seal(folder: Path, name: str) -> None:
    """Put the digest of a module's binaries on record; no record, no reuse."""
    try:
        files = _binaries(folder, name)
        if files:
            _replace(folder / f"{name}.sum.py", _record(files))
    except OSError:
        return


def _record(files: list[Path]) -> bytes:
    text = f'"""sha256 of the binaries beside this file."""\n\nDIGEST = "{_digest(files)}"\n'
    return text.encode()
