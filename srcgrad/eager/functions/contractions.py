"""Products over named or numbered dims: einsum, tensordot and functions built on them.

Everything becomes `matmul` of stacks of matrices. Nothing here has a derivative of its own.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from srcgrad.eager.functions.arrangements import diagonal
from srcgrad.eager.functions.pointwise import add, mul, sub
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import one_axis, sum
from srcgrad.eager.functions.shapes import permute, reshape, roll, unsqueeze
from srcgrad.eager.functions.table import declared
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import TensorError


# ---- einsum ----
@declared("einsum", method=False)
def einsum(equation: str, *operands: Any) -> Tensor:
    """A sum of products over dims named by letters, as NumPy's `einsum`; two operands at a time.

    RuntimeError for lengths that do not fit or an equation that does not fit the operands.

    >>> import srcgrad as flow
    >>> flow.einsum("ij,j->i", flow.ones(2, 3), flow.ones(3))
    tensor([3., 3.], dtype=srcgrad.float32)
    """
    xs = list(operands[0]) if len(operands) == 1 and not isinstance(operands[0], Tensor) else [
        *operands
    ]  # fmt: skip
    inputs, output = _parsed(equation, xs)
    _check_lengths(inputs, xs)
    xs = [_distinct(x, names) for x, names in zip(xs, inputs, strict=True)]
    left, names = xs[0]
    for k in range(1, len(xs)):
        later = set(output).union(*(n for _, n in xs[k + 1 :]))
        left, names = _contracted(left, names, *xs[k], later)
    left, names = _summed(left, names, set(output))
    return permute(left, *(names.index(n) for n in output)) if output else left


def _parsed(equation: str, xs: list) -> tuple[list[str], str]:
    """The letters of each operand and of the result; an ellipsis becomes letters of its own."""
    text = equation.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(xs):
        raise TensorError(
            f"einsum(): more operands were provided than specified in the equation {equation!r}"
            if len(inputs) < len(xs) else
            f"einsum(): fewer operands were provided than specified in the equation {equation!r}"
        )  # fmt: skip
    free = [c for c in reversed(string.ascii_letters) if c not in text]
    most = max(
        (x._a.ndim - len(n) + 3 for n, x in zip(inputs, xs, strict=True) if "..." in n), default=0
    )
    dots = "".join(free[:most])
    for k, (n, x) in enumerate(zip(inputs, xs, strict=True)):
        if "..." in n:
            here = x._a.ndim - len(n) + 3
            inputs[k] = n = n.replace("...", dots[len(dots) - here :])
        if len(n) != x._a.ndim:
            raise TensorError(
                f"einsum(): the number of subscripts in the equation ({len(n)}) does not match "
                f"the number of dimensions ({x._a.ndim}) for operand {k}"
            )
    if not arrow:
        joined = "".join(inputs)
        once = sorted(c for c in set(joined) if joined.count(c) == 1 and c not in dots)
        return inputs, dots + "".join(once)
    output = output.replace("...", dots)
    for c in output:
        if not any(c in n for n in inputs):
            raise TensorError(
                f"einsum(): output subscript {c} does not appear in the equation for any input"
            )
    return inputs, output


def _check_lengths(inputs: list[str], xs: list) -> None:
    found: dict[str, int] = {}
    for names, x in zip(inputs, xs, strict=True):
        for c, n in zip(names, x._a.shape, strict=True):
            known = found.setdefault(c, n)
            if n != known and 1 not in (n, known):
                raise TensorError(
                    f"einsum(): subscript {c} has size {n} for an operand, which does not "
                    f"broadcast with previously seen size {known}"
                )
            found[c] = max(known, n)


def _distinct(x: Tensor, names: str) -> tuple[Tensor, str]:
    """Takes the diagonal of the dims of a letter named twice."""
    for c in names:
        while names.count(c) > 1:
            a, b = names.index(c), names.rindex(c)
            x = diagonal(x, 0, a, b)
            names = names[:a] + names[a + 1 : b] + names[b + 1 :] + c
    return x, names


def _summed(x: Tensor, names: str, wanted: set) -> tuple[Tensor, str]:
    gone = tuple(k for k, c in enumerate(names) if c not in wanted)
    return (sum(x, gone) if gone else x), "".join(c for c in names if c in wanted)


def _contracted(x: Tensor, in_x: str, z: Tensor, in_z: str, later: set) -> tuple[Tensor, str]:
    """The product of two, summed over dims that are not needed later."""
    x, in_x = _summed(x, in_x, later | set(in_z))
    z, in_z = _summed(z, in_z, later | set(in_x))
    lengths = dict(zip(in_z, z._a.shape, strict=True))
    both = [c for c in in_x if c in in_z]
    if any(lengths[c] != n for c, n in zip(in_x, x._a.shape, strict=True) if c in lengths):
        return _broadcast(x, in_x, z, in_z, later)
    batch = [c for c in both if c in later]
    inner = [c for c in both if c not in later]
    rows, columns = ([c for c in n if c not in both] for n in (in_x, in_z))
    dims = {**lengths, **dict(zip(in_x, x._a.shape, strict=True))}

    def form(t: Tensor, names: str, *groups: list) -> Tensor:
        moved = permute(t, *(names.index(c) for g in groups for c in g)) if names else t
        return reshape(moved, [int(np.prod([dims[c] for c in g])) for g in groups])

    made = matmul(form(x, in_x, batch, rows, inner), form(z, in_z, batch, inner, columns))
    names = [*batch, *rows, *columns]
    return reshape(made, tuple(dims[c] for c in names)), "".join(names)


def _broadcast(x: Tensor, in_x: str, z: Tensor, in_z: str, later: set) -> tuple[Tensor, str]:
    """The same where a dim of length 1 meets a longer one."""
    names = in_x + "".join(c for c in in_z if c not in in_x)
    forms = []
    for t, own in ((x, in_x), (z, in_z)):
        order = [c for c in names if c in own]
        sizes = dict(zip(own, t._a.shape, strict=True))
        moved = permute(t, *(own.index(c) for c in order)) if own else t
        forms.append(reshape(moved, tuple(sizes.get(c, 1) for c in names)))
    return _summed(mul(*forms), names, later)


# ---- by number ----
@declared("tensordot", method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over the last dims of one and the first of the other, or given ones.

    >>> import srcgrad as flow
    >>> flow.tensordot(flow.tensor([[1, 2], [3, 4]]), flow.tensor([[1, 0], [0, 1]]))
    tensor(5, dtype=srcgrad.int64)
    """
    if isinstance(dims, int):
        one, other = list(range(a._a.ndim - dims, a._a.ndim)), list(range(dims))
    else:
        lists = [d if isinstance(d, tuple | list) else [d] for d in dims]
        one, other = (
            [one_axis(t._a.ndim, k) for k in d] for t, d in zip((a, b), lists, strict=True)
        )
    in_a, in_b = [*string.ascii_letters[: a._a.ndim]], [*string.ascii_letters[26 : 26 + b._a.ndim]]
    for k, m in zip(one, other, strict=True):
        if a._a.shape[k] != b._a.shape[m]:
            raise TensorError("contracted dimensions need to match")
        in_b[m] = in_a[k]
    rest = [c for k, c in enumerate(in_a) if k not in one] + [
        c for m, c in enumerate(in_b) if m not in other
    ]
    return einsum(f"{''.join(in_a)},{''.join(in_b)}->{''.join(rest)}", a, b)


