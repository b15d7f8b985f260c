"""Mistakes of six kinds of users: those who come from another library, scientists, beginners."""

from tests.tools.followed import followed
from tests.tools.mistakes_of_switchers import JAX, MINDSPORE, ONEFLOW, PYTORCH

SCIENTISTS = [
    followed("numba_njit", "flow.njit(lambda x: x * x)", "", "flow.compile(f)",
        "flow.compile(lambda x: x * x)(3.0)", 9.0),
    followed("numpy_file", """
def misfit(k):
    data = np.loadtxt("data.txt")
    return np.sum((k - data) ** 2)
flow.grad(misfit)(1.0)""", "np.loadtxt", "read or write outside", """
data = np.array([1.0, 2.0])
def misfit(k):
    return np.sum((k - data) ** 2)
flow.grad(misfit)(1.0)""", -2.0),
    followed("numpy_shape", """
def energy(x, y):
    return np.sum(x * y)
flow.grad(energy)(np.ones(3), np.ones(4))""", "np.sum(x * y)", "shapes (3,) (4,)", """
def energy(x, y):
    return np.sum(x * y)
flow.grad(energy)(np.ones(3), np.ones(3)).tolist()""", [1.0, 1.0, 1.0]),
    followed("numpy_integers", """
def energy(x):
    return np.sum(x * x)
flow.grad(energy)(np.arange(3))""", "", ".astype(float)", """
def energy(x):
    return np.sum(x * x)
flow.grad(energy)(np.arange(3).astype(float)).tolist()""", [0.0, 2.0, 4.0]),
    followed("numpy_bounds", """
def last(x):
    return x[len(x)]
flow.grad(last)(np.ones(3))""", "x[len(x)]", "out of bounds", """
def last(x):
    return x[len(x) - 1]
flow.grad(last)(np.ones(3)).tolist()""", [0.0, 0.0, 1.0]),
    followed("numpy_misspelt", """
def energy(x):
    return np.mena(np.exp(x))
flow.grad(energy)(np.zeros(2))""", "np.mena", "mean", """
def energy(x):
    return np.mean(np.exp(x))
flow.grad(energy)(np.zeros(2)).tolist()""", [0.5, 0.5]),
    followed("numpy_truth", """
def clipped(x):
    if x > 0.0:
        return np.sum(x)
    return 0.0
flow.grad(clipped)(np.ones(3))""", "if x > 0.0", "use np.any(...) or np.all(...)", """
def clipped(x):
    if np.all(x > 0.0):
        return np.sum(x)
    return 0.0
flow.grad(clipped)(np.ones(3)).tolist()""", [1.0, 1.0, 1.0]),
    followed("numpy_object", """
def energy(x):
    return np.sum(np.array([x[0], None]))
flow.grad(energy)(np.ones(3))""", "None", "cannot be made an array", """
def energy(x):
    return np.sum(np.array([x[0], 0.0]))
flow.grad(energy)(np.ones(3)).tolist()""", [1.0, 0.0, 0.0]),
    followed("scipy_unknown", """
import scipy.special
def f(x):
    return scipy.special.mathieu_a(1.0, x)
flow.grad(f)(2.0)""", "mathieu_a", "flow.opaque", """
import scipy.special
sine = flow.opaque(lambda x: float(np.sin(x)), 0.0, vjp=lambda p, g: (g * np.cos(p[0]),))
flow.grad(lambda x: sine(x))(0.0)""", 1.0),
    followed("scipy_singular", """
def f(a):
    return np.sum(np.linalg.solve(a, np.ones(2)))
flow.grad(f)(np.zeros((2, 2)))""", "np.linalg.solve", "Singular matrix", """
def f(a):
    return np.sum(np.linalg.solve(a, np.ones(2)))
flow.grad(f)(np.eye(2)).tolist()""", [[-1.0, -1.0], [-1.0, -1.0]]),
]  # fmt: skip
BEGINNERS = [
    followed("beginner_call", """
def f(x):
    return x ** 2
flow.grad(f(3.0))""", "", "grad(f), not grad(f(x))", """
def f(x):
    return x ** 2
flow.grad(f)(3.0)""", 6.0),
    followed("beginner_whole", """
def f(x):
    return x ** 2
flow.grad(f)(3)""", "", "3.0", """
def f(x):
    return x ** 2
flow.grad(f)(3.0)""", 6.0),
    followed("beginner_return", """
def f(x):
    y = x ** 2
flow.grad(f)(3.0)""", "", "is a return missing?", """
def f(x):
    y = x ** 2
    return y
flow.grad(f)(3.0)""", 6.0),
    followed("beginner_name", """
def f(x):
    return x ** 2 + offset
flow.grad(f)(3.0)""", "offset", "name 'offset' is not defined", """
offset = 1.0
def f(x):
    return x ** 2 + offset
flow.grad(f)(3.0)""", 6.0),
    followed("beginner_text", """
def f(x):
    return x ** 2
flow.grad(f)("3.0")""", "x ** 2", "'str' and 'int'", """
def f(x):
    return x ** 2
flow.grad(f)(float("3.0"))""", 6.0),
    followed("beginner_arguments", """
def area(width, height):
    return width * height
flow.grad(area)(2.0)""", "", "height", """
def area(width, height):
    return width * height
flow.grad(area)(2.0, 5.0)""", 5.0),
    followed("beginner_input", """
def f(x):
    k = float(input("factor: "))
    return k * x
flow.grad(f)(3.0)""", "input(", "call it outside and pass the result", """
def f(x, k):
    return k * x
flow.grad(f)(3.0, 2.0)""", 2.0),
    followed("beginner_list", """
def norm(x):
    return x[0] ** 2 + x[1] ** 2
flow.grad(norm)([1, 2])""", "", "pass floats, such as 2.0", """
def norm(x):
    return x[0] ** 2 + x[1] ** 2
flow.grad(norm)([1.0, 2.0])""", [2.0, 4.0]),
    followed("beginner_derivative", "flow.derivative(lambda x: x * x)", "", "write flow.grad(f)",
        "flow.grad(lambda x: x * x)(1.0)", 2.0),
    followed("beginner_math", """
import math
def f(x):
    return math.sin(x)
flow.grad(f)(np.zeros(3))""", "math.sin(x)", "np.sin", """
def f(x):
    return np.sin(x)
flow.grad(f)(np.zeros(3)).tolist()""", [1.0, 1.0, 1.0]),
]  # fmt: skip
USERS = {
    "PyTorch": PYTORCH, "OneFlow": ONEFLOW, "MindSpore": MINDSPORE, "JAX": JAX,
    "scientist": SCIENTISTS, "beginner": BEGINNERS,
}  # fmt: skip
FOLLOWED = [m for group in USERS.values() for m in group]
