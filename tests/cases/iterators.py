"""Iterators: itertools, map and filter, over few items and over many."""

import itertools
import math
from itertools import accumulate, chain, combinations, count, islice, pairwise, product, repeat

import numpy as np

from tests.cases.registry import case, vec

FEW, MANY = np.linspace(0.21, 1.1, 5), np.linspace(0.21, 1.1, 80)
SOME = np.linspace(0.21, 1.1, 13)  # of pairs more than are unrolled


@case(FEW, 3)
@case(MANY, 9)
def product_of_ranges(x, n):
    total = 0.0
    for i, j in product(range(n), range(n + 1)):
        total += x[i] * x[j] * (i + 2 * j)
    return total + max(u * v for u, v in product(x[:3], repeat=2))


@case(FEW)
@case(SOME)
def each_pair(x):
    energy = 0.0
    for i, j in combinations(range(len(x)), 2):
        energy += 1.0 / (1.0 + (x[i] - x[j]) ** 2)
    return energy + sum((u - v) ** 2 for u, v in combinations(x, 2))


@case(FEW, 4)
@case(FEW, 0)
def pairs_of_a_length_that_varies(x, n):
    total = x[0]
    for k in range(n + 1):
        for i, j in combinations(range(k), 2):
            total += x[i] * x[j] * (i - 3 * j)
    return total


@case(FEW)
@case(MANY)
def neighbours(x):
    steps = sum((v - u) ** 2 for u, v in pairwise(x))
    triples = [u * v * w for u, v, w in combinations(x[:4], 3)]
    return steps + sum(triples) + sum(a * b for a, b in pairwise([x[0], x[1], x[2]]))


@case(FEW, 3)
@case(MANY, 7)
def one_after_another(x, n):
    total = 0.0
    for v in chain(x, x[::-1] * 2, [x[0]]):
        total = total * 0.5 + v
    for v in chain(x, x[:n]):
        total = total * 0.5 + v * v
    for v in islice(x, 1, n):
        total = total * 0.5 + np.sin(v)
    rows = [x[:2], x[2:4]]
    return total + sum(v * v for v in chain.from_iterable(rows))


@case(FEW, 3)
@case(MANY, 7)
def without_an_end(x, n):
    total = sum(u * v for u, v in zip(x, repeat(x[0])))
    for k in count(1, 2):
        if k >= len(x):
            break
        total += x[k] * k
    for k, v in zip(islice(count(2), 10), x):  # noqa: B905 (as it is written)
        total += k * v
    for _ in repeat(None, n):
        total = np.sin(total) + x[1]
    return total


@case(FEW)
@case(MANY)
def accumulated(x):
    total = 0.0
    for v in accumulate(x):
        total += v * v
    for v in accumulate(x[:4], lambda a, b: a * b + 0.1):
        total += v
    for v in accumulate(x[:4], max, initial=0.5):
        total += v
    return total


@case(FEW)
@case(MANY)
def mapped_and_filtered(x):
    total = sum(map(lambda v: v * v, x)) + sum(map(lambda u, v: u * v, x, x[::-1]))
    total += sum(itertools.starmap(lambda u, v: u * v + v, zip(x, x[::-1], strict=True)))
    total += sum(filter(lambda v: v > 0.35, x)) * len(list(filter(lambda v: v > 0.5, x)))
    total += max(map(abs, x)) + sum(list(map(math.sin, x)))
    return total + sum(filter(None, [x[0], x[1], 0.0]))


@case(FEW)
def longest_and_every_order(x):
    both = itertools.zip_longest([x[0], x[1]], [x[2]], fillvalue=2.0)
    orders = sum(a * b * b for a, b in itertools.permutations(x[:3], 2))
    repeated = itertools.combinations_with_replacement(x[:2], 2)
    return sum(u * v for u, v in both) + orders + sum(a * b for a, b in repeated)


@case(np.linspace(0.21, 1.1, 6).reshape(2, 3), 3)
@case(np.linspace(0.21, 1.1, 80).reshape(8, 10), 9)
def every_place(x, n):
    total = 0.0
    for i, j in np.ndindex(x.shape):
        total += x[i, j] * (i - 2 * j) + x[i, 0] * x[0, j]
    for (i, j), v in np.ndenumerate(x):
        total += v * v * (i + 1) / (j + 1)
    for k in np.ndindex(2, n):
        total *= 0.5 + 0.1 * k[1] * x[k[0], 0]
    return total


@case(np.array([0.9, 0.21, 1.1]), np.array([2.0, 3.0, 1.0]))
@case(np.array([0.9, 0.95, 0.1]), np.array([0.7, 1.5, 1.2]))
def sorted_pairs(x, y):
    a, b = np.array(sorted(zip(x, y, strict=True))).T
    low, high = sorted([(x[0], 1.0), (y[0], x[1])], key=lambda p: (p[0] > 1.0, p[1]))
    up, _ = zip(*sorted(zip(y, x, strict=True), reverse=True), strict=True)
    return np.sum(a[1:] * b[:-1]) + low[0] * high[1] + up[0] * up[2] ** 2


@case(np.array([0.9, 0.21, 1.1, 0.55, 0.32]))
@case(np.linspace(0.21, 1.1, 80)[np.random.default_rng(0).permutation(80)])
def sorted_numbers(x):
    up, down = sorted(x), sorted([v * v for v in x[:4]], reverse=True)
    by_key = sorted(x, key=lambda v: (v - 0.6) ** 2)
    half = len(up) // 2
    median = up[half] if len(up) % 2 else 0.5 * (up[half - 1] + up[half])
    nearest = sorted((v for v in x if v > 0.3), key=lambda v: -v, reverse=True)
    return (
        median * up[0] + down[0] * down[-1] ** 2 + by_key[0] * by_key[1] + nearest[0] * nearest[-1]
    )


@case(vec(5))
def first_items_of_arrays(x):
    rows, values = iter(np.outer(x, x)), iter(x)
    total = next(rows)[0] * next(values) + next(values)
    for row in rows:
        total = 0.5 * total + row[1]
    pairs = iter(enumerate(np.sin(x)))
    k, first = next(pairs)
    for i, v in pairs:
        total += (i - k) * v * first
    return total * sum(values)


@case(FEW)
@case(MANY[::-2])
def first_of_a_range(x):
    places = iter(range(len(x) - 1, -1, -2))
    i, k = next(places), next(places)
    total = x[i] * x[k]
    for j in places:
        total = total * x[j] + np.sin(x[i])
    return total
