"""`Tensor`: a NumPy array, the node it came from, and its gradient.

Defines attributes and conversions; the table in `functions` attaches functions and operators, the
engine attaches `backward`. Holds no rule and records nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes, graph, mode
from srcgrad.eager.data import array_of_data
from srcgrad.eager.dtypes import Size
from srcgrad.errors import (
    ArgumentValueError,
    AutogradError,
    TensorError,
    TensorTypeError,
    nearest,
)


class Storage:
    """State shared by all tensors over one buffer: its version, and views to update."""

    __slots__ = ("version", "views")

    def __init__(self) -> None:
        self.version = 0
        self.views: list = []  # weak references to views, which in-place operations rebase


class Tensor:
    """An array whose operations are recorded for `backward`; made by `flow.tensor`.

    `Tensor(data, dtype=None, requires_grad=False)` is `flow.tensor` itself, `Tensor(2, 3)` a tensor
    of zeros with these dims.

    >>> import srcgrad as flow
    >>> x = flow.Tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.], dtype=srcgrad.float32)
    """

    # _a: the array; _node: the node it came from or its Leaf, None if it does not require grad;
    # _store: None until there is a view or an in-place operation; _grad and _view may be unset
    __slots__ = ("__weakref__", "_a", "_grad", "_node", "_store", "_view")
    __module__ = "srcgrad"
    __array_priority__ = 1000

    _a: np.ndarray
    _node: graph.Node | None
    _store: Storage | None

    def __new__(
        cls, data: Any = None, dtype: Any = None, requires_grad: bool = False, *sizes: int
    ) -> Any:
        self = object.__new__(cls)
        if type(dtype) is int and type(data) is int:
            more = (requires_grad,) if type(requires_grad) is int else ()
            data, dtype = np.zeros((data, dtype, *more, *sizes)), dtypes.get_default_dtype()
            requires_grad = requires_grad is True
        self._a = array_of_data([] if data is None else data, dtype).copy(order="K")
        self._node = self._store = None
        if requires_grad:
            self.requires_grad = True
        return self

    # ---- form ----
    @property
    def shape(self) -> Size:
        return Size(self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dim."""
        return Size(self._a.shape) if dim is None else self._a.shape[dim]

    @property
    def ndim(self) -> int:
        return self._a.ndim

    @property
    def dtype(self) -> dtypes.dtype:
        return dtypes.of(self._a)

    @property
    def device(self) -> devices.device:
        return devices.device_of(self._a)

    def dim(self) -> int:
        """The number of dims."""
        return self._a.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._a.size

    nelement = numel

    @property
    def nbytes(self) -> int:
        return self._a.nbytes

    @property
    def itemsize(self) -> int:
        return self._a.itemsize

    @property
    def is_cuda(self) -> bool:
        return devices.on_device(self._a)

    def get_device(self) -> int:
        """The number of the CUDA device; -1 on the CPU."""
        at = self.device.index
        return -1 if at is None else at

    def element_size(self) -> int:
        """The bytes of one element."""
        return self._a.itemsize

    def stride(self) -> tuple[int, ...]:
        """The distance in elements between neighbours along each dim."""
        return tuple(s // self._a.itemsize for s in self._a.strides)

    def is_contiguous(self) -> bool:
        """Whether the elements are in memory in the order of the indices."""
        return self._a.flags.c_contiguous

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating one."""
        return self._a.dtype.kind == "f"

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._a.data.ptr if self.is_cuda else self._a.ctypes.data)  # type: ignore[attr-defined]  (CuPy's)

    # ---- autograd state ----
    @property
    def requires_grad(self) -> bool:
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise AutogradError("requires_grad must be a bool")
        if not self.is_leaf:
            raise AutogradError(
                "You can only change requires_grad flags of leaf tensors. If you want to use a "
                "computed tensor in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        if value and self._a.dtype.kind != "f":
            raise AutogradError(
                "only Tensors of floating point can require gradients", None,
                "write floats, such as 1.0, or convert: x.float()",
            )  # fmt: skip
        if value != (self._node is not None):
            self._node = graph.Leaf(self) if value else None

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Sets `requires_grad` in place; RuntimeError for integers, or False on a non-leaf."""
        if self.is_leaf or not requires_grad:
            self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        return self._node is None or type(self._node) is graph.Leaf

    @property
    def grad_fn(self) -> graph.Node | None:
        return None if type(self._node) is graph.Leaf else self._node

    @property
    def output_nr(self) -> int:
        """The index of this tensor among its node's results."""
        return self._node.index if type(self._node) is graph.Output else 0

    @property
    def grad(self) -> Tensor | None:
        return getattr(self, "_grad", None)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                kind = type(value).__name__
                raise TensorTypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {kind}"
                )
            if value._a.shape != self._a.shape:
                raise AutogradError(
                    f"attempting to assign a gradient of size '{list(value._a.shape)}' to a tensor "
                    f"of size '{list(self._a.shape)}'. Please ensure that the gradient and the "
                    "tensor are the same size"
                )
            if value._a.dtype != self._a.dtype:
                raise AutogradError(
                    f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor with "
                    f"dtype '{self.dtype}'. Please ensure that the gradient and the tensor have "
                    "the same dtype"
                )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        return 0 if self._store is None else self._store.version

    def _is_view(self) -> bool:
        """Whether this is a view of another tensor and part of its history."""
        return self._base is not None

    @property
    def _base(self) -> Tensor | None:
        view = getattr(self, "_view", None)
        return None if view is None else view[0]

    @property
    def srcgrad_value(self) -> Any:
        """The value of this tensor in compiled code: the array, or a NumPy scalar for no dims."""
        a = self._a
        if a.ndim:
            return a
        return a[()] if type(a) is np.ndarray else a.dtype.type(a.item())

    def detach(self) -> Tensor:
        """The same data and version, outside the graph."""
        t = make(self._a)
        t._store = storage(self)
        return t

    def detach_(self) -> Tensor:
        """Takes this tensor out of the graph; RuntimeError for a view."""
        if getattr(self, "_view", None) is not None and self._node is not None:
            raise AutogradError("Can't detach views in-place. Use detach() instead.")
        self._node = None
        return self

    @property
    def data(self) -> Tensor:
        """The same data outside the graph; writing to it does not change this one's version."""
        return make(self._a)

    @data.setter
    def data(self, value: Tensor) -> None:
        storage(self).version += 1  # nodes that saved this tensor must not use the new data
        self._a = value._a

    # ---- data ----
    def item(self) -> Any:
        """The value of a tensor of one element, as a Python number; RuntimeError for more."""
        if (n := self._a.size) != 1:
            raise TensorError(f"a Tensor with {n} elements cannot be converted to Scalar")
        self._check_no_gradient_lost("item()")
        return self._a.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        self._check_no_gradient_lost("tolist()")
        return self._a.tolist()

    def _check_no_gradient_lost(self, how: str) -> None:
        """RuntimeError for plain numbers taken out of a function that is being differentiated."""
        if self._node is not None and mode.is_differentiated():
            raise TensorError(
                f"{how} of a tensor that the gradient flows through: in a function that is "
                f"differentiated it would be lost. Use detach().{how} for a number without one."
            )

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, sharing memory; RuntimeError if the tensor requires grad.

        TypeError for a tensor on a CUDA device, unless `force`: then it is copied.
        """
        if not force:
            self._check_detached()
        if self.is_cuda and not force:
            raise TensorTypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to "
                "copy the tensor to host memory first."
            )
        return devices.moved(self._a, devices.CPU)

    def _check_detached(self) -> None:
        if self._node is not None:
            raise TensorError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )

    def asnumpy(self) -> np.ndarray:
        """The array, requiring grad or not; it shares memory except on a CUDA device."""
        self._check_no_gradient_lost("asnumpy()")
        return devices.moved(self._a, devices.CPU)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        a = self.numpy()
        return np.array(a, dtype) if copy or (dtype is not None and a.dtype != dtype) else a

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:  # fmt: skip
        self._check_detached()
        asked = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        options = {name: v for name, v in asked.items() if v is not None}
        return self._a.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> Any:
        return self._a.__dlpack_device__()

    def __bool__(self) -> bool:
        if self._a.size != 1:
            many = "more than one value" if self._a.size else "no values"
            raise TensorError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self._a.item())

    def __float__(self) -> float:
        return float(self._only().item())

    def __int__(self) -> int:
        return int(self._only().detach().item())  # no gradient flows through an integer

    def __complex__(self) -> complex:
        return complex(self._only().item())

    def _only(self) -> Tensor:
        """The tensor itself; ValueError if it has several elements, or none."""
        if self._a.size != 1:
            raise ArgumentValueError("only one element tensors can be converted to Python scalars")
        return self

    def __index__(self) -> int:
        if self._a.size != 1 or self._a.dtype.kind not in "iub":
            raise TensorTypeError("only integer tensors of a single element can be an index")
        return int(self._a.item())

    def __len__(self) -> int:
        if not self._a.ndim:
            raise TensorTypeError("len() of a 0-d tensor")
        return len(self._a)

    def __iter__(self) -> Any:
        if not self._a.ndim:
            raise TensorTypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self._a)))  # type: ignore[index]  (an array)

    def __contains__(self, value: Any) -> bool:
        return bool((self._a == (value._a if isinstance(value, Tensor) else value)).any())

    def __hash__(self) -> int:
        return id(self)

    # ---- text ----
    def __repr__(self) -> str:
        from srcgrad.eager.printing import tensor_text

        return tensor_text(self)

    def __format__(self, spec: str) -> str:
        if not self._a.ndim and self._a.size:
            return format(self._a.item(), spec)
        return object.__format__(self, spec)

    def __getattr__(self, name: str) -> Any:
        text = f"'Tensor' object has no attribute '{name}'"
        near = "" if name.startswith("_") else nearest(name, dir(type(self)))
        if near:
            text += f". Did you mean: '{near}'?"
        raise AttributeError(text, name=name)  # with obj= Python would repeat it


def make(a: Any, node: graph.Node | None = None) -> Tensor:
    """A tensor over an array, or over a NumPy scalar."""
    t = object.__new__(Tensor)
    t._a = a if type(a) is np.ndarray else devices.array_of(a)
    t._node = node
    t._store = None
    return t


def storage(t: Tensor) -> Storage:
    """A tensor's storage, made on first need; its node gets it to check its saved result."""
    s = t._store
    if s is None:
        s = t._store = Storage()
        if hasattr(t._node, "out"):
            t._node.out = s  # type: ignore[union-attr]  (it has the attribute)
    return s
