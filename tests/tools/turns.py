"""Which part of the dearer checks, of long lists and of the random programs a run tries.

The part follows from the commit, so that a run can be repeated. Cases that the last commit or
the working tree has changed are tried by every check: see `tests/checks/touched.py`.
"""

import subprocess
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PARTS = 8
SHORT = 64  # a list up to this length has half as many parts: some tests count what they find
everything = False  # set by `--full`


def _git(*words: str) -> str:
    """The output of git; nothing where there is no repository, as in a source distribution."""
    try:
        done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


@cache
def commit() -> int:
    """A number of the commit in the working tree."""
    return int(_git("rev-parse", "HEAD")[:8] or "0", 16)


def turn() -> int:
    """The number of the part that the commit gives."""
    return commit() % PARTS


def in_one_of(case: str, parts: int) -> bool:
    """Whether a check that is dear even in parts tries a case: one in `parts` of each."""
    return everything or (zlib.crc32(case.encode()) + commit() // PARTS) % parts == 0


def share(seeds: Sequence[T]) -> list[T]:
    """Every eighth of the seeds, every fourth of a few; all of them under `--full`."""
    parts = PARTS if len(seeds) > SHORT else PARTS // 2
    return [*seeds] if everything else [*seeds][turn() % parts :: parts]


def is_in_turn(case: str, check: str, number: int) -> bool:
    """Whether the check tries the case in the runs of this part; each is in one of them."""
    return (zlib.crc32(f"{case} {check}".encode()) + number) % PARTS == 0


@cache
def changed_files() -> frozenset[str]:
    """The paths that the last commit changed, or the working tree since."""
    changed = _git("diff", "--name-only", "HEAD~1") or _git("diff", "--name-only", "HEAD")
    new = _git("ls-files", "--others", "--exclude-standard")
    return frozenset((*changed.splitlines(), *new.splitlines()))
