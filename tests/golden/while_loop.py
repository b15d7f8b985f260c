# ---- while_loop ----
def while_loop(x):
    y = x
    while y < 100.0:
        y = y * y + x
    return y


# ---- primal ----
def while_loop(x: float):
    y: float = x
    while True:                             # while y < 100.0:
        t: bool = lt(y, 100.0)              # while y < 100.0:
        if not t: break
        t1: float = mul(y, y)               # y = y * y + x
        y1: float = add(t1, x)              # y = y * y + x
        y = y1
    return (y,)


# ---- adjoint ----
def while_loop_grad(x: float):
    y_tape: tape[f64] = tape(16, dtype='f64')  # while y < 100.0:
    y: float = x
    trips: int = 0
    while True:                             # while y < 100.0:
        t: bool = lt(y, 100.0)              # while y < 100.0:
        if not t: break
        t1: int = add(trips, 1)
        reserve(y_tape, t1)                 # while y < 100.0:
        store(y_tape, trips, y)
        t2: float = mul(y, y)               # y = y * y + x
        y1: float = add(t2, x)              # y = y * y + x
        y, trips = y1, t1
    y_bar: float = 1.0
    x_bar: float = 0.0
    for k in reversed(range(0, trips)):     # grad of: while y < 100.0:
        x_bar1: float = add(x_bar, y_bar)   # grad of: y = y * y + x
        y2: f64 = load(y_tape, k)           # grad of: y = y * y + x
        y3: float = cast(y2, dtype='f64')   # grad of: y = y * y + x
        t3: float = mul(y_bar, y3)          # grad of: y = y * y + x
        y_bar1: float = add(t3, t3)         # grad of: y = y * y + x
        y_bar, x_bar = y_bar1, x_bar1
    x_bar2: float = add(x_bar, y_bar)       # grad of: while y < 100.0:
    return (y, x_bar2,)
