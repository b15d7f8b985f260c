"""The command line: `python -m tests.fuzz --programs 200 --seed 0 --target cpu`.

Prints what the programs contained, what became of them, and every failing program shrunk to a few
lines.  The exit code is 1 if any was wrong or crashed.  `--without RULE` switches a rule of reverse
mode off, to see that the programs find it.  `--state FILE` keeps what was done, so that a run that
was stopped goes on; `--save FOLDER` keeps failing programs as files that run by themselves.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from srcgrad.backends.backend import BACKENDS
from tests.fuzz.census import CONSTRUCTS, THEMED, census
from tests.fuzz.check import KINDS, PARALLEL, Check
from tests.fuzz.generate import Options, generate
from tests.fuzz.keep import keep
from tests.fuzz.routes import CHOICES
from tests.fuzz.runner import FAILURES, Result, Settings, run, tally
from tests.fuzz.state import State, code_digest, default_path
from tests.fuzz.themes.wide_vocabulary import APART, THEMES


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    settings = Settings(
        check=_check(args),
        themes=args.themes,
        alone=args.theme,
        largest=args.largest,
        without=args.without,
        shrink_seconds=args.shrink,
    )
    seeds = range(args.seed, args.seed + args.programs)
    if args.census:
        _print_census(seeds, settings.drawn)
    state = _state(args, settings)
    results: list[Result] = []
    seeds = _remaining(seeds, state, results)
    failures = [r for r in results if r.outcome.kind in FAILURES]
    try:
        for result in _progress(run(seeds, settings, args.jobs), len(seeds)):
            results.append(result)
            if state:
                state.add(result)
            if result.outcome.kind in FAILURES:
                failures.append(result)
                _failed(result, len(failures) <= args.show, args)
    except KeyboardInterrupt:
        print(f"\nstopped after {len(results)} programs", file=sys.stderr)
        if state:
            print(f"the same command goes on from {state.path}", file=sys.stderr)
    unseen = [r for r in failures if r.shrunk is None] + failures[args.show :]
    if unseen:
        print(f"\nfailing seeds not shown: {' '.join(str(r.seed) for r in unseen)}")
    _print_reasons(results)
    counts = tally(results)
    print("\n" + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    return 1 if failures else 0


def _check(args: argparse.Namespace) -> Check:
    first = (args.target, args.order, args.limit)
    return Check(*first, args.float32, args.shared, args.passes, args.parallel)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Check gradients of random programs against plain Python.",
    )
    add = parser.add_argument
    add("--programs", type=int, default=100, help="how many (default 100)")
    add("--seed", type=int, default=0, help="the first program's seed; the others follow it")
    add(
        "--target",
        choices=[*BACKENDS, "all"],
        default="python",
        help="the backend; all: each against the others",
    )
    add("--order", type=int, choices=[1, 2], default=1, help="2: second derivatives too")
    add("--float32", action="store_true", help="in single precision too")
    add(
        "--passes",
        choices=CHOICES,
        default="none",
        help="also without passes, and as loop nests: one way per program, or every way",
    )
    add(
        "--parallel",
        choices=PARALLEL,
        default="none",
        help="loops in chunks too: in every order, and by so many threads",
    )
    add("--state", type=Path, metavar="FILE", help="what was done is kept there and not done again")
    add("--resume", action="store_true", help="keep it in a file among the caches")
    add("--save", type=Path, metavar="FOLDER", help="failing programs as files")
    add("--shared", action="store_true", help="with arguments that share memory too")
    add("--jobs", type=int, default=1, help="processes")
    add("--without", metavar="RULE", help="switch off a rule of reverse mode")
    add("--shrink", type=float, default=30.0, metavar="SECONDS", help="per failing program")
    add("--themes", type=int, default=3, help="of the wide vocabulary, for each program")
    add(
        "--theme",
        choices=[t.name for t in (*THEMES, *APART)],
        default="",
        help="programs of this one alone",
    )
    add("--largest", type=int, metavar="SIZE", help="of a program; 100 is some 20 lines")
    add("--limit", type=float, default=120.0, metavar="SECONDS", help="for checking one program")
    add("--show", type=int, default=10, metavar="N", help="failing programs to print")
    add("--census", action="store_true", help="print how often each construct occurs")
    return parser


def _state(args: argparse.Namespace, settings: Settings) -> State | None:
    if not args.state and not args.resume:
        return None
    asked = {"settings": repr(settings), "code": code_digest()}
    return State(args.state or default_path(asked), asked)


def _remaining(seeds: Sequence[int], state: State | None, results: list[Result]) -> Sequence[int]:
    """The seeds that are still to be done; what is known of the others goes to the results."""
    if state is None:
        return seeds
    results += [Result(s, state.done[s]) for s in seeds if s in state.done]
    return state.missing(seeds)


def _failed(result: Result, shown: bool, args: argparse.Namespace) -> None:
    if shown:
        _print_failure(result)
    if args.save:
        options = f" --target {args.target} --order {args.order} --themes {args.themes}"
        options += " --float32" * args.float32
        options += f" --theme {args.theme!r}" * bool(args.theme)
        options += f" --largest {args.largest}" * bool(args.largest)
        path = keep(result, args.save, Check(args.target).first, options)
        print(f"kept as {path}", flush=True)


def _progress(results: Iterator[Result], total: int) -> Iterable[Result]:
    if find_spec("tqdm") is None:
        return _counter(results, total)
    return import_module("tqdm").tqdm(results, total=total, unit="program")


def _counter(results: Iterator[Result], total: int) -> Iterator[Result]:
    bad = 0
    for done, result in enumerate(results, 1):
        bad += result.outcome.kind in FAILURES
        if done % 10 == 0 or done == total:
            print(f"\r{done}/{total} programs, {bad} failing", end="", file=sys.stderr, flush=True)
        yield result
    print(file=sys.stderr)


def _print_census(seeds: range, options: Options) -> None:
    names = dict.fromkeys((*CONSTRUCTS, *(THEMED if options.themes else ())))
    shares = census((generate(seed, options) for seed in seeds), names)
    low, high = options.statements
    print(f"{len(seeds)} programs of {low} to {high} statements at the top, none larger than")
    print(f"{options.largest} (tree.size; 100 is some 20 lines):\n")
    for name, share in sorted(shares.items(), key=lambda item: item[1]):
        print(f"{100 * share:5.1f} %  {name}")
    print()


def _print_failure(result: Result) -> None:
    outcome = result.outcome
    print(f"\n--- seed {result.seed}: {outcome.kind} at {outcome.stage}\n{outcome.detail}\n")
    if result.shrunk:
        print(result.shrunk.source(), flush=True)


def _print_reasons(results: list[Result]) -> None:
    """Refusals and discards, grouped: what is refused most often is worth supporting next."""
    for kind in ("refused", "discarded"):
        reasons = Counter(_reason(r) for r in results if r.outcome.kind == kind)
        for reason, count in reasons.most_common(10):
            print(f"{kind} {count} times: {reason}")


def _reason(result: Result) -> str:
    lines = result.outcome.detail.strip().splitlines() or [""]
    return f"[{result.outcome.stage}] {lines[0][:120]}"


if __name__ == "__main__":
    sys.exit(main())
