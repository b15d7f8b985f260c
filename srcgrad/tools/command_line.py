"""The command line: ``python -m srcgrad demo | info | cache | warm-up | map``.

Each subcommand is one function from parsed arguments to an exit code, and imports what it needs
when it runs, so that `--help` loads no compiler. The work is done elsewhere.
"""

import argparse
import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "gast", "astunparse", "matplotlib")

# A generated module is named by the hash of its text; Numba's files beside it repeat that name.
# Nothing else is counted or deleted: the user may have pointed the cache at a folder of theirs.
CACHED_FILE = re.compile(r".*[0-9a-f]{12,}.*\.(py|pyc|nbi|nbc|nb|ll|cubin|ir|o)")


def main(arguments=None):
    """Runs the command named by ``arguments`` (``sys.argv`` by default); returns the exit code."""
    parsed = parser().parse_args(arguments)
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, such as `head`, wants no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 0


def parser():
    """Returns the argument parser; each subcommand sets ``run``."""
    top = argparse.ArgumentParser(prog="python -m srcgrad", description="gradients of Python code")
    commands = top.add_subparsers(title="commands", required=True)
    demo = commands.add_parser("demo", help="fit a predator-prey model by its compiled gradient")
    demo.add_argument("--output", default="lynx_hare_fit.png", help="where to save the picture")
    demo.add_argument("--adjoint", action="store_true", help="print the whole adjoint program")
    demo.set_defaults(run=run_demo)
    info = commands.add_parser("info", help="versions and settings, for a bug report")
    info.set_defaults(run=run_info)
    cache = commands.add_parser("cache", help="the folder of compiled programs")
    cache.add_argument("action", choices=("info", "clear"), nargs="?", default="info")
    cache.set_defaults(run=run_cache)
    warm_up = commands.add_parser("warm-up", help="compile what programs share, once per machine")
    warm_up.add_argument("names", nargs="*", help="operations such as gammaln; all by default")
    warm_up.set_defaults(run=run_warm_up)
    code_map = commands.add_parser("map", help="the folders and files of the package")
    code_map.add_argument("folder", nargs="?", default="", help="such as passes/lower")
    code_map.set_defaults(run=run_map)
    return top


def run_demo(parsed):
    """Fits the model; returns 0 if the known answer came out, 1 if not."""
    from srcgrad.demo import fit

    return fit.main(parsed.output, whole_adjoint=parsed.adjoint)


def run_info(parsed):
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


def _print_cuda():
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


def run_cache(parsed):
    """Prints the cache folder and its size, or deletes what srcgrad put there."""
    from srcgrad.backends import cache

    folder = Path(cache.cache_dir())
    files = cached_files(folder)
    size = sum(file.stat().st_size for file in files)
    print(f"{folder}: {len(files)} files, {size / 2**20:.1f} MiB")
    if parsed.action == "clear":
        for file in files:
            file.unlink(missing_ok=True)
        print("cleared")
    return 0


def run_warm_up(parsed):
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


def run_map(parsed):
    """Prints what each folder and file of the package does; returns 2 for an unknown folder."""
    from srcgrad.tools.code_map import code_map

    try:
        print(code_map(parsed.folder))
    except FileNotFoundError as error:
        print(error)
        return 2
    return 0


def cached_files(folder):
    """Returns the generated modules under ``folder`` and Numba's files beside them."""
    found = folder.rglob("*") if folder.is_dir() else ()
    return sorted(f for f in found if CACHED_FILE.fullmatch(f.name) and f.is_file())


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
