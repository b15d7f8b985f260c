"""The calls that warnings about partial gradients cost."""

import srcgrad as flow
from srcgrad.autodiff.searched import searched
from tests.tools.counted import calls
from tests.transforms.test_partial_gradients import root


def sought(many):
    """The calls to look for intervals of as many bisections, each of what the last one found."""

    def f(a, b):
        for k in (0.5,) * many:
            a = root(a + b) * k
        return a

    return looked_at(f, 2.0, 3.0)


def looked_at(f, *args):
    """The calls to look for intervals in a function."""
    primal = flow.compile(f, target="python", cache=False)
    primal(*args)
    ((entry,),) = primal._entries.values()
    function, wrt = entry.program.function, range(len(args))
    return calls(lambda: [*searched(function, wrt, function.returns)])


def test_many_bisections():
    sought(1)
    few, more, many = map(sought, (4, 8, 16))
    assert many < 2.3 * more < 2.3**2 * few


def exchanged(many):
    """A loop in which as many conditions exchange two values that it carries."""

    def f(a):
        x, y, n = a, 2.0 * a, 0
        while n < 3 and x < 50.0:
            n += 1
            for k in (0.1,) * many:
                if x > k * y:
                    x, y = y, x
            x = x * 1.1
        return x + y * y

    return f


def test_many_exchanges():
    """Paths double with each condition."""
    few, more, many = (looked_at(exchanged(n), 0.7) for n in (4, 8, 16))
    assert many < 4.5 * more < 4.5**2 * few
