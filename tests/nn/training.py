"""Optimizers and learning rates, written once for PyTorch and srcgrad.

python -m tests.nn.training        # records PyTorch's numbers, where it is installed
"""

import json
from pathlib import Path

import numpy as np

from tests.nn import models

RECORDED = Path(__file__).with_name("pytorch_training.json")

# name: (class, options)
OPTIMIZERS = {
    "SGD": ("SGD", {"lr": 0.1}),
    "SGD momentum": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1}),
    "SGD Nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    "Adam": ("Adam", {"lr": 0.1}),
    "Adam amsgrad": ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    "Adam decoupled": ("Adam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    "AdamW": ("AdamW", {"lr": 0.1, "betas": (0.8, 0.9)}),
    "RMSprop": ("RMSprop", {"lr": 0.1}),
    "RMSprop centered": (
        "RMSprop", {"momentum": 0.5, "centered": True, "alpha": 0.9, "weight_decay": 0.1},
    ),
    "Adagrad": ("Adagrad", {"lr": 0.1}),
    "Adagrad decay": (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1},
    ),
    "LBFGS": ("LBFGS", {"lr": 0.5, "max_iter": 3}),
    "LBFGS short": ("LBFGS", {"lr": 0.5, "max_iter": 5, "history_size": 2, "max_eval": 4}),
}  # fmt: skip

SCHEDULES = {
    "StepLR": lambda s, o: s.StepLR(o, 3, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 2, 5]),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 4, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 2, 0.01),
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 1.0 / (1 + epoch)),
    "LinearLR": lambda s, o: s.LinearLR(o, total_iters=4),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.25, 3),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 6, 2.0),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 1.0, total_steps=12),
    "OneCycleLR three phases": lambda s, o: s.OneCycleLR(
        o, [1.0], epochs=4, steps_per_epoch=3, anneal_strategy="linear", three_phase=True
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=3), s.ExponentialLR(o, 0.5)], [4]
    ),
    "SequentialLR of three": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o), s.StepLR(o, 2, 0.5), s.CosineAnnealingLR(o, 3)], [3, 8]
    ),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=1, cooldown=1),
    "ReduceLROnPlateau max": lambda s, o: s.ReduceLROnPlateau(
        o, "max", 0.5, 0, 0.01, "abs", min_lr=0.2
    ),
}
MEASURES = [3.0, 2.0, 2.0, 2.0, 1.9999, 1.9999, 1.0, 1.5, 1.5, 1.5, 1.5, 1.5]


def trajectory(name, library):
    """The parameters after each of six steps on a curved loss."""
    kind, options = OPTIMIZERS[name]
    w = library.nn.Parameter(library.tensor(models.values((4,), 1.0), dtype=library.float64))
    v = library.nn.Parameter(library.tensor(models.values((2, 2), 2.0), dtype=library.float64))
    optimizer = getattr(library.optim, kind)([w, v], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((w - 0.3) ** 4).sum() + (w * v.reshape(-1)).sin().sum() + (v**2).sum()
        loss.backward()
        return loss

    found = []
    for _ in range(6):
        if kind == "LBFGS":
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
        found.append(models.described(np.concatenate([w.tolist(), v.reshape(-1).tolist()])))
    return found


def rates(name, library):
    """The rate, and the momentum, of each of a dozen epochs."""
    w = library.nn.Parameter(library.ones(1))
    optimizer = library.optim.SGD([w], lr=0.5, momentum=0.9)
    schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
    found = []
    for measure in MEASURES[:-1]:
        group = optimizer.param_groups[0]
        found.append([float(group["lr"]), float(group["momentum"])])
        optimizer.step()
        schedule.step(*([measure] if name.startswith("Reduce") else []))
    return found


def main():
    import torch

    found = {f"optimizer {n}": trajectory(n, torch) for n in OPTIMIZERS}
    found |= {f"schedule {n}": rates(n, torch) for n in SCHEDULES}
    text = ",\n".join(f"{json.dumps(n)}: {json.dumps(rows)}" for n, rows in found.items())
    RECORDED.write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
