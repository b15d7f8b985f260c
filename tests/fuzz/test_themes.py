"""Themes that are drawn for one pass, and proofs that are too weak, which their programs notice."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import pytest

from srcgrad.ir.nodes import Const
from srcgrad.ir.types import BOOL
from srcgrad.passes import ahead, checking, factor_once, interchange, loop_versioning, phases
from srcgrad.passes.carried_arrays import _CarriedArrays
from srcgrad.passes.contractions.nests import Nest as Product
from srcgrad.passes.copies_in_time import CopiesInTime
from srcgrad.passes.dead_stores import _DeadStores
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.hoist_bounds_checks import _HoistBoundsChecks
from srcgrad.passes.lower.fusion_group import FusionGroup
from srcgrad.passes.lower.nest import Nest
from srcgrad.passes.neighbours import Neighbours
from srcgrad.passes.places import Places
from srcgrad.passes.privatized_buffers import _Privatized
from srcgrad.passes.scalar_replacement import Element
from srcgrad.passes.strips.candidates import Candidates
from srcgrad.passes.tiles import Known
from srcgrad.passes.time_expansion import _Expanded
from srcgrad.passes.trips import Trips
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.passes.wavefronts.skew import _Skew
from srcgrad.primitives import elementwise
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, failures, run_one
from tests.tools.blocks import small_blocks
from tests.tools.columns import few_columns
from tests.tools.products import small_products
from tests.tools.strips import small_strips
from tests.tools.turns import share


@dataclass(frozen=True)
class Theme:
    """How many programs are run, and where; `around` makes passes rewrite what is short."""

    target: str = "loops"
    programs: int = 60
    compiled: int = 8
    second: int = 4  # at second order
    each: int = 2  # with each pass off
    each_on: str = "loops"  # where that is tried
    checked: bool = False  # the IR of first-order programs after each pass
    around: Callable[[], AbstractContextManager[None]] = nullcontext


THEMES = {
    "columns": Theme("python", around=few_columns),  # sums down the columns of a matrix
    "conflicts": Theme(),  # loops of which one trip may change what all of them read
    "contractions": Theme("python", around=small_products),  # products of matrices by loops
    "diagonals": Theme(around=small_strips),  # tables whose elements are made of those before them
    "distributed": Theme(around=small_blocks),  # recurrences, and functions of elements
    "edges": Theme(compiled=6),  # loops whose first and last trips reach around the ends
    "ensembles": Theme(around=small_strips),  # recurrences that run side by side
    "histories": Theme(compiled=6),  # loops over time that save arrays and store to them
    "points": Theme("python", around=small_products),  # products of what each point makes
    "recurrences": Theme(compiled=0, second=6, each=3),  # loops whose order of trips changes
    "rotations": Theme(compiled=6),  # loops over time in which arrays take turns
    "stencils": Theme(compiled=6),  # loops over time from old arrays to new ones
    "structured": Theme("python", 24, 3, 2, 1),  # arrays of records, whose items are views
    "sweeps": Theme(),  # triangular loops in place, whose elements become variables
    "systems": Theme("python", 80, 4, each_on="python", checked=True),  # matrices that loops keep
    "workspaces": Theme(around=small_strips),  # buffers that each point fills
}


@pytest.fixture(autouse=True)
def small(theme: str):
    with THEMES[theme].around():
        yield


def wrong(theme: str, first: int, count: int, check: Check) -> list[tuple]:
    return failures(run(share(range(first, first + count)), Settings(check, alone=theme)))


@pytest.mark.parametrize("theme", THEMES)
def test_programs_are_right(theme: str):
    with checking(THEMES[theme].checked):
        assert not wrong(theme, 0, THEMES[theme].programs, Check(THEMES[theme].target))


@pytest.mark.parametrize("theme", [name for name, theme in THEMES.items() if theme.compiled])
def test_programs_are_right_as_machine_code(theme: str):
    assert not wrong(theme, 100, THEMES[theme].compiled, Check("cpu"))


@pytest.mark.parametrize("theme", THEMES)
def test_programs_to_second_order_and_with_each_pass_off(theme: str):
    assert not wrong(theme, 200, THEMES[theme].second, Check(THEMES[theme].target, 2))
    each_off = Check(THEMES[theme].each_on, passes="all")
    assert not wrong(theme, 300, THEMES[theme].each, each_off)


# ---- teeth ----
def always(value: object) -> Callable[..., object]:
    return lambda *_, **__: value


def believing(self: Dependence, loop, prove=Dependence.of):
    """Takes all trips for independent."""
    found = prove(self, loop)
    return Independent((None,) * len(loop.params)) if isinstance(found, Dependent) else found


def carelessly(s, k):
    """Takes every operation on a carried number for an addition that alone reads it."""
    (made,) = [t for t in s.body if getattr(t, "var", None) is s.yields[k]]
    rest = [a for a in made.args if a is not s.params[k]]
    return rest[0] if rest else None


TEETH = [
    ("columns", Dependence, "of", believing, (70, 116)),
    ("columns", interchange, "_term", carelessly, (9, 30)),
    ("conflicts", loop_versioning.Conflict, "reads_first", always(True), (51,)),
    ("conflicts", loop_versioning.Meeting, "joined", lambda self, other: self, (21,)),
    ("conflicts", loop_versioning._Guard, "evaluated", always(Const(False, BOOL)), (2,)),
    ("contractions", Product, "leaves_alone", always(True), (250, 275)),
    ("contractions", Product, "checks", always(()), (45, 62)),
    ("distributed", ahead, "classes_written", always(set()), (4,)),
    ("distributed", ahead, "touched", always([]), (28,)),
    ("distributed", phases, "touched", always([]), (4,)),
    ("diagonals", _Skew, "needed", always(1), (8, 11)),
    ("edges", _HoistBoundsChecks, "turned", always(elementwise.sub), (5, 12)),
    ("ensembles", Dependence, "of", believing, (3, 10)),
    ("ensembles", Candidates, "has_form", always(True), (6,)),
    ("histories", _Expanded, "copy_ends", always(None), (0, 2)),
    ("histories", Places, "are_apart", always(True), (1, 2)),
    ("recurrences", Trips, "carries_only_sums", always(True), (15, 17)),
    ("rotations", CopiesInTime, "is_used_after", always(False), (1, 13)),
    ("rotations", _CarriedArrays, "is_before", always(True), (5,)),
    ("rotations", _CarriedArrays, "are_distinct", always(True), (14,)),
    ("stencils", Known, "tile", lambda self, pieces, z: len(pieces) > 1, (8, 11)),
    ("stencils", Known, "is_outside", always(True), (27,)),
    ("stencils", Neighbours, "keeps", always(True), (1, 22)),
    ("stencils", Neighbours, "late", always(()), (7, 11)),
    ("stencils", FusionGroup, "_only_sums", always(True), (16,)),
    ("stencils", Nest, "_added", always(frozenset()), (1, 11)),
    ("sweeps", Element, "is_apart", always(True), (1, 5)),
    ("sweeps", _DeadStores, "apart_later", always(True), (7, 13)),
    ("sweeps", _DeadStores, "apart_in_trip", always(True), (0, 2)),
    ("systems", factor_once, "classes_written", always(set()), (18, 55)),
    ("workspaces", _Privatized, "fills", always(True), (13, 36)),
]


@pytest.mark.parametrize(
    ("theme", "owner", "name", "weak", "seed"),
    [
        pytest.param(theme, owner, name, weak, seed, id=f"{theme}-{name}-{seed}")
        for theme, owner, name, weak, seeds in TEETH
        for seed in seeds
    ],
)
def test_a_weaker_proof_is_noticed(theme, owner, name, weak, seed, monkeypatch):
    settings = Settings(Check(THEMES[theme].target), alone=theme)
    assert run_one(seed, settings).outcome.kind == "ok"
    monkeypatch.setattr(owner, name, weak)
    assert run_one(seed, settings).outcome.kind in FAILURES
