# ---- second_order ----
def second_order(x):
    return x * x * np.exp(x)


# ---- primal ----
def second_order(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: f64 = exp(x)                        # return x * x * np.exp(x)
    t2: f64 = mul(t, t1)                    # return x * x * np.exp(x)
    return (t2,)


# ---- adjoint of the adjoint ----
def second_order_grad_grad(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: f64 = exp(x)                        # return x * x * np.exp(x)
    t2: f64 = absorb(f64(1.0), t1)          # grad of: return x * x * np.exp(x)
    t3: f64 = mul(f64(1.0), t)              # grad of: return x * x * np.exp(x)
    t4: f64 = absorb(t3, t1)                # grad of: return x * x * np.exp(x)
    t5: f64 = mul(t2, x)                    # grad of: return x * x * np.exp(x)
    x_bar: f64 = add(t4, t5)                # grad of: return x * x * np.exp(x)
    x_bar1: f64 = add(x_bar, t5)            # grad of: return x * x * np.exp(x)
    t6: float = cast(x_bar1, dtype='f64')
    t7: f64 = mul(f64(2.0), x)              # grad of: return x * x * np.exp(x)
    t8: f64 = absorb(f64(2.0), t2)          # grad of: return x * x * np.exp(x)
    exp_bar: f64 = add(t3, t7)              # grad of: return x * x * np.exp(x)
    t9: f64 = absorb(exp_bar, t1)           # grad of: return x * x * np.exp(x)
    x_bar2: f64 = add(t8, t9)               # grad of: return x * x * np.exp(x)
    x_bar3: f64 = add(x_bar2, t5)           # grad of: return x * x * np.exp(x)
    x_bar4: f64 = add(x_bar3, t5)           # grad of: return x * x * np.exp(x)
    t10: float = cast(x_bar4, dtype='f64')
    return (t6, t10,)
