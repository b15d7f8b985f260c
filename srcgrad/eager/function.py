"""`autograd.Function`: an operation whose forward and backward the user writes.

`forward(ctx, *args)` runs unrecorded; `backward(ctx, *grads)` gives one gradient per argument, None
where there is none. The context holds saved tensors with their versions. Runs no rule of the table.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import numpy as np

from srcgrad.eager import devices, mode
from srcgrad.eager.apply import recording
from srcgrad.eager.graph import Node, Output, level_above
from srcgrad.eager.inplace import check_writable, rebase
from srcgrad.eager.saved import Packed, modified, rebuilt
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import AutogradError, TensorTypeError


class FunctionCtx:
    """The data that `forward` leaves for `backward`; attributes may be set freely."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._saved: list[Any] | None = []
        self._kept: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._materialize = True
        self._node: Node | None = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Saves tensors (or None) for `backward`; TypeError for anything else."""
        for k, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor):
                raise TensorTypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{k} is of type {type(t).__name__}"
                )
        self._kept = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors; RuntimeError once released, or if one was modified since."""
        if self._saved is None:
            assert self._node is not None
            raise self._node.released()
        if self._node is None:
            return self._kept
        return tuple(self._unpacked(entry) for entry in self._saved)

    def _unpacked(self, entry: Any) -> Any:
        if entry is None:
            return None
        a, head, store, version = entry
        if type(a) is Packed:
            a, store = a.tensor()._a, None
        if store is not None and store.version != version:
            assert self._node is not None
            raise modified(self._node, a, store.version, version)
        return rebuilt(a, self._node if head is _OURS else head, store)

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Declares that some results have no gradient."""
        self._constant = outputs

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declares arguments that `forward` modified and returns: they get its node."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Sets whether `backward` gets zeros rather than None for results that were not used."""
        self._materialize = value

    def _pack(self, node: Node, outputs: list[Any]) -> None:
        """Turns saved tensors into arrays with versions: own results are not held as tensors."""
        from srcgrad.eager.tensor import storage

        self._node = node
        self._saved = []
        for t in self._kept:
            if t is None:
                self._saved.append(None)
                continue
            head = _OURS if any(t is o for o in outputs) else t._node
            s, hooks = storage(t), mode.saving()
            a = t._a if hooks is None else Packed(t, hooks)
            self._saved.append((a, head, s, s.version))
        self._kept = ()


_OURS: Any = object()


class _FunctionNode(Node):
    """The node of one call of a user's function."""

    __slots__ = ("ctx", "forms", "function", "zeros")
    many = True

    def vjp(self, g: Any, keep: bool) -> Any:
        made = self._run({k: make(_own(x)) for k, x in _numbered(g).items()}, keep)
        return [None if t is None else t._a for t in made]

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        return self._run(_numbered(g), keep)

    def __repr__(self) -> str:
        return f"<srcgrad.autograd.function.{self.label} object at {id(self):#x}>"

    def _run(self, given: dict[int, Tensor], keep: bool) -> list[Any]:
        ctx = self.ctx
        if ctx._saved is None:
            raise self.released()
        grads = [given.get(k) for k in range(len(self.zeros))]
        if ctx._materialize:
            grads = [
                make(zeros()) if g is None else g
                for g, zeros in zip(grads, self.zeros, strict=True)
            ]
        made = self.function.backward(ctx, *grads)
        if not keep and ctx._saved:
            ctx._saved = None
        return self._checked(made if isinstance(made, tuple | list) else (made,))

    def _checked(self, made: Any) -> list[Any]:
        heads, name = self.next, self.label
        extra = made[len(heads) :]
        if len(made) < len(heads) or any(g is not None for g in extra):
            raise AutogradError(
                f"function {name} returned an incorrect number of gradients (expected "
                f"{len(heads)}, got {len(made)})"
            )
        out = []
        for k, (head, g) in enumerate(zip(heads, made, strict=False)):
            if g is not None and not isinstance(g, Tensor):
                raise AutogradError(f"expected Variable or None (got {type(g).__name__})")
            if head is None or g is None:
                out.append(None)
                continue
            shape, dtype = self.forms[k]
            if g._a.shape != shape:
                if not _summable(g._a.shape, shape):
                    raise AutogradError(
                        f"Function {name} returned an invalid gradient at index {k} - got "
                        f"{list(g._a.shape)} but expected shape compatible with {list(shape)}"
                    )
                from srcgrad.primitives import reductions

                g = reductions.sum_to(g, *shape)
            out.append(g if g._a.dtype == dtype else g.to(dtype))
        return out


