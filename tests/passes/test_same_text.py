"""A program has one text, wherever its variables lie in memory: machine code is found by it."""

import random

import numpy as np

import srcgrad as flow


def steps(x, w):
    n, m = x.shape
    s, out = 0.0, np.zeros((n, m))
    for i in range(n):
        a = x[i, 0]
        for j in range(m):
            b = a * x[i, j]
            for k in range(n):
                c = b + np.sin(x[k, j])
                for h in range(m):
                    c = c * w[h] + x[k, h]
                    out[i, j] += c * a
                b = b + c
            a = a * 0.5 + b
        s += a
    return s + np.sum(out * out)


def test_places_in_memory_do_not_matter():
    """The tape of four loops is addressed by products of lengths, which strips write out."""
    x, held, texts = np.ones((3, 4)), [], set()
    for k in range(4):
        gradient = flow.value_and_grad(flow.compile(steps, target="loops"), grad_position=(0, 1))
        gradient(x, x[0].copy())
        texts.add(gradient.source("llvm"))
        objects = [object() for _ in range(20_000)]
        random.Random(k).shuffle(objects)
        held.append(objects[::2])  # what is freed is taken up in another order
    assert len(texts) == 1
