# ---- scalar_loop ----
def scalar_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


# ---- primal ----
def scalar_loop(x: float, n: int):
    y: float = 1.0
    for _ in range(0, n):                   # for _ in range(n):
        y1: float = mul(y, x)               # y = y * x
        y = y1
    return (y,)


# ---- adjoint ----
def scalar_loop_grad(x: float, n: int):
    t: int = maximum(n, 0)
    y_tape: tape[f64] = tape(t, dtype='f64')  # for _ in range(n):
    y: float = 1.0
    for _ in range(0, n):                   # for _ in range(n):
        store(y_tape, _, y)
        y1: float = mul(y, x)               # y = y * x
        y = y1
    y_bar: float = 1.0
    x_bar: float = 0.0
    for _1 in reversed(range(0, n)):        # grad of: for _ in range(n):
        t1: float = mul(y_bar, x)           # grad of: y = y * x
        y2: f64 = load(y_tape, _1)          # grad of: y = y * x
        y3: float = cast(y2, dtype='f64')   # grad of: y = y * x
        t2: float = mul(y_bar, y3)          # grad of: y = y * x
        x_bar1: float = add(x_bar, t2)      # grad of: y = y * x
        y_bar, x_bar = t1, x_bar1
    return (y, x_bar,)