def _summable(shape: tuple[Any, ...], target: tuple[Any, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == shape
    except ValueError:
        return False


def _own(g: Any) -> Any:
    """A gradient that `backward` may write: a number repeated in memory becomes an array."""
    return g if isinstance(g, Tensor) or devices.is_own(g) else g.copy()


def _numbered(g: Any) -> dict[Any, Any]:
    return g if isinstance(g, dict) else {0: g}


class _Meta(type):
    """`F()` is a stand-in whose call is `F.apply`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            raise TensorTypeError(f"{cls.__name__}() takes no arguments: use {cls.__name__}.apply")
        return super().__call__()


class Function(metaclass=_Meta):
    """An operation with its own derivative: subclass it, write `forward` and `backward`.

    `F.apply(x)` and `F()(x)` run it. RuntimeError if `backward` returns a wrong number of
    gradients or wrong shapes.

    >>> import srcgrad as flow
    >>> class Double(flow.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = flow.tensor(1.0, requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor(2., dtype=srcgrad.float32)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the results from the arguments; `ctx` holds what `backward` needs."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **ignored: Any) -> Any:
        """Computes the arguments' gradients from the results'.

        With `**ignored` a type checker takes any parameters where a class defines it anew.
        """
        raise NotImplementedError(
            "You must implement the backward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves what `backward` needs. A class that defines it has a `forward` without `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return type(self).apply(*args, **kwargs)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs `forward` on the arguments and records one node for it."""
        heads = tuple(a._node if isinstance(a, Tensor) else None for a in args)
        record = recording() and any(h is not None for h in heads)
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(h is not None for h in heads)
        with mode.no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args, **kwargs)
            else:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
        several = isinstance(result, tuple | list)
        outputs = list(result) if several else [result]
        for o in outputs:
            if o is not None and not isinstance(o, Tensor) and record:
                kind = type(o).__name__
                raise TensorTypeError(f"{cls.__name__}.forward: expected Tensors, got {kind}")
        if record:
            outputs = _recorded(cls, ctx, heads, args, outputs)
        return tuple(outputs) if several else outputs[0]


_node_classes: weakref.WeakKeyDictionary[type[Any], type[Any]] = weakref.WeakKeyDictionary()


def _node_class(cls: type[Any]) -> type[Any]:
    """The class of the nodes of a function, which is named after it."""
    made = _node_classes.get(cls)
    if made is None:
        label = f"{cls.__name__}Backward"
        made = type(label, (_FunctionNode,), {"__slots__": (), "label": label})
        _node_classes[cls] = made
    return made


def _recorded(
    cls: Any, ctx: FunctionCtx, heads: tuple[Any, ...], args: tuple[Any, ...], outputs: list[Any]
) -> list[Any]:
    node: Any = object.__new__(_node_class(cls))
    node.level, node.next, node.ctx, node.function = level_above(heads), heads, ctx, cls
    node.zeros = [
        partial(devices.namespace(o._a).zeros, o._a.shape, o._a.dtype)
        if isinstance(o, Tensor)
        else partial(np.zeros, (), np.float32)
        for o in outputs
    ]
    node.forms = [(a._a.shape, a._a.dtype) if isinstance(a, Tensor) else None for a in args]
    ctx._pack(node, outputs)
    if (watcher := mode.watcher()) is not None:
        watcher.made(node)
    _check_dirty(ctx, outputs)
    made = []
    for k, o in enumerate(outputs):
        if (
            not isinstance(o, Tensor)
            or o._a.dtype.kind not in "fc"
            or any(o is c for c in ctx._constant)
        ):
            made.append(o)
            continue
        own = node if len(outputs) == 1 else Output(node, k)
        if any(o is d for d in ctx._dirty):
            rebase(o, own)  # its base and its views follow
            made.append(o)
            continue
        if any(o is a for a in args) or o._node is not None:  # an argument passed through
            o = o.detach()
        o._view = None  # its gradient is what `backward` returns, not that of a view
        o._node = own
        made.append(o)
    return made


def _check_dirty(ctx: FunctionCtx, outputs: list[Any]) -> None:
    for t in ctx._dirty:
        if not any(t is o for o in outputs):
            raise AutogradError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
        check_writable(t)
