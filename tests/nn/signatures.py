"""The parameters of PyTorch's classes and functions, with their defaults.

    python -m tests.nn.signatures        # records them, where PyTorch is installed

Left out are deprecated parameters, generators, and the types of all.
"""

import inspect
import json
from importlib import import_module
from pathlib import Path

RECORDED = Path(__file__).with_name("pytorch_signatures.json")
MODULES = (
    "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "utils.data",
    "amp",
)  # fmt: skip
LEFT_OUT = {
    "size_average", "reduce", "generator", "_stacklevel", "out", "min_value", "max_value",
}  # fmt: skip


def parameters(function):
    """[name, kind] or [name, kind, default] of each parameter; None without a signature."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if [p.kind for p in found] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return None  # a wrapper that takes anything
    rows = []
    for p in found:
        if p.name in LEFT_OUT or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        kind = "keyword" if p.kind is p.KEYWORD_ONLY else "positional"
        rows.append([p.name, kind] + ([] if p.default is p.empty else [plain(p.default)]))
    return rows


def plain(value):
    """A default as JSON has it."""
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return value if isinstance(value, bool | int | float | str | None) else str(type(value))


def public(module):
    """The classes and functions of a module of PyTorch's that users call."""
    for name in sorted(vars(module)):
        value = getattr(module, name)
        home = str(getattr(value, "__module__", ""))
        known = isinstance(value, type) or inspect.isfunction(value)
        if known and not name.startswith("_") and home.startswith("torch."):
            yield name, value


def main():
    found = {}
    for path in MODULES:
        module = import_module(f"torch.{path}")
        for name, value in public(module):
            rows = parameters(value)
            if rows is not None:
                found[f"{path}.{name}"] = rows
    text = ",\n".join(f"{json.dumps(n)}: {json.dumps(rows)}" for n, rows in found.items())
    RECORDED.write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
