"""Commands on the installation: demo, info, cache, warm-up, help."""

from __future__ import annotations

import argparse
import os
import platform
from importlib import metadata

from srcgrad.command_line import pages

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "gast", "astunparse", "matplotlib")


def demo(parsed: argparse.Namespace) -> int:
    """Fits the model; returns 0 if the known answer came out, 1 if not."""
    from srcgrad.demo import fit

    return fit.main(parsed.output, whole_adjoint=parsed.adjoint)


def info(parsed: argparse.Namespace) -> int:
    """Prints versions, the machine and the settings, for a bug report."""
    from srcgrad.backends import cache

    print(f"srcgrad    {_version('srcgrad')}")
    print(f"python     {platform.python_version()} ({platform.python_implementation()})")
    print(f"system     {platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    for name in PACKAGES:
        print(f"{name:<10} {_version(name)}")
    print(f"cache      {cache.cache_dir()}")
    _print_cuda()
    for name in sorted(name for name in os.environ if name.startswith("SRCGRAD_")):
        print(f"{name}={os.environ[name]}")
    return 0


def _print_cuda() -> None:
    """Prints the parts that `target="cuda"` needs, and what is wrong with them."""
    from srcgrad.backends.cuda.machine import PACKAGES, machine, spelled, toolkit

    found = machine()
    for name in PACKAGES:
        if (release := _version(name)) != "not installed":
            print(f"{name:<10} {release}")
    for name, release in (("toolkit", toolkit()), ("driver", found.driver)):
        print(f"{name:<10} {f'CUDA {spelled(release)}' if release else 'not found'}")
    for number, device in enumerate(found.devices):
        print(f"{f'GPU {number}':<10} {device}")
    if found.problem:
        print(f"cuda       {found.problem}\n           {found.way_out}")


def cache(parsed: argparse.Namespace) -> int:
    """Prints the cache folder and its size or files, or deletes what srcgrad put there."""
    from srcgrad.backends import cache_files
    from srcgrad.backends.cache import cache_dir
    from srcgrad.memory_limit import size_text

    folder = cache_dir()
    if parsed.action == "limit":
        freed, most = cache_files.limit(folder), cache_files.most()
        print(
            f"{size_text(freed)} deleted; {f'at most {size_text(most)}' if most else 'all'} is kept"
        )
        return 0
    files = cache_files.files(folder)
    if parsed.action == "list":
        for program in cache_files.programs(folder):
            print(f"{size_text(program.size):>10}  {program.used:%Y-%m-%d %H:%M}  {program.name}")
    print(f"{folder}: {len(files)} files, {size_text(sum(f.stat().st_size for f in files))}")
    if parsed.action == "clear":
        for file in files:
            file.unlink(missing_ok=True)
        print("cleared")
    return 0


def warm_up(parsed: argparse.Namespace) -> int:
    """Compiles the helpers that are not in the cache folder yet, and prints how long each took."""
    from srcgrad.backends import cache
    from srcgrad.backends.cpu.warm import warm

    count = total = 0
    try:
        for name, seconds in warm(parsed.names):
            count, total = count + 1, total + seconds
            print(f"{name:<24} {seconds:6.2f} s", flush=True)
    except ValueError as error:
        print(error)
        return 1
    print(f"{count} functions, {total:.1f} s: {cache.cache_dir()}")
    return 0


def explain_error(parsed: argparse.Namespace) -> int:
    """Prints what a class of errors or warnings means, or all classes."""
    import inspect

    from srcgrad import errors

    classes = {
        name: c for name, c in vars(errors).items()
        if inspect.isclass(c) and issubclass(c, Exception) and c.__module__ == errors.__name__
    }  # fmt: skip
    if parsed.name is None:
        for name, c in classes.items():
            print(f"{name:<22} {(inspect.getdoc(c) or '').partition(chr(10))[0]}")
        return 0
    if parsed.name not in classes:
        near = errors.nearest(parsed.name, list(classes))
        print(f"there is no {parsed.name}" + (f"; did you mean {near}?" if near else ""))
        return 2
    found = classes[parsed.name]
    builtin = next(c for c in found.__mro__ if c.__module__ == "builtins")
    print(f"{parsed.name}, a {builtin.__name__}\n\n{inspect.getdoc(found)}")
    if page := getattr(found, "page", ""):
        print(f"\nExamples, and ways out: {pages.place(page)}")
    return 0


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
