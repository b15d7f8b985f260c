"""The backward pass: walks nodes by descending level, without recursion.

Gradients are plain arrays; under `create_graph` they are tensors and the rules record themselves.
A node is visited once, after all that contribute to it; its hooks see the sum. Leaves come last.
Knows no primitive and no rule.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import devices, hooks, mode
from srcgrad.eager.graph import HOOKED, Leaf, Node
from srcgrad.eager.holders import IN_CALLERS_DICT, IN_CALLERS_VARIABLE, references
from srcgrad.eager.tensor import Tensor, make, storage
from srcgrad.errors import ArgumentValueError, AutogradError, TensorTypeError


def run(
    roots: Sequence[tuple[Node, Any]],
    keep: bool,
    record: bool,
    wanted: dict[Any, Any] | None = None,
) -> None:
    """Sends gradients from the roots down the graph.

    `wanted` maps nodes to the gradients that arrive there (filled in; leaves among them gain
    nothing); without it leaves accumulate into their tensors' `grad`.
    """
    pending: dict[Node, Any] = {}
    for node, g in roots:
        pending[node] = added(pending[node], g) if node in pending else g
    on_path = None if wanted is None else leading_to(list(pending), set(wanted))
    heap = [(-node.level, k, node) for k, node in enumerate(pending) if type(node) is not Leaf]
    heapq.heapify(heap)
    count, hooked, node = len(heap), HOOKED.data, None  # type: ignore[attr-defined]  (set by `hooks`)
    watcher, g = mode.watcher(), None
    if heap:
        node = heapq.heappop(heap)[2]
        g = pending.pop(node)
    while node is not None:
        if watcher is None and wanted is None and not (record or heap or pending):
            # a chain: nothing else is pending, and there is no watcher
            while not node.many and not hooked:
                g = node.vjp(g, keep)
                node = node.next
                if type(node) is Leaf:
                    break
            if type(node) is Leaf:
                pending[node] = g
                break
        if hooked and node in HOOKED:
            g = hooks.run(node, g, record)
        if wanted is not None:
            if node in wanted:
                wanted[node] = g
            if on_path is not None and node not in on_path:
                node = heapq.heappop(heap)[2] if heap else None
                g = pending.pop(node, None)  # type: ignore[arg-type]  (None is no key)
                continue
        if watcher is not None:
            made = watcher.walked(node, g, keep, record)
        else:
            made = node.vjp_recorded(g, keep) if record else node.vjp(g, keep)
        if hooked and node in HOOKED:
            made = hooks.after(node, made, g, record)
        if node.many:
            for head, c in zip(node.next, made, strict=True):
                if head is None or c is None:
                    continue
                if head in pending:
                    pending[head] = added(pending[head], c)
                elif on_path is None or head in on_path or head in wanted:
                    pending[head] = c
                    if type(head) is not Leaf:
                        count += 1
                        heapq.heappush(heap, (-head.level, count, head))
        else:
            head = node.next
            if head in pending:
                pending[head] = added(pending[head], made)
            elif on_path is None or head in on_path or head in wanted:
                if not heap and type(head) is not Leaf:  # a chain: nothing else is pending
                    node, g = head, made
                    continue
                pending[head] = made
                if type(head) is not Leaf:
                    count += 1
                    heapq.heappush(heap, (-head.level, count, head))
        node = heapq.heappop(heap)[2] if heap else None
        g = pending.pop(node, None)  # type: ignore[arg-type]  (None is no key)
    made = g = c = None
    while pending:
        node, g = pending.popitem()
        if hooked and node in HOOKED:
            g = hooks.run(node, g, record)
        if wanted is None:
            accumulate(node, g, record)
        elif node in wanted:
            wanted[node] = g


def added(a: Any, b: Any) -> Any:
    """The sum of two gradients for one node; by number for a node with several results."""
    if b is None:
        return a
    if type(a) is dict:
        both = dict(a)
        for k, g in b.items():
            both[k] = added(both[k], g) if k in both else g
        return both
    # only `pending` holds it: nothing else sees it change
    if (
        type(a) is np.ndarray and type(b) is np.ndarray and a.base is None
        and a.dtype is b.dtype and references(a) <= IN_CALLERS_DICT
    ):  # fmt: skip
        a += b
        return a
    return a + b


def leading_to(roots: Iterable[Node], targets: set[Node]) -> set[Node]:
    """The nodes below the roots from which some target can be reached, without the targets."""
    lowest = min((t.level for t in targets), default=0)
    reaches: dict[Node, bool] = {}
    stack = list(roots)
    while stack:
        node = stack[-1]
        heads = _heads(node) if node.level > lowest else ()
        if node not in reaches:
            reaches[node] = False
            stack += [h for h in heads if h not in reaches]
        else:
            stack.pop()
            reaches[node] = reaches[node] or any(h in targets or reaches.get(h) for h in heads)
    return {node for node, yes in reaches.items() if yes}


def _heads(node: Node) -> tuple[Any, ...]:
    if node.many:
        return tuple(n for n in node.next if n is not None)
    return () if node.next is None else (node.next,)


def accumulate(leaf: Any, g: Any, record: bool) -> None:
    """Adds a gradient to the leaf's `grad`; reuses its array if nothing else holds that."""
    tensor = leaf.tensor()
    if tensor is None or tensor._node is not leaf:
        return
    before = tensor.grad
    if record:
        tensor._grad = g.clone() if before is None else before + g
    elif before is not None:
        if before._node is None:
            before._a += g
            storage(before).version += 1
        else:
            tensor._grad = make(before._a + g)
    else:
        alone = references(g) <= IN_CALLERS_VARIABLE
        ours = alone and type(g) is np.ndarray and g.base is None
        tensor._grad = make(
            g if ours else (g if type(g) is np.ndarray else devices.array_of(g)).copy()
        )
    hooks.after_accumulation(leaf, tensor)


