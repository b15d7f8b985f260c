"""Learning rates that change with the epochs: PyTorch's, one scheduler or two on an optimizer."""

import pytest

import srcgrad as flow

torch = pytest.importorskip("torch")
SCHEDULERS = {
    "StepLR": [{"step_size": 3}, {"step_size": 2, "gamma": 0.5}],
    "MultiStepLR": [{"milestones": [2, 5, 5]}, {"milestones": [1], "gamma": 0.3}],
    "ExponentialLR": [{"gamma": 0.9}],
    "CosineAnnealingLR": [{"T_max": 4}, {"T_max": 5, "eta_min": 0.01}],
    "LambdaLR": [{"lr_lambda": lambda n: 1 / (n + 1)}, {"lr_lambda": [lambda n: n, lambda n: 2]}],
}
GIVEN = [[(name, options)] for name, each in SCHEDULERS.items() for options in each]
GIVEN.append([("StepLR", {"step_size": 2}), ("ExponentialLR", {"gamma": 0.5})])


def rates(lib, given):
    weights = [lib.zeros(1, requires_grad=True) for _ in range(2)]
    groups = [{"params": weights[:1]}, {"params": weights[1:], "lr": 0.5}]
    optimizer = lib.optim.SGD(groups, lr=0.1)
    schedulers = [getattr(lib.optim.lr_scheduler, n)(optimizer, **options) for n, options in given]
    made = [[g["lr"] for g in optimizer.param_groups]]
    for _ in range(12):
        optimizer.step()
        for s in schedulers:
            s.step()
        made.append([g["lr"] for g in optimizer.param_groups])
        assert schedulers[-1].get_last_lr() == made[-1]
    return made


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: "-".join(n for n, _ in given))
def test_as_pytorch(given):
    ours, theirs = rates(flow, given), rates(torch, given)
    for got, want in zip(ours, theirs, strict=True):
        assert got == pytest.approx(want, rel=1e-12)


def test_a_scheduler_goes_on_where_another_was():
    def made():
        optimizer = flow.optim.SGD([flow.zeros(1, requires_grad=True)], lr=1.0)
        return optimizer, flow.optim.lr_scheduler.StepLR(optimizer, 2)

    (one, first), (other, second) = made(), made()
    for _ in range(3):
        first.step()
    second.load_state_dict(first.state_dict())
    other.load_state_dict(one.state_dict())
    first.step()
    second.step()
    assert second.get_last_lr() == first.get_last_lr() == pytest.approx([0.01])


def test_refused():
    with pytest.raises(TypeError, match="not an Optimizer"):
        flow.optim.lr_scheduler.StepLR([1.0], 2)
    optimizer = flow.optim.SGD([flow.zeros(1, requires_grad=True)], lr=1.0)
    with pytest.raises(ValueError, match="Expected 1 lr_lambdas"):
        flow.optim.lr_scheduler.LambdaLR(optimizer, [abs, abs])
