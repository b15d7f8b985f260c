"""The interpreter with all its parts."""

from __future__ import annotations

from srcgrad.frontend.branches import Branches
from srcgrad.frontend.calls import Calls
from srcgrad.frontend.classes import Classes
from srcgrad.frontend.comparisons import Comparisons
from srcgrad.frontend.comprehensions import Comprehensions
from srcgrad.frontend.expressions import Expressions
from srcgrad.frontend.flow import ControlFlow
from srcgrad.frontend.heap import Heap
from srcgrad.frontend.indexing import Indexing
from srcgrad.frontend.iteration import Iteration
from srcgrad.frontend.kinds import Kinds
from srcgrad.frontend.lists import Lists
from srcgrad.frontend.loops import Loops
from srcgrad.frontend.patterns import Patterns
from srcgrad.frontend.problems import Problems
from srcgrad.frontend.recursion import Recursion
from srcgrad.frontend.rows import Rows
from srcgrad.frontend.statements import Statements
from srcgrad.frontend.stores import Stores
from srcgrad.frontend.unknown import Unknown


class StagedInterpreter(
    Statements, Patterns, Heap, ControlFlow, Branches, Loops, Expressions, Comparisons, Indexing,
    Stores, Iteration, Comprehensions, Lists, Rows, Calls, Recursion, Classes, Kinds, Problems,
    Unknown,
):  # fmt: skip
    """Python source to typed IR: what is known at compile time is computed."""
