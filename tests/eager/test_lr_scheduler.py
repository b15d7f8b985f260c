"""Learning rates that change with the epochs: PyTorch's, one scheduler or two on an optimizer."""

import math

import pytest

import srcgrad as flow

# the factor after n epochs, by the formulas of PyTorch's documentation; `rate` is the first one
SCHEDULERS = [
    ("StepLR", {"step_size": 3}, lambda n, rate: 0.1 ** (n // 3)),
    ("StepLR", {"step_size": 2, "gamma": 0.5}, lambda n, rate: 0.5 ** (n // 2)),
    ("MultiStepLR", {"milestones": [2, 5, 5]}, lambda n, rate: 0.1 ** ((n >= 2) + 2 * (n >= 5))),
    ("MultiStepLR", {"milestones": [1], "gamma": 0.3}, lambda n, rate: 0.3 ** (n >= 1)),
    ("ExponentialLR", {"gamma": 0.9}, lambda n, rate: 0.9**n),
    ("CosineAnnealingLR", {"T_max": 4}, lambda n, rate: (1 + math.cos(math.pi * n / 4)) / 2),
    (
        "CosineAnnealingLR",
        {"T_max": 5, "eta_min": 0.01},
        lambda n, rate: (0.01 + (rate - 0.01) * (1 + math.cos(math.pi * n / 5)) / 2) / rate,
    ),
    ("LambdaLR", {"lr_lambda": lambda n: 1 / (n + 1)}, lambda n, rate: 1 / (n + 1)),
]
GIVEN = [[each] for each in SCHEDULERS] + [[SCHEDULERS[1], SCHEDULERS[4]]]


def rates(given):
    weights = [flow.zeros(1, requires_grad=True) for _ in range(2)]
    groups = [{"params": weights[:1]}, {"params": weights[1:], "lr": 0.5}]
    optimizer = flow.optim.SGD(groups, lr=0.1)
    schedulers = [
        getattr(flow.optim.lr_scheduler, n)(optimizer, **options) for n, options, _ in given
    ]
    made = [[g["lr"] for g in optimizer.param_groups]]
    for _ in range(12):
        optimizer.step()
        for s in schedulers:
            s.step()
        made.append([g["lr"] for g in optimizer.param_groups])
        assert schedulers[-1].get_last_lr() == made[-1]
    return made


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: "-".join(name for name, *_ in given))
def test_formulas(given):
    for n, found in enumerate(rates(given)):
        for rate, got in zip((0.1, 0.5), found, strict=True):
            factor = math.prod(formula(n, rate) for *_, formula in given)
            assert got == pytest.approx(rate * factor, rel=1e-12, abs=1e-17)


def test_a_function_for_each_group():
    found = rates([("LambdaLR", {"lr_lambda": [lambda n: n, lambda n: 2]}, None)])
    assert found == [[pytest.approx(0.1 * n), 1.0] for n in range(13)]


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
