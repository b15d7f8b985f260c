"""`save` and `load`: tensors, and containers of them, in one `.npz` file.

The file holds plain arrays and a text that describes how they are nested; nothing in it is executed
when it is read. Knows no modules: a module's `state_dict()` is a dict like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, BinaryIO

import numpy as np

from srcgrad.eager import devices, dtypes
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import AutogradError, TensorError, TensorTypeError

_NESTING = "srcgrad_nesting"


def save(obj: Any, f: str | PathLike[str] | BinaryIO) -> None:
    """Writes a tensor, or dicts, lists and tuples of tensors, arrays, numbers and text, to a file.

    Keys are strings. TypeError for anything else, RuntimeError for a tensor that is not a leaf.

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
        with open(f, "wb") as file:  # under exactly this name: savez would add .npz to it
            np.savez(file, **arrays, **{_NESTING: text})  # type: ignore[arg-type]  (names, no options)
    else:
        np.savez(f, **arrays, **{_NESTING: text})  # type: ignore[arg-type]  (names, no options)


def load(f: str | PathLike[str] | BinaryIO, map_location: Any = None) -> Any:
    """Reads a file written by `save`; an `.npz` file of NumPy's gives a dict of tensors.

    RuntimeError for a file of another kind. The tensors are on the device `map_location`; without
    it on the CPU, wherever they were.

    >>> import io, srcgrad as flow
    >>> file = io.BytesIO()
    >>> flow.save(flow.ones(2, requires_grad=True), file)
    >>> _ = file.seek(0)
    >>> flow.load(file)
    tensor([1., 1.], dtype=srcgrad.float32, requires_grad=True)
    """
    if isinstance(f, str | PathLike) and fspath(f).endswith(".safetensors"):
        raise TensorError(
            "this is not a file that save() wrote: it is named as a safetensors file", None,
            "srcgrad.interop.load_safetensors reads such files",
        )  # fmt: skip
    found = read(f)
    at = None if map_location is None else devices.device(map_location)
    if isinstance(found, np.ndarray):
        return _tensor("the array", found, at)
    if _NESTING not in found:
        return {name: _tensor(repr(name), a, at) for name, a in found.items()}
    try:
        return _put_together(json.loads(found[_NESTING].tobytes()), found, at)
    except (ValueError, KeyError, TypeError) as error:
        raise _foreign(f"how it is nested cannot be read ({error})") from None


def read(f: str | PathLike[str] | BinaryIO) -> np.ndarray | dict[str, np.ndarray]:
    """The array of an `.npy` file, or those of an `.npz` file; RuntimeError for other files."""
    try:
        archive = np.load(f, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            return archive
        with archive:
            others = [n for n in archive.zip.namelist() if not n.endswith(".npy")]
            if not others:
                return {name: archive[name] for name in archive.files}
    except OSError:  # it cannot be opened
        raise
    except Exception as error:  # NumPy and zipfile raise many classes for malformed files
        pickled = "pickle" in str(error)
        raise _foreign("it is no .npz archive" if pickled else str(error)) from None
    raise _foreign(f"it is an archive whose part {others[0]!r} is no array")


def _foreign(why: str) -> TensorError:
    return TensorError(
        f"this is not a file that save() wrote: {why}",
        None,
        "read it with the library that wrote it, and save its arrays by flow.save or np.savez",
    )


def _tensor(name: str, a: np.ndarray, at: devices.device | None) -> Tensor:
    """A tensor over an array from a file without tensor metadata."""
    try:
        dtypes.of(a)
    except TypeError:
        raise _foreign(f"{name} holds {a.dtype}, which is no dtype of tensors") from None
    return make(devices.placed(a, at))


def _taken_apart(obj: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The nesting of a value, as JSON; its arrays go to `arrays`."""
    if isinstance(obj, Tensor):
        if not obj.is_leaf:
            raise AutogradError("only leaf tensors can be saved: use detach()")
        return ["tensor", _stored(devices.moved(obj._a, devices.CPU), arrays), obj.requires_grad]
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


def _put_together(
    nesting: Any, archive: Mapping[str, np.ndarray], at: devices.device | None
) -> Any:
    match nesting:
        case ["tensor", name, requires_grad]:
            t = make(devices.placed(archive[name], at))
            t.requires_grad = requires_grad
            return t
        case ["array", name]:
            return archive[name]
        case ["dict", parts]:
            return {k: _put_together(v, archive, at) for k, v in parts.items()}
        case ["list", parts]:
            return [_put_together(v, archive, at) for v in parts]
        case ["tuple", parts]:
            return tuple(_put_together(v, archive, at) for v in parts)
        case ["plain", value]:
            return value
    raise _foreign("how it is nested cannot be read")


__all__ = ["load", "read", "save"]
