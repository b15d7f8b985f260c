"""Models of layers, written once for PyTorch and srcgrad, and the numbers that describe a run.

python -m tests.nn.models        # records PyTorch's numbers, where it is installed
"""

import json
import math
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("pytorch_numbers.json")


def Attention(nn, attention, masks=None):
    """An attention of queries to keys, as a module of a namespace; its results and weights."""

    class Attending(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = attention

        def forward(self, query, key):
            if masks is None:
                return self.attention(query, key, key)
            late = key[0, :, 0] < -0.9
            mask = ((query @ key.transpose(1, 2))[0] * 0.0 + 1.0).tril() < 0.5
            return self.attention(
                query, key, key, key_padding_mask=late.expand(2, 5), attn_mask=mask,
                average_attn_weights=False,
            )  # fmt: skip

    return Attending()


def Functional(nn, name):
    """A function of `nn.functional` as a module of a namespace."""
    F = nn.functional
    functions = {
        "attention": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.7),
        "causal": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
        "pad": lambda x: F.pad(x, (1, -1, 2, 0), value=0.5),
        "softmax": lambda x: F.softmax(x) * F.log_softmax(x),
        "embedding": lambda w: F.embedding((w[:4, :2] > 0).long() + 2, w, padding_idx=2),
    }

    class Calling(nn.Module):
        def forward(self, *xs):
            return functions[name](*xs)

    return Calling()


# name: (the model of a namespace, the shapes of its inputs)
MODELS = {
    "Linear": (lambda nn: nn.Linear(3, 2), [(4, 3)]),
    "Linear without bias": (lambda nn: nn.Linear(3, 2, bias=False), [(4, 3)]),
    "Conv1d": (lambda nn: nn.Conv1d(3, 4, 2), [(2, 3, 7)]),
    "Conv1d circular": (
        lambda nn: nn.Conv1d(3, 4, 3, padding=2, padding_mode="circular"), [(2, 3, 7)],
    ),
    "Conv1d same": (lambda nn: nn.Conv1d(3, 4, 4, padding="same", dilation=2), [(2, 3, 9)]),
    "Conv2d": (lambda nn: nn.Conv2d(2, 3, 3), [(2, 2, 6, 5)]),
    "Conv2d unbatched": (lambda nn: nn.Conv2d(2, 3, 3), [(2, 6, 5)]),
    "Conv2d stride, padding": (lambda nn: nn.Conv2d(2, 3, (3, 2), 2, (1, 0)), [(2, 2, 6, 5)]),
    "Conv2d groups": (lambda nn: nn.Conv2d(4, 6, 3, groups=2, bias=False), [(2, 4, 6, 5)]),
    "Conv2d dilation": (lambda nn: nn.Conv2d(2, 3, 2, 1, 2, 2), [(2, 2, 6, 5)]),
    "Conv2d same": (lambda nn: nn.Conv2d(2, 3, (4, 3), padding="same"), [(2, 2, 6, 5)]),
    "Conv2d reflect": (
        lambda nn: nn.Conv2d(2, 3, 3, 1, (2, 1), padding_mode="reflect"), [(2, 2, 6, 5)],
    ),
    "Conv2d replicate": (
        lambda nn: nn.Conv2d(2, 3, 3, 2, 1, padding_mode="replicate"), [(2, 2, 6, 5)],
    ),
    "ConvTranspose2d": (
        lambda nn: nn.ConvTranspose2d(4, 6, 3, (2, 3), 1, 1, 2), [(2, 4, 3, 2)],
    ),
    "ConvTranspose2d dilation": (
        lambda nn: nn.ConvTranspose2d(2, 3, 2, 2, 0, dilation=2, bias=False), [(2, 2, 3, 4)],
    ),
    "MaxPool1d": (lambda nn: nn.MaxPool1d(2), [(2, 3, 7)]),
    "MaxPool2d": (lambda nn: nn.MaxPool2d(2), [(2, 3, 7, 6)]),
    "MaxPool2d padded": (lambda nn: nn.MaxPool2d(3, 2, 1), [(2, 3, 7, 6)]),
    "MaxPool2d ceil": (lambda nn: nn.MaxPool2d((2, 3), 2, (1, 0), ceil_mode=True), [(2, 3, 7, 6)]),
    "MaxPool2d dilation": (lambda nn: nn.MaxPool2d(2, 1, 0, 2), [(2, 3, 7, 6)]),
    "AvgPool1d": (lambda nn: nn.AvgPool1d(2, padding=1), [(2, 3, 7)]),
    "AvgPool2d": (lambda nn: nn.AvgPool2d(2), [(2, 3, 7, 6)]),
    "AvgPool2d padded": (lambda nn: nn.AvgPool2d(3, 2, 1), [(2, 3, 7, 6)]),
    "AvgPool2d ceil": (lambda nn: nn.AvgPool2d(3, 2, 1, ceil_mode=True), [(2, 3, 6, 7)]),
    "AvgPool2d not counting": (
        lambda nn: nn.AvgPool2d(3, 2, 1, True, count_include_pad=False), [(2, 3, 7, 6)],
    ),
    "AvgPool2d divisor": (lambda nn: nn.AvgPool2d(2, divisor_override=3), [(2, 3, 7, 6)]),
    "AdaptiveAvgPool1d": (lambda nn: nn.AdaptiveAvgPool1d(3), [(2, 3, 7)]),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d((3, None)), [(2, 3, 7, 6)]),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d((3, 2)), [(2, 3, 7, 6)]),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(3), [(5, 3)]),
    "BatchNorm1d sequences": (lambda nn: nn.BatchNorm1d(3, momentum=None), [(5, 3, 4)]),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(3), [(2, 3, 4, 5)]),
    "BatchNorm2d evaluated": (lambda nn: nn.BatchNorm2d(3).eval(), [(2, 3, 4, 5)]),
    "BatchNorm2d untracked": (
        lambda nn: nn.BatchNorm2d(3, affine=False, track_running_stats=False).eval(),
        [(2, 3, 4, 5)],
    ),
    "LayerNorm": (lambda nn: nn.LayerNorm(4), [(3, 4)]),
    "LayerNorm of two dims": (lambda nn: nn.LayerNorm((3, 4), bias=False), [(2, 3, 4)]),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 6), [(2, 6, 3, 2)]),
    "RNNCell": (lambda nn: nn.RNNCell(3, 2, nonlinearity="relu"), [(4, 3)]),
    "GRUCell": (lambda nn: nn.GRUCell(3, 2), [(4, 3), (4, 2)]),
    "LSTMCell": (lambda nn: nn.LSTMCell(3, 2, bias=False), [(4, 3)]),
    "RNN": (lambda nn: nn.RNN(3, 2, 2), [(5, 4, 3)]),
    "GRU": (lambda nn: nn.GRU(3, 2, 2, bidirectional=True), [(5, 4, 3)]),
    "LSTM": (lambda nn: nn.LSTM(3, 2, 2, batch_first=True), [(4, 5, 3)]),
    "LSTM both ways": (lambda nn: nn.LSTM(3, 2, bidirectional=True, bias=False), [(5, 3)]),
    "PReLU": (lambda nn: nn.PReLU(3), [(2, 3, 4)]),
    "MultiheadAttention": (
        lambda nn: Attention(nn, nn.MultiheadAttention(4, 2)), [(3, 2, 4), (5, 2, 4)],
    ),
    "MultiheadAttention other sizes": (
        lambda nn: Attention(
            nn, nn.MultiheadAttention(4, 2, bias=False, kdim=3, vdim=3, batch_first=True)
        ),
        [(2, 3, 4), (2, 5, 3)],
    ),
    "MultiheadAttention masked": (
        lambda nn: Attention(
            nn, nn.MultiheadAttention(4, 2, batch_first=True), "masks",
        ),
        [(2, 5, 4), (2, 5, 4)],
    ),
    "attention": (lambda nn: Functional(nn, "attention"), [(2, 3, 4), (2, 5, 4), (2, 5, 3)]),
    "causal attention": (lambda nn: Functional(nn, "causal"), [(2, 5, 4)]),
    "pad": (lambda nn: Functional(nn, "pad"), [(2, 3, 4)]),
    "softmax without a dim": (lambda nn: Functional(nn, "softmax"), [(2, 3, 4)]),
    "embedding": (lambda nn: Functional(nn, "embedding"), [(7, 3)]),
    "a network of images": (
        lambda nn: nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Tanh(), nn.MaxPool2d(2),
            nn.Conv2d(4, 3, 3, padding=1), nn.SiLU(), nn.AvgPool2d(2), nn.Flatten(),
            nn.Linear(12, 3),
        ),
        [(2, 1, 10, 10)],
    ),
}  # fmt: skip


