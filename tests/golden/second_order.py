# ---- second_order ----
def second_order(x):
    return x * x * np.exp(x)


# ---- primal ----
def second_order(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: float = exp(x)                      # return x * x * np.exp(x)
    t2: float = mul(t, t1)                  # return x * x * np.exp(x)
    return (t2,)


# ---- adjoint of the adjoint ----
def second_order_grad_grad(x: float):
    t: float = mul(x, x)                    # return x * x * np.exp(x)
    t1: float = exp(x)                      # return x * x * np.exp(x)
    t2: float = absorb(1.0, t1)             # grad of: return x * x * np.exp(x)
    t3: float = absorb(t, t1)               # grad of: return x * x * np.exp(x)
    t4: float = mul(t2, x)                  # grad of: return x * x * np.exp(x)
    x_bar: float = add(t3, t4)              # grad of: return x * x * np.exp(x)
    x_bar1: float = add(x_bar, t4)          # grad of: return x * x * np.exp(x)
    t5: float = mul(2.0, x)                 # grad of: return x * x * np.exp(x)
    t6: float = absorb(2.0, t2)             # grad of: return x * x * np.exp(x)
    exp_bar: float = add(t, t5)             # grad of: return x * x * np.exp(x)
    t7: float = absorb(exp_bar, t1)         # grad of: return x * x * np.exp(x)
    x_bar2: float = add(t6, t7)             # grad of: return x * x * np.exp(x)
    x_bar3: float = add(x_bar2, t4)         # grad of: return x * x * np.exp(x)
    x_bar4: float = add(x_bar3, t4)         # grad of: return x * x * np.exp(x)
    return (x_bar1, x_bar4,)
