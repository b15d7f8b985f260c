"""`save` and `load`: tensors, and containers of them, in one `.npz` file.

The file holds plain arrays and a text that says how they are nested; nothing in it is executed
when it is read. Knows no modules: a module's `state_dict()` is a dict like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import AutogradError, TensorError, TensorTypeError

_NESTING = "srcgrad_nesting"


def save(obj: Any, f: str | PathLike | BinaryIO) -> None:
    """Writes a tensor, or dicts, lists and tuples of tensors, arrays, numbers and text, to a file.

    Keys are strings. TypeError for anything else, RuntimeError for a tensor that is no leaf.

    >>> import io, srcgrad as flow
    >>> file = io.BytesIO()
    >>> flow.save({"w": flow.ones(2), "step": 3}, file)
    >>> _ = file.seek(0)
    >>> flow.load(file)
    {'w': tensor([1., 1.], dtype=srcgrad.float32), 'step': 3}
    """
    arrays: dict[str, np.ndarray] = {}
    nesting = json.dumps(_taken_apart(obj, arrays))
    text = np.frombuffer(nesting.encode(), np.uint8)
    if isinstance(f, str | PathLike):
        with open(f, "wb") as file:  # under this very name: savez would add .npz to it
            np.savez(file, **arrays, **{_NESTING: text})  # type: ignore[arg-type]
    else:
        np.savez(f, **arrays, **{_NESTING: text})  # type: ignore[arg-type]


def load(f: str | PathLike | BinaryIO, map_location: Any = None) -> Any:
    """What `save` wrote to a file; an `.npz` file of NumPy's gives a dict of tensors.

    RuntimeError for a file of another kind. `map_location` may be "cpu", where all tensors are.

    >>> import io, srcgrad as flow
    >>> file = io.BytesIO()
    >>> flow.save(flow.ones(2, requires_grad=True), file)
    >>> _ = file.seek(0)
    >>> flow.load(file)
    tensor([1., 1.], dtype=srcgrad.float32, requires_grad=True)
    """
    try:
        archive = np.load(f, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise TensorError(f"this is not a file that save() wrote: {error}") from None
    if isinstance(archive, np.ndarray):
        return make(archive)
    with archive:
        if _NESTING not in archive:
            return {name: make(archive[name]) for name in archive.files}
        return _put_together(json.loads(archive[_NESTING].tobytes()), archive)


def _taken_apart(obj: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The nesting of a value, in JSON; its arrays go to `arrays`."""
    if isinstance(obj, Tensor):
        if not obj.is_leaf:
            raise AutogradError("only leaf tensors can be saved: use detach()")
        return ["tensor", _stored(obj._a, arrays), obj.requires_grad]
    if isinstance(obj, np.ndarray | np.generic):
        return ["array", _stored(np.asarray(obj), arrays)]
    if isinstance(obj, Mapping):
        for key in obj:
            if not isinstance(key, str):
                raise TensorTypeError(f"save() takes dicts with keys of text, not {key!r}")
        return ["dict", {k: _taken_apart(v, arrays) for k, v in obj.items()}]
    if isinstance(obj, list | tuple) and not hasattr(obj, "_fields"):
        return [type(obj).__name__, [_taken_apart(v, arrays) for v in obj]]
    if obj is None or type(obj) in (bool, int, float, str):
        return ["plain", obj]
    raise TensorTypeError(f"save() takes tensors and containers of them, not {type(obj).__name__}")


def _stored(a: np.ndarray, arrays: dict[str, np.ndarray]) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = a
    return name


def _put_together(nesting: Any, archive: Mapping[str, np.ndarray]) -> Any:
    match nesting:
        case ["tensor", name, requires_grad]:
            t = make(archive[name])
            t.requires_grad = requires_grad
            return t
        case ["array", name]:
            return archive[name]
        case ["dict", parts]:
            return {k: _put_together(v, archive) for k, v in parts.items()}
        case ["list", parts]:
            return [_put_together(v, archive) for v in parts]
        case ["tuple", parts]:
            return tuple(_put_together(v, archive) for v in parts)
        case ["plain", value]:
            return value
    raise TensorError("this is not a file that save() wrote")


__all__ = ["load", "save"]
