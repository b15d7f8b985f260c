"""Random programs whose gradients must survive a perturbation of recomputed floats.

`python -m tests.fuzz.nudged_programs --programs 3000 --seed 0` tries many and prints those that
change.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings

import numpy as np

from srcgrad.errors import ZeroGradientWarning
from tests.autodiff.nudged import RELATIVE, nudged
from tests.fuzz import Options, generate
from tests.fuzz.generate import TINY
from tests.fuzz.inputs import Values
from tests.fuzz.source import copied, loaded
from tests.fuzz.stages import Unusable
from tests.fuzz.subject import Subject, fault
from tests.fuzz.trial import Trial
from tests.tools.structures import flatten

NEAR = 1e-7
WIDE = Options(themes=3)
DECISIONS = replace(TINY, alone="decisions")


@dataclass(frozen=True)
class Answer:
    """What became of one program: `kind` is steady, moved, conditioned, refused or discarded."""

    seed: int
    kind: str
    by: float = 0.0  # how far the gradient moved, relative to its largest number
    again: tuple[str, ...] = ()  # what was computed again


def ask(seed: int, options: Options = WIDE, without: str | None = None) -> Answer:
    program, subject = generate(seed, options), Subject.srcgrad()
    with (
        loaded(program.source(), str(seed)) as namespace,
        np.errstate(all="ignore"),
        catch_warnings(action="ignore", category=ZeroGradientWarning),
    ):
        try:
            trial = Trial.of(program, namespace["f"])
        except Unusable:
            return Answer(seed, "discarded")
        try:
            want = _gradient(trial, subject, trial.at.args)
            with nudged() as names, fault(without):
                got = _gradient(trial, subject, trial.at.args)
        except subject.fault:
            raise
        except subject.refusal:
            return Answer(seed, "refused")
        by = apart(want, got)
        if by <= NEAR:
            return Answer(seed, "steady", by, tuple(names))
        kind = "conditioned" if _condition(trial, subject, want) > NEAR else "moved"
        return Answer(seed, kind, by, tuple(names))


def _gradient(trial: Trial, subject: Subject, args: Values) -> np.ndarray:
    compiled = subject.compile(trial.fn, target="python")
    made = subject.gradient(compiled, trial.at.positions, trial.reduction.adjoints)
    return flatten(made(*copied(args)))


def _condition(trial: Trial, subject: Subject, want: np.ndarray) -> float:
    """How far the gradient moves when the arguments do."""
    ups: Any = [1.0 + RELATIVE, 1.0 - RELATIVE]
    args = [a * ups[k % 2] if k in trial.at.positions else a for k, a in enumerate(trial.at.args)]
    return apart(want, _gradient(trial, subject, tuple(args)))


def apart(want: np.ndarray, got: np.ndarray) -> float:
    """The largest difference, relative to the largest number; infinite if one is NaN alone."""
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=0.0) + 1e-3
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    differences = np.where(same, 0.0, np.abs(want - got) / scale)
    return float(np.max(np.where(np.isnan(differences), np.inf, differences), initial=0.0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--themes", type=int, default=3)
    parser.add_argument("--theme", default="", help="one alone, in small programs")
    parser.add_argument("--without", metavar="RULE")
    args = parser.parse_args()
    kinds: Counter[str] = Counter()
    for answer in _answers(args):
        kinds[answer.kind] += 1
        kinds["with values computed again"] += bool(answer.again)
        if answer.kind in ("moved", "conditioned"):
            print(f"seed {answer.seed}: {answer.kind} by {answer.by:.1e}: {answer.again[:12]}")
            sys.stdout.flush()
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    return int(bool(kinds["moved"]))


def _answers(args: argparse.Namespace) -> Iterator[Answer]:
    alone = replace(TINY, alone=args.theme) if args.theme else None
    options = alone or Options(themes=args.themes)
    for seed in range(args.seed, args.seed + args.programs):
        yield ask(seed, options, args.without)


if __name__ == "__main__":
    sys.exit(main())
