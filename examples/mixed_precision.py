"""Training in float16 with a loss scale that adjusts itself, and float32 master weights.

The network computes in float16. Its loss is scaled, so that small gradients do not vanish; where
a scaled gradient overflows, the step is left out and the scale halved. `main` returns 0 if the
line is found and some step was left out on the way.
Run it: python examples/mixed_precision.py
"""

import numpy as np

import srcgrad as flow
from srcgrad import amp, nn, ops

SLOPE, OFFSET = 2.0, -1.0


class HalfLine(nn.Cell):
    """A linear map computed in float16; its Parameters are float32."""

    def __init__(self) -> None:
        super().__init__()
        self.w = flow.Parameter(flow.zeros(1))
        self.b = flow.Parameter(flow.zeros(1))

    def construct(self, x):
        return x * self.w.astype(flow.float16) + self.b.astype(flow.float16)


def main(steps: int = 400) -> int:
    net = HalfLine()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.5)
    scaler = amp.DynamicLossScaler(2.0**24, 2, 50)

    def forward(x, y):
        error = net(x) - y
        loss = (error * error).mean()
        return scaler.scale(loss), loss

    value_and_grad = flow.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    generator = np.random.default_rng(0)
    skipped, loss = 0, flow.tensor(0.0)
    for _ in range(steps):
        a = generator.uniform(-1, 1, 32).astype(np.float16)
        x, y = flow.tensor(a), flow.tensor((SLOPE * a + OFFSET).astype(np.float16))
        (_, loss), grads = value_and_grad(x, y)
        finite = amp.all_finite(grads)
        if finite:
            optimizer(ops.clip_by_global_norm(scaler.unscale(grads), 10.0))
        skipped += not finite
        scaler.adjust(finite)
    w, b, scale = net.w.item(), net.b.item(), scaler.scale_value.item()
    print(f"loss {loss.item():.2e}, line {w:.3f} x {b:+.3f}, scale {scale:.0f}")
    print(f"{skipped} of {steps} steps left out")
    found = abs(w - SLOPE) < 0.01 and abs(b - OFFSET) < 0.01
    return 0 if found and 0 < skipped < steps // 4 else 1


if __name__ == "__main__":
    raise SystemExit(main())
