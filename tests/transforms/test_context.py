"""`set_context` accepts the documented options and refuses wrong values."""

import pytest

import srcgrad as flow


@pytest.fixture(autouse=True)
def restored():
    yield
    flow.set_context(mode=None)


@pytest.mark.parametrize("target", ["Ascend", "GPU", "Banana", "cpu", None])
def test_a_device_that_is_not_there(target):
    with pytest.raises(ValueError, match=rf"must be one of \['CPU'\], but got {target}\."):
        flow.set_context(mode=flow.GRAPH_MODE, device_target=target)
    assert flow.get_context("device_target") == "CPU" and flow.get_context("mode") is None


def test_a_mode_that_is_none():
    with pytest.raises(ValueError, match="the argument 'mode' should be"):
        flow.set_context(mode=7)
    assert flow.get_context("mode") is None


def test_what_is_no_option():
    for run in (lambda: flow.set_context(nonsense=1), lambda: flow.get_context("nonsense")):
        with pytest.raises(ValueError, match="the keyword argument nonsense is not recognized"):
            run()
    with pytest.raises(ValueError, match="not recognized"):
        flow.set_context(mode=flow.GRAPH_MODE, nonsense=1)
    assert flow.get_context("mode") is None and flow.get_context("max_call_depth") is None


def test_what_is_not_said_stays():
    flow.set_context(mode=flow.PYNATIVE_MODE)
    flow.set_context(device_target="CPU", save_graphs=False)
    assert flow.get_context("mode") == flow.PYNATIVE_MODE
    assert flow.get_context("save_graphs") is False
