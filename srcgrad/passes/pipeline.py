"""The pipeline: which passes run, in which order, and how one is switched off or watched.

With `SRCGRAD_DEBUG` set, or inside `checking()`, the checker runs before the first pass and after
each; the error names the pass that broke the program and has the text before and after it. Knows
nothing about any single pass.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from srcgrad import interrupts
from srcgrad.ir.check import check
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Function
from srcgrad.ir.text import to_text
from srcgrad.operation import Primitive
from srcgrad.passes.ascending_loops import ascending_loops
from srcgrad.passes.batch_products import batch_products
from srcgrad.passes.build_in_place import build_in_place
from srcgrad.passes.carried_arrays import carried_arrays
from srcgrad.passes.carry_elements import carry_elements
from srcgrad.passes.coalesce_loops import coalesce_loops
from srcgrad.passes.contractions import contractions
from srcgrad.passes.counted_trips import counted_trips
from srcgrad.passes.cse import cse
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.dead_stores import dead_stores
from srcgrad.passes.double_transforms import double_transforms
from srcgrad.passes.edge_trips import edge_trips
from srcgrad.passes.elide_copies import elide_copies
from srcgrad.passes.factor_once import by_factors, factor_once
from srcgrad.passes.first_additions import first_additions
from srcgrad.passes.fold_views import fold_views
from srcgrad.passes.forward_joins import forward_joins
from srcgrad.passes.forward_stores import forward_stores
from srcgrad.passes.gather_additions import gather_additions
from srcgrad.passes.hoist import hoist
from srcgrad.passes.hoist_allocations import hoist_allocations
from srcgrad.passes.hoist_bounds_checks import hoist_bounds_checks
from srcgrad.passes.independent_loops import independent_loops
from srcgrad.passes.interchange import interchange
from srcgrad.passes.join_loops import join_flows, join_loops
from srcgrad.passes.known_zeros import known_zeros
from srcgrad.passes.lift_new_axes import lift_new_axes
from srcgrad.passes.lift_transposes import lift_transposes
from srcgrad.passes.loop_distribution import loop_distribution
from srcgrad.passes.loop_fission import loop_fission
from srcgrad.passes.loop_versioning import loop_versioning
from srcgrad.passes.loops_in_chunks import loops_in_chunks
from srcgrad.passes.lower import fuse, lower
from srcgrad.passes.pack_columns import pack_columns
from srcgrad.passes.preaccumulate import preaccumulate
from srcgrad.passes.privatized_buffers import privatized_buffers
from srcgrad.passes.promote_accumulators import promote_accumulators
from srcgrad.passes.renamed_copies import renamed_copies
from srcgrad.passes.room_ahead import room_ahead
from srcgrad.passes.scalar_replacement import scalar_replacement
from srcgrad.passes.shared_tapes import shared_tapes
from srcgrad.passes.simplify import simplify
from srcgrad.passes.skip_zeros import skip_zeros
from srcgrad.passes.small import small_arrays
from srcgrad.passes.split_sums import split_sums
from srcgrad.passes.strip_custom_rules import strip_custom_rules
from srcgrad.passes.strips import strip_mining
from srcgrad.passes.tape_rows import tape_rows
from srcgrad.passes.time_expansion import time_expansion
from srcgrad.passes.unify_lengths import unify_lengths
from srcgrad.passes.unrolled_rotations import unrolled_rotations
from srcgrad.passes.wavefronts import wavefronts
from srcgrad.records import record
from srcgrad.settings import is_on


@record(frozen=True)
class Pass:
    """A step from a legal function to a legal function that computes the same."""

    name: str
    run: Callable[[Function], Function]
    reorders: bool = False  # changes the order of additions
    last: bool = False  # its marks hold only as long as such passes alone follow


SIMPLIFY = Pass("simplify", simplify)
CSE = Pass("cse", cse)
DEAD_CODE = Pass("dead_code", eliminate)
HOIST_BOUNDS_CHECKS = Pass("hoist_bounds_checks", hoist_bounds_checks)
HOIST = Pass("hoist", hoist)
DEAD_STORES = Pass("dead_stores", dead_stores)
SCALAR_REPLACEMENT = Pass("scalar_replacement", scalar_replacement)
LOOP_VERSIONING = Pass("loop_versioning", loop_versioning)
SMALL_ARRAYS = Pass("small_arrays", small_arrays)
UNIFY_LENGTHS = Pass("unify_lengths", unify_lengths)
FORWARD_STORES = Pass("forward_stores", forward_stores)
FORWARD_JOINS = Pass("forward_joins", forward_joins)
LIFT_NEW_AXES = Pass("lift_new_axes", lift_new_axes)
LIFT_TRANSPOSES = Pass("lift_transposes", lift_transposes)
FIRST_ADDITIONS = Pass("first_additions", first_additions)
FACTOR_ONCE = Pass("factor_once", factor_once)
CARRIED_ARRAYS = Pass("carried_arrays", carried_arrays)
RENAMED_COPIES = Pass("renamed_copies", renamed_copies)
PRIVATIZED_BUFFERS = Pass("privatized_buffers", privatized_buffers)
UNROLLED_ROTATIONS = Pass("unrolled_rotations", unrolled_rotations)
STRIP_CUSTOM_RULES = Pass("strip_custom_rules", strip_custom_rules)

# of a traced program, before it is differentiated
CONTRACTIONS = Pass("contractions", contractions, reorders=True)
INTERCHANGE = Pass("interchange", interchange)

PIPELINE: tuple[Pass, ...] = (
    SIMPLIFY,
    UNIFY_LENGTHS,
    FORWARD_STORES,
    FORWARD_JOINS,
    CSE,
    LIFT_NEW_AXES,
    FIRST_ADDITIONS,
    LIFT_TRANSPOSES,
    DEAD_CODE,
    SMALL_ARRAYS,
    HOIST_BOUNDS_CHECKS,
    HOIST,
    SCALAR_REPLACEMENT,
    LOOP_VERSIONING,
    # once more: for what the checks and the motion exposed
    SIMPLIFY,
    CSE,
    DEAD_CODE,
    DEAD_STORES,
)

BEFORE_FORWARD: tuple[Pass, ...] = (FACTOR_ONCE,)
# before reverse mode, which remembers what it cannot tell apart
BEFORE_REVERSE: tuple[Pass, ...] = (
    FACTOR_ONCE,
    CARRIED_ARRAYS,
    RENAMED_COPIES,
    UNROLLED_ROTATIONS,
    PRIVATIZED_BUFFERS,
)

ROOM_AHEAD = Pass("room_ahead", room_ahead)
# from array operations to loop nests; `fuse` lowers the groups, `lower` the rest
FUSE = Pass("fuse", partial(fuse, overlapping=True), reorders=True)
FUSE_APART = Pass("fuse", fuse, reorders=True)  # into nests whose trips share no memory
FUSE_IN_ORDER = Pass("fuse", partial(fuse, in_order=True))
LOWER = Pass("lower", lower)
BY_FACTORS = Pass("by_factors", by_factors)
DOUBLE_TRANSFORMS = Pass("double_transforms", double_transforms)
BATCH_PRODUCTS = Pass("batch_products", batch_products, reorders=True)
EDGE_TRIPS = Pass("edge_trips", edge_trips)
FOLD_VIEWS = Pass("fold_views", fold_views)
ELIDE_COPIES = Pass("elide_copies", elide_copies)
TAPE_ROWS = Pass("tape_rows", tape_rows)
TIME_EXPANSION = Pass("time_expansion", time_expansion)
BUILD_IN_PLACE = Pass("build_in_place", build_in_place)
PROMOTE_ACCUMULATORS = Pass("promote_accumulators", promote_accumulators, reorders=True)
# loops of one range between which elements flow, as `fuse` cannot: of different rank, or a sum's
JOIN_FLOWS = Pass("join_flows", join_flows, reorders=True)
JOIN_FLOWS_IN_ORDER = Pass("join_flows", partial(join_flows, in_order=True))
COALESCE_LOOPS = Pass("coalesce_loops", coalesce_loops)
PACK_COLUMNS = Pass("pack_columns", pack_columns, reorders=True)
GATHER_ADDITIONS = Pass("gather_additions", gather_additions, reorders=True)
KNOWN_ZEROS = Pass("known_zeros", known_zeros)
LOOP_FISSION = Pass("loop_fission", loop_fission, reorders=True)
ASCENDING_LOOPS = Pass("ascending_loops", ascending_loops, reorders=True)
STRIP_MINING = Pass("strip_mining", strip_mining, reorders=True)
WAVEFRONTS = Pass("wavefronts", wavefronts)
STRIPS_IN_ORDER = Pass("strip_mining", partial(strip_mining, in_order=True))
SPLIT_SUMS = Pass("split_sums", split_sums, reorders=True)
PREACCUMULATE = Pass("preaccumulate", preaccumulate, reorders=True)
LOOP_DISTRIBUTION = Pass("loop_distribution", loop_distribution)
DISTRIBUTION_IN_ORDER = Pass("loop_distribution", partial(loop_distribution, in_order=True))
CARRY_ELEMENTS = Pass("carry_elements", carry_elements)
SKIP_ZEROS = Pass("skip_zeros", skip_zeros, reorders=True)
SHARED_TAPES = Pass("shared_tapes", shared_tapes)
HOIST_ALLOCATIONS = Pass("hoist_allocations", hoist_allocations)
LOWERING: tuple[Pass, ...] = (
    BY_FACTORS,
    DOUBLE_TRANSFORMS,
    EDGE_TRIPS,
    ROOM_AHEAD,
    BATCH_PRODUCTS,
    ELIDE_COPIES,
    TAPE_ROWS,
    TIME_EXPANSION,
    BUILD_IN_PLACE,
    FUSE,
    LOWER,
    FOLD_VIEWS,
    SIMPLIFY,
    JOIN_FLOWS,
    CSE,
    DEAD_CODE,
    COALESCE_LOOPS,
    PACK_COLUMNS,
    PROMOTE_ACCUMULATORS,
    GATHER_ADDITIONS,
    KNOWN_ZEROS,
    LOOP_FISSION,
    ASCENDING_LOOPS,
    HOIST,
    SIMPLIFY,
    STRIP_MINING,
    WAVEFRONTS,
    SPLIT_SUMS,
    PREACCUMULATE,
    LOOP_DISTRIBUTION,
    CARRY_ELEMENTS,
    SKIP_ZEROS,
    SHARED_TAPES,
    HOIST_ALLOCATIONS,
)

# after them, for a device: trips that count need nothing of one another
COUNTED_TRIPS = Pass("counted_trips", counted_trips)

# after it, for a device that launches each loop: joins those of one range, in whose trips values
# that one stores and the next one reads need not be stored
JOIN_LOOPS = Pass("join_loops", join_loops, reorders=True)
JOIN_IN_ORDER = Pass("join_loops", partial(join_loops, in_order=True))
FORWARD_IN_TRIPS = Pass("forward_stores", partial(forward_stores, indexed=True))

# after them, for a backend that runs trips concurrently
INDEPENDENT_LOOPS = Pass("independent_loops", independent_loops, True, last=True)
INDEPENDENT_IN_ORDER = Pass(
    "independent_loops", partial(independent_loops, in_order=True), last=True
)
# the same where trips may add to the same elements, atomically
SHARING_LOOPS = Pass("independent_loops", partial(independent_loops, sharing=True), True, last=True)
SHARING_IN_ORDER = Pass(
    "independent_loops", partial(independent_loops, in_order=True, sharing=True), last=True
)

# instead of the last of them, for a backend that runs chunks of trips concurrently
LOOPS_IN_CHUNKS = Pass("loops_in_chunks", loops_in_chunks, True, last=True)
CHUNKS_IN_ORDER = Pass("loops_in_chunks", partial(loops_in_chunks, in_order=True), last=True)
# buffers that no trip of a marked loop makes for itself move out of the other loops
HOIST_INTO_CHUNKS = Pass("hoist_allocations", hoist_allocations, last=True)

# the same for `fastmath=False`: additions keep the order of the program
KEEPING_ORDER = {
    FUSE: FUSE_IN_ORDER, JOIN_FLOWS: JOIN_FLOWS_IN_ORDER, STRIP_MINING: STRIPS_IN_ORDER,
    LOOP_DISTRIBUTION: DISTRIBUTION_IN_ORDER,
}  # fmt: skip
IN_ORDER = tuple(KEEPING_ORDER.get(p, p) for p in LOWERING if p in KEEPING_ORDER or not p.reorders)

_off: ContextVar[frozenset[str]] = ContextVar("passes switched off", default=frozenset())
_checked: ContextVar[bool] = ContextVar("check after each pass", default=False)


class PassError(AssertionError):
    """A pass failed, or a program is illegal: the text before the pass and after it.

    `name` is the pass's; it is empty for a program that was illegal before any pass.
    """

    def __init__(self, name: str, reason: BaseException, before: str, after: str):
        who = f"the pass {name}" if name else "before the passes"
        super().__init__(f"{who}: {reason}\n\nbefore it:\n{before}\nafter it:\n{after}")
        self.name, self.before, self.after = name, before, after


@contextmanager
def without(*names: str) -> Generator[None]:
    """Leaves out every pass of these names, in this thread or task."""
    others = (CONTRACTIONS, INTERCHANGE, COUNTED_TRIPS, JOIN_LOOPS, INDEPENDENT_LOOPS)
    known = {
        p.name
        for p in (*PIPELINE, *BEFORE_REVERSE, *LOWERING, LOOPS_IN_CHUNKS, *others)
        if p is not LOWER
    }
    unknown = set(names) - known
    if unknown:
        raise ValueError(f"no pass is called {', '.join(sorted(unknown))}")
    token = _off.set(_off.get() | set(names))
    try:
        yield
    finally:
        _off.reset(token)


@contextmanager
def checking(on: bool = True) -> Generator[None]:
    """Checks the program after each pass, in this thread or task."""
    token = _checked.set(on)
    try:
        yield
    finally:
        _checked.reset(token)


def settings() -> tuple[frozenset[str], bool]:
    """The settings of `run` in this thread or task: the passes left out, and whether to check."""
    return _off.get(), _checked.get() or is_on("debug")


def run(function: Function, passes: Iterable[Pass] = PIPELINE) -> Function:
    """Applies the passes in order, on a copy: they may rename lengths in types in place."""
    function = clone(function)
    off, watched = settings()
    if watched:
        _checked_as_made(function)
    done = None
    for step in passes:
        interrupts.answer()
        assert done is None or not done.last or step.last, f"{step.name} after {done.name}"
        if step.name not in off:
            function = _watched(step, function) if watched else step.run(function)
            done = step
    return function


def lowering(in_order: bool = False, in_chunks: bool = False) -> tuple[Pass, ...]:
    """The passes to loop nests; `in_order`: additions keep the program's order.

    `in_chunks`: loops that may run concurrently are split and marked, for several cores.
    """
    passes = IN_ORDER if in_order else LOWERING
    if not in_chunks:
        return passes
    split = CHUNKS_IN_ORDER if in_order else LOOPS_IN_CHUNKS
    # sums that trips share, buffers of strips, elements that a loop both loads and adds to, and
    # tapes that are made longer before an inner loop would keep all of it in one chunk; an array
    # that has a second name, or is made in a trip, as well
    others = (JOIN_FLOWS, STRIP_MINING, COALESCE_LOOPS, LOOP_DISTRIBUTION, BATCH_PRODUCTS)
    apart = {p.name for p in (*others, CARRY_ELEMENTS, ROOM_AHEAD, SKIP_ZEROS)}
    apart |= {TIME_EXPANSION.name, KNOWN_ZEROS.name, WAVEFRONTS.name}
    *before, hoisting = (FUSE_APART if p is FUSE else p for p in passes if p.name not in apart)
    assert hoisting is HOIST_ALLOCATIONS
    return (*before, split, HOIST_INTO_CHUNKS)


def lowering_for_devices(library: frozenset[Primitive], in_order: bool) -> tuple[Pass, ...]:
    """The passes to loop nests for a device that runs each trip of a marked loop as a thread.

    Columns and fission put buffers between the statements of a trip: that pays for vectors, but not
    for threads. Operations in the `library` of the device stay whole.
    """
    left_out = {
        p.name for p in (BUILD_IN_PLACE, JOIN_FLOWS, PACK_COLUMNS, LOOP_FISSION, ASCENDING_LOOPS)
    } | {GATHER_ADDITIONS.name, COALESCE_LOOPS.name, STRIP_MINING.name}
    left_out |= {ROOM_AHEAD.name, BATCH_PRODUCTS.name, SPLIT_SUMS.name, PREACCUMULATE.name}
    left_out |= {LOOP_DISTRIBUTION.name, CARRY_ELEMENTS.name, SHARED_TAPES.name}
    left_out |= {SKIP_ZEROS.name, HOIST_ALLOCATIONS.name, TIME_EXPANSION.name, KNOWN_ZEROS.name}
    left_out |= {DOUBLE_TRANSFORMS.name, WAVEFRONTS.name}
    marking = SHARING_IN_ORDER if in_order else SHARING_LOOPS
    others = {
        "fuse": Pass("fuse", partial(fuse, in_order=in_order, library=library), not in_order),
        "lower": Pass("lower", partial(lower, library=library)),
    }
    kept = [others.get(p.name, p) for p in lowering(in_order) if p.name not in left_out]
    counting = (COUNTED_TRIPS, HOIST_BOUNDS_CHECKS, SIMPLIFY, CSE, DEAD_CODE)
    joining = (JOIN_IN_ORDER if in_order else JOIN_LOOPS, FORWARD_IN_TRIPS, CSE, DEAD_CODE)
    # marked again: hoisting makes loops of zeros
    return (*kept, *counting, *joining, marking, HOIST_INTO_CHUNKS, marking)


def _checked_as_made(function: Function) -> None:
    """Checks the input of the first pass: no pass is blamed for what it was given."""
    try:
        check(function)
    except AssertionError as e:
        raise PassError("", e, to_text(function), "(nothing)\n") from e


def _watched(step: Pass, function: Function) -> Function:
    before = to_text(function)
    try:
        new = step.run(function)
    except Exception as e:
        raise PassError(step.name, e, before, "(nothing)\n") from e
    try:
        check(new)
    except AssertionError as e:
        raise PassError(step.name, e, before, to_text(new)) from e
    return new
