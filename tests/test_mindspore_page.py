"""The page that the example reproduces: every output it prints, number by number."""

import re
import runpy
from pathlib import Path

import pytest

import srcgrad as flow

EXAMPLE = Path(__file__).parents[1] / "examples" / "mindspore_gradients.py"
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?)(?![\w.])")
# heading: the numbers printed below it, as the page has them
PAGE = {
    "grad": [2.0, 1.0],
    "grad multiple outputs": [3.0, 1.0],  # the page prints the first one twice
    "grad has_aux": [2.0, 1.0],
    "weight": [2.0, 3.0, 4.0],
    "output": [1.0, 20.0],
    "grads 1": [4.0, 6.0, 8.0, 20.0],
    "grads 2": [-2.0, 20.0],
    "grads 3": [4.0, 6.0, 8.0, -2.0, 20.0],
    "grads 4": [2.0, 4.0, 6.0, 20.0],
    "grads 5": [4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 20.0],
    "grads 6": [4.0, 6.0, 8.0, -2.0, 2.0, 4.0, 6.0, 20.0],
    "grads 7": [6.0, 9.0, 12.0, 6.0, 9.0, 12.0],
    "grads 8": [],
    "value and grad": [1.0, 20.0, 4.0, 6.0, 8.0, -2.0, 2.0, 4.0, 6.0],
    "grad of a cell, in a cell": [6.0, 9.0, 12.0, 1.0],  # and the loss that forward_fn prints
    "loss scale": [1024.0, 2048.0, 4096.0, 6144.0],
    "unscale": [1.0, 2.0, 4.0, 6.0, 0.2673, 0.5345, 0.8018],
}


@pytest.fixture(params=["compiled", "tape"])
def mode(request):
    flow.set_context(mode=flow.GRAPH_MODE if request.param == "compiled" else flow.PYNATIVE_MODE)
    yield
    flow.set_context(mode=None)


@pytest.fixture(params=["srcgrad.mindspore", "srcgrad"])
def page(request, tmp_path):
    """The example, with either import."""
    text = EXAMPLE.read_text(encoding="utf-8").replace("srcgrad.mindspore", request.param)
    assert f"import {request.param} as ms\n" in text
    path = tmp_path / "page.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_output(mode, page, capfd):
    assert runpy.run_path(str(page))["main"]() == 0
    printed = re.split(r"=== (.*?) ===\n", capfd.readouterr().out)[1:]
    sections = dict(zip(printed[::2], printed[1::2], strict=True))
    assert list(sections) == list(PAGE)
    for heading, wanted in PAGE.items():
        text = re.sub(r"float32|out1", "", sections[heading])
        assert [float(n) for n in NUMBER.findall(text)] == wanted, heading
    text = "`grad_position` and `weight` can not be None at the same time."
    assert f"ValueError: {text}" in sections["grads 8"]
    assert "finite True" in sections["unscale"]
