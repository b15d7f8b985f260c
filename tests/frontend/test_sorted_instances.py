"""`sorted` of instances by their `__lt__`, and of lists of one item."""

from dataclasses import dataclass

from tests.frontend.as_python import agrees, slope_agrees


class Layer:
    """Sorted by its depth; the order of those of one depth is that of the list."""

    def __init__(self, depth, area):
        self.depth, self.area = depth, area

    def __lt__(self, other):
        print(self.depth, other.depth)
        return self.depth < other.depth


@dataclass(order=True)
class Step:
    k: int
    u: float = 0.0


def layers(x):
    held = [Layer(3, x), Layer(1, 2.0 * x), Layer(2, x * x), Layer(1, 5.0)]
    up, down = sorted(held), sorted(held, reverse=True)
    weighed = sum((k + 1.0) * layer.area for k, layer in enumerate(up))
    return (
        weighed,
        [layer.depth for layer in down],
        [layer.area for layer in down],
        up[0] is held[1],
    )


def by_a_key(x):
    steps = [Step(2, x), Step(1, x * x)]
    return [s.u for s in sorted(steps, key=lambda s: Layer(s.k, 0.0))], sorted([Step(3, x)])[0].u


def of_one(x):
    return sorted([Layer(x, 2.0)])[0].depth * 3.0, sorted([(x, "a", None)])[0][0], sorted([[x]])[0]


def test_the_order_is_pythons():
    for f in (layers, by_a_key, of_one):
        agrees(f, 0.7)
    slope_agrees(lambda x: layers(x)[0], 0.7)
    slope_agrees(lambda x: of_one(x)[0], 0.7)


def test_a_sorted_list_is_another_one():
    def f(x):
        held = [Layer(1, x)]
        new = sorted(held)
        new.append(2.0)
        new[0].area = 2.0 * x
        return len(held), held[0].area, new is held

    agrees(f, 0.7)
