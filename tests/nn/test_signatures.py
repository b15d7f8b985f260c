"""`srcgrad.nn` and its like take PyTorch's arguments, in its order, with its defaults."""

import json
from importlib import import_module

import pytest

from tests.nn import signatures

RECORDED = json.loads(signatures.RECORDED.read_text())


def named(path):
    """The object of a recorded name; None if there is none here."""
    home, _, name = path.rpartition(".")
    try:
        module = import_module(f"srcgrad.{home}")
    except ImportError:
        return None
    return vars(module).get(name)


THERE = [path for path in RECORDED if named(path) is not None]


def test_enough_is_compared():
    assert len(THERE) > 100


@pytest.mark.parametrize("path", THERE)
def test_signatures(path):
    assert signatures.parameters(named(path)) == RECORDED[path]


@pytest.mark.parametrize("path", THERE)
def test_the_record_is_pytorchs(path):
    pytest.importorskip("torch")
    home, _, name = path.rpartition(".")
    theirs = getattr(import_module(f"torch.{home}"), name)
    assert signatures.parameters(theirs) == RECORDED[path]


@pytest.mark.parametrize("home", ["nn", "optim"])
def test_a_missing_name_says_what_to_write(home):
    names = [path.rpartition(".")[2] for path in RECORDED if path.rpartition(".")[0] == home]
    module = import_module(f"srcgrad.{home}")
    for name in names:
        if name not in vars(module) and not name.islower():
            with pytest.raises(AttributeError, match=f"'{name}': "):
                getattr(module, name)
