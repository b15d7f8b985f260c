# ---- view_mutated ----
def view_mutated(x):
    y = x * x
    inner = y[1:-1]
    inner *= x[1:-1]
    return np.sum(y * y)


# ---- primal ----
def view_mutated(x: f64[n]):
    n: int = dim(x, axis=0)
    y: f64[n] = mul(x, x)                   # y = x * x
    t: int = sub(n, 2)                      # inner = y[1:-1]
    t1: int = maximum(t, 0)                 # inner = y[1:-1]
    inner: f64[t1] = view(y, 1, t1, 1, spec=('s',))  # inner = y[1:-1]
    t2: f64[t1] = view(x, 1, t1, 1, spec=('s',))  # inner *= x[1:-1]
    t3: f64[t1] = mul(inner, t2)            # inner *= x[1:-1]
    assign(inner, t3)                       # inner *= x[1:-1]
    t4: f64[n] = mul(y, y)                  # return np.sum(y * y)
    t5: f64 = sum(t4, axes=(0,))            # return np.sum(y * y)
    return (t5,)


# ---- adjoint ----
def view_mutated_grad(x: f64[n]):
    n: int = dim(x, axis=0)
    y: f64[n] = mul(x, x)                   # y = x * x
    t: int = sub(n, 2)                      # inner = y[1:-1]
    t1: int = maximum(t, 0)                 # inner = y[1:-1]
    inner: f64[t1] = view(y, 1, t1, 1, spec=('s',))  # inner = y[1:-1]
    t2: f64[t1] = view(x, 1, t1, 1, spec=('s',))  # inner *= x[1:-1]
    t3: f64[t1] = mul(inner, t2)            # inner *= x[1:-1]
    old: f64[t1] = copy(inner)
    assign(inner, t3)                       # inner *= x[1:-1]
    t4: f64[n] = mul(y, y)                  # return np.sum(y * y)
    t5: f64 = sum(t4, axes=(0,))            # return np.sum(y * y)
    y_bar: f64[n] = zeros(n, dtype='f64')
    t6: f64[n] = broadcast_to(f64(1.0), n)  # grad of: return np.sum(y * y)
    t7: f64[n] = mul(t6, y)                 # grad of: return np.sum(y * y)
    add_to(y_bar, t7)                       # grad of: return np.sum(y * y)
    add_to(y_bar, t7)                       # grad of: return np.sum(y * y)
    inner_bar: f64[t1] = view(y_bar, 1, t1, 1, spec=('s',))  # grad of: inner *= x[1:-1]
    g: f64[t1] = copy(inner_bar)            # grad of: inner *= x[1:-1]
    assign(inner_bar, f64(0.0))             # grad of: inner *= x[1:-1]
    t8: f64[t1] = mul(g, t2)                # grad of: inner *= x[1:-1]
    add_to(inner_bar, t8)                   # grad of: inner *= x[1:-1]
    t9: f64[t1] = mul(g, old)               # grad of: inner *= x[1:-1]
    x_bar: f64[n] = zeros(n, dtype='f64')   # grad of: inner *= x[1:-1]
    view_bar: f64[t1] = view(x_bar, 1, t1, 1, spec=('s',))  # grad of: inner *= x[1:-1]
    add_to(view_bar, t9)                    # grad of: inner *= x[1:-1]
    t10: f64[n] = mul(y_bar, x)             # grad of: y = x * x
    x_bar1: f64[n] = add(t10, t10)          # grad of: y = x * x
    x_bar2: f64[n] = add(x_bar1, x_bar)
    return (t5, x_bar2,)
