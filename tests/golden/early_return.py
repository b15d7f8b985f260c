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
    t: int = maximum(n, 0)                  # for i in range(len(x)):
    s: f64 = f64(0.0)
    returned: bool = False
    result: f64 = f64(0.0)
    i: int = 0
    while bounded(t):                       # for i in range(len(x)):
        t1: bool = logical_not(returned)    # for i in range(len(x)):
        t2: bool = lt(i, n)                 # for i in range(len(x)):
        value: bool = logical_and(t1, t2)   # for i in range(len(x)):
        if not value: break
        t3: f64 = load(x, i)                # s = s + x[i] * x[i]
        t4: f64 = mul(t3, t3)               # s = s + x[i] * x[i]
        s1: f64 = add(s, t4)                # s = s + x[i] * x[i]
        t5: bool = gt(s1, limit)            # if s > limit:
        returned1: bool = logical_or(t5, returned)  # if s > limit:
        result1: f64
        if t5:                              # if s > limit:
            result1 = s1
        else:
            result1 = result
        t6: int = add(i, 1)                 # for i in range(len(x)):
        s, returned, result, i = s1, returned1, result1, t6
    t7: bool = logical_not(returned)        # for i in range(len(x)):
    result2: f64
    if t7:                                  # for i in range(len(x)):
        t8: f64 = mul(s, f64(2.0))          # return s * 2.0
        result2 = t8
    else:
        result2 = result
    return (result2,)


# ---- adjoint ----
def early_return_grad(x: f64[n], limit: float):
    n: int = dim(x, axis=0)
    t: int = maximum(n, 0)                  # for i in range(len(x)):
    gt_tape: tape[bool] = tape(16, dtype='bool')
    s: f64 = f64(0.0)
    returned: bool = False
    result: f64 = f64(0.0)
    i: int = 0
    trips: int = 0
    while bounded(t):                       # for i in range(len(x)):
        t1: bool = logical_not(returned)    # for i in range(len(x)):
        t2: bool = lt(i, n)                 # for i in range(len(x)):
        value: bool = logical_and(t1, t2)   # for i in range(len(x)):
        if not value: break
        t3: f64 = load(x, i)                # s = s + x[i] * x[i]
        t4: f64 = mul(t3, t3)               # s = s + x[i] * x[i]
        s1: f64 = add(s, t4)                # s = s + x[i] * x[i]
        t5: bool = gt(s1, limit)            # if s > limit:
        t6: int = add(trips, 1)
        reserve(gt_tape, t6)
        store(gt_tape, trips, t5)
        returned1: bool = logical_or(t5, returned)  # if s > limit:
        result1: f64
        if t5:                              # if s > limit:
            result1 = s1
        else:
            result1 = result
        t7: int = add(i, 1)                 # for i in range(len(x)):
        s, returned, result, i, trips = s1, returned1, result1, t7, t6
    t8: bool = logical_not(returned)        # for i in range(len(x)):
    result2: f64
    if t8:                                  # for i in range(len(x)):
        t9: f64 = mul(s, f64(2.0))          # return s * 2.0
        result2 = t9
    else:
        result2 = result
    s_bar: f64
    result_bar: f64
    if t8:                                  # grad of: for i in range(len(x)):
        s_bar, result_bar = f64(2.0), f64(0.0)
    else:
        s_bar, result_bar = f64(0.0), f64(1.0)
    x_bar: f64[n] = zeros(n, dtype='f64')   # grad of: for i in range(len(x)):
    s_bar1: f64 = s_bar
    result_bar1: f64 = result_bar
    for k in reversed(range(0, trips)):     # grad of: for i in range(len(x)):
        gt1: bool = load(gt_tape, k)        # grad of: if s > limit:
        s_bar2: f64
        result_bar2: f64
        if gt1:                             # grad of: if s > limit:
            s_bar3: f64 = add(s_bar1, result_bar1)  # grad of: if s > limit:
            s_bar2, result_bar2 = s_bar3, f64(0.0)
        else:
            s_bar2, result_bar2 = s_bar1, result_bar1
        t10: f64 = load(x, k)               # grad of: s = s + x[i] * x[i]
        t11: f64 = mul(s_bar2, t10)         # grad of: s = s + x[i] * x[i]
        load_bar: f64 = add(t11, t11)       # grad of: s = s + x[i] * x[i]
        add_at(x_bar, k, load_bar)          # grad of: s = s + x[i] * x[i]
        s_bar1, result_bar1 = s_bar2, result_bar2
    x_bar1: f64[n] = copy(x_bar)
    return (result2, x_bar1,)
