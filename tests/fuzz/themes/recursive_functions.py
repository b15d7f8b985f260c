"""The helpers of the theme of recursion: functions that call themselves as often as data decide."""

RECURSIVE = {
    "walked": """\
def walked(i, a, k):
    if i >= len(a):
        return 0.1 * k
    one = walked(2 * i + 1, a, 0.5 * k)
    return np.tanh(a[i] * k + one * walked(2 * i + 2, a, 0.7 * k))
""",
    "divided": """\
def divided(a, k):
    n = len(a)
    if n < 2:
        a[0] = np.sin(a[0] * k)
        return a[0]
    u = divided(a[: n // 2], 0.8 * k)
    return 0.5 * u + divided(a[n // 2 :], k + 0.1 * u) * a[-1]
""",
    "merged": """\
def merged(a):
    if len(a) < 2:
        return a
    u, v = merged(a[: len(a) // 2]), merged(a[len(a) // 2 :])
    o = np.zeros(len(a))
    i = j = 0
    for k in range(len(a)):
        if j >= len(v) or (i < len(u) and u[i] < v[j]):
            o[k] = u[i]
            i += 1
        else:
            o[k] = v[j]
            j += 1
    return o
""",
    "refined": """\
def refined(u, v, k):
    m = 0.5 * (u + v)
    if v - u < 0.2171 or abs(np.sin(k * u) - np.sin(k * v)) < 0.1371:
        return (v - u) * np.cos(k * m)
    return refined(u, m, k) + refined(m, v, k)
""",
    "descended": """\
def descended(i, a, o):
    for j in (2 * i + 1, 2 * i + 2):
        if j >= len(a):
            break
        if a[j] > 0.8171:
            continue
        o[j] += 0.3 * a[i] * descended(j, a, o)
    return np.cos(o[i] + a[i])
""",
    "spanned": """\
def spanned(a, k):
    n = len(a)
    if n < 2:
        return a[0], np.tanh(k * a[0])
    u, v = spanned(a[: n // 2], 0.5 * k)
    p, q = spanned(a[n // 2 :], k)
    return 0.5 * (u + q), np.sin(v * p)
""",
    "found_above": """\
def found_above(i, a, level):
    if i >= len(a):
        return None
    if a[i] > level:
        return 0.7 * a[i] * a[0]
    u = found_above(2 * i + 1, a, level)
    return found_above(2 * i + 2, a, level) if u is None else u
""",
    "summed": """\
def summed(i, a, k):
    if i >= len(a):
        return 0.2 * k
    return 0.5 * np.sin(a[i]) + sum(0.4 * summed(2 * i + j, a, k * a[i]) for j in (1, 2))
""",
}
