"""What rotates is tried by eight runs; what is left out of a run is what has not changed."""

import subprocess

import pytest

from tests import conftest
from tests.cases import CASES
from tests.checks import CHECKS, touched
from tests.checks.case_checks import Record
from tests.tools import turns


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch):
    """Sets which files have changed."""

    def set_to(*files: str):
        for module in (turns, touched):
            monkeypatch.setattr(module, "changed_files", lambda: frozenset(files))
        touched.changed_themes.cache_clear()

    yield set_to
    touched.changed_themes.cache_clear()


def test_eight_runs_try_every_check_of_every_case():
    rotating = [c for c in CHECKS if c.rotates]
    assert rotating
    for check in rotating:
        cases = [c for c in CASES if check.of(c)]
        runs = [{c.id for c in cases if turns.is_in_turn(c.id, check.name, k)} for k in range(8)]
        assert set.union(*runs) == {c.id for c in cases}
        assert sum(map(len, runs)) == len(cases)
        assert min(map(len, runs)) > 0.07 * len(cases)


@pytest.mark.parametrize(("n", "parts", "most"), [(10, 4, 3), (100, 8, 13)])
def test_so_many_runs_try_every_seed(n, parts, most, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "everything", False)
    runs = []
    for k in range(parts):
        monkeypatch.setattr(turns, "turn", lambda k=k: k)
        runs.append(turns.share(range(n)))
    assert sorted(seed for run in runs for seed in run) == [*range(n)]
    assert max(map(len, runs)) == most
    monkeypatch.setattr(turns, "everything", True)
    assert turns.share(range(n)) == [*range(n)]


def test_the_part_follows_from_the_commit():
    assert turns.turn() in range(8)
    done = subprocess.run(("git", "rev-parse", "HEAD"), cwd=turns.ROOT, capture_output=True)
    if done.returncode == 0:  # not in a source distribution
        assert turns.turn() == int(done.stdout[:8], 16) % 8


class Item:
    """A test with one marker."""

    def __init__(self, name: str, *args: str):
        self.marker = getattr(pytest.mark, name)(*args).mark

    def get_closest_marker(self, name: str):
        return self.marker if self.marker.name == name else None


def test_what_is_about_a_folder_runs_if_it_has_changed(changed):
    about = Item("about", "tests/fuzz/")
    changed("srcgrad/api.py")
    assert conftest.is_long(about)
    changed("tests/fuzz/draw.py")
    assert not conftest.is_long(about)
    assert conftest.is_long(Item("full")) and not conftest.is_long(Item("parametrize"))


def test_cases_are_touched_by_their_file_and_by_those_of_their_primitives(changed):
    def touches(name: str) -> bool:
        record = Record(next(c for c in CASES if c.id == name))
        record.reference.value_and_grad(record.case.arguments())
        return touched.is_touched(record)

    changed("tests/cases/branches.py")
    inside = next(c.id for c in CASES if c.theme == "branches")
    outside = next(c.id for c in CASES if c.theme == "scipy_signals")
    assert touches(inside) and not touches(outside)
    changed("srcgrad/primitives/transforms.py")
    fourier = next(c.id for c in CASES if c.theme == "fourier")
    assert touches(fourier) and not touches(inside)
