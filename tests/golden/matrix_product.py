# ---- matrix_product ----
def matrix_product(a, b):
    return a @ b


# ---- primal ----
def matrix_product(a: f64[n, m], b: f64[m, m1]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    n1: int = dim(b, axis=0)
    m1: int = dim(b, axis=1)
    check_equal(m, n1, message='shapes not aligned: {} (dim of the left) != {} (dim of the right)')  # return a @ b
    t: f64[n, m1] = matmul(a, b)            # return a @ b
    return (t,)


# ---- adjoint ----
def matrix_product_grad(a: f64[n, m], b: f64[m, m1]):
    n: int = dim(a, axis=0)
    m: int = dim(a, axis=1)
    n1: int = dim(b, axis=0)
    m1: int = dim(b, axis=1)
    check_equal(m, n1, message='shapes not aligned: {} (dim of the left) != {} (dim of the right)')  # return a @ b
    t: f64[n, m1] = matmul(a, b)            # return a @ b
    t1: f64[n, m1] = broadcast_to(f64(1.0), n, m1)
    t2: f64.strided[m1, m] = transpose(b, perm=(1, 0))  # grad of: return a @ b
    t3: f64[n, m] = matmul(t1, t2)          # grad of: return a @ b
    t4: f64.strided[m, n] = transpose(a, perm=(1, 0))  # grad of: return a @ b
    t5: f64[m, m1] = matmul(t4, t1)         # grad of: return a @ b
    return (t, t3, t5,)
