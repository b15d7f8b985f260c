"""`flow.Parameter`: MindSpore's, with a name that the cells above it extend; tuples of them.

`nn.Parameter` is PyTorch's, and its base. Functional transforms differentiate with respect to both
through `weights=`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.inplace import write
from srcgrad.eager.mode import is_grad_enabled, no_grad
from srcgrad.eager.tensor import make, storage
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, TensorError
from srcgrad.nn import parameter


class Parameter(parameter.Parameter):
    """A Parameter with a name, made of a tensor, an array, a number or a list.

    The data are copied; a Python integer becomes an int32. Integers have no gradient.

    >>> import srcgrad as flow
    >>> w = flow.Parameter(flow.tensor([1.0, 2.0]), name="w")
    >>> w
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    >>> w.set_data(flow.tensor([3.0, 4.0])).asnumpy()
    array([3., 4.], dtype=float32)
    """

    srcgrad_parameter = True

    def __new__(
        cls, default_input: Any, name: str | None = None, requires_grad: bool = True,
        layerwise_parallel: bool = False, parallel_optimizer: bool = True,
    ) -> Self:  # fmt: skip
        if isinstance(default_input, str):
            raise ArgumentTypeError(
                "For 'Parameter', the data must be a tensor, an array, a number or a list of "
                "numbers, but got type 'str'."
            )
        number = type(default_input) is int
        self = Tensor.__new__(cls, np.int32(default_input) if number else default_input)
        self.name = parameter.Parameter.name if name is None else name
        self.requires_grad = requires_grad
        return self

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise ArgumentValueError(
                "The type of the Parameter's name should be 'string' or 'None', but got "
                f"{type(name)}."
            )
        self._name = name

    @property
    def requires_grad(self) -> bool:
        """Whether it is trained. For integers it may be set, without effect."""
        return self._trained

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ArgumentTypeError("The argument `requires_grad` must be bool type")
        self._trained = value
        if self._a.dtype.kind == "f":
            Tensor.requires_grad.__set__(self, value)

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Takes over the values of a tensor or number in place; the dtype stays.

        ValueError for another shape unless `slice_shape`, TypeError for other values.
        """
        if not isinstance(data, Tensor | int | float):
            raise ArgumentTypeError(
                "Parameter data must be [`Tensor`, `int`, `float`] or a kind of `Tensor` "
                f"(like `Tensor`). But with type {type(data)}."
            )
        a = np.asarray(data._a if isinstance(data, Tensor) else data)
        if a.shape == self._a.shape:
            write(self, a)
        elif slice_shape:
            storage(self).version += 1
            self._a = a.astype(self._a.dtype)
        else:
            raise ArgumentValueError(
                "Can not change the shape of Parameter which has been initialized. Current shape "
                f"is {self._a.shape}, and incoming is {a.shape}."
            )
        return self

    def value(self) -> Tensor:
        """The data as a plain tensor."""
        return make(self._a)

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:
        """The Parameter itself: its data already exist."""
        return self

    def clone(self, init: Any = "same") -> Parameter:
        """A new Parameter with this name: equal data, or "zeros", "ones", a number."""
        start = {"same": self._a, "zeros": 0, "ones": 1}.get(init, init)
        data = np.broadcast_to(np.asarray(start, self._a.dtype), self._a.shape)
        return Parameter(np.array(data), self.name, self.requires_grad)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Writes data; RuntimeError for a value that is part of a graph, which would be lost."""
        if isinstance(value, Tensor) and value._node is not None and is_grad_enabled():
            raise TensorError(
                "a value that requires grad cannot be written into a Parameter: detach() it"
            )
        with no_grad():
            super().__setitem__(index, value)

    # `p += 1` gives `p` a new tensor, so that `self.count += 1` in a cell sets the Parameter
    def __iadd__(self, other: Any) -> Tensor:
        return self + other

    def __isub__(self, other: Any) -> Tensor:
        return self - other

    def __imul__(self, other: Any) -> Tensor:
        return self * other

    def __itruediv__(self, other: Any) -> Tensor:
        return self / other

    def __repr__(self) -> str:
        dtype = f"{self.dtype!r}".rpartition(".")[2].capitalize()
        return (
            f"Parameter (name={self.name}, shape={tuple(self._a.shape)}, dtype={dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Parameter, (self._a, self.name, self.requires_grad)

    def __deepcopy__(self, memo: dict[Any, Any]) -> Parameter:
        made = memo[id(self)] = self.clone()
        return made


class ParameterTuple(tuple[Parameter, ...]):
    """Parameters in order, with distinct names.

    >>> import srcgrad as flow
    >>> flow.ParameterTuple([flow.Parameter(flow.ones(2), name="w")]).clone("moment")
    (Parameter (name=moment.w, shape=(2,), dtype=Float32, requires_grad=True),)
    """

    def __new__(cls, iterable: Any = ()) -> ParameterTuple:
        members = list(iterable)
        seen: set[str] = set()
        for p in members:
            if not isinstance(p, parameter.Parameter):
                raise ArgumentTypeError(
                    "For ParameterTuple initialization, ParameterTuple input should be 'Parameter' "
                    f"collection, but got a {type(iterable)}."
                )
            if p.name in seen:
                raise ArgumentValueError(
                    f"The value {p} , its name '{p.name}' already exists. Please set a unique name "
                    "for the parameter."
                )
            seen.add(p.name)
        return super().__new__(cls, members)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """New Parameters, named with a prefix and a dot."""
        made = []
        for p in self:
            made.append(p.clone(init))
            made[-1].name = f"{prefix}.{p.name}"
        return ParameterTuple(made)
