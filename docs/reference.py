"""Writes the reference of public names, a page for each module, from what modules list."""

import importlib
import inspect
from pathlib import Path

import srcgrad
from srcgrad.eager import PUBLIC

TOP = {
    "Functions": [
        "compile", "Compiled", "jit", "export", "annotate", "prange", "checkpoint", "checkpointed",
    ],
    "Derivatives": [
        "grad", "value_and_grad", "elementwise_grad", "vjp", "jvp", "jacobian", "value_and_jac",
        "jacrev", "jacfwd", "hessian", "hvp", "vhp", "value_grad_hess", "hessian_diag",
        "laplacian", "sparsity", "sparse_jacobian", "sparse_hessian", "vmap", "stop_gradient",
    ],
    "Derivatives of your own": ["custom_vjp", "custom_jvp", "opaque", "insert_grad_of"],
    "Equations": ["implicit_root", "fixed_point", "odeint"],
    "Other libraries": ["to_torch", "to_jax", "to_pytensor"],
    "MindSpore's names": [
        "get_grad", "linearize", "mutable", "set_seed", "Parameter", "ParameterTuple",
        "save_checkpoint", "load_checkpoint", "load_param_into_net", "set_context", "get_context",
        "GRAPH_MODE", "PYNATIVE_MODE",
    ],
    "Settings and errors": ["config", "SrcgradError", "UnsupportedError"],
}  # fmt: skip
MODULES = {
    "testing": "Checking gradients",
    "errors": "Errors and warnings",
    "tree": "Structures",
    "scipy": "SciPy's solvers with derivatives",
    "autograd": "Graphs of tensors",
    "autograd.functional": "Derivatives of functions of tensors",
    "func": "PyTorch's transforms of functions",
    "array_api": "The array API of tensors",
    "linalg": "Linear algebra of tensors",
    "mindspore.nn": "MindSpore's cells and optimizers",
    "mindspore.ops": "MindSpore's operations",
    "ops": "The same operations",
    "nn": "PyTorch's modules",
    "nn.functional": "Functions of layers",
    "nn.init": "Initial values",
    "nn.utils": "Parameters together",
    "optim": "PyTorch's optimizers",
    "optim.lr_scheduler": "Schedules of the learning rate",
    "amp": "Scales of losses",
    "utils.data": "Data sets and loaders",
    "cuda": "Devices",
    "distributed": "Several processes",
    "tools": "Pictures of graphs",
}


def write(folder: Path) -> None:
    """Writes the pages into a folder; the file of a page that has not changed stays as it is."""
    if wrong := undescribed():
        raise ValueError(f"docs/reference.py and the public names differ: {sorted(wrong)}")
    folder.mkdir(exist_ok=True)
    pages = {"srcgrad": page("srcgrad", "srcgrad", TOP, seen := {})}
    pages["tensors"] = page("Tensors", "srcgrad", of_tensors(), seen)
    for name, title in MODULES.items():
        listed = {"": names(f"srcgrad.{name}")}
        pages[name] = page(f"srcgrad.{name}: {title}", f"srcgrad.{name}", listed, seen)
    pages["index"] = index(list(pages))
    for name, text in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def index(pages: list[str]) -> str:
    head = "Every public name by its module, with the text that ``help(name)`` prints."
    links = [f"* :doc:`{page}`" for page in pages]
    return "\n".join([*heading("Reference of names", "="), head, "", *links, ""])


def of_tensors() -> dict[str, list[str]]:
    functions = sorted(n for n, v in PUBLIC.items() if inspect.isfunction(v))
    return {"The class": ["Tensor"], "Functions": functions}


def names(module: str) -> list[str]:
    """The public names of a module: its `__all__`, or what it defines."""
    found = importlib.import_module(module)
    listed = getattr(found, "__all__", None) or [
        n for n, v in vars(found).items() if getattr(v, "__module__", "") == module
    ]
    return sorted(n for n in listed if not n.startswith("_"))


def page(title: str, module: str, groups: dict[str, list[str]], seen: dict[int, str]) -> str:
    """One page: names that an earlier one has described are linked to it."""
    found = importlib.import_module(module)
    lines, elsewhere = heading(title, "="), []
    for group, listed in groups.items():
        lines += heading(group, "-") if group else []
        for name in listed:
            value = getattr(found, name)
            if inspect.ismodule(value):
                continue
            home = seen.setdefault(id(value), f"{module}.{name}")
            if home == f"{module}.{name}":
                lines += entry(home, value)
            else:
                elsewhere.append(f":py:obj:`{name} <{home}>`")
    if elsewhere:
        lines += [*heading("Also here", "-"), ", ".join(elsewhere) + ".", ""]
    return "\n".join(lines)


def heading(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def entry(name: str, value: object) -> list[str]:
    if inspect.isclass(value):
        everything = ["   :undoc-members:"] if name == "srcgrad.Tensor" else []
        return [f".. autoclass:: {name}", "   :members:", *everything, ""]
    if inspect.isroutine(value):
        return [f".. autofunction:: {name}", ""]
    text = inspect.getdoc(type(value)) if type(value).__module__.startswith("srcgrad") else None
    return [f".. py:data:: {name}", "", *(f"   {line}" for line in (text or "").splitlines()), ""]


def undescribed() -> set[str]:
    """Public names and modules of the package that no page holds, and names that are none."""
    names = {name for group in TOP.values() for name in group} ^ set(srcgrad._HOMES)
    return names | set(srcgrad._MODULES) - {name.partition(".")[0] for name in MODULES}
