"""collections.deque where it is refused, or raises."""

import collections

from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3))
def queue_with_a_length_of_the_run_returned(x):
    q = collections.deque(x, int(x[0] * 5.0))
    return q  # error: ReturnTypeError: a deque, whose maxlen only the run tells


@program(vec(3))
def queue_of_a_negative_length(x):
    q = collections.deque(maxlen=-1)  # error: ValueError: maxlen must be non-negative
    q.append(x[0])
    return x[0]


@program(vec(3))
def queue_of_half_an_item(x):
    q = collections.deque(maxlen=1.5)  # error: UnsupportedError: an integer is required
    q.append(x[0])
    return q[0]


@program(vec(3))
def empty_queue(x):
    q = collections.deque()
    for v in x:
        if v > 9.0:
            q.append(v)
    return q.popleft()  # error: IndexError: pop from empty list


@program(vec(3))
def full_queue(x):
    q = collections.deque(x, maxlen=3)
    q.insert(1, x[0])  # error: IndexError: deque already at its maximum size
    return q[0]


@program(vec(3), collections.deque([1.0]))
def queue_as_an_argument(x, q):  # error, no line: TypeError: 'q' is a deque
    return x[0] * len(q)
