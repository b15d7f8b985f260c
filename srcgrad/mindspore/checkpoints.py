"""Checkpoints: the Parameters of a cell, or a list of them, in an `.npz` file without pickles."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.create import manual_seed
from srcgrad.eager.files import read
from srcgrad.eager.tensor import make
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, TensorError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.parameter import Parameter

set_seed = manual_seed


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """The data: numbers and containers are run-time values here, unless a length is needed.

    >>> import srcgrad as flow
    >>> flow.mutable((1.0, 2.0))
    (1.0, 2.0)
    """
    return input_data


def save_checkpoint(save_obj: Any, ckpt_file_name: Any, append_dict: Any = None) -> str:
    """Writes the Parameters of a cell, a dict, or a list of {"name", "data"}; returns the path.

    `append_dict`: further numbers and tensors to write. A path without a suffix gets `.npz`.

    >>> import os, tempfile, srcgrad as flow
    >>> net = flow.nn.Dense(2, 1, weight_init="ones")
    >>> path = flow.save_checkpoint(net, os.path.join(tempfile.mkdtemp(), "net"))
    >>> sorted(flow.load_checkpoint(path))
    ['bias', 'weight']
    """
    found = {n: getattr(p, "_a", p) for n, p in [*_named(save_obj), *(append_dict or {}).items()]}
    path = os.fspath(ckpt_file_name)
    path = path if os.path.splitext(path)[1] else f"{path}.npz"
    with open(path, "wb") as file:
        np.savez(file, **{name: np.asarray(a) for name, a in found.items()})  # type: ignore  (names)
    return path


def _named(source: Any) -> list[tuple[str, Any]]:
    if isinstance(source, Cell):
        return [(p.name, p) for p in source.get_parameters()]
    if isinstance(source, dict):
        return list(source.items())
    if isinstance(source, list):
        return [(entry["name"], entry["data"]) for entry in source]
    raise ArgumentTypeError(f"a checkpoint is made of a cell, a dict or a list, not {type(source)}")


def load_checkpoint(
    ckpt_file_name: Any, net: Any = None, strict_load: bool = False, filter_prefix: Any = None
) -> dict[str, Any]:
    """The Parameters of a file by name; with `net` they are loaded into it as well.

    Names that begin with `filter_prefix`, or one of several, are left out. RuntimeError for a file
    of another kind.

    >>> import srcgrad as flow
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     net = [{"name": "w", "data": flow.tensor([1.0])}]
    ...     list(flow.load_checkpoint(flow.save_checkpoint(net, folder + "/net.ckpt")))
    ['w']
    """
    prefixes = (filter_prefix,) if isinstance(filter_prefix, str) else tuple(filter_prefix or ())
    held = read(os.fspath(ckpt_file_name))
    if not isinstance(held, dict):
        raise TensorError("this is one array, not a checkpoint", None, "use flow.load")
    made = {
        n: Parameter(a, name=n) for n, a in held.items() if not n.startswith(prefixes or ("\0",))
    }
    if net is not None:
        load_param_into_net(net, made, strict_load)
    return made


def load_param_into_net(
    net: Any, parameter_dict: dict[str, Any], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Sets a cell's Parameters by name; returns the names missing in the dict, and in the cell.

    ValueError for a shape that does not fit, TypeError for another dtype if `strict_load`.

    >>> import srcgrad as flow
    >>> net = flow.mindspore.nn.Dense(1, 1)
    >>> flow.load_param_into_net(net, {"bias": flow.Parameter(flow.tensor([2.0]))})
    (['weight'], [])
    """
    if not isinstance(net, Cell):
        raise ArgumentTypeError(f"Parameters are loaded into a cell, not {type(net)}")
    own = net.parameters_dict()
    for name, p in own.items():
        given = parameter_dict.get(name)
        if given is None:
            continue
        a = given._a if isinstance(given, Tensor) else np.asarray(given)
        if a.shape != p._a.shape:
            raise ArgumentValueError(f"'{name}' has shape {p._a.shape}, the file's {a.shape}")
        if strict_load and a.dtype != p._a.dtype:
            raise ArgumentTypeError(f"'{name}' has dtype {p._a.dtype}, the file's {a.dtype}")
        p.set_data(make(a))
    missing = [n for n in own if n not in parameter_dict]
    return missing, [n for n in parameter_dict if n not in own]
