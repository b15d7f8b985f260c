# ---- store_in_loop ----
def store_in_loop(u, w):
    for i in range(1, len(u)):
        u[i] = u[i] * u[i - 1] * w
    return u[len(u) - 1]


# ---- primal ----
def store_in_loop(u: f64[n], w: float):
    n: int = dim(u, axis=0)
    t: int = sub(n, 1)                      # for i in range(1, len(u)):
    for i in range(1, n):                   # for i in range(1, len(u)):
        t1: f64 = load(u, i)                # u[i] = u[i] * u[i - 1] * w
        t2: int = sub(i, 1)                 # u[i] = u[i] * u[i - 1] * w
        t3: f64 = load(u, t2)               # u[i] = u[i] * u[i - 1] * w
        t4: f64 = mul(t1, t3)               # u[i] = u[i] * u[i - 1] * w
        t5: f64 = mul(t4, w)                # u[i] = u[i] * u[i - 1] * w
        store(u, i, t5)                     # u[i] = u[i] * u[i - 1] * w
    t6: int = index(t, n, axis=0)           # return u[len(u) - 1]
    t7: f64 = load(u, t6)                   # return u[len(u) - 1]
    return (t7,)


# ---- adjoint ----
def store_in_loop_grad(u: f64[n], w: float):
    n: int = dim(u, axis=0)
    u1: f64[n] = copy(u)
    t: int = sub(n, 1)                      # for i in range(1, len(u)):
    t1: int = maximum(t, 0)
    old_tape: tape[f64] = tape(t1, dtype='f64')  # for i in range(1, len(u)):
    for i in range(1, n):                   # for i in range(1, len(u)):
        t2: int = sub(i, 1)
        t3: f64 = load(u1, i)               # u[i] = u[i] * u[i - 1] * w
        t4: f64 = load(u1, t2)              # u[i] = u[i] * u[i - 1] * w
        t5: f64 = mul(t3, t4)               # u[i] = u[i] * u[i - 1] * w
        t6: f64 = mul(t5, w)                # u[i] = u[i] * u[i - 1] * w
        store(old_tape, t2, t3)
        store(u1, i, t6)                    # u[i] = u[i] * u[i - 1] * w
    t7: int = index(t, n, axis=0)           # return u[len(u) - 1]
    t8: f64 = load(u1, t7)                  # return u[len(u) - 1]
    u_bar: f64[n] = zeros(n, dtype='f64')
    add_at(u_bar, t7, f64(1.0))             # grad of: return u[len(u) - 1]
    w_bar: float = 0.0
    for i1 in reversed(range(1, n)):        # grad of: for i in range(1, len(u)):
        g: f64 = load(u_bar, i1)            # grad of: u[i] = u[i] * u[i - 1] * w
        store(u_bar, i1, f64(0.0))          # grad of: u[i] = u[i] * u[i - 1] * w
        t9: int = sub(i1, 1)                # grad of: u[i] = u[i] * u[i - 1] * w
        old: f64 = load(old_tape, t9)       # grad of: u[i] = u[i] * u[i - 1] * w
        store(u1, i1, old)                  # grad of: u[i] = u[i] * u[i - 1] * w
        t10: f64 = mul(g, w)                # grad of: u[i] = u[i] * u[i - 1] * w
        t11: f64 = load(u1, i1)             # grad of: u[i] = u[i] * u[i - 1] * w
        t12: f64 = load(u1, t9)             # grad of: u[i] = u[i] * u[i - 1] * w
        t13: f64 = mul(t11, t12)            # grad of: u[i] = u[i] * u[i - 1] * w
        t14: f64 = mul(g, t13)              # grad of: u[i] = u[i] * u[i - 1] * w
        w_bar1: f64 = add(w_bar, t14)       # grad of: u[i] = u[i] * u[i - 1] * w
        t15: f64 = mul(t10, t12)            # grad of: u[i] = u[i] * u[i - 1] * w
        t16: f64 = mul(t10, t11)            # grad of: u[i] = u[i] * u[i - 1] * w
        add_at(u_bar, t9, t16)              # grad of: u[i] = u[i] * u[i - 1] * w
        add_at(u_bar, i1, t15)              # grad of: u[i] = u[i] * u[i - 1] * w
        w_bar = w_bar1
    t17: f64[n] = copy(u_bar)
    return (t8, t17, w_bar,)
