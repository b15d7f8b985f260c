"""What is emitted for many arrays that are owned at once, counted: no more than twice for twice."""

from functools import partial

from srcgrad.backends.cpu.emit.program import written
from srcgrad.backends.cpu.emit.state import Program as Module
from srcgrad.passes.lower import lower
from tests.backends.backend_programs import Program
from tests.tools.counted import calls


def owning(many):
    """A function that returns products of matrices, each of which may fail for want of memory."""
    p = Program()
    x = p.array("x", None, None)
    return lower(
        p.returns(*(p.b("matmul", x, p.b("transpose", x, perm=(1, 0))) for _ in range(many)))
    )


def test_arrays_that_are_owned_at_once():
    written(Module(owning(2)))
    programs = [owning(n) for n in (40, 80, 160)]
    few, more, many = (calls(partial(emitted, f)) for f in programs)
    assert many < 2.3 * more < 2.3**2 * few
    few, more, many = (emitted(f).count("\n") for f in programs)
    assert many - more == 2 * (more - few)


def emitted(function):
    return written(Module(function))[0].text
