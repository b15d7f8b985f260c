"""The kernels of the cases to PTX, and how many cases the device takes.

There are 5,000 different kernels: those of a sample are compiled in the default run. Results are
compared in `tests/checks/targets.py`.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from srcgrad.backends.cuda.device import Kernel, KernelText
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from srcgrad.backends.cuda.toolchain import ptx
from srcgrad.errors import UnsupportedError
from tests.cases import CASES, Case, sample
from tests.checks.comparing import close
from tests.cuda.kernel_forms import Compiled
from tests.tools.modes import Modes
from tests.tools.turns import share

pytestmark = pytest.mark.usefixtures("quiet")
CAPABILITIES = ((8, 0), (9, 0))
SAMPLE = share(sample(100))
RIGHT = 0.7  # of all 150; the share of a run has fewer by chance


@dataclass(frozen=True, eq=False)
class Recording(Simulator):
    """The simulator, and the kernels that it was given."""

    kernels: list[KernelText] = field(default_factory=list)

    def load(self, kernels: Sequence[KernelText], keep: bool = True) -> Mapping[str, Kernel]:
        self.kernels.extend(kernels)
        return super().load(kernels, keep)


def outcome(case: Case) -> str:
    """ "right", or why it is refused; fails if it is neither."""
    try:
        value, grads = Modes(case, "cuda").value_and_grad(case.arguments())
    except UnsupportedError as refused:
        assert refused.location is not None, str(refused)
        return str(refused).splitlines()[0]
    want_value, want = Modes(case).value_and_grad(case.arguments())
    close(value, want_value, 1e-11, "value")
    close(grads, want, 1e-10, "gradient")
    return "right"


@pytest.mark.parametrize("case", share(sample(36)), ids=lambda c: c.id)
def test_kernels_of_a_sample(case: Case, compiled: Compiled):
    check_kernels(case, compiled)


@pytest.mark.full
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_kernels(case: Case, compiled: Compiled):
    check_kernels(case, compiled)


def check_kernels(case: Case, compiled: Compiled) -> None:
    """Those that no other test has compiled become PTX."""
    device = Recording()
    with using(device), suppress(UnsupportedError):
        Modes(case, "cuda").value_and_grad(case.arguments())
    kernels = list(filter(compiled.is_new, device.kernels))
    for text in ptx(kernels, *CAPABILITIES) if kernels else ():
        assert all(f".entry {k.name}(" in text for k in kernels)
        assert not re.findall(r"\.extern \.func[^;]*", text)  # would be missing at the link


def test_most_of_a_sample_is_right():
    found = Counter(map(outcome, SAMPLE))
    print("\n".join(f"{n:5} {reason}" for reason, n in found.most_common()))
    n = len(SAMPLE)
    assert found["right"] >= RIGHT * n - 3.0 * math.sqrt(RIGHT * (1.0 - RIGHT) * n)