# ---- entry points ----
def _seeds(outputs: Sequence[Tensor], grads: Sequence[Any], record: bool) -> list[Any]:
    roots = []
    for k, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        if not isinstance(out, Tensor):
            raise TensorTypeError(f"expected a Tensor at position {k}, got {type(out).__name__}")
        if out._node is None:
            if g is None or len(outputs) == 1:
                raise AutogradError(
                    f"element {k} of tensors does not require grad and does not have a grad_fn",
                    None, "make what it depends on with requires_grad=True, and compute it "
                    "outside of no_grad() and detach()",
                )  # fmt: skip
            continue
        if g is None:
            if out._a.size != 1:
                raise AutogradError(
                    "Check failed: IsScalarTensor(*outputs.at(i)) "
                    "Grad can be implicitly created only for scalar outputs", None,
                    "reduce it first, y.sum().backward(), or weigh it: y.backward(weights)",
                )  # fmt: skip
            seed: Any = devices.namespace(out._a).ones(out._a.shape, out._a.dtype)
            roots.append((out._node, make(seed) if record else seed))
            continue
        if g._a.shape != out._a.shape:
            raise AutogradError(
                f"out_grad's shape must be same as output's ({g._a.shape} vs {out._a.shape})"
            )
        if g._a.dtype != out._a.dtype:
            g = g.to(out.dtype)
        roots.append((out._node, g if record else g._a))
    return roots


def _sequence(x: Any) -> list[Any]:
    return [x] if isinstance(x, Tensor) or x is None else list(x)


def _pair_up(tensors: Any, grads: Any) -> tuple[list[Any], list[Any]]:
    outputs = _sequence(tensors)
    given = [None] * len(outputs) if grads is None else _sequence(grads)
    for g in given:
        if g is not None and not isinstance(g, Tensor):
            kind = type(g).__name__
            raise TensorTypeError(f"gradients can be either Tensors or None, but got {kind}")
    if len(given) != len(outputs):
        raise AutogradError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return outputs, given


