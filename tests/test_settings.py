"""`flow.config`: settings by name, their page, and that each is read where it is used."""

import os
import re
from pathlib import Path

import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentValueError
from srcgrad.settings import SETTINGS

ROOT = Path(__file__).parents[1]


def test_values_hold_within_the_block(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SRCGRAD_CHECK", "1")
    with flow.config(check=False, memory_limit="8GB"):
        assert os.environ["SRCGRAD_CHECK"] == "0" and flow.config.memory_limit == "8GB"
        with flow.config(check=None):
            assert "SRCGRAD_CHECK" not in os.environ
    assert flow.config.check == "1" and flow.config.memory_limit == ""


def test_unknown_names():
    with pytest.raises(ArgumentValueError, match="did you mean memory_limit"):
        flow.config(memory_limits="8GB").__enter__()
    with pytest.raises(ArgumentValueError, match="is no setting"):
        flow.config.speed = 1


def test_every_variable_is_a_setting_and_on_the_page():
    found = set()
    for file in (ROOT / "srcgrad").rglob("*.py"):
        found.update(re.findall(r"\bSRCGRAD_([A-Z_]+)\b", file.read_text(encoding="utf-8")))
    assert {name.lower() for name in found} == set(SETTINGS) | {"log"}
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = [f"| `{n}` | `SRCGRAD_{n.upper()}` | {v} | {m} |" for n, (v, m) in SETTINGS.items()]
    assert not [row for row in rows if row not in page]


def test_a_false_debug_is_none(monkeypatch: pytest.MonkeyPatch):
    from srcgrad.settings import is_on

    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    with flow.config(debug=False):
        assert not is_on("debug")
    assert is_on("debug")


def test_the_log_follows(capsys):
    def f(x):
        return x * 41.5

    with flow.config(log="info"):
        flow.compile(f)(1.0)
    assert "compiling" in capsys.readouterr().err
    flow.compile(lambda x: x * 42.5)(1.0)
    assert "compiling" not in capsys.readouterr().err


def test_all_are_shown():
    assert all(name in repr(flow.config) for name in SETTINGS)
    assert dir(flow.config) == sorted(SETTINGS)
