"""`ms.dtype`: the dtypes of tensors by MindSpore's names."""

from typing import Any

from srcgrad.eager import PUBLIC
from srcgrad.eager.dtypes import dtype

_NAMES = {name: value for name, value in PUBLIC.items() if isinstance(value, dtype)}
_NAMES |= {"float_": PUBLIC["float32"], "int_": PUBLIC["int64"]}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"there is no dtype {name!r}: choose one of {', '.join(_NAMES)}")
    return _NAMES[name]


def __dir__() -> list[str]:
    return sorted(_NAMES)
