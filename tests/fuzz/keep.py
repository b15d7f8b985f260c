"""A failing program as a file: it runs by itself, and says again what was wrong."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.inputs import point
from tests.fuzz.runner import Result

_TEXT = '''\
"""A random program (seed {seed}) that was {kind} at: {stage}.

{detail}

As it was drawn, from the root of srcgrad's repository:
python -m tests.fuzz --programs 1 --seed {seed}{options}

Run this file to see what its gradients are now.
"""

{source}

if __name__ == "__main__":
    from srcgrad.testing import gradcheck

    args = (
{args}
    )
    gradcheck(f, args, {positions}, target="{target}")
    print("right")
'''


def keep(result: Result, folder: Path, target: str, options: str) -> Path | None:
    """Write the shrunk program of a failure; None where there is none to write."""
    if result.shrunk is None:
        return None
    at, outcome = point(result.shrunk), result.outcome
    detail = outcome.detail.strip().replace("\\", "\\\\").replace('"""', "'''")
    text = _TEXT.format(
        seed=result.seed,
        kind=outcome.kind,
        stage=outcome.stage,
        detail=detail,
        options=options,
        source=result.shrunk.source(),
        args="\n".join(f"        {_spelled(a)}," for a in at.args),
        positions=at.positions,
        target=target,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed_{result.seed}_{outcome.kind}.py"
    path.write_text(text, encoding="utf-8")
    return path


def _spelled(value: Any) -> str:
    """An expression that makes this argument, with its strides."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.flags.c_contiguous or value.base is None:
        return f"np.array({value.tolist()!r})"
    base = value.base
    memory = np.ravel(base, order="K").tolist()
    offset = value.ctypes.data - base.ctypes.data
    return f"np.ndarray({value.shape}, float, np.array({memory!r}), {offset}, {value.strides})"
