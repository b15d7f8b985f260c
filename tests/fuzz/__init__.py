"""A fuzzer for the differentiator: random structured programs, checked against plain Python.

`python -m tests.fuzz --programs 200 --seed 0` draws programs (`generate`), checks each
one's value and derivatives (`check`) and reduces those that fail (`shrink`).  A program is a small
tree (`tree`), rendered to source only to be run, so that shrinking never edits text.

Nothing in this package imports srcgrad's transforms at import time, and the expected numbers never
come from srcgrad: they come from running the program as plain Python.
"""

from tests.fuzz.census import CONSTRUCTS, census, constructs
from tests.fuzz.check import Check, Outcome, check
from tests.fuzz.generate import Options, generate
from tests.fuzz.runner import Settings, run
from tests.fuzz.shrink import shrink
from tests.fuzz.subject import Subject
from tests.fuzz.tree import Program

__all__ = [
    "CONSTRUCTS",
    "Check",
    "Options",
    "Outcome",
    "Program",
    "Settings",
    "Subject",
    "census",
    "check",
    "constructs",
    "generate",
    "run",
    "shrink",
]
