"""Many programs: draw, check, shrink what fails; in this process or in several.

A result carries the program's seed, so any of them can be run again alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context

from tests.fuzz.check import Check, Outcome, check
from tests.fuzz.generate import SMALL, TINY, Options, generate
from tests.fuzz.shrink import shrink
from tests.fuzz.subject import Subject, fault
from tests.fuzz.tree import Program

FAILURES = ("wrong", "crashed")
CHUNK = 4  # programs that a process is given at once
CHUNKS = 32  # how often, until it ends


@dataclass(frozen=True)
class Settings:
    check: Check = field(default_factory=Check)
    options: Options | None = None  # None: by what is checked
    themes: int = 0  # of the wide vocabulary, for each program
    alone: str = ""  # the only theme of all programs
    largest: int | None = None  # `tree.size` of a program; None: by what is checked
    without: str | None = None  # the rule of reverse mode to switch off
    shrink_seconds: float = 0.0  # per failing program; 0 leaves it as drawn

    @property
    def drawn(self) -> Options:
        """How programs are drawn: small ones for second derivatives and for Numba."""
        slow = self.check.order > 1 or self.check.target != "python"
        sized = TINY if self.alone else SMALL if slow else Options()
        drawn = self.options or replace(sized, themes=self.themes, alone=self.alone)
        return replace(drawn, largest=self.largest or drawn.largest)


@dataclass(frozen=True)
class Result:
    seed: int
    outcome: Outcome
    shrunk: Program | None = None  # of a program that failed


def run(seeds: Iterable[int], settings: Settings | None = None, jobs: int = 1) -> Iterator[Result]:
    """The results in the order of the seeds, each as soon as it is there.

    Numba never gives back the memory of what it compiled, some 20 MB a program: so many compiled
    ones are checked by processes that end after a while and are followed by others.
    """
    settings, seeds = settings or Settings(), list(seeds)
    job = partial(run_one, settings=settings)
    if jobs <= 1 and (settings.check.target == "python" or len(seeds) <= CHUNK * CHUNKS):
        yield from map(job, seeds)
        return
    # pools that end: one that replaces its processes (`max_tasks_per_child`) hangs in Python 3.11
    size = CHUNK * CHUNKS * max(jobs, 1)
    for start in range(0, len(seeds), size):
        with ProcessPoolExecutor(max(jobs, 1), get_context("spawn")) as pool:
            yield from pool.map(job, seeds[start : start + size], chunksize=CHUNK)


def run_one(seed: int, settings: Settings, subject: Subject | None = None) -> Result:
    subject = subject or Subject.srcgrad()
    program = generate(seed, settings.drawn)
    with fault(settings.without):
        outcome = check(program, subject, settings.check)
        if outcome.kind not in FAILURES:
            return Result(seed, outcome)
        same = lambda p: check(p, subject, settings.check).like(outcome)
        return Result(seed, outcome, shrink(program, same, settings.shrink_seconds))


def tally(results: Iterable[Result]) -> Counter[str]:
    return Counter(r.outcome.kind for r in results)


def failures(results: Iterable[Result]) -> list[tuple[int, str, str, str]]:
    """What to print of those that fail; `--programs 1 --seed S` runs one again."""
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]
