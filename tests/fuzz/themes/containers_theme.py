"""The theme of containers that the run fills: queues, dicts, dicts of lists, sets, functions.

`q8` is a deque of numbers and never empty, `d8` a dict with keys of the run that always has 0, `r8`
a dict of lists, `m8` a set of integers, `f8` one of a few functions. All stay short.
"""

from tests.fuzz.nests import Nest
from tests.fuzz.themes.theme import Theme, forms, moves

TAG = ("containers",)

CONTAINERS = Theme(
    "containers",
    moves("""
        q8.append({bounded_s})
        q8.appendleft({bounded_s})
        q8.append(0.5 * q8.popleft() + {small_s})
        if {b}: q8.appendleft(0.5 * q8[-1] + {small_s})
        if len(q8) > 2: s = 0.3 * q8.popleft() * q8[0]
        if len(q8) > 2: t = 0.3 * q8.pop() * q8[-1]
        q8.rotate({ix4})
        q8.reverse() ;; q8[0] = np.tanh(q8[0])
        q8[{ix4} % len(q8)] = {bounded_s}
        if len(q8) > 3: del q8[{ix4} % 3]
        q8.insert({ix4}, {bounded_s})
        if len(q8) > 9: q8.clear(); q8.append({bounded_s})
        for f, o in zip(q8, {n4}): s = 0.5 * s + 0.2 * f * o
        new = sorted(q8, key=lambda f: np.sin(3.0 * f)) ;; s = 0.3 * new[0] + 0.2 * new[-1]
        new = [(f, np.cos(f)) for f in q8 if f > CUT] ;; s = 0.1 * sum(f * u for f, u in new)
        new = [(f * f, f) for f in q8 if f > CUT] ;; t = 0.3 * max(new, default=(0.0, s))[1]
        k8 = int({ix4}) ;; d8[k8] = d8.get(k8, 0.1) * 0.5 + {small_s}
        k8 = int({ix4}) % 3 ;; d8[k8] = {bounded_s} if k8 not in d8 else np.tanh(d8[k8])
        k8 = int({ix4}) ;; d8[k8] = {bounded_s}
        if len(d8) > 1: s = 0.3 * d8.pop(max(d8)) ;; d8[0] = {bounded_s}
        for k8 in list(d8): d8[k8] = np.tanh(d8[k8] + {small_s})
        for k8, f in d8.items(): t = 0.5 * t + 0.1 * f * (k8 + 1)
        s = 0.2 * sum(d8[k8] * (k8 + 2) for k8 in sorted(d8))
        d8 = dict((k8, f * {bounded_s}) for k8, f in d8.items() if k8 == 0 or f > CUT)
        r8[int({ix4})].append({bounded_s})
        if {b}: r8[0].append({small_s})
        s = 0.2 * sum(r8[int({ix4})]) + {small_s}
        for new in r8.values(): t = 0.5 * t + 0.1 * sum(np.sin(f) for f in new)
        if len(r8[0]) > 3: r8[0] = [0.5 * r8[0][-1], {small_s}]
        r8[1] = r8[0] ;; r8[1].append({small_s}) ;; s = 0.1 * sum(r8[0])
        m8.add(int({ix4}))
        if int({ix4}) in m8: s = 0.3 * {n4}[{ix4}] + {small_s}
        m8.discard(int({ix4}))
        for k8 in sorted(m8): t = 0.5 * t + 0.1 * {n4}[k8]
        f8 = np.sin if {b} else np.tanh
        if {b}: f8 = lambda f: 0.5 * f + w8
        f8 = [np.cos, np.tanh, np.arctan][int({ix4}) % 3]
        s = 0.5 * f8({s}) + {small_s}
        {n4}[{ix4}] = 0.5 * f8({s}) + 0.1 * len(m8)
        s = 0.2 * (dict([(0, s), (1, t)])[int({ix4}) % 2] if {b} else {small_s}) + 0.1 * len(q8)
        new = [[w], [0.1, s], []] ;; new[int({ix4}) % 3].append({small_s}) ;; t = sum(new[1])
        h8 = [{bounded_s}, {bounded_s}, {bounded_s}] ;; heapq.heapify(h8) ;; s = heapq.heappop(h8)
    """, *TAG),
    (
        Nest(3, """\
for I in {range}:
    q8.append({bounded_s})
    SOME
    if len(q8) > 4:
        s = 0.3 * q8.popleft() + {small_s}
        LEAVE
""", TAG),
        Nest(3, """\
for I in {range}:
    k8 = int({ix4})
    if k8 in d8:
        d8[k8] = np.tanh(d8[k8] + {small_s})
    else:
        d8[k8] = {bounded_s}
        LEAVE
    SOME
""", TAG),
        Nest(2, """\
while len(q8) > 1:
    s = np.tanh(q8.pop() + 0.5 * s)
    r8[len(q8) % 2].append(0.5 * s)
    SOME
""", TAG),
        Nest(2, """\
for I in {range}:
    new = deque([{bounded_s}], maxlen=2)
    for J in range(I + 1):
        new.append(0.5 * new[-1] + {small_s})
        SOME
    s = 0.3 * new[0] * new[-1]
""", TAG),
    ),
    {
        "s": forms("""
            q8[-1]
            q8[0]
            q8[{ix4} % len(q8)]
            (0.1 * sum(q8))
            d8[0]
            d8.get({ix4}, 0.3)
            (0.1 * sum(d8.values()))
            (0.1 * len(d8))
            (0.1 * sum(r8[0]))
            (0.5 * f8({s}))
            (0.1 * len(m8))
        """, 1, *TAG),
        "b": forms("len(q8) > {int}\n{ix4} in d8\nlen(d8) > {int}\n({ix4} in m8)\nmax(q8) > CUT"),
    },
    (
        "import heapq",
        "from collections import defaultdict, deque",
        "q8, d8, r8 = deque([w, 0.5 * x[1]]), dict([(0, 0.3 * x[2])]), defaultdict(list)",
        "m8, f8, w8 = set(), np.sin, 0.2 * x[0]",
    ),
    {},
    ("sum(f * np.sin(f) for f in q8)", "sum(f * (k + 1) for k, f in d8.items())", "sum(r8[0])"),
)  # fmt: skip
