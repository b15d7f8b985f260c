"""Names the tape in refusals of gradients, where the function runs on it. Compiles nothing."""

from __future__ import annotations

from typing import Any

from srcgrad import hooks
from srcgrad.errors import SrcgradError
from srcgrad.transforms.self_check import wanted
from srcgrad.transforms.specs import ByPosition, is_gradients

WAY_OUT = 'run it as it is: mode="tape" in flow.grad and its kin'


class naming_the_tape:
    """Adds the tape to the ways out of what is raised inside; SRCGRAD_CHECK=1 tries it first."""

    def __init__(self, compiled: Any, arguments: dict[str, Any]):
        self.compiled, self.arguments = compiled, arguments

    def __enter__(self) -> None:
        pass

    def __exit__(self, cls: Any, error: BaseException | None, traceback: Any) -> None:
        if not isinstance(error, SrcgradError) or not error.runs:
            return
        if not all(other.runs for other in error.others):
            return
        spec = self.compiled.spec
        if isinstance(spec, ByPosition) and is_gradients(spec) and self._runs():
            before = ", or " if (error, *error.others)[-1].way_out else "\n  "
            error.args = (error.args[0] + before + WAY_OUT,)

    def _runs(self) -> bool:
        try:
            if wanted():
                hooks.tensor_calls().on_tape(self.compiled, self.arguments)
        except Exception:
            return False
        return True
