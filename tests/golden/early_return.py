# ---- early_return ----
def early_return(x, limit):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * x[i]
        if s > limit:
            return s
    return s * 2.0


# ---- primal ----
def early_return(x: f64[n], limit: float):
    n: int = dim(x, axis=0)
    s: f64 = f64(0.0)
    returned: bool = False
    result: f64 = f64(0.0)
    i: int = 0
    while bounded(n):                       # for i in range(len(x)):
        t: bool = logical_not(returned)     # for i in range(len(x)):
        t1: bool = lt(i, n)                 # for i in range(len(x)):
        value: bool = logical_and(t, t1)    # for i in range(len(x)):
        if not value: break
        t2: f64 = load(x, i)                # s = s + x[i] * x[i]
        t3: f64 = mul(t2, t2)               # s = s + x[i] * x[i]
        s1: f64 = add(s, t3)                # s = s + x[i] * x[i]
        t4: bool_ = gt(s1, limit)           # if s > limit:
        returned1: bool = logical_or(t4, returned)  # if s > limit:
        result1: f64
        if t4:                              # if s > limit:
            result1 = s1
        else:
            result1 = result
        t5: int = add(i, 1)                 # for i in range(len(x)):
        s, returned, result, i = s1, returned1, result1, t5
    t6: bool = logical_not(returned)        # for i in range(len(x)):
    result2: f64
    if t6:                                  # for i in range(len(x)):
        t7: f64 = mul(s, f64(2.0))          # return s * 2.0
        result2 = t7
    else:
        result2 = result
    return (result2,)


# ---- adjoint ----
def early_return_grad(x: f64[n], limit: float):
    n: int = dim(x, axis=0)
    gt_tape: tape[bool] = tape(16, dtype='bool')  # if s > limit:
    s: f64 = f64(0.0)
    returned: bool = False
    result: f64 = f64(0.0)
    i: int = 0
    trips: int = 0
    while bounded(n):                       # for i in range(len(x)):
        t: bool = logical_not(returned)     # for i in range(len(x)):
        t1: bool = lt(i, n)                 # for i in range(len(x)):
        value: bool = logical_and(t, t1)    # for i in range(len(x)):
        if not value: break
        t2: f64 = load(x, i)                # s = s + x[i] * x[i]
        t3: f64 = mul(t2, t2)               # s = s + x[i] * x[i]
        s1: f64 = add(s, t3)                # s = s + x[i] * x[i]
        t4: bool_ = gt(s1, limit)           # if s > limit:
        t5: int = add(trips, 1)
        reserve(gt_tape, t5)                # if s > limit:
        store(gt_tape, trips, t4)
        returned1: bool = logical_or(t4, returned)  # if s > limit:
        result1: f64
        if t4:                              # if s > limit:
            result1 = s1
        else:
            result1 = result
        t6: int = add(i, 1)                 # for i in range(len(x)):
        s, returned, result, i, trips = s1, returned1, result1, t6, t5
    t7: bool = logical_not(returned)        # for i in range(len(x)):
    result2: f64
    if t7:                                  # for i in range(len(x)):
        t8: f64 = mul(s, f64(2.0))          # return s * 2.0
        result2 = t8
    else:
        result2 = result
    s_bar: f64
    result_bar: f64
    if t7:                                  # grad of: for i in range(len(x)):
        s_bar, result_bar = f64(2.0), f64(0.0)
    else:
        s_bar, result_bar = f64(0.0), f64(1.0)
    x_bar: f64[n] = zeros(n, dtype='f64')   # grad of: for i in range(len(x)):
    s_bar1: f64 = s_bar
    result_bar1: f64 = result_bar
    for k in reversed(range(0, trips)):     # grad of: for i in range(len(x)):
        gt1: bool_ = load(gt_tape, k)       # grad of: if s > limit:
        s_bar2: f64
        result_bar2: f64
        if gt1:                             # grad of: if s > limit:
            s_bar3: f64 = add(s_bar1, result_bar1)  # grad of: if s > limit:
            s_bar2, result_bar2 = s_bar3, f64(0.0)
        else:
            s_bar2, result_bar2 = s_bar1, result_bar1
        t9: f64 = load(x, k)                # grad of: s = s + x[i] * x[i]
        t10: f64 = mul(s_bar2, t9)          # grad of: s = s + x[i] * x[i]
        load_bar: f64 = add(t10, t10)       # grad of: s = s + x[i] * x[i]
        add_at(x_bar, k, load_bar)          # grad of: s = s + x[i] * x[i]
        s_bar1, result_bar1 = s_bar2, result_bar2
    x_bar1: f64[n] = copy(x_bar)
    return (result2, x_bar1,)