def _walk(roots: list[Any], keep: bool, record: bool, wanted: dict[Any, Any] | None) -> None:
    succeeded = False
    hooks.begin()
    try:
        with mode.enable_grad() if record else mode.no_grad(), np.errstate(all="ignore"):
            run(roots, keep, record, wanted)
        succeeded = True
    finally:
        hooks.end(succeeded)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Adds the gradients of `tensors`, weighted with `grad_tensors`, to the leaves' `grad`.

    Non-scalar tensors need a weight of their shape. With `inputs` only those gain. The
    graph is released unless `retain_graph` (its default is `create_graph`). RuntimeError where
    no gradient can be computed.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0], requires_grad=True)
    >>> flow.autograd.backward([x * x, x.sum()], [flow.ones(2), None])
    >>> x.grad
    tensor([3., 5.], dtype=srcgrad.float32)
    """
    outputs, given = _pair_up(tensors, grad_tensors)
    roots = _seeds(outputs, given, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        _walk(roots, keep, create_graph, None)
        return
    targets = _sequence(inputs)
    if not targets:
        raise AutogradError("`inputs` argument to `backward()` cannot be empty.")
    wanted = {t._node: None for t in targets if t._node is not None}
    _walk(roots, keep, create_graph, wanted)
    for t in {id(t): t for t in targets}.values():
        g = wanted.get(t._node)
        if g is None:
            continue
        if type(t._node) is Leaf:
            accumulate(t._node, g, create_graph)
        else:
            more = (
                g
                if create_graph
                else make((g if type(g) is np.ndarray else devices.array_of(g)).copy())
            )
            t._grad = more if t.grad is None else t.grad + more


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`, weighted with `grad_outputs`.

    Nothing is accumulated. RuntimeError for an input that the outputs do not depend on, unless
    `allow_unused`: then None, or zeros with `materialize_grads`. With `is_grads_batched` the first
    dim of each weight counts batches, and so does that of each gradient.

    >>> import srcgrad as flow
    >>> x = flow.tensor(3.0, requires_grad=True)
    >>> (g,) = flow.autograd.grad(x**3, x, create_graph=True)
    >>> flow.autograd.grad(g, x)
    (tensor(18., dtype=srcgrad.float32),)
    """
    if allow_unused is False and materialize_grads:
        raise ArgumentValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    targets = _sequence(inputs)
    if not targets:
        raise AutogradError("`inputs` argument to `grad()` cannot be empty.")
    for t in targets:
        if not isinstance(t, Tensor):
            raise TensorTypeError(f"inputs must be Tensors, got {type(t).__name__}")
        if t._node is None:
            raise AutogradError("One of the differentiated Tensors does not require grad")
    out, given = _pair_up(outputs, grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    gradients = _batched if is_grads_batched else _gradients
    made = gradients(targets, out, given, keep, create_graph)
    for k, (t, g) in enumerate(zip(targets, made, strict=True)):
        if g is None and materialize_grads:
            batch = given[0].shape[:1] if is_grads_batched else ()
            made[k] = make(devices.namespace(t._a).zeros((*batch, *t._a.shape), t._a.dtype))
        elif g is None and not allow_unused:
            raise AutogradError(
                f"The differentiated Tensor at index {k} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
    return tuple(made)


def _gradients(
    targets: list[Any], outputs: list[Any], weights: list[Any], keep: bool, create_graph: bool
) -> list[Tensor | None]:
    """The gradient by each target; None where the outputs do not depend on it."""
    wanted: dict[Any, Any] = {t._node: None for t in targets}
    _walk(_seeds(outputs, weights, create_graph), keep, create_graph, wanted)
    found = [wanted[t._node] for t in targets]
    if create_graph:
        return found
    return [
        None if g is None else make((g if type(g) is np.ndarray else devices.array_of(g)).copy())
        for g in found
    ]


def _batched(
    targets: list[Any], outputs: list[Any], weights: list[Any], keep: bool, create_graph: bool
) -> list[Tensor | None]:
    """The gradients for each item of the weights' first dim, stacked."""
    from srcgrad.eager.functions.shapes import stack

    lengths = {w.shape[0] if w is not None and w.ndim else 0 for w in weights}
    if len(lengths) != 1 or lengths == {0}:
        raise AutogradError("is_grads_batched=True: grad_outputs need a first dim of one length")
    rows = [[w[k] for w in weights] for k in range(lengths.pop())]
    walks = [
        _gradients(targets, outputs, row, keep or row is not rows[-1], create_graph) for row in rows
    ]
    return [None if each[0] is None else stack(each) for each in zip(*walks, strict=True)]


def _backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Adds this tensor's gradients to the leaves' `grad`: see `autograd.backward`.

    >>> import srcgrad as flow
    >>> x = flow.tensor(3.0, requires_grad=True)
    >>> (x * x).backward()
    >>> x.grad
    tensor(6., dtype=srcgrad.float32)
    """
    backward(self, gradient, retain_graph, create_graph, inputs)


_backward.__name__ = "backward"
Tensor.backward = _backward