@declared("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products over the last dims; for a 0-d tensor the product.

    >>> import srcgrad as flow
    >>> flow.inner(flow.tensor([1, 2]), flow.tensor([3, 4]))
    tensor(11, dtype=srcgrad.int64)
    """
    if not input._a.ndim or not other._a.ndim:
        return mul(input, other)
    return tensordot(input, other, ([-1], [-1]))


@declared("vdot")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of the products of two vectors.

    >>> import srcgrad as flow
    >>> flow.vdot(flow.tensor([1, 2]), flow.tensor([3, 4]))
    tensor(11, dtype=srcgrad.int64)
    """
    return matmul(input, other)


@declared("kron")
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of one times the whole other.

    >>> import srcgrad as flow
    >>> flow.kron(flow.tensor([1, 10]), flow.tensor([1, 2]))
    tensor([ 1,  2, 10, 20], dtype=srcgrad.int64)
    """
    n = max(input._a.ndim, other._a.ndim)
    a, b = ((1,) * (n - t._a.ndim) + t._a.shape for t in (input, other))
    x = reshape(input, tuple(d for m in a for d in (m, 1)))
    z = reshape(other, tuple(d for m in b for d in (1, m)))
    return reshape(mul(x, z), tuple(i * k for i, k in zip(a, b, strict=True)))


# ---- products added to a tensor ----
def _plus(input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = product if alpha == 1 else mul(product, alpha)
    return product if beta == 0 else add(input if beta == 1 else mul(input, beta), product)


@declared("addmv", in_place=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    >>> import srcgrad as flow
    >>> flow.addmv(flow.tensor([1.0, 2.0]), flow.eye(2), flow.tensor([3.0, 4.0]))
    tensor([4., 6.], dtype=srcgrad.float32)
    """
    return _plus(input, matmul(mat, vec), beta, alpha)


@declared("addr", in_place=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (the outer product of two vectors).

    >>> import srcgrad as flow
    >>> flow.addr(flow.zeros(2, 2), flow.tensor([1.0, 2.0]), flow.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]], dtype=srcgrad.float32)
    """
    return _plus(input, mul(unsqueeze(vec1, 1), unsqueeze(vec2, 0)), beta, alpha)


@declared("baddbmm", in_place=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), of stacks of matrices.

    >>> import srcgrad as flow
    >>> a = flow.ones(2, 1, 3)
    >>> flow.baddbmm(flow.ones(2, 1, 1), a, a.mT).tolist()
    [[[4.0]], [[4.0]]]
    """
    return _plus(input, matmul(batch1, batch2), beta, alpha)


