# ---- matrix_product ----
def matrix_product(a, b):
    return a @ b


# ---- primal ----
def matrix_product(a: f64[n, m], b: f64[n1, m1]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    n1: int = dim(b, axis=0)
    m1: int = dim(b, axis=1)
    check_equal(m, n1, message='shapes not aligned: {} (dim of the left) != {} (dim of the right)')  # return a @ b
    t: f64[n, m1] = matmul(a, b)            # return a @ b
    return (t,)


# ---- adjoint ----
def matrix_product_grad(a: f64[n, m], b: f64[n1, m1]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    n1: int = dim(b, axis=0)
    m1: int = dim(b, axis=1)
    check_equal(m, n1, message='shapes not aligned: {} (dim of the left) != {} (dim of the right)')  # return a @ b
    t: f64[n, m1] = matmul(a, b)            # return a @ b
    t1: f64[n, m1] = broadcast_to(f64(1.0), n, m1)
    t2: f64.strided[m1, n1] = transpose(b, perm=(1, 0))  # grad of: return a @ b
    t3: f64[n, n1] = matmul(t1, t2)         # grad of: return a @ b
    t4: f64[n, m] = sum_to(t3, n, m)        # grad of: return a @ b
    t5: f64.strided[m, n] = transpose(a, perm=(1, 0))  # grad of: return a @ b
    t6: f64[m, m1] = matmul(t5, t1)         # grad of: return a @ b
    t7: f64[n1, m1] = sum_to(t6, n1, m1)    # grad of: return a @ b
    return (t, t4, t7,)
