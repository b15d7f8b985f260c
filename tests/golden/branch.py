# ---- branch ----
def branch(x):
    if x > 0.5:
        y = x * x
    else:
        y = np.sin(x)
    return y * x


# ---- primal ----
def branch(x: float):
    t: bool = gt(x, 0.5)                    # if x > 0.5:
    y: f64
    if t:                                   # if x > 0.5:
        y1: float = mul(x, x)               # y = x * x
        y = y1
    else:
        y2: f64 = sin(x)                    # y = np.sin(x)
        y = y2
    t1: f64 = mul(y, x)                     # return y * x
    return (t1,)


# ---- adjoint ----
def branch_grad(x: float):
    t: bool = gt(x, 0.5)                    # if x > 0.5:
    y: f64
    if t:                                   # if x > 0.5:
        y1: float = mul(x, x)               # y = x * x
        y = y1
    else:
        y2: f64 = sin(x)                    # y = np.sin(x)
        y = y2
    t1: f64 = mul(y, x)                     # return y * x
    t2: f64 = mul(f64(1.0), x)              # grad of: return y * x
    x_bar: float
    if t:                                   # grad of: if x > 0.5:
        t3: f64 = mul(t2, x)                # grad of: y = x * x
        x_bar1: f64 = add(y, t3)            # grad of: y = x * x
        x_bar2: f64 = add(x_bar1, t3)       # grad of: y = x * x
        x_bar = x_bar2
    else:
        t4: float = cos(x)                  # grad of: y = np.sin(x)
        t5: f64 = mul(t2, t4)               # grad of: y = np.sin(x)
        x_bar3: f64 = add(y, t5)            # grad of: y = np.sin(x)
        x_bar = x_bar3
    return (t1, x_bar,)
