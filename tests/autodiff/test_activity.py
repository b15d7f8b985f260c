"""What varies with the inputs, and what may reach the outputs."""

from srcgrad.autodiff.activity import Activity
from tests.autodiff.build import function, loop
from tests.autodiff.running import check_forward


def activity(f, wrt, outputs=None):
    return Activity(f, [f.params[k] for k in wrt], outputs)


def test_scalars():
    f = function(
        lambda b, x, y: (b.mul(x, y), b.sin(y), b.floor(x), b("cast", x, dtype="i64")),
        "x:f64",
        "y:f64",
    )
    assert [activity(f, (0,))(a) for a in f.returns] == [True, False, False, False]
    assert [activity(f, (1,))(a) for a in f.returns] == [True, True, False, False]


def test_a_zero_rule_carries_nothing():
    f = function(lambda b, x, y: b.copysign(x, y), "x:f64", "y:f64")
    assert activity(f, (0,))(f.returns[0]) and not activity(f, (1,))(f.returns[0])


def test_buffers_views_and_loops():
    """A store through a view makes the buffer vary, read before or after, around a loop too."""

    def body(b, x, n):
        y, z = (b.zeros(n, dtype="f64") for _ in range(2))
        v = b.view(y, 0, 1, 1, spec=("s",))

        def step(i, s, t):
            u = b.add(s, b.load(y, i))
            b.store(v, 0, x)
            return u, b.add(t, b.load(z, i))

        return (*loop(b, 0, n, (0.0, 0.0), step), y, z)

    f = function(body, "x:f64", "n:int")
    assert [activity(f, (0,))(a) for a in f.returns] == [True, False, True, False]


def test_usefulness():
    def body(b, x):
        y = b.zeros(2, dtype="f64")
        b.store(y, 0, x)
        return b.sin(x), b.load(y, 0), y

    f = function(body, "x:f64")
    both = activity(f, (0,), [f.returns[0]])
    assert both(f.returns[0]) and not both(f.returns[1]) and not both(f.returns[2])
    assert both.varies(f.returns[1]) and not both.reaches(f.returns[2])
    through = activity(f, (0,), [f.returns[1]])
    assert through(f.returns[2]) and not through(f.returns[0])


def test_buffers_without_dims():
    def body(b, x):
        y = b.zeros(dtype="f64")
        b.store(y, x)
        z = b.copy(y)
        b.add_at(z, b.sin(b.load(y)))
        return b.load(z)

    check_forward(function(body, "x:f64"), 0.7)
