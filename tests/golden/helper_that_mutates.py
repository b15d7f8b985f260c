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
    old_tape: tape[f64] = tape(n, dtype='f64')  # for i in range(len(x)):
    for i in range(0, n):                   # for i in range(len(x)):
        t: f64 = load(x1, i)                # x[i] *= a
        t1: f64 = mul(t, a)                 # x[i] *= a
        store(old_tape, i, t)
        store(x1, i, t1)                    # x[i] *= a
    t2: int = index(0, n, axis=0)           # return x[0] * x[1]
    t3: f64 = load(x1, 0)                   # return x[0] * x[1]
    t4: int = index(1, n, axis=0)           # return x[0] * x[1]
    t5: f64 = load(x1, 1)                   # return x[0] * x[1]
    t6: f64 = mul(t3, t5)                   # return x[0] * x[1]
    x_bar: f64[n] = zeros(n, dtype='f64')
    add_at(x_bar, 1, t3)                    # grad of: return x[0] * x[1]
    add_at(x_bar, 0, t5)                    # grad of: return x[0] * x[1]
    a_bar: float = 0.0
    for i1 in reversed(range(0, n)):        # grad of: for i in range(len(x)):
        g: f64 = load(x_bar, i1)            # grad of: x[i] *= a
        store(x_bar, i1, f64(0.0))          # grad of: x[i] *= a
        old: f64 = load(old_tape, i1)       # grad of: x[i] *= a
        store(x1, i1, old)                  # grad of: x[i] *= a
        t7: f64 = mul(g, a)                 # grad of: x[i] *= a
        t8: f64 = load(x1, i1)              # grad of: x[i] *= a
        t9: f64 = mul(g, t8)                # grad of: x[i] *= a
        a_bar1: f64 = add(a_bar, t9)        # grad of: x[i] *= a
        add_at(x_bar, i1, t7)               # grad of: x[i] *= a
        a_bar = a_bar1
    t10: f64[n] = copy(x_bar)
    return (t6, t10, a_bar,)
