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
    y: float
    if t:                                   # if x > 0.5:
        y1: float = mul(x, x)               # y = x * x
        y = y1
    else:
        y2: float = sin(x)                  # y = np.sin(x)
        y = y2
    t1: float = mul(y, x)                   # return y * x
    return (t1,)


# ---- adjoint ----
def branch_grad(x: float):
    t: bool = gt(x, 0.5)                    # if x > 0.5:
    y: float
    if t:                                   # if x > 0.5:
        y1: float = mul(x, x)               # y = x * x
        y = y1
    else:
        y2: float = sin(x)                  # y = np.sin(x)
        y = y2
    t1: float = mul(y, x)                   # return y * x
    x_bar: float
    if t:                                   # grad of: if x > 0.5:
        t2: float = mul(x, x)               # grad of: y = x * x
        x_bar1: float = add(y, t2)          # grad of: y = x * x
        x_bar2: float = add(x_bar1, t2)     # grad of: y = x * x
        x_bar = x_bar2
    else:
        t3: float = cos(x)                  # grad of: y = np.sin(x)
        t4: float = mul(x, t3)              # grad of: y = np.sin(x)
        x_bar3: float = add(y, t4)          # grad of: y = np.sin(x)
        x_bar = x_bar3
    return (t1, x_bar,)
