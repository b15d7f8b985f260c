"""What a long run has done: a file of one line per program, so that it can go on where it stopped.

Lines are only ever appended; one that was cut off is ignored. The first line says what was asked,
and a file is only continued by a run that asks the same of the same package.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.check import Outcome
from tests.fuzz.runner import FAILURES, Result


class OtherRun(Exception):
    """The file belongs to a run that asked something else."""


class State:
    """The results so far of one run, by seed."""

    def __init__(self, path: Path, asked: dict[str, Any]):
        self.path, self.asked = path, asked
        self.done: dict[int, Outcome] = dict(self._read())

    def missing(self, seeds: Iterable[int]) -> list[int]:
        return [s for s in seeds if s not in self.done]

    def add(self, result: Result) -> None:
        """Append one result; what is in the file afterwards survives any interruption."""
        outcome = result.outcome
        line: list[Any] = [result.seed, outcome.kind]
        if outcome.kind != "ok":
            line += [outcome.stage, outcome.detail[:2000]]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        with self.path.open("a", encoding="utf-8") as file:
            if new:
                file.write(json.dumps(self.asked) + "\n")
            file.write(json.dumps(line) + "\n")
        self.done[result.seed] = outcome

    def results(self) -> list[Result]:
        return [Result(seed, outcome) for seed, outcome in sorted(self.done.items())]

    def failing(self) -> list[int]:
        return [r.seed for r in self.results() if r.outcome.kind in FAILURES]

    def _read(self) -> Iterator[tuple[int, Outcome]]:
        if not self.path.exists():
            return
        lines = self.path.read_text(encoding="utf-8").splitlines()
        if not lines or json.loads(lines[0]) != self.asked:
            raise OtherRun(
                f"{self.path} belongs to a run of other options or of other code: {lines[:1]}"
            )
        whole = self.path.read_text(encoding="utf-8").endswith("\n")
        for line in lines[1:] if whole else lines[1:-1]:
            seed, *parts = json.loads(line)
            yield seed, Outcome(*parts)
        if not whole:  # cut off while it was written: the next line must not hang on to it
            self.path.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def default_path(asked: dict[str, Any]) -> Path:
    """A file among the caches, named by what is asked."""
    from srcgrad.backends.cache import cache_dir

    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]
    return cache_dir() / "fuzz" / f"{digest}.jsonl"


def code_digest() -> str:
    """Of the source of the package and of the fuzzer: results of other code are not these."""
    import srcgrad

    digest = hashlib.sha256()
    for root in (Path(srcgrad.__file__).parent, Path(__file__).parent):
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
