"""How a stage of the check says no: `Mismatch` (a wrong number), `Unusable` (no ground truth)."""

from typing import Any


class Mismatch(Exception):
    """A number that is not what it should be."""

    def __init__(self, what: str, got: Any, want: Any) -> None:
        super().__init__(f"{what}: got {got}, expected {want}")
        self.what = what


class Unusable(Exception):
    """The program cannot be judged at its inputs."""


def demand(holds: bool, what: str, got: Any, want: Any) -> None:
    """Raise Mismatch unless the condition holds (a comparison with nan does not)."""
    if not holds:
        raise Mismatch(what, got, want)
