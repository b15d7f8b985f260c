# ---- swap ----
def swap(u, v, steps):
    for _ in range(steps):
        for i in range(1, len(u)):
            v[i] = u[i] * u[i - 1]
        u, v = v, u
    return u[1]


# ---- primal ----
def swap(u: f64[n], v: f64[n1], steps: int):
    n: int = dim(u, axis=0)
    n1: int = dim(v, axis=0)
    u1: f64[n2] = u
    n2: int = n
    v1: f64[n3] = v
    n3: int = n1
    for _ in range(0, steps):               # for _ in range(steps):
        last: int = sub(n2, 1)              # v[i] = u[i] * u[i - 1]
        check_range(1, last, n3, axis=0)    # v[i] = u[i] * u[i - 1]
        for i in range(1, n2):              # for i in range(1, len(u)):
            t: f64 = load(u1, i)            # v[i] = u[i] * u[i - 1]
            t1: int = sub(i, 1)             # v[i] = u[i] * u[i - 1]
            t2: f64 = load(u1, t1)          # v[i] = u[i] * u[i - 1]
            t3: f64 = mul(t, t2)            # v[i] = u[i] * u[i - 1]
            store(v1, i, t3)                # v[i] = u[i] * u[i - 1]
        u1, n2, v1, n3 = v1, n3, u1, n2
    t4: int = index(1, n2, axis=0)          # return u[1]
    t5: f64 = load(u1, 1)                   # return u[1]
    return (t5,)


# ---- adjoint ----
def swap_grad(u: f64[n], v: f64[n1], steps: int):
    n: int = dim(u, axis=0)
    n1: int = dim(v, axis=0)
    u1: f64[n] = copy(u)
    v1: f64[n1] = copy(v)
    old_tape: tape[f64] = tape(16, dtype='f64')  # for i in range(1, len(u)):
    t: int = maximum(steps, 0)
    base_tape: tape[i64] = tape(t, dtype='i64')  # for _ in range(steps):
    u2: f64[n2] = u1
    n2: int = n
    v2: f64[n3] = v1
    n3: int = n1
    which: int = 0
    which1: int = 1
    which2: int = 0
    which3: int = 1
    count: i64 = i64(0)
    for _ in range(0, steps):               # for _ in range(steps):
        last: int = sub(n2, 1)              # v[i] = u[i] * u[i - 1]
        check_range(1, last, n3, axis=0)    # v[i] = u[i] * u[i - 1]
        t1: int = maximum(last, 0)
        store(base_tape, _, count)
        for i in range(1, n2):              # for i in range(1, len(u)):
            t2: int = sub(i, 1)
            at: i64 = add(count, t2)
            t3: f64 = load(u2, i)           # v[i] = u[i] * u[i - 1]
            t4: f64 = load(u2, t2)          # v[i] = u[i] * u[i - 1]
            t5: f64 = mul(t3, t4)           # v[i] = u[i] * u[i - 1]
            old: f64 = load(v2, i)
            t6: i64 = add(at, i64(1))
            reserve(old_tape, t6)           # for i in range(1, len(u)):
            store(old_tape, at, old)
            store(v2, i, t5)                # v[i] = u[i] * u[i - 1]
        t7: i64 = add(count, t1)
        u2, n2, v2, n3, which, which1, which2, which3, count = v2, n3, u2, n2, which1, which, which3, which2, t7
    t8: int = index(1, n2, axis=0)          # return u[1]
    t9: f64 = load(u2, 1)                   # return u[1]
    u_bar: f64[n] = zeros(n, dtype='f64')
    v_bar: f64[n1] = zeros(n1, dtype='f64')
    t10: bool = eq(which, 0)                # grad of: return u[1]
    u_bar1: f64.strided[n2]
    if t10:                                 # grad of: return u[1]
        u_bar2: f64[n2] = reshape(u_bar, n2)  # grad of: return u[1]
        u_bar1 = u_bar2
    else:
        v_bar1: f64[n2] = reshape(v_bar, n2)  # grad of: return u[1]
        u_bar1 = v_bar1
    add_at(u_bar1, 1, f64(1.0))             # grad of: return u[1]
    t11: bool = eq(which2, 0)               # grad of: for _ in range(steps):
    v_bar2: f64.strided[n3]
    if t11:                                 # grad of: for _ in range(steps):
        v_bar3: f64[n3] = reshape(v_bar, n3)  # grad of: for _ in range(steps):
        v_bar2 = v_bar3
    else:
        u_bar3: f64[n3] = reshape(u_bar, n3)  # grad of: for _ in range(steps):
        v_bar2 = u_bar3
    n4: int = n2
    u3: f64.strided[n4] = u2
    n5: int = n3
    v3: f64.strided[n5] = v2
    n6: int = n2
    u_bar4: f64.strided[n6] = u_bar1
    n7: int = n3
    v_bar4: f64.strided[n7] = v_bar2
    for _1 in reversed(range(0, steps)):    # grad of: for _ in range(steps):
        for i1 in reversed(range(1, n7)):   # grad of: for i in range(1, len(u)):
            g: f64 = load(u_bar4, i1)       # grad of: v[i] = u[i] * u[i - 1]
            store(u_bar4, i1, f64(0.0))     # grad of: v[i] = u[i] * u[i - 1]
            t12: int = sub(i1, 1)           # grad of: v[i] = u[i] * u[i - 1]
            base: i64 = load(base_tape, _1)  # grad of: v[i] = u[i] * u[i - 1]
            t13: i64 = add(base, t12)       # grad of: v[i] = u[i] * u[i - 1]
            old1: f64 = load(old_tape, t13)  # grad of: v[i] = u[i] * u[i - 1]
            store(u3, i1, old1)             # grad of: v[i] = u[i] * u[i - 1]
            t14: f64 = load(v3, t12)        # grad of: v[i] = u[i] * u[i - 1]
            t15: f64 = mul(g, t14)          # grad of: v[i] = u[i] * u[i - 1]
            t16: f64 = load(v3, i1)         # grad of: v[i] = u[i] * u[i - 1]
            t17: f64 = mul(g, t16)          # grad of: v[i] = u[i] * u[i - 1]
            add_at(v_bar4, t12, t17)        # grad of: v[i] = u[i] * u[i - 1]
            add_at(v_bar4, i1, t15)         # grad of: v[i] = u[i] * u[i - 1]
        n4, u3, n5, v3, n6, u_bar4, n7, v_bar4 = n5, v3, n4, u3, n7, v_bar4, n6, u_bar4
    t18: f64[n] = copy(u_bar)
    return (t9, t18,)
