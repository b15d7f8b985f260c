"""The command line: `python -m srcgrad.testing.fuzz --programs 200 --seed 0 --target cpu`.

Prints what the programs contained, what became of them, and every failing program shrunk to a few
lines.  The exit code is 1 if any was wrong or crashed.  `--without RULE` switches a rule of reverse
mode off, to see that the programs find it.  It writes no files.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec

from srcgrad.testing.fuzz.census import census
from srcgrad.testing.fuzz.check import KINDS, Check
from srcgrad.testing.fuzz.generate import Options, generate
from srcgrad.testing.fuzz.runner import FAILURES, Result, Settings, run, tally


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    settings = Settings(
        check=Check(args.target, args.order, args.limit, args.float32),
        themes=args.themes,
        without=args.without,
        shrink_seconds=args.shrink,
    )
    seeds = range(args.seed, args.seed + args.programs)
    if args.census:
        _print_census(seeds, settings.drawn)
    results, failures = [], []
    for result in _progress(run(seeds, settings, args.jobs), len(seeds)):
        results.append(result)
        if result.outcome.kind in FAILURES:
            failures.append(result)
            if len(failures) <= args.show:
                _print_failure(result)
    if len(failures) > args.show:
        others = " ".join(str(r.seed) for r in failures[args.show :])
        print(f"\nfailing seeds not shown: {others}")
    _print_reasons(results)
    counts = tally(results)
    print("\n" + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m srcgrad.testing.fuzz",
        description="Check gradients of random programs against plain Python.",
    )
    add = parser.add_argument
    add("--programs", type=int, default=100, help="how many (default 100)")
    add("--seed", type=int, default=0, help="the first program's seed; the others follow it")
    add("--target", choices=["python", "cpu"], default="python", help="the backend")
    add("--order", type=int, choices=[1, 2], default=1, help="2: second derivatives too")
    add("--float32", action="store_true", help="in single precision too")
    add("--jobs", type=int, default=1, help="processes")
    add("--without", metavar="RULE", help="switch off a rule of reverse mode")
    add("--shrink", type=float, default=30.0, metavar="SECONDS", help="per failing program")
    add("--themes", type=int, default=3, help="of the wide vocabulary, for each program")
    add("--limit", type=float, default=120.0, metavar="SECONDS", help="for checking one program")
    add("--show", type=int, default=10, metavar="N", help="failing programs to print")
    add("--census", action="store_true", help="print how often each construct occurs")
    return parser


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
    shares = census(generate(seed, options) for seed in seeds)
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