@declared("addbmm", in_place=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """beta * input + alpha * (the sum of batch1 @ batch2 over the stack).

    >>> import srcgrad as flow
    >>> a = flow.ones(2, 1, 3)
    >>> flow.addbmm(flow.tensor([[1.0]]), a, a.mT)
    tensor([[7.]], dtype=srcgrad.float32)
    """
    return _plus(input, sum(matmul(batch1, batch2), 0), beta, alpha)


@declared("chain_matmul", method=False)
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices, from the left.

    >>> import srcgrad as flow
    >>> flow.chain_matmul(flow.ones(2, 3), flow.ones(3, 4), flow.ones(4, 5)).shape
    srcgrad.Size([2, 5])
    """
    made = matrices[0]
    for m in matrices[1:]:
        made = matmul(made, m)
    return made


@declared("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three along a dim: the first of length 3 unless given.

    >>> import srcgrad as flow
    >>> flow.cross(flow.tensor([1, 0, 0]), flow.tensor([0, 1, 0]))
    tensor([0, 0, 1], dtype=srcgrad.int64)
    """
    k = input._a.shape.index(3) if dim is None else one_axis(input._a.ndim, dim)
    if input._a.shape[k] != 3 or other._a.shape[k] != 3:
        raise TensorError(f"linalg.cross: inputs dimension {k} must have length 3")
    ahead, behind = (lambda t: roll(t, -1, k)), (lambda t: roll(t, 1, k))
    return sub(mul(ahead(input), behind(other)), mul(behind(input), ahead(other)))
