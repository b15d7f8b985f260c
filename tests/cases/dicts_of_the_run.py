"""Dicts and sets whose keys the run decides, and those of collections."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.cases.registry import case

X = np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])
KEYS = np.array([0, 2, 1, 2, 0, 1])


@case(X, KEYS, wrt=(0,))
def sums_by_key(x, keys):
    sums = defaultdict(float)
    for k, v in zip(keys, x, strict=True):
        sums[k] += v * v
    return sum((k + 1) * v * v for k, v in sums.items()) + sums[9] + len(sums)


@case(X, KEYS, wrt=(0,))
def first_or_more(x, keys):
    held = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k in held:
            held[k] = held[k] + x[i]
        else:
            held[k] = x[i] ** 2
    return sum(held[k] * (k + 1) for k in sorted(held)) + held.get(5, x[0])


@case(X, KEYS, wrt=(0,))
def methods_of_a_dict(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = d.get(int(keys[i]), 0.0) + x[i]
    e, f, g = d.copy(), dict(d), d
    e[0] = x[2] ** 2
    f.update({1: x[0], 9: x[2]})
    taken = f.pop(2) * f.setdefault(7, x[1]) * f.pop(77, 2.0)
    g[0] = d[0] * 2.0
    last, value = f.popitem()
    best, least = max(d, key=d.get), min(d.items(), key=lambda p: p[1])
    equal = d == {0: d[0], 2: d[2], 1: d[1]} and d != e and isinstance(d, dict)
    total = sum(e.values()) * sum(f.values()) + d[0] * taken + last * value
    return total + d[best] * least[1] + least[0] if equal else 0.0


@case(X, KEYS, wrt=(0,))
def items_in_order(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i] ** 2
    total = 0.0
    for r, (k, v) in enumerate(sorted(d.items(), key=lambda p: p[1])):
        total += (r + 1) * v * (k + 2)
    for r, k in enumerate(reversed(d)):
        total += (r + 1) * d[k] ** 2
    return total


@case(X, KEYS, wrt=(0,))
def keys_deleted(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    total = 0.0
    for k in list(d):
        if d[k] > 1.0:
            del d[k]
        else:
            total += d[k]
    for k in d:
        d[k] = d[k] * 2.0
    return total * sum(d.values()) * len(d)


@case(X)
def known_keys_deleted_by_values(x):
    d = {0: x[0], 1: x[1], 2: x[2], 7: x[3]}
    for k in (0, 1, 2):
        if x[k] > 0.5:
            del d[k]
    return sum(d.values()) * len(d)


@case(X)
def chosen_by_values(x):
    kept = {k: v * v for k, v in enumerate(x) if v > 0.5}
    marks = {int(v > 0.5) + int(v > 1.0) for v in x if v > 0.0}
    return sum(kept.values()) * len(kept) * len(marks)


@case(X, KEYS, wrt=(0,))
def arrays_by_key(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        d[k] = d[k] + x * x[i] if k in d else x * x[i]
    return sum(np.sum(v**2) * (k + 1) for k, v in d.items())


@case(X, KEYS, wrt=(0,))
def pairs_by_pairs(x, keys):
    d = {}
    for i in range(len(x) - 1):
        k = (keys[i], keys[i + 1])
        d[k] = (x[i], i, d.get(k, (0.0, 0, 0))[0])
    a, i, _ = d[2, 1]
    return a * i + sum(v * w for v, w, _ in d.values()) + ((0, 2) in d) + ((7, 2) in d)


@case(X, KEYS, wrt=(0,))
def known_keys_read_by_the_run(x, keys):
    table = {0: 1.5, 1: x[0], 2: -0.5, "name": 3.0}
    arrays = {0: x * 2.0, 1: x[:4] ** 2, 2: np.sin(x)}
    grid = {(0, 0): x[0], (0, 1): x[1], (1, 0): x[2]}
    total = grid[int(x[0] > 5.0), int(x[1] > 0.0)] ** 2
    for i in range(len(x)):
        k = int(keys[i])
        total += table[k] * x[i] ** 2 + np.sum(arrays[k]) + table.get(k + 1, x[1]) + (k in table)
    return total


@case(X, {0: 2.0, 1: 3.0, 2: 4.0}, KEYS, wrt=(0, 1))
def argument_read_and_changed(x, table, keys):
    total = 0.0
    for i in range(len(x)):
        total += table[int(keys[i])] * x[i] ** 2
    for i in range(len(x)):
        table[int(keys[i])] *= 1.5
    mine = dict(table)
    for i in range(len(x)):
        mine[int(keys[i]) + 1] = x[i]
    return total * table[0] + table[1] + table[2] + sum(mine.values())


@case(X, KEYS, wrt=(0,))
def lists_by_key(x, keys):
    rows = defaultdict(list)
    for i in range(len(x)):
        rows[int(keys[i])].append((x[i], i))
    total = 0.0
    for k, row in rows.items():
        for v, i in row:
            total += v * v * (k + 1) * (i + 1)
    longest = max(rows, key=lambda k: len(rows[k]))
    return total + longest + sum(v for v, _ in sorted(rows[2], key=lambda p: -p[0])[:1])


@case(X, KEYS, wrt=(0,))
def lists_that_are_replaced(x, keys):
    rows = {}
    for i in range(len(x)):
        rows.setdefault(int(keys[i]), []).append(x[i])
    old = rows[2]
    rows[2] = [x[0]]
    rows[2].append(x[1])
    rows[5] = rows[0]
    rows[5] += [x[2], x[3]]
    old.append(9.0)
    gone = rows.pop(1)
    gone.append(2.0)
    first = rows[0].pop(0) * sum(rows.get(9, [x[1], x[2]]))
    return sum(old) * sum(rows[2]) + sum(gone) * len(rows) + sum(rows[0]) * rows[5][-1] + first


@case(X, KEYS, wrt=(0,))
def items_taken_from_dicts_of_lists(x, keys):
    rows, more = OrderedDict(), {}
    for k, v in zip(keys, x, strict=True):
        rows.setdefault(int(k), []).append(v)
    for k in (keys[1], keys[0], keys[2], keys[3]):
        more.setdefault(int(k), []).append(x[k] * x[0])
    rows.move_to_end(2)
    weighed = sum((k + 1) * sum(row) * sum(row) for k, row in enumerate(rows.values()))
    key, last = more.popitem()
    while rows:
        k, row = rows.popitem(last=False)
        weighed += (k + key) * row[0] * last[0]
    return weighed + len(more)


@case(X, KEYS, wrt=(0,))
def order_of_dicts_of_lists(x, keys):
    one, other = OrderedDict(), OrderedDict()
    for k in keys:
        one.setdefault(int(k), []).append(k)
    for k in keys[::-1]:
        other.setdefault(int(k), []).append(k)
    same = {k: v for k, v in zip(keys, x, strict=True)}
    return x[0] * (1.0 if one == other else 2.0) + len(same) * x[1]


@case(X, KEYS, wrt=(0,))
def arrays_in_lists_by_key(x, keys):
    rows = defaultdict(list)
    for i in range(len(x)):
        rows[int(keys[i])].append(x * x[i])
    return sum(np.sum(np.mean(np.array(r), axis=0) ** 2) for r in rows.values())


@case(X, KEYS, wrt=(0,))
def known_lists_by_the_run(x, keys):
    rows = [[] for _ in range(3)]
    for i in range(len(x)):
        rows[keys[i]].append(x[i])
    return sum(sum(r) ** 2 for r in rows) + len(rows[0])


@case(X)
def defaults_of_known_keys(x):
    sums, products = defaultdict(float), defaultdict(lambda: 1.0)
    rows, nested = defaultdict(list), defaultdict(lambda: defaultdict(float))
    for name, v in (("a", x[0]), ("b", x[1]), ("a", x[2])):
        sums[name] += v * v
        products[name] *= v
        rows[name].append(v)
        nested[name][len(rows)] += v
    total = sums["a"] * sums["b"] + sums["c"] + products["a"] * products["z"] + len(sums)
    total += sum(w for v in nested.values() for w in v.values())
    return total + sum(rows["a"]) * rows["b"][0]


@case(X)
def ordered(x):
    d = OrderedDict(a=x[0])
    d["b"], d["c"] = x[1], x[2]
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    total = sum((k + 1) * v * v for k, v in enumerate(d.values()))
    name, v = d.popitem(last=False)
    known = OrderedDict(u=1.0, v=2.0) != OrderedDict(v=2.0, u=1.0) == {"u": 1.0, "v": 2.0}
    one, other = OrderedDict(), OrderedDict()
    for k in KEYS:
        one[int(k)] = 1.0
        other[2 - int(k)] = 1.0
    known = known and one != other and one == dict(other) and isinstance(one, OrderedDict)
    return total * v if name == "c" and isinstance(d, OrderedDict) and known else 0.0


@case(X, KEYS, wrt=(0,))
def counted(x, keys):
    letters, words, numbers = Counter("abracadabra"), Counter(), Counter(keys.tolist())
    for word in ("up", "down", "up"):
        words[word] += 1
    words.update(["up"], left=2)
    for k in keys:
        numbers[int(k)] += 1
    numbers.update([1, 1])
    numbers.subtract({0: 1})
    total = sum(n * x[k] ** 2 for k, (_, n) in enumerate(letters.most_common(3)))
    total += words["up"] * x[0] + words["none"] + words["left"] * x[1] ** 2 + letters.total()
    top = numbers.most_common(1)[0]
    return total + numbers[1] * x[0] + numbers[0] * x[1] ** 2 + numbers[17] + top[0] * top[1] * x[2]


@case(X, KEYS, wrt=(0,))
def members_seen(x, keys):
    seen, left, total = set(), {0, 1, 2, 8}, 0.0
    for i in range(len(x)):
        if keys[i] not in seen:
            seen.add(keys[i])
            total += x[i] ** 2
        elif keys[i] in left:
            left.remove(keys[i])
            total += x[i] * len(left)
    left.discard(77)
    both, more = seen & left, seen | {5}
    total += sum(x[k] for k in sorted(seen)) * len(both) + len(more - left)
    total += (5 in more) + (seen <= more)
    return total * len(seen) * max({x[0], x[1], x[0]}) * (len({x[0], x[1], x[0]}) == 2)


@case(X, KEYS, wrt=(0,))
def the_only_member(x, keys):
    shapes, first = set(), set()
    for v in (x, keys, x * x, x[0]):
        if np.ndim(v) > 0:
            shapes.add(v.shape)
    for i in range(len(x)):
        first.add(min(keys[i], 0))
    (name,) = {"only"}
    total = len(name) * x[next(iter({2}))] if len(shapes) == 1 else x[0]
    total += np.sum(np.ones(shapes.pop()) * x) * len(list({7})) + x[first.pop()] ** 2
    return total + len(shapes) + len(first)


@case(X)
def shortest_path(x):
    distance = {i: 1e9 for i in range(4)}
    distance[0], done = 0.0, set()
    for _ in range(4):
        best = -1
        for i in range(4):
            if i not in done and (best < 0 or distance[i] < distance[best]):
                best = i
        done.add(best)
        for j in range(4):
            length = abs(x[best]) + 0.3 * j + x[j] ** 2
            if distance[best] + length < distance[j]:
                distance[j] = distance[best] + length
    return sum(distance.values())


@case(X)
def costs_in_topological_order(x):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    waits_for = {k: 0 for k in edges}
    for k in edges:
        for j in edges[k]:
            waits_for[j] += 1
    ready, order = deque(k for k in waits_for if waits_for[k] == 0), []
    cost = {k: x[k] for k in edges}
    while ready:
        k = ready.popleft()
        order.append(k)
        for j in edges[k]:
            cost[j] = max(cost[j], cost[k] * 1.1 + x[j])
            waits_for[j] -= 1
            if waits_for[j] == 0:
                ready.append(j)
    return cost[3] * len(order)


class Graph:
    def __init__(self):
        self.weight, self.seen = {}, set()

    def add(self, k, v):
        self.weight[k] = self.weight.get(k, 0.0) + v
        self.seen.add(k)


@case(X, KEYS, wrt=(0,))
def dicts_in_an_object(x, keys):
    graph, other = Graph(), Graph()
    for i in range(len(x)):
        graph.add(int(keys[i]), x[i] ** 2)
        other.add(int(keys[i]) + 0.5, x[i])
    return sum(v * v for v in graph.weight.values()) * len(graph.seen) + sum(other.weight)


@case(X, 5, wrt=(0,))
def remembered(x, n):
    memo, total, k = {}, 0.0, int(np.argmax(x))
    for i in range(n):
        j = (k * i) % 3
        if j not in memo:
            memo[j] = np.sin(x[j]) * (i + 1)
        total += memo[j] ** 2
    return total + len(memo)


@case(np.array([0.3, -0.7, 1.1, 0.4]), 3)
def sets_made_by_operators(x, n):
    seen = {1, 2} | {3}
    seen.add(7)
    left = frozenset({1, 2}) - {2}
    both = left | seen
    if x[0] > 0.0:
        seen -= {7}
        seen.add(n)
    other = {5} ^ seen
    other.discard(n)
    total = sum(x[k % 4] * k for k in sorted(other))
    return total * len(seen) + x[1] * len(both) * isinstance(both, frozenset)


@case(np.array([0.3, -0.7, 1.1, 0.4]), np.array([2, 0, 2]))
def dicts_merged(x, keys):
    plain, ordered = {"b": x[1]}, OrderedDict(a=x[0])
    rates = defaultdict(float, c=x[2])
    both, other = plain | ordered, ordered | plain
    other.move_to_end("a")
    more = rates | plain
    more["z"] += x[3]
    of_the_run = defaultdict(float, {5: x[0]}) | {6: x[1]}
    for k in keys:
        of_the_run[int(k)] += x[k] * k
    last = {7: x[2]} | of_the_run
    classes = [isinstance(d, OrderedDict) for d in (both, other, more, {**ordered})]
    classes += [isinstance(d, defaultdict) for d in (more, last, rates | ordered, plain | plain)]
    total = sum(v * (k + 1) for k, v in enumerate([*other.values(), *more.values()]))
    total += sum(v * k for k, v in last.items()) * last[55 - 48] * len(plain)
    return total * sum(2.0**k for k, known in enumerate(classes) if known)
