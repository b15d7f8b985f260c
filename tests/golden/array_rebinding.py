# ---- array_rebinding ----
def array_rebinding(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return np.sum(y)


# ---- primal ----
def array_rebinding(x: f64[n], n1: int):
    n: int = dim(x, axis=0)
    y: f64[n] = x
    for _ in range(0, n1):                  # for _ in range(n):
        t: f64[n] = sin(y)                  # y = np.sin(y) * x
        y1: f64[n] = mul(t, x)              # y = np.sin(y) * x
        y = y1
    t1: f64 = sum(y, axes=(0,))             # return np.sum(y)
    return (t1,)


# ---- adjoint ----
def array_rebinding_grad(x: f64[n], n1: int):
    n: int = dim(x, axis=0)
    t: int = maximum(n1, 0)
    t1: int = mul(t, n)
    sin_tape: tape[f64] = tape(t1, dtype='f64')  # y = np.sin(y) * x
    y_tape: tape[f64] = tape(t1, dtype='f64')  # for _ in range(n):
    y: f64[n] = x
    for _ in range(0, n1):                  # for _ in range(n):
        t2: int = mul(_, n)
        t3: f64[n] = tape_view(y_tape, t2, n)
        assign(t3, y)
        t4: f64[n] = sin(y)                 # y = np.sin(y) * x
        t5: f64[n] = tape_view(sin_tape, t2, n)
        assign(t5, t4)
        y1: f64[n] = mul(t4, x)             # y = np.sin(y) * x
        y = y1
    t6: f64 = sum(y, axes=(0,))             # return np.sum(y)
    t7: f64[n] = broadcast_to(f64(1.0), n)  # grad of: return np.sum(y)
    x_bar: f64[n] = zeros(n, dtype='f64')   # grad of: for _ in range(n):
    y_bar: f64[n] = t7
    for _1 in reversed(range(0, n1)):       # grad of: for _ in range(n):
        t8: f64[n] = mul(y_bar, x)          # grad of: y = np.sin(y) * x
        t9: int = mul(_1, n)                # grad of: y = np.sin(y) * x
        sin1: f64[n] = tape_view(sin_tape, t9, n)  # grad of: y = np.sin(y) * x
        t10: f64[n] = mul(y_bar, sin1)      # grad of: y = np.sin(y) * x
        add_to(x_bar, t10)                  # grad of: y = np.sin(y) * x
        y2: f64[n] = tape_view(y_tape, t9, n)  # grad of: y = np.sin(y) * x
        t11: f64[n] = cos(y2)               # grad of: y = np.sin(y) * x
        t12: f64[n] = mul(t8, t11)          # grad of: y = np.sin(y) * x
        y_bar = t12
    x_bar1: f64[n] = add(y_bar, x_bar)
    return (t6, x_bar1,)
