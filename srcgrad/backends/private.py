"""Ownership of folders and files: those that others may have written are neither read nor executed.

On POSIX a file is *private* if it belongs to the user that this process runs as and no one else may
write to it. Elsewhere the system's own access lists decide, and only links are refused. A program
that can write as the user can run as the user: nothing here guards against that.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import stat
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from srcgrad import interrupts
from srcgrad.tracebacks import users_level

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None

POSIX = hasattr(os, "geteuid")
DAY = 86_400.0  # seconds
OTHERS = stat.S_IWGRP | stat.S_IWOTH  # bits of a mode
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
# opening a pipe would wait for its other end
_READING = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read(path: Path) -> bytes | None:
    """The contents of a private file; None if it is not private, or not a file.

    Its time is that of its use, to a day: what was used longest ago is deleted first.
    """
    if not _NOFOLLOW and path.is_symlink():
        return None
    handle = os.open(path, _READING)
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            return None
        if POSIX and _refused(state, path.parent, f"a file in {path.parent}"):
            return None
        if time.time() - state.st_mtime > DAY:
            with suppress(OSError):
                os.utime(path)
        return os.read(handle, state.st_size)
    finally:
        os.close(handle)


def write(path: Path, data: bytes) -> None:
    """Makes a private file: another process sees all of it or nothing, a link is replaced."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def locked(path: Path, patience: float) -> int | None:
    """The handle of a file that this process has locked; None if another one keeps it so long."""
    if fcntl is None:
        return None
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _NOFOLLOW, 0o600)
    except OSError:
        return None
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        try:
            interrupts.answer()
        except BaseException:
            os.close(handle)
            raise
        time.sleep(0.01)
    os.close(handle)
    return None


def usable(folder: Path) -> bool:
    """Whether a folder, if there is one, is private; warns once why it is not."""
    if not POSIX:
        return True
    try:
        state = os.lstat(folder)
        if stat.S_ISLNK(state.st_mode) and state.st_uid == os.geteuid():  # the user's own
            state = os.stat(folder)
    except OSError:
        return True
    return not _refused(state, folder, str(folder))


def made(folder: Path) -> bool:
    """Makes a folder that no one else may enter, unless it exists; whether it is usable."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(exist_ok=True, mode=0o700)
    return usable(folder)


@cache
def temporary() -> Path:
    """A private folder of this process, removed at its end."""
    folder, process = Path(tempfile.mkdtemp(prefix="srcgrad-")), os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # the end of a fork must not remove the folder
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _refused(state: os.stat_result, folder: Path, what: str) -> bool:
    """Whether a folder, or a file in it, is not private; warns once, with the remedy."""
    shown = shlex.quote(str(folder))
    if stat.S_ISLNK(state.st_mode) or state.st_uid != os.geteuid():
        mended = f"rm -r {shown}, or set SRCGRAD_CACHE_DIR to a folder of your own"
        _say(f"{what} belongs to another user: {mended}")
        return True
    if state.st_mode & OTHERS:
        _say(f"others may write to {what}: chmod -R go-w {shown}")
        return True
    return False


@cache
def _say(why: str) -> None:
    """Warns once."""
    text = f"srcgrad does not use what is in its cache folder, since {why}"
    warnings.warn(text, RuntimeWarning, stacklevel=users_level())
