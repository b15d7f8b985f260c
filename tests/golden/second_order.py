# ---- second_order ----
def second_order(x):
    return x * x * np.exp(x)


# ---- primal ----
def second_order(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: float = exp(x)                      # return x * x * np.exp(x)
    t2: f64 = cast(t1, dtype='f64')         # return x * x * np.exp(x)
    t3: f64 = mul(t, t2)                    # return x * x * np.exp(x)
    return (t3,)


# ---- adjoint of the adjoint ----
def second_order_grad_grad(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: float = exp(x)                      # return x * x * np.exp(x)
    t2: f64 = cast(t1, dtype='f64')         # return x * x * np.exp(x)
    t3: f64 = absorb(f64(1.0), t2)          # grad of: return x * x * np.exp(x)
    t4: f64 = mul(f64(1.0), t)              # grad of: return x * x * np.exp(x)
    t5: f64 = absorb(t4, t1)                # grad of: return x * x * np.exp(x)
    t6: f64 = mul(t3, x)                    # grad of: return x * x * np.exp(x)
    x_bar: f64 = add(t5, t6)                # grad of: return x * x * np.exp(x)
    x_bar1: f64 = add(x_bar, t6)            # grad of: return x * x * np.exp(x)
    t7: float = cast(x_bar1, dtype='f64')
    t8: f64 = mul(f64(2.0), x)              # grad of: return x * x * np.exp(x)
    t9: f64 = absorb(f64(2.0), t3)          # grad of: return x * x * np.exp(x)
    t10: f64 = absorb(f64(1.0), t1)         # grad of: return x * x * np.exp(x)
    exp_bar: f64 = add(t4, t8)              # grad of: return x * x * np.exp(x)
    t11: f64 = absorb(exp_bar, t1)          # grad of: return x * x * np.exp(x)
    x_bar2: f64 = add(t9, t11)              # grad of: return x * x * np.exp(x)
    t12: f64 = mul(t10, x)                  # grad of: return x * x * np.exp(x)
    x_bar3: f64 = add(x_bar2, t12)          # grad of: return x * x * np.exp(x)
    x_bar4: f64 = add(x_bar3, t12)          # grad of: return x * x * np.exp(x)
    t13: float = cast(x_bar4, dtype='f64')
    return (t7, t13,)
