"""The commands and their options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

import srcgrad
from srcgrad.command_line import machine, pages, programs
from srcgrad.command_line.programs import STAGES, TRANSFORMS, Misused

EXAMPLES = """\
examples:
  srcgrad check model.py:loss --args "np.ones(3), 0.5"
  srcgrad show model.py:loss --stage adjoint --args "np.ones(3), 0.5"
  srcgrad annotate model.py:loss -o loss.html --args "np.ones(3), 0.5"
  srcgrad export model.py:loss --output slope.py --args "np.ones(3), 0.5"
  srcgrad help UnsupportedError
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command named by `arguments` (`sys.argv` by default); returns the exit code."""
    parsed = parser().parse_args(arguments)
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except Misused as error:
        print(f"srcgrad: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, wants no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 0


def parser() -> argparse.ArgumentParser:
    """The argument parser; each command sets `run`."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        "srcgrad", description="gradients of ordinary Python", epilog=EXAMPLES, formatter_class=raw
    )
    top.add_argument("--version", action="version", version=srcgrad.__version__)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: Callable, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        return made

    demo = command("demo", machine.demo, "fit a predator-prey model by its compiled gradient")
    demo.add_argument("--output", default="lynx_hare_fit.png", help="where to save the picture")
    demo.add_argument("--adjoint", action="store_true", help="print the whole adjoint program")
    command("info", machine.info, "versions and settings, for a bug report")
    cache = command("cache", machine.cache, "the folder of compiled programs")
    actions = ("info", "list", "clear", "limit")
    cache.add_argument(
        "action", choices=actions, nargs="?", default="info",
        help="its size; its files; delete them; delete what exceeds the limit",
    )  # fmt: skip
    warm_up = command("warm-up", machine.warm_up, "compile what programs share, once per machine")
    warm_up.add_argument("names", nargs="*", help="operations such as gammaln; all by default")
    _of_functions(command)
    named = command("help", machine.explain_error, "what a class of errors means")
    named.add_argument("name", nargs="?", help="such as UnsupportedError; all by default")
    docs = command("docs", pages.docs, "where the documentation is")
    docs.add_argument("page", nargs="?", default="index", help="such as errors or limitations")
    docs.add_argument("--open", action="store_true", help="open it in a browser")
    return top


def _of_functions(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands that take a function of a file, and arguments to call it with."""

    def of_function(name: str, run: Callable, text: str) -> argparse.ArgumentParser:
        made = command(name, run, text)
        made.add_argument(
            "place", metavar="FILE:FUNCTION", help="model.py:loss, model.py:Model.loss"
        )
        made.add_argument(
            "--args", default=None, metavar="EXPRESSIONS",
            help='the arguments, with names of the file and np: "np.ones(3), 0.5"',
        )  # fmt: skip
        return made

    of_function("check", programs.check, "all problems at once; gradients against differences")
    show = of_function("show", programs.show, "print the program of a stage")
    show.add_argument("--stage", choices=STAGES, default="adjoint")
    explain = of_function("explain", programs.explain, "what is built: stages, times, saved values")
    page = of_function("annotate", programs.annotate, "a page of HTML that shows the gradient")
    page.add_argument("-o", "--output", default="annotation.html", metavar="FILE")
    export = of_function("export", programs.export, "write NumPy code that runs without srcgrad")
    export.add_argument("--output", required=True, metavar="FILE")
    for each in (show, explain, page, export):
        each.add_argument("--transform", choices=TRANSFORMS, default="value_and_grad")
        each.add_argument(
            "--wrt", default="0", metavar="POSITIONS",
            help="the arguments to differentiate with respect to: 0 or 0,2",
        )  # fmt: skip
