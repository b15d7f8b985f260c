# ---- helper_that_mutates ----
def scale(x, a):
    for i in range(len(x)):
        x[i] *= a


def helper_that_mutates(x, a):
    scale(x, a)
    return x[0] * x[1]


# ---- primal ----
def helper_that_mutates(x: f64[n], a: float):
    n: int = dim(x, axis=0)
    for i in range(0, n):                   # for i in range(len(x)):
        t: f64 = load(x, i)                 # x[i] *= a
        t1: f64 = mul(t, a)                 # x[i] *= a
        store(x, i, t1)                     # x[i] *= a
    t2: int = index(0, n, axis=0)           # return x[0] * x[1]
    t3: f64 = load(x, 0)                    # return x[0] * x[1]
    t4: int = index(1, n, axis=0)           # return x[0] * x[1]
    t5: f64 = load(x, 1)                    # return x[0] * x[1]
    t6: f64 = mul(t3, t5)                   # return x[0] * x[1]
    return (t6,)


# ---- adjoint ----
def helper_that_mutates_grad(x: f64[n], a: float):
    n: int = dim(x, axis=0)
    x1: f64[n] = copy(x)
    t: int = maximum(n, 0)
    old_tape: tape[f64] = tape(t, dtype='f64')
    for i in range(0, n):                   # for i in range(len(x)):
        t1: f64 = load(x1, i)               # x[i] *= a
        t2: f64 = mul(t1, a)                # x[i] *= a
        store(old_tape, i, t1)
        store(x1, i, t2)                    # x[i] *= a
    t3: int = index(0, n, axis=0)           # return x[0] * x[1]
    t4: f64 = load(x1, 0)                   # return x[0] * x[1]
    t5: int = index(1, n, axis=0)           # return x[0] * x[1]
    t6: f64 = load(x1, 1)                   # return x[0] * x[1]
    t7: f64 = mul(t4, t6)                   # return x[0] * x[1]
    x_bar: f64[n] = zeros(n, dtype='f64')
    add_at(x_bar, 1, t4)                    # grad of: return x[0] * x[1]
    add_at(x_bar, 0, t6)                    # grad of: return x[0] * x[1]
    a_bar: float = 0.0
    for i1 in reversed(range(0, n)):        # grad of: for i in range(len(x)):
        g: f64 = load(x_bar, i1)            # grad of: x[i] *= a
        store(x_bar, i1, f64(0.0))          # grad of: x[i] *= a
        old: f64 = load(old_tape, i1)       # grad of: x[i] *= a
        store(x1, i1, old)                  # grad of: x[i] *= a
        t8: f64 = mul(g, a)                 # grad of: x[i] *= a
        t9: f64 = load(x1, i1)              # grad of: x[i] *= a
        t10: f64 = mul(g, t9)               # grad of: x[i] *= a
        a_bar1: f64 = add(a_bar, t10)       # grad of: x[i] *= a
        add_at(x_bar, i1, t8)               # grad of: x[i] *= a
        a_bar = a_bar1
    t11: f64[n] = copy(x_bar)
    return (t7, t11, a_bar,)
