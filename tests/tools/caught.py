"""Which injected faults the default run of `tests/test_cases.py` finds, and by how many cases.

    python -m tests.tools.caught [--faults NAME ...] [--enough 3]

Cases are tried in an order that spreads over the themes, until `enough` of them fail by checks
that every run makes. A fault that these do not find is looked for by the checks that rotate: it has
to be found in each of the four turns, or in one of four runs.
"""

import argparse
import contextlib
import io
import os
import random
import warnings
from collections.abc import Iterator

import numpy as np

from tests.cases import CASES, Case
from tests.checks import CHECKS, Check, failures
from tests.tools.faults import FAULTS, inject
from tests.tools.turns import PARTS, is_in_turn


def shuffled() -> list[Case]:
    return random.Random(0).sample(CASES, len(CASES))


def failing(checks: list[Check], turn: int | None = None) -> Iterator[tuple[int, Case, list[str]]]:
    """How many cases were tried, the case and the checks that failed, for each that fails."""
    for tried, case in enumerate(shuffled(), 1):
        due = [c for c in checks if c.of(case)]
        if turn is not None:
            due = [c for c in due if is_in_turn(case.id, c.name, turn)]
        with contextlib.redirect_stdout(io.StringIO()):  # some cases print
            found = failures(case, due)
        if found:
            yield tried, case, list(found)


def found(checks: list[Check], enough: int, turn: int | None = None) -> str:
    """The cases that fail, with the number of cases tried; empty if none does."""
    seen = []
    for tried, case, names in failing(checks, turn):
        seen.append(f"{case.id} ({', '.join(names)})")
        if len(seen) == enough:
            return f"{enough} of {tried}: " + "; ".join(seen)
    return f"{len(seen)} of {len(CASES)}: " + "; ".join(seen) if seen else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", nargs="*", default=[*FAULTS])
    parser.add_argument("--enough", type=int, default=3)
    options = parser.parse_args()
    cheap = ("value", "gradient", "forward", "strided", "recomputed_floats")
    always = [c for c in CHECKS if c.name in cheap]
    rotating = [c for c in CHECKS if c.rotates]
    for name in options.faults:
        with inject(name), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = found(always, options.enough)
            print(f"{name}: every run: {answer or 'not found'}", flush=True)
            for turn in () if answer else range(PARTS):
                answer = found(rotating, options.enough, turn) or "not found"
                print(f"{name}: turn {turn}: {answer}", flush=True)


if __name__ == "__main__":
    os.environ["SRCGRAD_CACHE_STAGES"] = "0"
    main()
