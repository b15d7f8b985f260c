"""Lists, dicts and objects that the run chooses among, and changes where they are chosen."""

import numpy as np

from tests.cases.registry import case

X = np.array([0.7, -1.3, 2.1, 0.4, 1.9])
Y = np.array([-0.3, 1.1, 0.8, -2.4, 0.25])


class Box:
    def __init__(self, n=0.0):
        self.items, self.n = [], n

    def add(self, v):
        self.items.append(v)
        self.n += v


@case(X)
def lists_of_two_signs(x):
    up, down = [], []
    for v in x:
        target = up if v > 0 else down
        target.append(v * v)
    return sum(up) * 2.0 + sum(down) + len(down)


@case(X)
@case(Y)
def names_of_one_list(x):
    a, b = [0.0], [1.0]
    t = a if x[0] > 0 else b
    u = t
    u.append(x[1])
    a.append(2.0)
    t[0] = 5.0
    return sum(t) * sum(u) + sum(a) * len(t) + b[0]


@case(X)
def objects_kept_over_trips(x):
    a, b = Box(1.0), Box(2.0)
    t = a
    for v in x:
        if v > 1.0:
            t = b
        elif v < 0.0:
            t = a
        t.add(v)
    return a.n * 2.0 + b.n + sum(a.items)


@case(Y)
def buffers_that_are_swapped(x):
    now, then = [0.5], [1.5]
    for v in x:
        then[0] = now[0] * 0.5 + v
        now.append(v)
        if v > 0:
            now, then = then, now
    return now[0] + 3.0 * then[0] + sum(now)


@case(X)
@case(Y)
def the_best_of_objects(x):
    boxes, best, last = [Box(v) for v in x], None, None
    for b in boxes:
        if best is None or b.n > best.n:
            best = b
    best.n = best.n * 3.0
    smallest = min(boxes, key=lambda b: b.n)
    smallest.n = 2.0
    for v in x:
        last = boxes[0] if v > 1.0 else boxes[1] if v < 0.0 else last
        if last is not None:
            last.n += v
    return sum(b.n * (k + 1.0) for k, b in enumerate(boxes))


@case(Y)
def dicts_of_three_paths(x):
    a, b, c = {"k": 0.0}, {"k": 1.0}, {"k": 2.0}
    t = a if x[0] > 1.0 else b if x[1] > 0 else c
    t["k"] += x[2]
    t["k"] *= 2.0
    pair = (a, t) if x[2] > 1.0 else (t, b)
    pair[0]["k"] -= x[3]
    return a["k"] + 2.0 * b["k"] + 3.0 * c["k"] + t["k"]


@case(X)
def rows_of_a_stack(x):
    stack = [[0.0], [1.0]]
    top = stack[0]
    for v in x:
        if v > 0:
            top = stack[1]
        top[0] = top[0] + v
    held = [top, stack[0]]
    held[0].append(1.0)
    return stack[0][0] * stack[1][0] + len(stack[0]) * (1.0 if top is stack[0] else x[0])


def either(a, b, v):
    if v > 0:
        return a
    return b


@case(Y)
def objects_that_a_call_chooses(x):
    a, b = Box(0.0), Box(1.0)
    for v in x:
        either(a, b, v).add(v)
        either(a, b, -v).n *= 0.5
    return a.n * 2.0 + b.n * sum(a.items)


@case(X)
def pairs_in_two_lists(x):
    a, b = [], []
    for v in x:
        t = a if v > 0 else b
        t.append((v, v * v))
    return sum(p * q for p, q in a) + sum(p - q for p, q in b)


class Model:
    def __init__(self, k):
        self.k, self.w = k, np.array([k, 1.0])

    def of(self, v):
        return self.k * v


class Square(Model):
    def of(self, v):
        return self.k * v * v


ONE, OTHER = Model(2.0), Square(3.0)


@case(Y)
def captured_instances_that_are_chosen(x):
    m = ONE if x[0] > 0 else OTHER
    total = m.of(x[1]) + m.w[0] * (1.0 if m is ONE else 2.0)
    for v in x:
        if v > 1.0:
            m = OTHER
        elif v < 0.0:
            m = ONE
        total += m.of(v)
    return total


# ---- an instance that was there before, or one that is made on a path ----
class Moment:
    def __init__(self, at):
        self.at, self.tilt = at, None

    def tilted(self):
        if self.tilt is None:
            self.tilt = self.at**2 + 1.0
        return self.tilt


@case(X)
@case(Y)
def one_that_is_made_on_a_path(x):
    """It is changed where it is one of both, and read by the name of the other one."""
    first = Moment(x[0])
    chosen = first
    if x[1] > 0:
        chosen = Moment(x[2] * 2.0)
    again = chosen
    again.at = again.at * 3.0
    chosen.tilted()
    same = 2.0 if chosen is first else 3.0
    return first.at * same + chosen.at * again.tilted() + first.tilted()


@case(X)
@case(Y)
def made_in_each_trip(x):
    """The one of before the loop computes an attribute in the first trip, others in theirs."""
    first = Moment(x[0])
    moment, total = first, 0.0
    for v in x:
        total += moment.at * v + moment.tilted()
        moment = Moment(first.at - 0.1 * total)
    return total + first.tilted() * moment.at


@case(X)
@case(Y)
def made_twice_after_one_another(x):
    first = Moment(x[0])
    moment = first
    if x[1] > 0:
        moment = Moment(x[2])
        if x[4] > 1.0:
            moment = Moment(x[3] * x[4])
    moment.at = moment.at * 3.0
    if x[3] < 0:
        moment = Moment(x[3])
    moment.at = moment.at + x[1]
    return first.at + 2.0 * moment.at * moment.tilted()
