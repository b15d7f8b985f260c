# ---- broadcast_and_reduce ----
def broadcast_and_reduce(x, b):
    return np.sum(np.tanh(x + b), axis=0)


# ---- primal ----
def broadcast_and_reduce(x: f64[n, m], b: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    n1: int = dim(b, axis=0)
    check_broadcast(n, m, n1, split=2)      # return np.sum(np.tanh(x + b), axis=0)
    t: f64[n, m] = add(x, b)                # return np.sum(np.tanh(x + b), axis=0)
    t1: f64[n, m] = tanh(t)                 # return np.sum(np.tanh(x + b), axis=0)
    t2: f64[m] = sum(t1, axes=(0,))         # return np.sum(np.tanh(x + b), axis=0)
    return (t2,)


# ---- adjoint ----
def broadcast_and_reduce_grad(x: f64[n, m], b: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    n1: int = dim(b, axis=0)
    check_broadcast(n, m, n1, split=2)      # return np.sum(np.tanh(x + b), axis=0)
    t: f64[n, m] = add(x, b)                # return np.sum(np.tanh(x + b), axis=0)
    t1: f64[n, m] = tanh(t)                 # return np.sum(np.tanh(x + b), axis=0)
    t2: f64[m] = sum(t1, axes=(0,))         # return np.sum(np.tanh(x + b), axis=0)
    t3: f64[m] = broadcast_to(f64(1.0), m)
    t4: f64[1, m] = view(t3, spec=('n', ':'))  # grad of: return np.sum(np.tanh(x + b), axis=0)
    t5: f64[n, m] = broadcast_to(t4, n, m)  # grad of: return np.sum(np.tanh(x + b), axis=0)
    t6: f64[n, m] = mul(t1, t1)             # grad of: return np.sum(np.tanh(x + b), axis=0)
    t7: f64[n, m] = sub(f64(1.0), t6)       # grad of: return np.sum(np.tanh(x + b), axis=0)
    t8: f64[n, m] = mul(t5, t7)             # grad of: return np.sum(np.tanh(x + b), axis=0)
    t9: f64[m] = sum_to(t8, m)              # grad of: return np.sum(np.tanh(x + b), axis=0)
    return (t2, t8, t9,)
