"""The tape runs the compiler's table: same gradients, no rule of its own, no compiler needed."""

import ast
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.primitives import REGISTRY

PACKAGE = Path(flow.__file__).parent
A = np.array([0.3, 0.7, 0.5, 1.1])
B = np.array([1.3, 0.4, 0.8, 0.6])


def by_numpy(x, z):
    return np.sum(np.tanh(x * z) / (1.0 + x * x) + np.exp(-z) * np.sqrt(x) - np.log(x) ** 2)


def by_tensors(x, z):
    return (flow.tanh(x * z) / (1.0 + x * x) + flow.exp(-z) * x.sqrt() - flow.log(x) ** 2).sum()


def extrema_by_numpy(x, z):
    return np.max(x * z) * np.min(x) + np.dot(np.maximum(x, z), np.where(x > 0.5, x, z))


def extrema_by_tensors(x, z):
    chosen = flow.where(x > 0.5, x, z)
    return (x * z).max() * x.min() + flow.dot(flow.maximum(x, z), chosen)


@pytest.mark.parametrize(
    ("numpy", "tensors"),
    [(by_numpy, by_tensors), (extrema_by_numpy, extrema_by_tensors)],
)
def test_the_compiler_and_the_tape_agree(numpy, tensors):
    want = flow.grad(numpy, (0, 1))(A, B)
    xs = [flow.tensor(a, requires_grad=True) for a in (A, B)]
    y = tensors(*xs)
    y.backward()
    assert y.item() == pytest.approx(numpy(A, B), rel=1e-14)
    for x, w in zip(xs, want, strict=True):
        np.testing.assert_allclose(x.grad.numpy(), w, rtol=1e-12)


def test_every_primitive_with_a_rule_has_a_node_class():
    from srcgrad.eager import node_kinds
    from srcgrad.primitives.rules import rule_of

    for op in REGISTRY.values():
        if op.kind == "derive":
            assert node_kinds.GENERAL[op].op is op
            for k in range(len(op.rules)):
                assert rule_of(op, k) is None or callable(rule_of(op, k))


def test_no_derivative_is_registered_in_the_eager_mode():
    made = ("derive", "linear", "multilinear", "custom", "nondiff", "Primitive")
    for path in (PACKAGE / "eager").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", None)
            assert name not in made, f"{path.name} registers a primitive"
