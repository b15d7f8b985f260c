"""Dims, flags and names of tensor functions, methods and layers, passed as run-time arguments.

The result must be the tape's for that value, or a refusal.
"""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.errors import SrcgradError
from tests.support.samples import made

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("quiet")]
FLAG, DIM = (True, False), (0, 1, -1)
# calls of x (3, 4), w (4,), labels (3,) and what `given` is in turn
CALLS: dict[str, tuple] = {
    **{
        f"x.{name}({arguments})": values
        for name in ("sum", "mean", "max", "min", "argmax", "argmin", "std", "var", "prod", "all")
        for arguments, values in (
            ("0, keepdim=given", FLAG), ("0, given", FLAG), ("dim=given", DIM), ("given", DIM),
        )
    },
    **{
        f"flow.{name}(x, {arguments})": values
        for name in (
            "sum", "mean", "amax", "amin", "argmax", "std", "var", "logsumexp", "median", "norm",
            "any", "count_nonzero", "prod",
        )
        for arguments, values in (("dim=0, keepdim=given", FLAG), ("dim=given", DIM))
    },
    **{
        f"flow.{name}(x, {arguments})": values
        for name, arguments, values in (
            ("cumsum", "given", DIM), ("cumprod", "given", DIM), ("softmax", "given", DIM),
            ("log_softmax", "given", DIM), ("sort", "descending=given", FLAG),
            ("argsort", "descending=given", FLAG), ("flip", "given", DIM),
            ("roll", "given", (1, 2)),
            ("var", "dim=0, unbiased=given", FLAG), ("std", "dim=0, correction=given", (0, 1)),
            ("topk", "given", (1, 2)), ("topk", "2, largest=given", FLAG),
            ("tril", "given", (0, 1)),
            ("squeeze", "given", DIM), ("unsqueeze", "given", DIM), ("split", "given", (1, 2)),
            ("chunk", "given", (1, 2)), ("repeat_interleave", "given", (1, 2)),
            ("transpose", "0, given", DIM), ("flatten", "given", (0, 1)), ("diff", "given", (1, 2)),
            ("unbind", "given", (0, 1)), ("narrow", "1, 0, given", (1, 2)),
            ("round", "given", (1,)),
            ("renorm", "2, given, 1.0", (0, 1)), ("quantile", "0.5, dim=given", DIM),
            ("cat", "given", (0, 1)), ("stack", "given", (0, 1)), ("norm", "given", (1, 2, 3.5)),
        )
    },
    "flow.cat((x, x), given)": DIM, "flow.stack((x, x), dim=given)": DIM,
    "F.dropout(x, 0.0, training=given)": FLAG, "F.softmax(x, dim=given)": DIM,
    "F.mse_loss(x, x * x, reduction=given)": ("mean", "sum", "none"),
    "F.cross_entropy(x, labels, reduction=given)": ("mean", "sum", "none"),
    "F.cross_entropy(x, labels, label_smoothing=given)": (0.0, 0.1),
    "F.cross_entropy(x, labels, ignore_index=given)": (0, 5),
    "F.smooth_l1_loss(x, x * x, beta=given)": (0.5, 1.0),
    "F.normalize(x, dim=given)": DIM, "F.normalize(x, given)": (1.0, 2.0, 3.5),
    "F.gelu(x, approximate=given)": ("none", "tanh"), "F.leaky_relu(x, given)": (0.1, 0.2),
    "F.elu(x, given)": (1.0, 0.5), "F.celu(x, given)": (1.0, 0.5), "F.glu(x, given)": (1, -1),
    "F.softplus(x, given)": (1, 2), "F.hardtanh(x, given)": (-1.0, -0.5),
    "F.layer_norm(x, (4,), w, w, given)": (1e-5, 0.1), "F.one_hot(labels, given)": (3, 4),
    "F.linear(x, x, given)": (None,), "F.embedding(labels, x, given)": (None, 0),
    "x.reshape(given, -1)": (2, 3), "x.view(-1, given)": (2, 3),
    "x.permute(given, 1 - given)": (0, 1),
    "x.transpose(given, 0)": DIM, "x.size(given)": DIM, "x.flatten(given)": (0, 1),
    "x.softmax(given)": DIM, "x.cumsum(given)": DIM, "x.unsqueeze(given)": DIM,
    "x.chunk(given)": (1, 2), "x.repeat(given, 1)": (1, 2), "x.norm(given)": (1, 2, 3.5),
    "x.sort(descending=given)": FLAG, "x.clamp(given)": (0.2, 0.5), "x.expand(given, 3, 4)": (1, 2),
}  # fmt: skip


def inputs() -> dict[str, Any]:
    draw = np.random.default_rng(0)
    arrays = {
        "x": draw.normal(size=(3, 4)), "w": draw.uniform(1, 2, 4),
        "labels": np.array([0, 2, 1]),
    }  # fmt: skip
    return {n: flow.tensor(a) for n, a in arrays.items()}


def numbers(v: Any) -> list[np.ndarray]:
    if isinstance(v, tuple | list):
        return [n for part in v for n in numbers(part)]
    return [np.asarray(getattr(v, "srcgrad_value", v))]


def agree(got: Any, want: Any) -> bool:
    pairs = numbers(got), numbers(want)
    return len(pairs[0]) == len(pairs[1]) and all(
        a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-9, equal_nan=True)
        for a, b in zip(*pairs, strict=True)
    )


def raised_by(run: Any) -> tuple[Any, Exception | None]:
    try:
        return run(), None
    except Exception as e:
        return None, e


@pytest.mark.parametrize("line", CALLS)
def test_as_on_the_tape_or_refused(line: str):
    names = ", ".join(inputs())
    program = made(f"def call({names}, given):\n    return {line}\n", flow=flow, F=nn.functional)
    compiled = flow.compile(program, target="python")
    for value in CALLS[line]:
        want, plain = raised_by(lambda v=value: program(*inputs().values(), v))
        got, error = raised_by(lambda v=value: compiled(*inputs().values(), v))
        if error is not None:
            assert isinstance(error, SrcgradError), f"{value!r}: {error!r}"
        elif plain is None:
            assert agree(got, want), f"{value!r}: {got!r}, not {want!r}"
