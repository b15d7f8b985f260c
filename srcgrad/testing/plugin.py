"""The pytest plugin: a fixture `gradcheck`, and the option `--gradcheck-target`.

Loaded by pytest in every session of an environment that has srcgrad, so it imports nothing before
a test requests the fixture.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("srcgrad").addoption(
        "--gradcheck-target",
        metavar="TARGET",
        default="cpu",
        help="the backend that the fixture `gradcheck` compiles for (default cpu)",
    )


@pytest.fixture
def gradcheck(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`srcgrad.testing.gradcheck`, on the backend that `--gradcheck-target` chooses."""
    from srcgrad.testing import gradcheck as check

    return functools.partial(check, target=str(request.config.getoption("--gradcheck-target")))