def values(shape, k):
    """Numbers between -1 and 1 without equal ones."""
    return np.sin(1.7 * np.arange(math.prod(shape)) + k).reshape(shape)


def described(a):
    """Numbers that tell an array from others of its shape."""
    a = np.asarray(a, float).ravel()
    along = np.cos(1.3 * np.arange(a.size))
    return [float(a.sum()), float((a * along).sum()), float(np.abs(a).max(initial=0.0))]


def results(out):
    """The tensors of a structure of tuples."""
    return [t for part in out for t in results(part)] if isinstance(out, tuple) else [out]


def loss_of(outputs, array):
    """The outputs, each times fixed numbers, summed."""
    return sum((t * array(values(tuple(t.shape), 0.3) + 0.2)).sum() for t in outputs)


def filled(model, no_grad):
    """The model in float64, its parameters and averages set to fixed numbers."""
    model = model.double()
    with no_grad():
        for k, (_, p) in enumerate(model.named_parameters()):
            p.copy_(p.new_tensor(values(tuple(p.shape), k)))
    return model


def run(name, library):
    """The shapes, names and numbers of a model: of its results, gradients and averages."""
    make, shapes = MODELS[name]
    model = filled(make(library.nn), library.no_grad)
    xs = [
        library.tensor(values(s, 0.5 + k), dtype=library.float64, requires_grad=True)
        for k, s in enumerate(shapes)
    ]
    outputs = results(model(*xs))
    loss_of(outputs, lambda a: library.tensor(a, dtype=library.float64)).backward()
    return {
        "shapes": [list(t.shape) for t in outputs],
        "parameters": sum(p.numel() for p in model.parameters()),
        "state": {n: list(t.shape) for n, t in model.state_dict().items()},
        "outputs": [described(t.detach().numpy()) for t in outputs],
        "gradients": [described(x.grad.numpy()) for x in xs]
        + [described(p.grad.numpy()) for p in model.parameters()],
        "averages": [described(b.detach().numpy()) for b in model.buffers()],
    }


def main():
    import torch

    found = {name: run(name, torch) for name in MODELS}
    text = ",\n".join(f"{json.dumps(n)}: {json.dumps(row)}" for n, row in found.items())
    RECORDED.write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
