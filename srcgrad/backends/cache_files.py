"""The files of the cache folder: by program, and no more than a limit of them.

A program's files have its hash in their names: the module, Numba's index and code, stages. Nothing
else is counted or deleted: the user may have pointed the cache at a folder of theirs. The limit is
`SRCGRAD_CACHE_LIMIT`; a process that has put files there deletes, at its end, the programs that
were used longest ago. A program counts as used when it was made or loaded, to a day
(`private.read`).
"""

from __future__ import annotations

import atexit
import os
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from srcgrad.errors import ArgumentValueError
from srcgrad.memory_limit import bytes_of
from srcgrad.records import record

VARIABLE = "SRCGRAD_CACHE_LIMIT"
DEFAULT = "2GB"
_FILE = re.compile(r".*?([0-9a-f]{12,}).*\.(py|pyc|nbi|nbc|nb|ll|cubin|ir|o)")


@record(frozen=True)
class CachedProgram:
    """The files of one hash."""

    name: str
    files: tuple[Path, ...]
    size: int
    used: datetime


def files(folder: Path) -> list[Path]:
    """The files under a folder that srcgrad and Numba put there."""
    found = folder.rglob("*") if folder.is_dir() else ()
    return sorted(f for f in found if _FILE.fullmatch(f.name) and f.is_file())


def programs(folder: Path) -> list[CachedProgram]:
    """The programs under a folder, the one that was used last first."""
    by_hash: dict[str, list[Path]] = {}
    for file in files(folder):
        found = _FILE.fullmatch(file.name)
        assert found is not None
        by_hash.setdefault(found[1], []).append(file)
    made = []
    for own in by_hash.values():
        with suppress(OSError):  # another process may have deleted it
            states = [f.stat() for f in own]
            used = datetime.fromtimestamp(max(s.st_mtime for s in states))
            made.append(
                CachedProgram(own[0].name, tuple(own), sum(s.st_size for s in states), used)
            )
    return sorted(made, key=lambda p: p.used, reverse=True)


def most() -> int:
    """The number of bytes that the folder may hold; 0: any."""
    text = os.environ.get(VARIABLE, "").strip() or DEFAULT
    if text in ("0", "off"):
        return 0
    try:
        return bytes_of(int(text) if text.isdecimal() else text)
    except ArgumentValueError:
        return bytes_of(DEFAULT)


def limit(folder: Path) -> int:
    """Deletes the programs that were used longest ago until the rest fits; the bytes deleted."""
    allowed, held, freed = most(), 0, 0
    for program in programs(folder) if allowed else ():
        held += program.size
        if held > allowed:
            for file in program.files:
                file.unlink(missing_ok=True)
            freed += program.size
    return freed


_limited: set[Path] = set()  # when this process ends


def limit_at_exit(folder: Path) -> None:
    """Applies the limit when the process ends: it has put files there."""
    if folder not in _limited:
        _limited.add(folder)
        process = os.getpid()
        atexit.register(lambda: os.getpid() == process and _limit(folder))


def _limit(folder: Path) -> None:
    with suppress(OSError):
        limit(folder)
